package view

import (
	"context"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tile"
)

// shareGraphs is in how many graphs of a pattern at most ranges are looked for.
const shareGraphs = 4

// RangeShare is [View.RangeShare].
func (v *view) RangeShare(ctx context.Context, p dataset.Pattern, c dataset.Col, list []dataset.IDRange) (share float64, ok bool, err error) {
	bound, col := p.Columns(), int(c)
	if v.Base == nil || bound[col] != 0 {
		return 0, false, nil
	}
	o, ok := v.leading(bound, col)
	if !ok {
		return 0, false, nil
	}
	n, err := v.table(ctx)
	if err != nil {
		return 0, false, err
	}
	q, err := v.newQuery(ctx, n, p, o, nil)
	if err != nil || q.Empty || !q.BaseHas() {
		return 0, false, err
	}
	graphs, err := v.graphRanks(ctx, n, p.G, nil)
	if err != nil {
		return 0, false, err
	}
	prefix, _ := q.BaseKey(q.prefix())
	var all, in float64
	for _, g := range graphs[:min(len(graphs), shareGraphs)] {
		lg, has := n.LocalGraph(v.Base, g)
		if !has {
			continue
		}
		entries, err := v.Base.Tiles(ctx, lg, o, prefix[:q.Lead]...)
		if err != nil {
			return 0, false, err
		}
		spans := spansOf(entries, prefix, q.Lead)
		for _, s := range spans {
			all += s.rows
		}
		for _, r := range list {
			lo, _ := q.BaseID(q.Lead, uint64(r.Lo))
			hi, _ := q.BaseID(q.Lead, uint64(r.Hi)+1)
			in += rowsIn(spans, lo, hi)
		}
	}
	if all == 0 {
		return 0, false, nil
	}
	return in / all, true, nil
}

// leading returns a stored order that has the bound columns in front and col next.
func (v *view) leading(bound [3]dataset.ID, col int) (tile.Order, bool) {
	for o := range tile.Order(tile.NumOrders) {
		cols, lead := o.Columns(), 0
		for lead < 3 && bound[cols[lead]] != 0 {
			lead++
		}
		if lead < 3 && cols[lead] == col && v.stores(o) {
			free := 0
			for _, id := range bound {
				if id == 0 {
					free++
				}
			}
			if free == 3-lead {
				return o, true
			}
		}
	}
	return 0, false
}

// idSpan is the ids of the leading free column in one tile, both included, and about
// how many rows have them.
type idSpan struct {
	lo, hi uint32
	rows   float64
}

// spansOf returns the spans of tiles. What a tile holds after the prefix is not
// known where the directory has no synopsis; then the spans of its neighbours tell.
func spansOf(entries []tile.Entry, prefix [3]uint32, lead int) []idSpan {
	out := make([]idSpan, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		s := idSpan{hi: 1<<32 - 2, rows: float64(max(e.Rows, 1))}
		first, last := layers.MinRow(e), layers.MaxRow(e)
		inside := func(row [3]uint32) bool {
			for k := range lead {
				if row[k] != prefix[k] {
					return false
				}
			}
			return true
		}
		if inside(first) && (lead == 0 || e.HasSynopsis) {
			s.lo = first[lead]
		} else if len(out) > 0 {
			s.lo = out[len(out)-1].hi
		}
		if inside(last) && (lead == 0 || e.HasSynopsis) {
			s.hi = min(last[lead], 1<<32-2)
		}
		out = append(out, s)
	}
	return out
}

// rowsIn adds up the rows of ids from lo to hi, hi excluded; of a tile that sticks
// out, the part that its ids are.
func rowsIn(spans []idSpan, lo, hi uint32) (n float64) {
	from := sort.Search(len(spans), func(i int) bool { return spans[i].hi >= lo })
	for _, s := range spans[from:] {
		if s.lo >= hi {
			break
		}
		width := float64(s.hi-s.lo) + 1
		n += s.rows * (float64(min(s.hi+1, hi)-max(s.lo, lo)) / width)
	}
	return n
}
