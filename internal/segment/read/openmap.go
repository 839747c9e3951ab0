package read

import (
	"bytes"
	"context"
	"fmt"
	"sort"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"lukechampine.com/blake3"
)

// openMap reads the digest list and the root page of the map, and proves both
// by the pin. It leaves s.root nil if the file has no digest list or no map: it
// is then somebody else's.
func (s *Segment) openMap(ctx context.Context, tail span) error {
	list := s.head.Section(format.KindDigests)
	root := s.head.Section(format.KindMap)
	if list.Length == 0 || root.Length == 0 {
		return nil
	}
	if list.Length > format.MaxSections*format.DigestRecord || root.Length > format.MaxRoot(s.head.Section(format.KindMapPages).Length) {
		return format.HeaderErr(64, "%v of %d bytes, %v of %d", list.Kind, list.Length, root.Kind, root.Length)
	}
	rawList, err := s.fromTail(ctx, tail, list)
	if err != nil {
		return err
	}
	if got := format.ExtraOf(s.rawHead, rawList); got != *s.pin.Extra {
		return &damage.Error{Part: "header and digest list", Offset: 0,
			Detail: fmt.Sprintf("their hash is %x, the pin says %x", got, *s.pin.Extra)}
	}
	digests, err := format.ParseDigests(rawList, s.head)
	if err != nil {
		return err
	}
	rawRoot, err := s.fromTail(ctx, tail, root)
	if err != nil {
		return err
	}
	if got := blake3.Sum256(rawRoot); got != digests[format.KindMap] {
		return &damage.Error{Part: "map root", Offset: int64(root.Offset),
			Detail: fmt.Sprintf("its BLAKE3 is %x, the digest list says %x", got[:16], digests[format.KindMap])}
	}
	m, err := format.ParseRoot(bytes.Clone(rawRoot), // its keys are views: let go of the tail of the file
		s.head.Section(format.KindMapPages).Length)
	if err != nil || m == nil {
		return err
	}
	if m.Graphs > format.MaxGraphs {
		return damage.New("map root", "%d graphs, more than can be counted", m.Graphs)
	}
	s.counts = format.Counts{
		Shared: m.Terms[format.Shared], Subjects: m.Terms[format.SubjectOnly],
		Objects: m.Terms[format.ObjectOnly], Predicates: m.Terms[format.Predicates],
		Graphs: int(m.Graphs), Quads: m.Quads, QuadsKnown: true,
	}
	s.root, s.digests = m, digests
	s.canonical = digests[format.KindCanonical] == blake3.Sum256([]byte{format.CanonicalVersion, format.CanonicalTerms})
	if len(tail.b) > 0 {
		_, err = cached(ctx, s, wholeTail, func(context.Context) (span, int64, error) { return tail, int64(len(tail.b)), nil })
	}
	return err
}

// fromTail returns a section, from the tail if it is there. A long one is read in
// steps, so that no memory is taken for bytes that a server only claims to have.
func (s *Segment) fromTail(ctx context.Context, tail span, r format.SectionRange) ([]byte, error) {
	if b := tail.cut(int64(r.Offset), int64(r.Length)); b != nil {
		return b, nil
	}
	const step = 16 << 20
	var b []byte
	for at := uint64(0); at < r.Length; at = uint64(len(b)) {
		b = append(b, make([]byte, min(step, r.Length-at))...)
		if err := s.readAt(ctx, b[at:], int64(r.Offset+at)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// mapPageBytes returns the proven bytes of a page.
func (s *Segment) mapPageBytes(ctx context.Context, p *format.MapPage, from *batch) ([]byte, error) {
	off := int64(s.head.Section(format.KindMapPages).Offset + p.Off)
	b, err := s.pageBytes(ctx, off, int64(p.Length), from)
	if err != nil {
		return nil, err
	}
	if sum := blake3.Sum256(b); [16]byte(sum[:16]) != p.Digest {
		return nil, &damage.Error{Part: "map page", Offset: off,
			Detail: fmt.Sprintf("its BLAKE3 is %x, the root page says %x", sum[:16], p.Digest)}
	}
	return b, nil
}

// pageKey is the name of a page in the cache.
func pageKey(p *format.MapPage) uint64 { return unitPage | p.Off }

func (s *Segment) chunkPage(ctx context.Context, p *format.MapPage, from *batch) ([]format.ChunkRef, error) {
	if v, ok := peek[[]format.ChunkRef](s, pageKey(p)); ok { // no closure is made
		return v, nil
	}
	return cached(ctx, s, pageKey(p), func(ctx context.Context) ([]format.ChunkRef, int64, error) {
		b, err := s.mapPageBytes(ctx, p, from)
		if err != nil {
			return nil, 0, err
		}
		refs, err := format.ParseChunkPage(b, p.Entries, p.Start)
		size := int64(len(refs)) * 96
		for i := range refs {
			size += int64(len(refs[i].Key))
			if err == nil {
				err = s.inFile(refs[i].Off, uint64(refs[i].Length))
			}
		}
		if n := len(refs); err == nil && uint64(refs[n-1].Start)+uint64(refs[n-1].Terms) != p.Start+p.Rows {
			err = damage.New("map page of chunks", "other counts than in the root page")
		}
		return refs, size, err
	})
}

func (s *Segment) tilePage(ctx context.Context, p *format.MapPage, from *batch) ([]format.TileRef, error) {
	if v, ok := peek[[]format.TileRef](s, pageKey(p)); ok { // a search asks often: no closure is made
		return v, nil
	}
	return cached(ctx, s, pageKey(p), func(ctx context.Context) ([]format.TileRef, int64, error) {
		b, err := s.mapPageBytes(ctx, p, from)
		if err != nil {
			return nil, 0, err
		}
		refs, err := format.ParseTilePage(b, p.Entries, p.Start)
		for i := range refs {
			if err == nil {
				err = s.inFile(uint64(refs[i].Off), uint64(refs[i].Len))
			}
		}
		if n := len(refs); err == nil && (refs[n-1].Start+uint64(refs[n-1].Rows) != p.Start+p.Rows ||
			refs[0].MinA != p.MinA || refs[n-1].MaxA != p.MaxA) {
			err = damage.New("map page of tiles", "other bounds than in the root page")
		}
		return refs, int64(len(refs)) * 112, err
	})
}

// inFile checks that a unit lies inside the file.
func (s *Segment) inFile(off, n uint64) error {
	if size := uint64(s.obj.Size()); n > size || off > size-n {
		return damage.New("map page", "a unit of %d bytes at %d in a file of %d", n, off, size)
	}
	return nil
}

// tablePage finds the page of a table that holds entry k.
func tablePage(pages []format.MapPage, k uint64) *format.MapPage {
	i := sort.Search(len(pages), func(i int) bool { return pages[i].First > k }) - 1
	if i < 0 || k >= pages[i].First+pages[i].Entries {
		return nil
	}
	return &pages[i]
}
