package compaction

import (
	"context"
	"math"

	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// cursor reads a run. Its current row is split for comparing: ab and c.
type cursor struct {
	ab     uint64
	c      uint32
	weight uint32
	rows   []row // of the current chunk, after the current row
	run    *run
	spare  []row // the current chunk, if its memory is ours
	leaf   int   // place in the loser tree
}

// end is where a cursor stands after the last row. No row stands there: ids are
// less than the largest number.
const end = math.MaxUint64

// next moves to the next row.
func (c *cursor) next() error {
	if len(c.rows) == 0 {
		more, err := c.chunk()
		if err != nil || !more {
			c.ab, c.c = end, math.MaxUint32
			return err
		}
	}
	r := &c.rows[0]
	c.ab, c.c = uint64(r[0])<<32|uint64(r[1]), r[2]
	c.rows = c.rows[1:]
	return nil
}

// chunk makes the next chunk the current one.
func (c *cursor) chunk() (more bool, err error) {
	r := c.run
	if len(r.full) == 0 {
		c.rows, r.open = r.open, nil
		return len(c.rows) > 0, nil
	}
	next := &r.full[0]
	mine := next.rows == nil
	c.rows, err = r.space.load(next, c.spare)
	c.spare = nil
	if mine {
		c.spare = c.rows[:0]
	}
	r.full = r.full[1:]
	return err == nil, err
}

// before reports whether the row of x stands before that of y.
func before(x, y *cursor) bool {
	return x.ab < y.ab || x.ab == y.ab && x.c < y.c
}

// fold merges the rows of all layers; of equal rows the newest entry decides,
// and in one entry its adds.
type fold struct {
	want kind
	tree []*cursor // a loser tree: tree[0] is the least, the losers below
	sink sink
	out  columns
}

// sink takes the rows of the output, in columns.
type sink func(a, b, c []uint32) error

// fold reads a graph in an order and hands the rows of the output to sink.
func (j *job) fold(ctx context.Context, g *graph, o tile.Order, s *space, sink sink) error {
	buf := j.takeBatch()
	defer func() { j.batches <- buf }()
	var list []*cursor
	for _, p := range g.parts {
		r := j.newRuns(p, o, s, buf)
		if err := r.read(ctx, j.meter); err != nil {
			return err
		}
		for _, run := range r.used {
			c := &cursor{run: run, weight: run.weight}
			if err := c.next(); err != nil {
				return err
			}
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil
	}
	f := &fold{want: j.want, sink: sink}
	for i := range f.out {
		f.out[i] = buf.old[i][:0]
	}
	f.plant(list)
	return f.run(ctx)
}

// plant makes the loser tree. Leaf i is list[i]; its parent is (n+i)/2; a
// single leaf is its own root.
func (f *fold) plant(list []*cursor) {
	n := len(list)
	f.tree = make([]*cursor, n)
	winner := make([]*cursor, 2*n)
	copy(winner[n:], list)
	for i := n - 1; i > 0; i-- {
		x, y := winner[2*i], winner[2*i+1]
		if before(y, x) {
			x, y = y, x
		}
		winner[i], f.tree[i] = x, y
	}
	f.tree[0] = winner[1]
	for i, c := range list {
		c.leaf = n + i
	}
}

// advance moves the least cursor on and finds the new least.
func (f *fold) advance() error {
	c := f.tree[0]
	if err := c.next(); err != nil {
		return err
	}
	for i := c.leaf / 2; i > 0; i /= 2 {
		if l := f.tree[i]; before(l, c) {
			f.tree[i], c = c, l
		}
	}
	f.tree[0] = c
	return nil
}

// run merges until all is read.
func (f *fold) run(ctx context.Context) error {
	for {
		top := f.tree[0]
		ab, c, weight := top.ab, top.c, top.weight
		if ab == end {
			return f.flush(ctx)
		}
		if err := f.advance(); err != nil {
			return err
		}
		for top = f.tree[0]; top.ab == ab && top.c == c; top = f.tree[0] {
			weight = tombstone.Newest(weight, top.weight)
			if err := f.advance(); err != nil {
				return err
			}
		}
		if kind(weight&1) != f.want {
			continue
		}
		f.out[0] = append(f.out[0], uint32(ab>>32))
		f.out[1] = append(f.out[1], uint32(ab))
		f.out[2] = append(f.out[2], c)
		if len(f.out[0]) == cap(f.out[0]) {
			if err := f.flush(ctx); err != nil {
				return err
			}
		}
	}
}

// flush hands over what has come together.
func (f *fold) flush(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if len(f.out[0]) == 0 {
		return nil
	}
	err := f.sink(f.out[0], f.out[1], f.out[2])
	for i := range f.out {
		f.out[i] = f.out[i][:0]
	}
	return err
}
