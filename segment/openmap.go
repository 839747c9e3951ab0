package segment

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sort"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/tile"
)

// digestRecord is one record of the digest list: kind, length, BLAKE3.
const digestRecord = 2 + 8 + 32

// openMap reads the digest list and the root page of the map, and proves both
// by the pin. It leaves s.root nil if the file has no digest list or no map: it
// is then somebody else's.
func (s *Segment) openMap(ctx context.Context, tail span) error {
	list := s.head.Section(KindDigests)
	root := s.head.Section(KindMap)
	if list.Length == 0 || root.Length == 0 {
		return nil
	}
	if list.Length > maxSections*digestRecord || root.Length > maxRoot(s.head.Section(KindMapPages).Length) {
		return headerErr(64, "%v of %d bytes, %v of %d", list.Kind, list.Length, root.Kind, root.Length)
	}
	rawList, err := s.fromTail(ctx, tail, list)
	if err != nil {
		return err
	}
	if got := extraOf(s.rawHead, rawList); got != *s.pin.Extra {
		return &damage.Error{Part: "header and digest list", Offset: 0,
			Detail: fmt.Sprintf("their hash is %x, the pin says %x", got, *s.pin.Extra)}
	}
	digests, err := parseDigests(rawList, s.head)
	if err != nil {
		return err
	}
	rawRoot, err := s.fromTail(ctx, tail, root)
	if err != nil {
		return err
	}
	if got := blake3.Sum256(rawRoot); got != digests[KindMap] {
		return &damage.Error{Part: "map root", Offset: int64(root.Offset),
			Detail: fmt.Sprintf("its BLAKE3 is %x, the digest list says %x", got[:16], digests[KindMap])}
	}
	m, err := parseRoot(bytes.Clone(rawRoot), // its keys are views: let go of the tail of the file
		s.head.Section(KindMapPages).Length)
	if err != nil || m == nil {
		return err
	}
	if m.graphs > maxGraphs {
		return damage.New("map root", "%d graphs, more than can be counted", m.graphs)
	}
	s.counts = Counts{
		Shared: m.terms[Shared], Subjects: m.terms[SubjectOnly],
		Objects: m.terms[ObjectOnly], Predicates: m.terms[Predicates],
		Graphs: int(m.graphs), Quads: m.quads, QuadsKnown: true,
	}
	s.root, s.digests = m, digests
	s.canonical = digests[KindCanonical] == blake3.Sum256([]byte{canonicalVersion, canonicalTerms})
	if len(tail.b) > 0 {
		_, err = cached(ctx, s, wholeTail, func(context.Context) (span, int64, error) { return tail, int64(len(tail.b)), nil })
	}
	return err
}

// fromTail returns a section, from the tail if it is there. A long one is read in
// steps, so that no memory is taken for bytes that a server only claims to have.
func (s *Segment) fromTail(ctx context.Context, tail span, r SectionRange) ([]byte, error) {
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

// parseDigests reads the digest list and compares it with the directory: it
// lists every section outside the content hash but itself, in directory order.
func parseDigests(b []byte, h *Header) (map[Kind][32]byte, error) {
	bad := func(format string, args ...any) (map[Kind][32]byte, error) {
		return nil, damage.New("digest list", format, args...)
	}
	if len(b)%digestRecord != 0 {
		return bad("%d bytes are no whole records", len(b))
	}
	digests := make(map[Kind][32]byte)
	for _, r := range h.Sections {
		if r.Kind.hashed() || r.Kind == KindDigests || r.Length == 0 {
			continue
		}
		if len(b) == 0 {
			return bad("it does not list %v", r.Kind)
		}
		k, n := Kind(binary.LittleEndian.Uint16(b)), binary.LittleEndian.Uint64(b[2:])
		if k != r.Kind || n != r.Length {
			return bad("it lists %v with %d bytes where the header has %v with %d", k, n, r.Kind, r.Length)
		}
		if _, twice := digests[k]; twice {
			return bad("it lists %v twice", k)
		}
		digests[k] = [32]byte(b[10:digestRecord])
		b = b[digestRecord:]
	}
	if len(b) > 0 {
		return bad("%d records too many", len(b)/digestRecord)
	}
	return digests, nil
}

// mapPageBytes returns the proven bytes of a page.
func (s *Segment) mapPageBytes(ctx context.Context, p *mapPage) ([]byte, error) {
	off := int64(s.head.Section(KindMapPages).Offset + p.off)
	b, err := s.bytesAt(ctx, off, int64(p.length))
	if err != nil {
		return nil, err
	}
	if sum := blake3.Sum256(b); [16]byte(sum[:16]) != p.digest {
		return nil, &damage.Error{Part: "map page", Offset: off,
			Detail: fmt.Sprintf("its BLAKE3 is %x, the root page says %x", sum[:16], p.digest)}
	}
	return b, nil
}

// pageUnit is the name of a page in the cache.
func (p *mapPage) unit() uint64 { return unitPage | p.off }

func (s *Segment) chunkPage(ctx context.Context, p *mapPage) ([]chunkRef, error) {
	if v, ok := s.cache.Peek(s.key(p.unit())); ok { // no closure is made
		return v.([]chunkRef), nil
	}
	return cached(ctx, s, p.unit(), func(ctx context.Context) ([]chunkRef, int64, error) {
		b, err := s.mapPageBytes(ctx, p)
		if err != nil {
			return nil, 0, err
		}
		refs, err := parseChunkPage(b, p.entries, p.start)
		size := int64(len(refs)) * 96
		for i := range refs {
			size += int64(len(refs[i].key))
			if err == nil {
				err = s.inFile(refs[i].off, uint64(refs[i].length))
			}
		}
		if n := len(refs); err == nil && uint64(refs[n-1].start)+uint64(refs[n-1].terms) != p.start+p.rows {
			err = damage.New("map page of chunks", "other counts than in the root page")
		}
		return refs, size, err
	})
}

func (s *Segment) tilePage(ctx context.Context, p *mapPage) ([]tileRef, error) {
	if v, ok := s.cache.Peek(s.key(p.unit())); ok { // a search asks often: no closure is made
		return v.([]tileRef), nil
	}
	return cached(ctx, s, p.unit(), func(ctx context.Context) ([]tileRef, int64, error) {
		b, err := s.mapPageBytes(ctx, p)
		if err != nil {
			return nil, 0, err
		}
		refs, err := parseTilePage(b, p.entries, p.start)
		for i := range refs {
			if err == nil {
				err = s.inFile(uint64(refs[i].Off), uint64(refs[i].Len))
			}
		}
		if n := len(refs); err == nil && (refs[n-1].start+uint64(refs[n-1].Rows) != p.start+p.rows ||
			refs[0].MinA != p.minA || refs[n-1].MaxA != p.maxA) {
			err = damage.New("map page of tiles", "other bounds than in the root page")
		}
		return refs, int64(len(refs)) * 104, err
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
func tablePage(pages []mapPage, k uint64) *mapPage {
	i := sort.Search(len(pages), func(i int) bool { return pages[i].first > k }) - 1
	if i < 0 || k >= pages[i].first+pages[i].entries {
		return nil
	}
	return &pages[i]
}

// tileTable is the table of an order of a graph: kind and argument.
func tileArg(graph int, o tile.Order) uint64 { return uint64(graph)*tile.NumOrders + uint64(o) }
