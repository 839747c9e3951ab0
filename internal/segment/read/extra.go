package read

import (
	"context"
	"fmt"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"lukechampine.com/blake3"
)

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

// digestList is the list of a file, as stated and as found; nil if the file has none.
type digestList struct{ stated, found []byte }

// check compares what is stated with what was found.
func (l *digestList) check() error {
	if l != nil && string(l.stated) != string(l.found) {
		return damage.New("digest list", "the digests that it lists are not those of the sections")
	}
	return nil
}

// computeExtra hashes the sections outside the content hash and returns
// extra_blake3_16, and the digest list if the file has one.
func computeExtra(ctx context.Context, s *Segment) (extra [16]byte, list *digestList, err error) {
	var found []byte
	for _, r := range s.head.Sections {
		if format.IsHashed(r.Kind) || r.Kind == format.KindDigests || r.Length == 0 {
			continue
		}
		h := blake3.New(32, nil)
		var ranges []blob.Range
		for done := uint64(0); done < r.Length; done += hashBlock {
			ranges = append(ranges, blob.Range{Off: int64(r.Offset + done), Len: int64(min(hashBlock, r.Length-done))})
		}
		if err := s.stream(ctx, s.obj, ranges, func(b []byte) error { h.Write(b); return nil }); err != nil {
			return extra, nil, err
		}
		found = format.AppendRecord(found, r.Kind, r.Length)
		found = h.Sum(found)
	}
	if r := s.head.Section(format.KindDigests); r.Length > 0 {
		if r.Length > format.MaxSections*format.DigestRecord {
			return extra, nil, format.HeaderErr(64, "%v of %d bytes", r.Kind, r.Length)
		}
		list = &digestList{stated: make([]byte, r.Length), found: found}
		if err := s.readAt(ctx, list.stated, int64(r.Offset)); err != nil {
			return extra, nil, err
		}
	}
	return format.ExtraOf(s.rawHead, found), list, nil
}

// PinOf returns the pin of a file as it is now: size, content hash as its header
// states it, and the hash over the header and the sections outside the content
// hash, which are read whole. It is for files that are taken into a manifest;
// whether the content is what its hash says, package verify tells. obj stays
// open.
func PinOf(ctx context.Context, obj blob.Object) (*format.Pin, *format.Header, error) {
	s := &Segment{obj: obj, name: obj.Name(), rawHead: make([]byte, format.HeaderSize)}
	pin := &format.Pin{Size: obj.Size(), Extra: new([16]byte)}
	err := func() (err error) {
		if pin.Size < format.HeaderSize {
			return format.HeaderErr(pin.Size, "the file has %d bytes, a header has %d", pin.Size, format.HeaderSize)
		}
		if err = s.readAt(ctx, s.rawHead, 0); err != nil {
			return err
		}
		if err = s.parseHead(ctx, span{}); err != nil {
			return err
		}
		pin.Hash = s.head.Hash
		var list *digestList
		if *pin.Extra, list, err = computeExtra(ctx, s); err != nil {
			return err
		}
		return list.check()
	}()
	if err != nil {
		return nil, nil, s.named(err)
	}
	return pin, s.head, nil
}

// StatedPin returns the pin of a file as it says itself: size, content hash, and the hash
// over the header and the list of digests that it has, which proves everything that is read
// by the map. Of a file without that list the content hash alone is known. It reads the two
// ends of the file. obj stays open.
func StatedPin(ctx context.Context, obj blob.Object) (*format.Pin, error) {
	s := &Segment{obj: obj, name: obj.Name()}
	pin, err := s.stated(ctx)
	return pin, s.named(err)
}

func (s *Segment) stated(ctx context.Context) (*format.Pin, error) {
	size := s.obj.Size()
	if size < format.HeaderSize {
		return nil, format.HeaderErr(size, "the file has %d bytes, a header has %d", size, format.HeaderSize)
	}
	tail, err := s.readEnds(ctx, true)
	if err != nil {
		return nil, err
	}
	if err := s.parseHead(ctx, tail); err != nil {
		return nil, err
	}
	pin := &format.Pin{Size: size, Hash: s.head.Hash}
	list := s.head.Section(format.KindDigests)
	if list.Length == 0 {
		return pin, nil
	}
	if list.Length > format.MaxSections*format.DigestRecord {
		return nil, format.HeaderErr(64, "%v of %d bytes", list.Kind, list.Length)
	}
	raw, err := s.fromTail(ctx, tail, list)
	if err != nil {
		return nil, err
	}
	extra := format.ExtraOf(s.rawHead, raw)
	pin.Extra = &extra
	return pin, nil
}
