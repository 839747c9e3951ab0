package pattern

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sort"
	"unsafe"

	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// window delivers the matching rows of a layer that is too large to be sorted in
// memory. The leading free column's ids are sorted by their view keys; then
// stretches of them are read in the layer's own order, translated, sorted and
// handed out. What is held is 12 bytes for each id of that column and one
// stretch: at least the rows of one id.
type window struct {
	q     *Query
	l     *idspace.Layer
	graph uint32
	order tile.Order // of the layer's rows, its bound columns in front
	lo    [3]uint32  // the bound ids
	lead  int
	keys  []windowKey   // of the column after the bound ones, by view key
	size  int           // how many keys a stretch has
	bound tombstone.Key // rows below are dropped
	held  int           // rows that were delivered last
}

type windowKey struct {
	key   uint64
	local uint32
}

// Window opens the rows of l for q.
func (q *Query) Window(ctx context.Context, l *idspace.Layer, graph uint32) (folds.Source, error) {
	order, lo, lead, ok, err := q.windowOrder(ctx, l)
	if err != nil || !ok {
		return nil, err
	}
	w := &window{q: q, l: l, graph: graph, order: order, lo: lo, lead: lead, bound: q.Lo}
	if err := w.fill(ctx); err != nil || order.Columns()[lead] != colP {
		return w, err
	}
	return &windows{outer: w, bound: q.Lo}, nil
}

// windowOrder chooses the order of the layer's rows: bound columns first, then the
// first free column of the query's order.
func (q *Query) windowOrder(ctx context.Context, l *idspace.Layer) (o tile.Order, lo [3]uint32, lead int, ok bool, err error) {
	chosen, prefix, _, lead, ok, err := q.LocalPattern(ctx, l)
	if err != nil || !ok {
		return 0, lo, 0, ok, err
	}
	spo := chosen.Restore(prefix)
	free := 0
	for q.Bound[q.Cols[free]] != 0 {
		free++
	}
	for o = range tile.Order(tile.NumOrders) {
		cols := o.Columns()
		bound := 0
		for bound < 3 && q.Bound[cols[bound]] != 0 {
			bound++
		}
		if bound == lead && cols[bound] == q.Cols[free] {
			return o, o.Permute(spo), lead, true, nil
		}
	}
	return 0, lo, 0, false, nil // cannot be: all six orders exist
}

// innerOrder is the order with the bound columns and the predicate in front that
// goes on like the query's.
func (w *window) innerOrder() tile.Order {
	have := w.order.Columns()
	rest := -1 // the column of the query's order that is neither
	for _, c := range w.q.Cols {
		if !slices.Contains(have[:w.lead+1], c) {
			rest = c
			break
		}
	}
	for o := range tile.Order(tile.NumOrders) {
		cols := o.Columns()
		if slices.Equal(cols[:w.lead+1], have[:w.lead+1]) && cols[w.lead+1] == rest {
			return o
		}
	}
	return w.order // cannot be: all six orders exist
}

// fill finds and sorts the leading free ids.
func (w *window) fill(ctx context.Context) error {
	local, err := w.leadingIDs(ctx)
	if err != nil {
		return err
	}
	col := w.order.Columns()[w.lead]
	if col != colP {
		nodes := make([]uint64, len(local))
		err := cancel.Blocks(ctx, len(local), func(from, to int) {
			for i := from; i < to; i++ {
				nodes[i] = w.node(col, local[i])
			}
		})
		if err != nil {
			return err
		}
		if err := w.q.space.Translate(ctx, w.q.table, w.l, nodes); err != nil {
			return err
		}
	}
	for i, id := range local {
		if err := cancel.Check(ctx, i); err != nil {
			return err
		}
		k := uint64(0)
		if col == colP {
			k = uint64(w.q.table.Preds.Ranks[w.l.Index][id-1])
		} else if id := w.l.Remap.Get(w.node(col, id)); id != idspace.NoTerm {
			k = uint64(id)
		}
		if k != 0 {
			w.keys = append(w.keys, windowKey{k, id})
		}
	}
	err = cancel.Sort(ctx, w.keys, func(a, b windowKey) int { return cmp.Compare(a.key, b.key) })
	if err != nil {
		return err
	}
	rows := w.l.Sizes.Quads / uint64(max(len(w.keys), 1))
	w.size = max(w.q.batch/2/int(min(max(rows, 1), 1<<30)), 1)
	w.drop()
	return nil
}

func (w *window) node(col int, id uint32) uint64 {
	if col == colO {
		return w.l.Sizes.ObjectNode(id)
	}
	return uint64(id)
}

// leadingIDs returns the distinct ids of the column after the bound ones.
func (w *window) leadingIDs(ctx context.Context) ([]uint32, error) {
	runs, err := w.l.Scan(ctx, w.graph, w.order, w.lo, layers.AfterPrefix(w.lo, w.lead))
	if err != nil {
		return nil, err
	}
	var out []uint32
	add := func(id uint32) {
		if len(out) == 0 || out[len(out)-1] != id {
			out = append(out, id)
		}
	}
	for {
		run, err := runs.Next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		from, last := layers.PosOf(run.Tile, run.Lo), layers.PosOf(run.Tile, run.Hi-1)
		switch w.lead {
		case 0:
			for _, id := range run.Tile.A[from.A : last.A+1] {
				add(id)
			}
		case 1:
			for _, id := range run.Tile.B[from.B : last.B+1] {
				add(id)
			}
		default:
			for _, id := range run.Tile.C[from.Row:run.Hi] {
				add(id)
			}
		}
	}
}

// drop drops the keys that lie before the bound or after the query's end.
func (w *window) drop() {
	col := w.order.Columns()[w.lead]
	place := slices.Index(w.q.Cols[:], col)
	lo, hi := uint64(0), uint64(1<<64-1)
	if w.samePrefix(w.bound, place) {
		lo = w.bound[place]
	}
	if w.samePrefix(w.q.Hi, place) {
		hi = w.q.Hi[place]
	}
	from := sort.Search(len(w.keys), func(i int) bool { return w.keys[i].key >= lo })
	w.keys = w.keys[from:]
	to := sort.Search(len(w.keys), func(i int) bool { return w.keys[i].key > hi })
	w.keys = w.keys[:to]
}

// samePrefix reports whether every column of the query's order before place is
// bound, and k has these ids.
func (w *window) samePrefix(k tombstone.Key, place int) bool {
	for i := range place {
		if w.q.Bound[w.q.Cols[i]] == 0 || k[i] != w.q.BoundKey(w.q.Cols[i]) {
			return false
		}
	}
	return true
}

func (w *window) Next(ctx context.Context) ([]tombstone.Row, error) {
	for len(w.keys) > 0 {
		n := min(w.size, len(w.keys))
		part := w.keys[:n]
		w.keys = w.keys[n:]
		local, ends, err := w.read(ctx, part)
		if err != nil {
			return nil, err
		}
		w.size = min(max(n*w.q.batch/max(len(local), 1)/2, 1), 1<<20)
		rows, err := w.sorted(ctx, part, local, ends)
		if err != nil {
			return nil, err
		}
		w.held = cap(rows)
		if rows = tombstone.Range(rows, w.bound, w.q.Hi); len(rows) > 0 {
			return rows, nil
		}
	}
	return nil, io.EOF
}

// byLocal returns the places of a stretch's keys by their local ids.
func byLocal(ctx context.Context, part []windowKey) ([]int, error) {
	order := make([]int, len(part))
	for i := range order {
		order[i] = i
	}
	return order, cancel.Sort(ctx, order, func(a, b int) int { return cmp.Compare(part[a].local, part[b].local) })
}

// read returns the rows of a stretch of keys as (s, p, o), reading forward: the
// rows of the ids one after the other, by local id, and where each id's end.
func (w *window) read(ctx context.Context, part []windowKey) (rows [][3]uint32, ends []int, err error) {
	order, err := byLocal(ctx, part)
	if err != nil {
		return nil, nil, err
	}
	lo := w.lo
	lo[w.lead] = part[order[0]].local
	runs, err := w.l.Scan(ctx, w.graph, w.order, lo, layers.AfterPrefix(w.lo, w.lead))
	if err != nil {
		return nil, nil, err
	}
	ends = make([]int, 0, len(order))
	for len(ends) < len(order) {
		run, err := runs.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		pos := layers.PosOf(run.Tile, run.Lo)
		for len(ends) < len(order) {
			id := part[order[len(ends)]].local
			lo[w.lead] = id
			if pos = layers.SeekTile(run.Tile, pos, run.Hi, lo); pos.Row < run.Hi {
				rows, pos = w.take(rows, run, pos, id)
			}
			if pos.Row >= run.Hi { // the id may go on in the next run
				if err := runs.Seek(ctx, lo); err != nil {
					return nil, nil, err
				}
				break
			}
			ends = append(ends, len(rows))
		}
	}
	for len(ends) < len(order) {
		ends = append(ends, len(rows))
	}
	return rows, ends, nil
}

// take appends the rows of one id from pos on and returns the place after them.
func (w *window) take(rows [][3]uint32, run layers.Run, pos layers.Pos, id uint32) ([][3]uint32, layers.Pos) {
	for pos.Row < run.Hi {
		k := layers.KeyAt(run.Tile, pos)
		if k[w.lead] != id {
			return rows, pos
		}
		rows = append(rows, w.order.Restore(k))
		if pos.Row+1 == run.Hi {
			return rows, layers.EndPos(run.Tile, run.Hi)
		}
		pos = layers.MoveTo(run.Tile, pos, pos.Row+1)
	}
	return rows, pos
}

// sorted translates rows that read returned. The keys are in view order already,
// so that only the rows of each one have to be sorted.
func (w *window) sorted(ctx context.Context, part []windowKey, local [][3]uint32, ends []int) ([]tombstone.Row, error) {
	q := w.q
	if err := translateRows(ctx, q.space, q.table, w.l, local); err != nil {
		return nil, err
	}
	order, err := byLocal(ctx, part)
	if err != nil {
		return nil, err
	}
	place := make([]int, len(part)) // of each key among the local ids
	for i, k := range order {
		place[k] = i
	}
	ranks := q.table.Preds.Ranks[w.l.Index]
	rows := make([]tombstone.Row, 0, len(local))
	for k, i := range place {
		if err := cancel.Check(ctx, k); err != nil {
			return nil, err
		}
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		n := len(rows)
		for _, r := range local[from:ends[i]] {
			if row, ok := toKey(w.l, q.Cols, ranks, r); ok {
				rows = append(rows, row)
			}
		}
		if group := rows[n:]; !slices.IsSortedFunc(group, tombstone.CompareRows) {
			if err := cancel.Sort(ctx, group, tombstone.CompareRows); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

func (w *window) Bytes() int64 {
	return int64(cap(w.keys))*int64(unsafe.Sizeof(windowKey{})) + int64(w.held)*int64(unsafe.Sizeof(tombstone.Row{}))
}

func (w *window) Seek(key tombstone.Key) {
	if w.bound.Compare(key) < 0 {
		w.bound = key
		w.drop()
	}
}
