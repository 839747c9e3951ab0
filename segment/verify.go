package segment

import (
	"context"
	"fmt"
	"math/rand/v2"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
)

// Verify reads the whole file and checks everything that can be checked
// (manifest.md 1): the content hash, the digests of the other sections, reserved
// bytes, physical order and footer, the order of terms, tiles, rows and graphs,
// that the dictionary is split by use, that every order holds the triples of
// SPO, the counts and flags of the header, and the map against all of it.
// progress, if not nil, is called with bytes done and to do.
//
// The first difference is returned and matches [damage.Err].
func (s *Segment) Verify(ctx context.Context, progress func(done, total int64)) error {
	total := 2 * s.obj.Size()
	v := &verifier{s: s, seed: [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1}}
	v.tick = func(n int64) {
		v.done = min(v.done+n, total)
		if progress != nil {
			progress(v.done, total)
		}
	}
	if err := v.run(ctx); err != nil {
		return s.named(err)
	}
	v.tick(total)
	return nil
}

// verifier reads a file by its directories, whether it has a map or not.
type verifier struct {
	s    *Segment
	p    *Segment // the same file, read without a map
	tick func(n int64)
	done int64
	seed [2]uint64 // of the sums over triples: nobody can make a file for them

	terms  uint64
	quads  uint64
	quoted bool
	used   [3]bitset // subject, predicate and object ids in use
}

func (v *verifier) run(ctx context.Context) error {
	s := v.s
	if err := v.layout(ctx); err != nil {
		return err
	}
	if err := s.hashWhole(ctx, v.tick); err != nil {
		return err
	}
	if err := v.digests(ctx); err != nil {
		return err
	}
	var end func()
	v.p, end = s.unmapped(ctx)
	defer end()
	if s.root != nil { // the map is pinned, and is compared with the contents below
		raw, err := s.largestChunk(ctx)
		if err != nil {
			return err
		}
		v.p.maxUnit = max(v.p.maxUnit, raw)
	}
	if err := v.p.openDirs(ctx); err != nil {
		return err
	}
	if err := v.dictionary(ctx); err != nil {
		return err
	}
	if err := v.graphs(ctx); err != nil {
		return err
	}
	if err := v.split(); err != nil {
		return err
	}
	if err := v.header(); err != nil {
		return err
	}
	if s.root != nil {
		if err := v.values(ctx); err != nil {
			return err
		}
		return v.mapped(ctx)
	}
	return nil
}

// layout checks the header's reserved bytes, the physical order of the sections
// and the footer.
func (v *verifier) layout(ctx context.Context) error {
	s := v.s
	h := s.head
	if h.HeaderLength != HeaderSize {
		return headerErr(6, "header length %d", h.HeaderLength)
	}
	if h.Flags&^(FlagNamedGraphs|FlagSynopses|FlagTripleTerms) != 0 {
		return headerErr(5, "unknown flags 0x%02x", h.Flags)
	}
	again := *h
	if got := again.Append(nil); string(got) != string(s.rawHead) {
		for i := range got {
			if got[i] != s.rawHead[i] {
				return headerErr(int64(i), "byte 0x%02x where 0x%02x is due: reserved bytes are zero", s.rawHead[i], got[i])
			}
		}
	}
	physical := []Kind{KindMetadata, KindBuildInfo, KindDictionary, KindIndex, KindPyramid, KindTextIndex, KindNamedGraphs}
	seen := make(map[Kind]bool)
	for _, r := range h.Sections {
		if seen[r.Kind] {
			return headerErr(64, "%v is listed twice", r.Kind)
		}
		seen[r.Kind] = true
		if r.Flags != 0 {
			return headerErr(64, "%v has flags 0x%04x", r.Kind, r.Flags)
		}
		if r.Kind < KindMetadata || r.Kind > KindBuildInfo {
			physical = append(physical, r.Kind)
		}
	}
	at := uint64(HeaderSize)
	for _, k := range physical {
		r := h.Section(k)
		if r.Length == 0 {
			continue
		}
		if r.Offset != at {
			return headerErr(64, "%v at %d, it is due at %d", k, r.Offset, at)
		}
		at += r.Length
	}
	if want := at + uint64(len(footer)); want != uint64(s.obj.Size()) {
		return &damage.Error{Part: "file", Offset: int64(at), Detail: fmt.Sprintf("it has %d bytes, its sections and footer %d", s.obj.Size(), want)}
	}
	b := make([]byte, len(footer))
	if err := s.readAt(ctx, b, int64(at)); err != nil {
		return err
	}
	if string(b) != footer {
		return &damage.Error{Part: "footer", Offset: int64(at), Detail: fmt.Sprintf("% x", b)}
	}
	return nil
}

// digests compares the digest list with the bytes of the sections, and all with
// the pin.
func (v *verifier) digests(ctx context.Context) error {
	listed, err := v.s.checkExtra(ctx)
	if err != nil {
		return err
	}
	if listed != nil && string(listed.stated) != string(listed.found) {
		return damage.New("digest list", "the digests that it lists are not those of the sections")
	}
	return nil
}

// checkExtra compares the header and the sections outside the content hash with the
// pin, if it has their hash. It returns the digest list if the file has one.
func (s *Segment) checkExtra(ctx context.Context) (*digestList, error) {
	extra, listed, err := computeExtra(ctx, s)
	if err == nil && s.pin != nil && s.pin.Extra != nil && extra != *s.pin.Extra {
		err = &damage.Error{Object: s.name, Part: "header and sections outside the content hash", Offset: 0,
			Detail: fmt.Sprintf("their hash is %x, the pin says %x", extra, *s.pin.Extra)}
	}
	return listed, err
}

// digestList is the list of a file, as stated and as found.
type digestList struct{ stated, found []byte }

// computeExtra hashes the sections outside the content hash and returns
// extra_blake3_16, and the digest list if the file has one.
func computeExtra(ctx context.Context, s *Segment) (extra [16]byte, list *digestList, err error) {
	var found []byte
	for _, r := range s.head.Sections {
		if r.Kind.hashed() || r.Kind == KindDigests || r.Length == 0 {
			continue
		}
		h := blake3.New(32, nil)
		var ranges []blob.Range
		for done := uint64(0); done < r.Length; done += hashBlock {
			ranges = append(ranges, blob.Range{Off: int64(r.Offset + done), Len: int64(min(hashBlock, r.Length-done))})
		}
		if err := s.stream(ctx, ranges, func(b []byte) error { h.Write(b); return nil }); err != nil {
			return extra, nil, err
		}
		found = appendRecord(found, r.Kind, r.Length)
		found = h.Sum(found)
	}
	if r := s.head.Section(KindDigests); r.Length > 0 {
		if r.Length > maxSections*digestRecord {
			return extra, nil, headerErr(64, "%v of %d bytes", r.Kind, r.Length)
		}
		list = &digestList{stated: make([]byte, r.Length), found: found}
		if err := s.readAt(ctx, list.stated, int64(r.Offset)); err != nil {
			return extra, nil, err
		}
	}
	return extraOf(s.rawHead, found), list, nil
}

// PinOf returns the pin of a file as it is now: size, content hash as its header
// states it, and the hash over the header and the sections outside the content
// hash, which are read whole. It is for files that are taken into a manifest;
// whether the content is what its hash says, [Segment.Verify] tells. obj stays
// open.
func PinOf(ctx context.Context, obj blob.Object) (*Pin, *Header, error) {
	s := &Segment{obj: obj, name: obj.Name(), rawHead: make([]byte, HeaderSize)}
	pin := &Pin{Size: obj.Size(), Extra: new([16]byte)}
	err := func() (err error) {
		if pin.Size < HeaderSize {
			return headerErr(pin.Size, "the file has %d bytes, a header has %d", pin.Size, HeaderSize)
		}
		if err = s.readAt(ctx, s.rawHead, 0); err != nil {
			return err
		}
		if s.head, err = ParseHeader(s.rawHead); err != nil {
			return err
		}
		if want := s.head.FileSize(); want > uint64(pin.Size) {
			return headerErr(64, "the sections need %d bytes, the file has %d", want, pin.Size)
		}
		pin.Hash = s.head.Hash
		var list *digestList
		if *pin.Extra, list, err = computeExtra(ctx, s); err != nil {
			return err
		}
		if list != nil && string(list.stated) != string(list.found) {
			return damage.New("digest list", "the digests that it lists are not those of the sections")
		}
		return nil
	}()
	if err != nil {
		return nil, nil, s.named(err)
	}
	return pin, s.head, nil
}
