package read

import (
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// Run is a stretch of rows of one decoded tile. The tile is shared: it must not
// be changed, and stays valid as long as somebody refers to it.
type Run struct {
	Tile *tile.Tile
	// Number is the number of the tile: in SPO order through the default graph
	// and then the named graphs in file order, which with the row makes a quad
	// id; in the other orders inside the graph.
	Number uint32
	Lo, Hi int // rows
}

// Len returns the number of rows.
func (r Run) Len() int { return r.Hi - r.Lo }

// Scan goes through the rows of one order of one graph, stretch by stretch. It
// belongs to one goroutine; tiles ahead are fetched by others.
type Scan struct {
	t      *Table
	lo, hi [3]uint32
	next   int // the next tile
	done   bool

	tile *tile.Tile // fetched, not yet handed out
	no   int        // its number

	ahead []aheadTile // on their way, ascending
	pace  pace        // of the next step
	step  int         // how many were asked for in the last one
	only  bool        // rows of other tiles than those of want, which ascend, are left out
	want  []int
}

// Scan returns the rows of an order whose leading columns are prefix, at most
// three ids; none is all rows. The order must be stored ([Segment.HasOrder]).
func (s *Segment) Scan(ctx context.Context, graph int, o tile.Order, prefix ...uint32) (_ *Scan, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	lo, hi, err := bounds(prefix)
	if err != nil {
		return nil, err
	}
	return s.ScanRange(ctx, graph, o, lo, hi)
}

// bounds turns a prefix into inclusive bounds.
func bounds(prefix []uint32) (lo, hi [3]uint32, err error) {
	if len(prefix) > 3 {
		return lo, hi, fmt.Errorf("segment: a prefix of %d columns, a triple has three", len(prefix))
	}
	hi = [3]uint32{^uint32(0), ^uint32(0), ^uint32(0)}
	copy(lo[:], prefix)
	copy(hi[:], prefix)
	return lo, hi, nil
}

// ScanRange returns the rows of an order from lo to hi, both inclusive, compared
// column by column.
func (s *Segment) ScanRange(ctx context.Context, graph int, o tile.Order, lo, hi [3]uint32) (_ *Scan, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	t, err := s.table(ctx, graph, o)
	if err != nil {
		return nil, err
	}
	sc := &Scan{t: t, lo: lo, hi: hi, pace: s.pace(false)}
	if Less(hi, lo) {
		sc.done = true
		return sc, nil
	}
	if sc.next, err = t.search(ctx, 0, lo); err != nil {
		return nil, err
	}
	if c := reads.Of(ctx); c != nil {
		err = sc.measure(ctx, c)
	}
	return sc, err
}

// measure counts the tiles in bounds.
func (sc *Scan) measure(ctx context.Context, c *reads.Counter) error {
	end, bounded := following(sc.hi)
	last := sc.t.Tiles
	if bounded {
		var err error
		if last, err = sc.t.search(ctx, sc.next, end); err != nil {
			return err
		}
		if last < sc.t.Tiles {
			if refs, at, err := sc.t.near(ctx, last); err != nil {
				return err
			} else if !after(refs, at, sc.hi) {
				last++
			}
		}
	}
	c.Of.Add(int64(last - sc.next))
	return nil
}

// Next returns the next stretch, at least one row, or io.EOF after the last.
func (sc *Scan) Next(ctx context.Context) (_ Run, err error) {
	if err = sc.t.s.over(); err != nil {
		return
	}
	defer sc.t.s.late(&err)
	if err := context.Cause(ctx); err != nil {
		return Run{}, err
	}
	for !sc.done {
		if sc.tile != nil {
			if run, ok := sc.take(); ok {
				return run, nil
			}
			continue
		}
		if err := sc.advance(ctx); err != nil {
			return Run{}, err
		}
	}
	return Run{}, io.EOF
}

// take cuts the rows in bounds out of the current tile.
func (sc *Scan) take() (Run, bool) {
	t := sc.tile
	sc.tile = nil
	lo := t.SeekRow(sc.lo[0], sc.lo[1], sc.lo[2])
	hi := t.Len()
	if end, ok := following(sc.hi); ok {
		if hi = t.SeekRow(end[0], end[1], end[2]); hi < t.Len() {
			sc.done = true
		}
	}
	number := uint32(sc.no)
	if sc.t.order == tile.SPO {
		number += sc.t.Base
	}
	return Run{Tile: t, Number: number, Lo: lo, Hi: hi}, lo < hi
}

// following returns the least key greater than k.
func following(k [3]uint32) ([3]uint32, bool) {
	for i := 2; i >= 0; i-- {
		if k[i]++; k[i] != 0 {
			return k, true
		}
	}
	return k, false
}

// advance makes the next tile that may have rows the current one, or ends the
// scan.
func (sc *Scan) advance(ctx context.Context) error {
	for {
		if sc.next = sc.wanted(sc.next); sc.next >= sc.t.Tiles {
			sc.done = true
			return nil
		}
		refs, at, err := sc.t.near(ctx, sc.next)
		if err != nil {
			return err
		}
		if after(refs, at, sc.hi) {
			sc.done = true
			return nil
		}
		if !sc.skips(refs, at) {
			break
		}
		sc.next++
		reads.Of(ctx).Skip(1)
	}
	if err := sc.fetch(ctx); err != nil {
		return err
	}
	t, err := sc.ahead[0].tile.wait(ctx)
	if err != nil {
		if ctx.Err() == nil {
			sc.ahead = nil // asked for again, it is loaded again
		}
		return err
	}
	sc.ahead = sc.ahead[1:]
	sc.tile, sc.no = t, sc.next
	if c := reads.Of(ctx); c != nil {
		r, err := sc.t.Ref(ctx, sc.next)
		if err != nil {
			return err
		}
		c.Tile(int64(r.Len))
	}
	sc.next++
	return nil
}

// skips reports that the tile has no row in bounds, by its directory entry.
func (sc *Scan) skips(refs []format.TileRef, at int) bool {
	r := &refs[at]
	if r.MaxA < sc.lo[0] || r.MinA > sc.hi[0] || before(refs, at, sc.lo) {
		return true
	}
	if !r.HasSynopsis || sc.lo[0] != sc.hi[0] {
		return false
	}
	if r.MaxB < sc.lo[1] || r.MinB > sc.hi[1] {
		return true
	}
	return sc.lo[1] == sc.hi[1] && (r.MaxC < sc.lo[2] || r.MinC > sc.hi[2])
}

// Seek skips all rows before (a, b, c), in the columns of the order, that were
// not handed out yet. It goes forward only, and never back into a stretch that
// Next has returned: inside one, [tile.Tile.SeekRow] is the way.
func (sc *Scan) Seek(ctx context.Context, a, b, c uint32) (err error) {
	if err = sc.t.s.over(); err != nil {
		return
	}
	defer sc.t.s.late(&err)
	key := [3]uint32{a, b, c}
	if sc.done || !Less(sc.lo, key) {
		return nil
	}
	sc.lo = key
	if Less(sc.hi, key) {
		sc.done, sc.tile = true, nil
		return nil
	}
	next, err := sc.t.search(ctx, sc.next, key)
	if err != nil {
		return err
	}
	gone := next - sc.next
	reads.Of(ctx).Skip(gone)
	sc.next = next
	if sc.drop(); len(sc.ahead) == 0 && gone > 0 {
		sc.pace = sc.t.s.pace(true)
	}
	return nil
}
