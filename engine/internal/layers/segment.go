package layers

import (
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// Segment is a segment as a layer of a view.
type Segment struct {
	Seg    *segment.Segment
	counts Counts
}

// FromSegment returns an open segment as a layer. The segment must stay open as
// long as a view uses the layer, and all its terms must be spelled canonically.
func FromSegment(seg *segment.Segment) Layer {
	c := seg.Counts()
	quads := c.Quads
	if quads == 0 { // not known without reading all: the header's word will do
		quads = seg.Header().Quads
	}
	return &Segment{Seg: seg, counts: Counts{
		Shared: c.Shared, Subjects: c.Subjects, Objects: c.Objects, Predicates: c.Predicates,
		Graphs: uint32(c.Graphs), Quads: quads,
	}}
}

// Name implements [Layer].
func (s *Segment) Name() string { return s.Seg.Name() }

// Counts implements [Layer].
func (s *Segment) Counts() Counts { return s.counts }

// HasOrder reports whether the file stores an order.
func (s *Segment) HasOrder(o tile.Order) bool { return s.Seg.HasOrder(o) }

// Distant reports whether the bytes come over a network and are read by a map.
func (s *Segment) Distant() bool { return s.Seg.Remote() && s.Seg.Mapped() }

// Locate implements [Layer].
func (s *Segment) Locate(ctx context.Context, sec Section, sorted [][]byte, out []uint32) error {
	return s.Seg.Locate(ctx, segment.Section(sec), sorted, out)
}

// LowerBound implements [Layer].
func (s *Segment) LowerBound(ctx context.Context, sec Section, surface []byte) (uint32, error) {
	return s.Seg.LowerBound(ctx, segment.Section(sec), surface)
}

// Decode implements [Layer].
func (s *Segment) Decode(ctx context.Context, sec Section, local []uint32, out *dataset.Terms) error {
	return s.Seg.Decode(ctx, segment.Section(sec), local, out)
}

// GraphNames implements [Layer].
func (s *Segment) GraphNames(ctx context.Context) ([][]byte, error) {
	return s.Seg.GraphNames(ctx)
}

// PredicateNodes implements [Layer].
func (s *Segment) PredicateNodes(ctx context.Context) ([]uint64, error) {
	nodes, err := s.Seg.PredicateNodes(ctx)
	return nodes, s.checkNodes(nodes, uint64(s.counts.Predicates), err)
}

// GraphNodes implements [Layer].
func (s *Segment) GraphNodes(ctx context.Context) ([]uint64, error) {
	nodes, err := s.Seg.GraphNodes(ctx)
	return nodes, s.checkNodes(nodes, uint64(s.counts.Graphs), err)
}

func (s *Segment) checkNodes(nodes []uint64, n uint64, err error) error {
	if err == nil && uint64(len(nodes)) != n {
		err = damage.In(s.Name(), damage.New("map", "nodes of %d names, there are %d", len(nodes), n))
	}
	return err
}

// Tiles implements [Layer].
func (s *Segment) Tiles(ctx context.Context, graph uint32, o tile.Order, prefix ...uint32) ([]tile.Entry, error) {
	if !s.Seg.HasOrder(o) {
		return nil, nil // no tiles to cut at
	}
	return s.Seg.Entries(ctx, int(graph), o, prefix...)
}

// Count implements [Layer].
func (s *Segment) Count(ctx context.Context, graph uint32, o tile.Order, prefix ...uint32) (uint64, error) {
	if !s.Seg.HasOrder(o) {
		return 0, fmt.Errorf("engine: %s does not store the order %v", s.Name(), o)
	}
	return s.Seg.Count(ctx, int(graph), o, prefix...)
}

// Scan implements [Layer].
func (s *Segment) Scan(ctx context.Context, graph uint32, o tile.Order, lo, hi [3]uint32) (Runs, error) {
	if !s.Seg.HasOrder(o) {
		return Resorted(ctx, s, graph, o, lo, hi, nil)
	}
	last, ok := before(hi)
	if !ok {
		return noRuns{}, nil
	}
	sc, err := s.Seg.ScanRange(ctx, int(graph), o, lo, last)
	if err != nil {
		return nil, err
	}
	return segmentRuns{sc}, nil
}

// before returns the last key that is below k.
func before(k [3]uint32) ([3]uint32, bool) {
	for i := 2; i >= 0; i-- {
		k[i]--
		if k[i] != 1<<32-1 {
			return k, true
		}
	}
	return k, false
}

// noRuns is a scan without rows.
type noRuns struct{}

func (noRuns) Next(context.Context) (Run, error)     { return Run{}, io.EOF }
func (noRuns) Seek(context.Context, [3]uint32) error { return nil }

// segmentRuns is a segment's own scan.
type segmentRuns struct{ sc *segment.Scan }

// Next implements [Runs].
func (r segmentRuns) Next(ctx context.Context) (Run, error) {
	run, err := r.sc.Next(ctx)
	return Run{Tile: run.Tile, Number: int(run.Number), Lo: run.Lo, Hi: run.Hi}, err
}

// Seek implements [Runs].
func (r segmentRuns) Seek(ctx context.Context, key [3]uint32) error {
	return r.sc.Seek(ctx, key[0], key[1], key[2])
}

// Only says that rows outside the stretches from lo[i] to hi[i], both included, may be left
// out; see [segment.Scan.Only].
func (r segmentRuns) Only(ctx context.Context, lo, hi [][3]uint32) error {
	return r.sc.Only(ctx, lo, hi)
}
