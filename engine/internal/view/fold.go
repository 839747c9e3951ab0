package view

import (
	"context"
	"io"

	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// fold is the visible rows of one graph for one query, in order: the base's own
// rows without the hidden ones, handed out as stretches of its tiles, and the inserts
// between them.
//
// The base is read stretch by stretch. What the entries that are placed make of a
// stretch is known (see [folds.Placed]); the changes of the others are located
// in it and applied as it passes.
type fold struct {
	q      *query
	graph  uint32 // rank, 0 the default graph
	opened bool

	base layers.Runs // nil: the base has nothing here, or is at its end
	run  layers.Run
	pos  layers.Pos // in run; run.Tile is nil before the first run

	placed  *folds.Placed   // in the query's order; nil: nothing is placed
	changes folds.Source    // what is not placed; nil: none, or at its end
	in      []tombstone.Row // delivered by it and in no stretch yet

	st     folds.Stretch // of the rows from pos up to cut, what is still to come
	cut    int
	step   folds.Step    // what makes st: the placed inserts that are in no stretch yet
	hidden []uint32      // memory of what step begins with
	ids    []uint64      // keys of the column after the bound ones: rows with others may be left out; nil: all are wanted
	rec    *folds.Placer // nil: what passes is not placed
}

// stretchChanges is the number of changes that a stretch takes at most.
const stretchChanges = 4096

// piece is a stretch of rows: of a tile of the base, or inserts.
type piece struct {
	tile *tile.Tile
	from layers.Pos
	to   int // row after the last
	rows []tombstone.Row
}

// len returns the number of rows.
func (p *piece) len() int {
	if p.tile != nil {
		return p.to - p.from.Row
	}
	return len(p.rows)
}

func (q *query) fold(graph uint32) *fold {
	return &fold{q: q, graph: graph}
}

// reset makes the fold one of a query that has read nothing. It keeps its memory.
func (f *fold) reset(q *query, graph uint32) {
	step, hidden := f.step, f.hidden
	step.Inserts = nil
	*f = fold{}
	f.q, f.graph, f.step, f.hidden = q, graph, step, hidden
}

// open finds the rows; it is called by the first next.
func (f *fold) open(ctx context.Context) error {
	f.opened = true
	q := f.q
	if q.Empty || q.v.Base == nil || q.Lo.Compare(q.Hi) >= 0 {
		return nil
	}
	placed, changes, err := q.changes(ctx, f.graph)
	if err != nil {
		return err
	}
	f.changes = changes
	if q.v.stores(q.Order) {
		f.placed, f.step.Inserts = placed, tombstone.Range(placed.Inserts(), q.Lo, q.Hi)
	}
	if err := f.openBase(ctx, placed); err != nil {
		return err
	}
	if f.ids == nil {
		f.record()
	}
	return nil
}

// openBase opens the rows of the base. In an order that it does not store they come
// without those that are hidden in the order in which they are read.
func (f *fold) openBase(ctx context.Context, placed *folds.Placed) error {
	q, b := f.q, f.q.v.Base
	lg, ok := q.names.LocalGraph(b, f.graph)
	if !ok || !q.BaseHas() {
		return nil
	}
	lo, _ := q.BaseKey(q.Lo)
	hi, _ := q.BaseKey(q.Hi)
	if layers.Compare(lo, hi) >= 0 {
		return nil
	}
	var err error
	if q.v.stores(q.Order) {
		f.base, err = b.Scan(ctx, lg, q.Order, lo, hi)
	} else {
		f.base, err = layers.Resorted(ctx, b, lg, q.Order, lo, hi, placed)
	}
	if err != nil {
		return err
	}
	return q.narrowBase(ctx, f.base, f.ids)
}

// nextRun makes sure that pos is the base's next row; at the end base becomes
// nil. A run is fetched when its first row is asked for, not before.
func (f *fold) nextRun(ctx context.Context) error {
	if f.base == nil || f.pos.Row < f.run.Hi {
		return nil
	}
	run, err := f.base.Next(ctx)
	if err == io.EOF {
		f.base = nil
		return nil
	}
	if err != nil {
		return err
	}
	f.run, f.pos, f.cut = run, layers.PosOf(run.Tile, run.Lo), run.Lo
	return nil
}

// ready makes sure that there is a next row: of the base before cut, hidden or not, or
// an insert. At the end it is io.EOF.
func (f *fold) ready(ctx context.Context) error {
	if !f.opened {
		if err := f.open(ctx); err != nil {
			return err
		}
	}
	for step := 1; len(f.st.Inserts) == 0 && (f.base == nil || f.pos.Row >= f.cut); step++ {
		if err := cancel.Check(ctx, step); err != nil {
			return err
		}
		if err := f.nextRun(ctx); err != nil {
			return err
		}
		var err error
		if f.base == nil {
			err = f.tail(ctx)
		} else {
			err = f.stretch(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next returns the next stretch of at most limit visible rows, all of them before
// until; an empty piece if the next row is not. At the end it is io.EOF.
func (f *fold) next(ctx context.Context, limit int, until *tombstone.Key) (piece, error) {
	for step := 1; ; step++ {
		if err := cancel.Check(ctx, step); err != nil { // hidden rows come in long stretches
			return piece{}, err
		}
		if err := f.ready(ctx); err != nil {
			return piece{}, err
		}
		if ins := f.st.Inserts; len(ins) > 0 && (f.base == nil || int(ins[0].At) <= f.pos.Row) {
			return f.takeInserts(limit, until), nil
		}
		if f.skipHidden() {
			continue
		}
		end := f.cut
		if h := f.st.Hidden; len(h) > 0 {
			end = min(end, int(h[0]))
		}
		if ins := f.st.Inserts; len(ins) > 0 {
			end = min(end, int(ins[0].At))
		}
		if until != nil {
			local, _ := f.q.BaseKey(*until)
			end = layers.SeekTile(f.run.Tile, f.pos, end, local).Row
		}
		p := piece{tile: f.run.Tile, from: f.pos, to: min(end, f.pos.Row+limit)}
		f.moveBase(p.to)
		return p, nil
	}
}

// skipHidden passes over the hidden rows at the place; false if the row there is
// visible.
func (f *fold) skipHidden() bool {
	n, h := 0, f.st.Hidden
	for n < len(h) && int(h[n]) == f.pos.Row+n {
		n++
	}
	if n == 0 {
		return false
	}
	f.st.Hidden = h[n:]
	if ins := f.st.Inserts; len(ins) > 0 && int(ins[0].At) < f.pos.Row+n {
		n = int(ins[0].At) - f.pos.Row
		f.st.Hidden = h[n:]
	}
	f.moveBase(f.pos.Row + n)
	return true
}

// moveBase moves on to a row of the run, or past its last.
func (f *fold) moveBase(row int) {
	if row >= f.run.Hi {
		f.pos.Row = row
		return
	}
	f.pos = layers.MoveTo(f.run.Tile, f.pos, row)
}

// takeInserts hands out inserts before until and before the base's next row.
func (f *fold) takeInserts(limit int, until *tombstone.Key) piece {
	rows, n := f.st.Inserts, 0
	for n < min(limit, len(rows)) && (f.base == nil || int(rows[n].At) <= f.pos.Row) {
		if until != nil && rows[n].Key.Compare(*until) >= 0 {
			break
		}
		n++
	}
	f.st.Inserts = rows[n:]
	return piece{rows: rows[:n]}
}

// seek moves forward to the first row that is not below key.
func (f *fold) seek(ctx context.Context, key tombstone.Key) error {
	if !f.opened {
		f.q.raiseFor(f, key)
		return nil
	}
	f.rec = nil
	f.st.Inserts = f.st.Inserts[tombstone.Gallop(f.st.Inserts, key):]
	f.step.Inserts = f.step.Inserts[tombstone.Gallop(f.step.Inserts, key):]
	if f.in = f.in[tombstone.Gallop(f.in, key):]; len(f.in) == 0 && f.changes != nil {
		f.changes.Seek(key)
	}
	if f.base == nil {
		return nil
	}
	local, _ := f.q.BaseKey(key)
	if f.pos.Row < f.run.Hi {
		f.pos = layers.SeekTile(f.run.Tile, f.pos, f.run.Hi, local)
		f.cut = max(f.cut, f.pos.Row)
		f.st.Hidden = f.st.Hidden[layers.Gallop(f.st.Hidden, uint32(f.pos.Row)):]
		if f.pos.Row < f.run.Hi {
			return nil
		}
	}
	f.st.Hidden = nil
	return f.base.Seek(ctx, local)
}

// raiseFor gives a fold that has read nothing a query of its own with a higher
// lower bound.
func (q *query) raiseFor(f *fold, key tombstone.Key) {
	own := *q
	own.Raise(key)
	f.q = &own
}

// peek returns the key of the next visible row; ok is false at the end.
func (f *fold) peek(ctx context.Context) (key tombstone.Key, ok bool, err error) {
	for step := 1; ; step++ {
		if err := cancel.Check(ctx, step); err != nil {
			return key, false, err
		}
		if err := f.ready(ctx); err == io.EOF {
			return key, false, nil
		} else if err != nil {
			return key, false, err
		}
		if ins := f.st.Inserts; len(ins) > 0 && (f.base == nil || int(ins[0].At) <= f.pos.Row) {
			return ins[0].Key, true, nil
		}
		if !f.skipHidden() {
			return f.q.ViewKey(layers.KeyAt(f.run.Tile, f.pos)), true, nil
		}
	}
}
