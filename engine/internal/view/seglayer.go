package view

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/segment"
	"github.com/rete-go/rete/tile"
)

// segmentLayer is a segment as a layer of a view.
type segmentLayer struct {
	seg    *segment.Segment
	counts LayerCounts
}

// SegmentLayer returns an open segment as a layer. The segment must stay open as
// long as a view uses the layer, and all its terms must be spelled canonically.
func SegmentLayer(seg *segment.Segment) Layer {
	c := seg.Counts()
	quads := c.Quads
	if quads == 0 { // not known without reading all: the header's word will do
		quads = seg.Header().Quads
	}
	return &segmentLayer{seg: seg, counts: LayerCounts{
		Shared: c.Shared, Subjects: c.Subjects, Objects: c.Objects, Predicates: c.Predicates,
		Graphs: uint32(c.Graphs), Quads: quads,
	}}
}

// Name implements [Layer].
func (s *segmentLayer) Name() string { return s.seg.Name() }

// Counts implements [Layer].
func (s *segmentLayer) Counts() LayerCounts { return s.counts }

// HasOrder reports whether the file stores an order.
func (s *segmentLayer) HasOrder(o Order) bool { return s.seg.HasOrder(o) }

// Locate implements [Layer].
func (s *segmentLayer) Locate(ctx context.Context, sec Section, sorted [][]byte, out []uint32) error {
	return s.seg.Locate(ctx, segment.Section(sec), sorted, out)
}

// LowerBound implements [Layer].
func (s *segmentLayer) LowerBound(ctx context.Context, sec Section, surface []byte) (uint32, error) {
	return s.seg.LowerBound(ctx, segment.Section(sec), surface)
}

// Decode implements [Layer].
func (s *segmentLayer) Decode(ctx context.Context, sec Section, local []uint32, out *dataset.Terms) error {
	return s.seg.Decode(ctx, segment.Section(sec), local, out)
}

// GraphNames implements [Layer].
func (s *segmentLayer) GraphNames(ctx context.Context) ([][]byte, error) {
	return s.seg.GraphNames(ctx)
}

// PredicateNodes implements [Layer].
func (s *segmentLayer) PredicateNodes(ctx context.Context) ([]uint64, error) {
	nodes, err := s.seg.PredicateNodes(ctx)
	return nodes, s.checkNodes(nodes, int(s.counts.Predicates), err)
}

// GraphNodes implements [Layer].
func (s *segmentLayer) GraphNodes(ctx context.Context) ([]uint64, error) {
	nodes, err := s.seg.GraphNodes(ctx)
	return nodes, s.checkNodes(nodes, int(s.counts.Graphs), err)
}

func (s *segmentLayer) checkNodes(nodes []uint64, n int, err error) error {
	if err == nil && len(nodes) != n {
		err = damage.In(s.Name(), damage.New("map", "nodes of %d names, there are %d", len(nodes), n))
	}
	return err
}

// Tiles implements [Layer].
func (s *segmentLayer) Tiles(ctx context.Context, graph uint32, o Order, prefix ...uint32) ([]tile.Entry, error) {
	if !s.seg.HasOrder(o) {
		return nil, nil // no tiles to cut at
	}
	return s.seg.Entries(ctx, int(graph), o, prefix...)
}

// Count implements [Layer].
func (s *segmentLayer) Count(ctx context.Context, graph uint32, o Order, prefix ...uint32) (uint64, error) {
	if !s.seg.HasOrder(o) {
		return 0, fmt.Errorf("engine: %s does not store the order %v", s.Name(), o)
	}
	return s.seg.Count(ctx, int(graph), o, prefix...)
}

// Scan implements [Layer].
func (s *segmentLayer) Scan(ctx context.Context, graph uint32, o Order, lo, hi [3]uint32) (Runs, error) {
	last, ok := before(hi)
	if !ok {
		return noRuns{}, nil
	}
	if !s.seg.HasOrder(o) {
		return s.resorted(ctx, graph, o, lo, last)
	}
	sc, err := s.seg.ScanRange(ctx, int(graph), o, lo, last)
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

// resorted serves an order that the file does not store from the stored one with
// the same leading column: the rows of each leading id are sorted again. It holds
// the rows of one leading id, or of several small ones.
func (s *segmentLayer) resorted(ctx context.Context, graph uint32, o Order, lo, last [3]uint32) (Runs, error) {
	cols := o.Columns()
	from := tile.SPO
	for from < 2 && from.Columns()[0] != cols[0] {
		from++ // one of SPO, POS and OSP, which every file stores
	}
	end := [3]uint32{last[0], 1<<32 - 1, 1<<32 - 1}
	sc, err := s.seg.ScanRange(ctx, int(graph), from, [3]uint32{lo[0]}, end)
	if err != nil {
		return nil, err
	}
	return &resortedRuns{sc: sc, lo: lo, last: last}, nil
}

// resortRows is how many rows make a part, unless one leading id has more.
const resortRows = 1 << 14

type resortedRuns struct {
	sc       *segment.Scan
	lo, last [3]uint32
	rows     [][3]uint32 // read, the last two columns swapped, not yet handed out
	done     bool
	number   int
}

// Next implements [Runs].
func (r *resortedRuns) Next(ctx context.Context) (Run, error) {
	for !r.done || len(r.rows) > 0 {
		cut := 0
		for !r.done {
			if cut = leadCut(r.rows); cut >= resortRows {
				break
			}
			if err := r.read(ctx); err != nil {
				return Run{}, err
			}
		}
		if r.done {
			cut = len(r.rows)
		}
		part := slices.Clone(r.rows[:cut])
		r.rows = r.rows[cut:]
		part = slices.DeleteFunc(part, func(row [3]uint32) bool {
			return compare3(row, r.lo) < 0 || compare3(row, r.last) > 0
		})
		if len(part) == 0 {
			continue
		}
		slices.SortFunc(part, compare3)
		r.number++
		return Run{Tile: memTile(part), Number: r.number - 1, Hi: len(part)}, nil
	}
	return Run{}, io.EOF
}

// leadCut returns how many rows lie before those of the last leading id.
func leadCut(rows [][3]uint32) int {
	n := len(rows)
	for n > 0 && rows[n-1][0] == rows[len(rows)-1][0] {
		n--
	}
	return n
}

// read appends the rows of the next stretch.
func (r *resortedRuns) read(ctx context.Context) error {
	run, err := r.sc.Next(ctx)
	if err == io.EOF {
		r.done = true
		return nil
	}
	if err != nil {
		return err
	}
	pos := posOf(run.Tile, run.Lo)
	for i := run.Lo; i < run.Hi; i++ {
		pos = moveTo(run.Tile, pos, i)
		k := keyAt(run.Tile, pos)
		r.rows = append(r.rows, [3]uint32{k[0], k[2], k[1]})
	}
	return nil
}

// Seek implements [Runs].
func (r *resortedRuns) Seek(ctx context.Context, key [3]uint32) error {
	if compare3(r.lo, key) >= 0 {
		return nil
	}
	r.lo = key
	if len(r.rows) == 0 || r.rows[len(r.rows)-1][0] < key[0] {
		r.rows = nil
		return r.sc.Seek(ctx, key[0], 0, 0)
	}
	return nil
}
