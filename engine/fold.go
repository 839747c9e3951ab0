package engine

import (
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/look"
	"github.com/rete-go/rete/tile"
)

// fold is the visible rows of one graph for one query, in order: the base's own
// rows, handed out as stretches of its tiles, and between them the rows of the
// other layers. Of equal rows the newest entry decides.
type fold struct {
	q      *query
	graph  uint32 // rank, 0 the default graph
	opened bool

	base   Runs // nil: the base has nothing here, or is at its end
	run    Run
	pos    tilePos // in run; run.Tile is nil before the first run
	end    key3    // of the run's last row, if ended
	ended  bool
	stored bool // the base's tiles are the same for every scan

	side sideSource // nil: none, or at its end
	in   sideRows   // what the side delivered; spots is never nil
	near int        // how many of them lie before the end of run; -1: not known
	own  []uint32   // the spots of in, if nobody else keeps them
}

// piece is a stretch of rows: of a tile of the base, or of other layers.
type piece struct {
	tile *tile.Tile
	from tilePos
	to   int // row behind the last
	rows []sideRow
}

// len returns the number of rows.
func (p *piece) len() int {
	if p.tile != nil {
		return p.to - p.from.row
	}
	return len(p.rows)
}

func (q *query) fold(graph uint32) *fold {
	return &fold{q: q, graph: graph}
}

// open finds the rows; it is called by the first next.
func (f *fold) open(ctx context.Context) error {
	f.opened = true
	q := f.q
	if q.empty || q.v.base == nil || q.lo.compare(q.hi) >= 0 {
		return nil
	}
	side, err := q.side(ctx, f.graph)
	if err != nil {
		return err
	}
	f.side = side
	return f.openBase(ctx)
}

func (f *fold) openBase(ctx context.Context) error {
	q, b := f.q, f.q.v.base
	lg, ok := q.names.localGraph(b, f.graph)
	if !ok || !q.baseHas() {
		return nil
	}
	lo, _ := q.baseKey(q.lo)
	hi, _ := q.baseKey(q.hi)
	if compare3(lo, hi) >= 0 {
		return nil
	}
	runs, err := b.Scan(ctx, lg, q.order, lo, hi)
	if err != nil {
		return err
	}
	f.base, f.stored = runs, q.v.stores(q.order)
	return nil
}

// baseHas reports whether the base has all bound terms, in their columns.
func (q *query) baseHas() bool {
	for i, col := range q.cols {
		if q.bound[col] != 0 {
			if _, exact := q.baseID(i, q.boundKey(col)); !exact {
				return false
			}
		}
	}
	return true
}

// baseID returns the base's id of a merge key in column i of the order, or the
// first one behind it.
func (q *query) baseID(i int, key uint64) (id uint32, exact bool) {
	b := q.v.base
	if q.cols[i] == ColP {
		return q.names.basePredicate(key)
	}
	switch n := int64(key>>localBits) - int64(b.number); {
	case n < 0:
		return 0, false
	case n > 0:
		return 1<<32 - 1, false
	}
	c, node := &b.counts, key&uint64(localMask)
	if q.cols[i] == ColS {
		return clamp(node, uint64(c.Shared)+uint64(c.Subjects))
	}
	switch {
	case node <= uint64(c.Shared):
		return uint32(node), node > 0
	case node <= uint64(c.Shared)+uint64(c.Subjects):
		return c.Shared + 1, false
	}
	return clamp(node-uint64(c.Subjects), uint64(c.Shared)+uint64(c.Objects))
}

// clamp returns an id of 1 to n, or the first one behind.
func clamp(id, n uint64) (uint32, bool) {
	if id > n {
		return uint32(min(n+1, 1<<32-1)), false
	}
	return uint32(id), id > 0
}

// baseKey returns a key in the base's ids, or the first row behind it.
func (q *query) baseKey(k key3) (local [3]uint32, exact bool) {
	for i := range k {
		if local[i], exact = q.baseID(i, k[i]); !exact {
			return local, false
		}
	}
	return local, true
}

// nextRun makes sure that pos is the base's next row; at the end base becomes
// nil. A stretch is fetched when its first row is asked for, not before.
func (f *fold) nextRun(ctx context.Context) error {
	if f.base == nil || f.pos.row < f.run.Hi {
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
	if run.Tile.Len() > maxTileRows {
		return fmt.Errorf("engine: %s: a tile of %d rows, at most %d can be read", f.q.v.base.Name(), run.Tile.Len(), maxTileRows)
	}
	f.run, f.pos = run, posOf(run.Tile, run.Lo)
	f.ended, f.near = false, -1
	return nil
}

// next returns the next stretch of at most limit visible rows, none of them at or
// behind until; an empty piece if the next row is. At the end it is io.EOF.
func (f *fold) next(ctx context.Context, limit int, until *key3) (piece, error) {
	if !f.opened {
		if err := f.open(ctx); err != nil {
			return piece{}, err
		}
	}
	for step := 1; ; step++ {
		if err := look.At(ctx, step); err != nil { // rows that say nothing come in long stretches
			return piece{}, err
		}
		if err := f.nextRun(ctx); err != nil {
			return piece{}, err
		}
		if err := f.nextSide(ctx); err != nil {
			return piece{}, err
		}
		switch {
		case f.base == nil && len(f.in.rows) == 0:
			return piece{}, io.EOF
		case f.base == nil:
			return f.takeSide(limit, until), nil
		}
		end := f.run.Hi
		if until != nil {
			local, _ := f.q.baseKey(*until)
			end = seekTile(f.run.Tile, f.pos, end, local).row
		}
		if len(f.in.rows) == 0 || f.ahead() == 0 {
			return f.takeBase(limit, end), nil
		}
		at := f.pos
		p := f.spot(0, &at)
		if row := p.row(); row > f.pos.row {
			return f.takeBase(limit, min(end, row)), nil
		}
		switch p.effect() {
		case spotInsert:
			return f.takeSide(limit, until), nil
		case spotHide:
			f.moveBase(f.pos.row + 1)
		}
		f.drop(1)
	}
}

// takeBase hands out the base's rows before end and moves on.
func (f *fold) takeBase(limit, end int) piece {
	p := piece{tile: f.run.Tile, from: f.pos, to: min(end, f.pos.row+limit)}
	f.moveBase(p.to)
	return p
}

// moveBase moves on to a row of the stretch, or behind its last.
func (f *fold) moveBase(row int) {
	if row >= f.run.Hi {
		f.pos.row = row
		return
	}
	f.pos = moveTo(f.run.Tile, f.pos, row)
}

// takeSide hands out added rows as long as they lie before until and before the
// base's next row.
func (f *fold) takeSide(limit int, until *key3) piece {
	rows := f.in.rows
	if f.base != nil {
		rows = rows[:f.ahead()]
	}
	n := 0
	for at := f.pos; n < limit && n < len(rows) && rows[n].adds(); n++ {
		if until != nil && rows[n].key.compare(*until) >= 0 {
			break
		}
		if f.base == nil {
			continue
		}
		if p := f.spot(n, &at); p.row() > f.pos.row || p.effect() != spotInsert {
			break
		}
	}
	f.drop(n)
	return piece{rows: rows[:n]}
}

// seek moves forward to the first row that is not below key.
func (f *fold) seek(ctx context.Context, key key3) error {
	if !f.opened {
		f.q.raiseFor(f, key)
		return nil
	}
	f.drop(len(f.in.rows) - len(sideFrom(f.in.rows, key)))
	if len(f.in.rows) == 0 && f.side != nil {
		f.side.seek(key)
	}
	if f.base == nil {
		return nil
	}
	local, _ := f.q.baseKey(key)
	if f.pos.row < f.run.Hi {
		if f.pos = seekTile(f.run.Tile, f.pos, f.run.Hi, local); f.pos.row < f.run.Hi {
			return nil
		}
	}
	return f.base.Seek(ctx, local)
}

// raiseFor gives a fold that has read nothing a query of its own with a higher
// lower bound.
func (q *query) raiseFor(f *fold, key key3) {
	own := *q
	own.raise(key)
	f.q = &own
}

// peek returns the key of the next visible row; ok is false at the end.
func (f *fold) peek(ctx context.Context) (key key3, ok bool, err error) {
	if !f.opened {
		if err := f.open(ctx); err != nil {
			return key, false, err
		}
	}
	for step := 0; ; step++ {
		if err := look.At(ctx, step); err != nil {
			return key, false, err
		}
		if err := f.nextRun(ctx); err != nil {
			return key, false, err
		}
		if err := f.nextSide(ctx); err != nil {
			return key, false, err
		}
		if f.base == nil {
			if len(f.in.rows) == 0 {
				return key, false, nil
			}
			return f.in.rows[0].key, true, nil
		}
		if len(f.in.rows) == 0 || f.ahead() == 0 {
			return f.q.viewKey(keyAt(f.run.Tile, f.pos)), true, nil
		}
		at := f.pos
		p := f.spot(0, &at)
		if p.row() > f.pos.row {
			return f.q.viewKey(keyAt(f.run.Tile, f.pos)), true, nil
		}
		switch p.effect() {
		case spotInsert:
			return f.in.rows[0].key, true, nil
		case spotHide:
			f.moveBase(f.pos.row + 1)
		}
		f.drop(1)
	}
}

// viewKey returns the merge key of a row of the base.
func (q *query) viewKey(local [3]uint32) (k key3) {
	for i, id := range local {
		k[i] = q.viewPart(i, id)
	}
	return k
}

// viewPart returns the merge key of an id of the base in column i of the order.
func (q *query) viewPart(i int, id uint32) uint64 {
	b := q.v.base
	switch q.cols[i] {
	case ColS:
		return uint64(b.id(uint64(id)))
	case ColP:
		return uint64(q.names.preds.ranks[b.index][id-1])
	}
	return uint64(b.id(b.counts.objectNode(id)))
}
