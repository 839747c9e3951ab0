// Package verify reads files whole and checks that all parts of them agree.
package verify

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
)

// File reads the whole file and checks everything that can be checked: the
// content hash, the digests of the other sections, reserved
// bytes, physical order and footer, the order of terms, tiles, rows and graphs,
// that the dictionary is split by use, that every order holds the triples of
// SPO, the counts and flags of the header, and the map against all of it.
// progress, if not nil, is called with bytes done and to do.
//
// The first difference is returned and matches [damage.Err].
func File(ctx context.Context, of *read.Segment, progress func(done, total int64)) error {
	s := read.Inspect(of)
	total := 2 * s.Size()
	v := &verifier{s: s, seed: [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1}}
	v.tick = func(n int64) {
		v.done = min(v.done+n, total)
		if progress != nil {
			progress(v.done, total)
		}
	}
	if err := v.run(ctx); err != nil {
		return s.NameIn(err)
	}
	v.tick(total)
	return nil
}

// verifier reads a file by its directories, whether it has a map or not.
type verifier struct {
	s    read.Inspector
	p    read.Inspector // the same file, read without a map
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
	if err := s.CheckContent(ctx, v.tick); err != nil {
		return err
	}
	if err := v.digests(ctx); err != nil {
		return err
	}
	if _, err := s.Prefixes(ctx); err != nil {
		return err
	}
	var end func()
	largest := int64(0)
	if s.Mapped() { // the map is pinned, and is compared with the contents below
		var err error
		if largest, err = largestChunk(ctx, s); err != nil {
			return err
		}
	}
	v.p, end = s.Without(ctx, largest)
	defer end()
	if err := v.p.Directories(ctx); err != nil {
		return err
	}
	if err := v.dictionary(ctx); err != nil {
		return err
	}
	if err := v.graphs(ctx); err != nil {
		return err
	}
	if err := v.split(ctx); err != nil {
		return err
	}
	if err := v.header(); err != nil {
		return err
	}
	if err := v.parts(ctx); err != nil {
		return err
	}
	if err := v.text(ctx); err != nil {
		return err
	}
	if s.Mapped() {
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
	h := s.Header()
	if h.Format != format.FormatByte {
		return nil // its reader checks that, with the content
	}
	raw := s.RawHeader()
	if h.HeaderLength != format.HeaderSize {
		return format.HeaderErr(6, "header length %d", h.HeaderLength)
	}
	if h.Flags&^(format.FlagNamedGraphs|format.FlagSynopses|format.FlagTripleTerms) != 0 {
		return format.HeaderErr(5, "unknown flags 0x%02x", h.Flags)
	}
	again := *h
	if got := again.Append(nil); string(got) != string(raw) {
		for i := range got {
			if got[i] != raw[i] {
				return format.HeaderErr(int64(i), "byte 0x%02x where 0x%02x is due: reserved bytes are zero", raw[i], got[i])
			}
		}
	}
	physical := []format.Kind{format.KindMetadata, format.KindBuildInfo, format.KindDictionary, format.KindIndex, format.KindPyramid, format.KindTextIndex, format.KindNamedGraphs}
	seen := make(map[format.Kind]bool)
	for _, r := range h.Sections {
		if seen[r.Kind] {
			return format.HeaderErr(64, "%v is listed twice", r.Kind)
		}
		seen[r.Kind] = true
		if r.Flags != 0 {
			return format.HeaderErr(64, "%v has flags 0x%04x", r.Kind, r.Flags)
		}
		if r.Kind < format.KindMetadata || r.Kind > format.KindBuildInfo {
			physical = append(physical, r.Kind)
		}
	}
	at := uint64(format.HeaderSize)
	for _, k := range physical {
		r := h.Section(k)
		if r.Length == 0 {
			continue
		}
		if r.Offset != at {
			return format.HeaderErr(64, "%v at %d, it is due at %d", k, r.Offset, at)
		}
		at += r.Length
	}
	if want := at + uint64(len(format.Footer)); want != uint64(s.Size()) {
		return &damage.Error{Part: "file", Offset: int64(at), Detail: fmt.Sprintf("it has %d bytes, its sections and footer %d", s.Size(), want)}
	}
	b := make([]byte, len(format.Footer))
	if err := s.BytesTo(ctx, b, int64(at)); err != nil {
		return err
	}
	if string(b) != format.Footer {
		return &damage.Error{Part: "footer", Offset: int64(at), Detail: fmt.Sprintf("% x", b)}
	}
	return nil
}

// digests compares the digest list with the bytes of the sections, and all with
// the pin.
func (v *verifier) digests(ctx context.Context) error { return v.s.CheckDigests(ctx) }
