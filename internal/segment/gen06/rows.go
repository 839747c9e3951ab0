package gen06

import (
	"math"
	"sort"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// Rows decodes the rows of one graph, in the columns of an order. Everything is checked, as
// [tile.Decode] does. Errors match damage.Err.
func (t *Shared) Rows(graph uint32, o tile.Order) (*tile.Tile, error) {
	i := sort.Search(len(t.parts), func(i int) bool { return t.parts[i].graph >= graph })
	if i == len(t.parts) || t.parts[i].graph != graph {
		return nil, damaged("shared tile", "it has no rows of graph %d", graph)
	}
	p := t.parts[i]
	cols := o.Columns()
	r := rows{c: format.Cursor{Part: "shared tile", B: t.raw[p.from:p.to]}, out: new(tile.Tile)}
	r.subject = [3]bool{false, cols[1] == 0, cols[2] == 0}
	r.read(p.firstA)
	if err := r.c.End(); err != nil {
		return nil, err
	}
	return r.out, nil
}

// rows reads the rows of a graph. The first id of a group is a difference to that of the group
// before in a column of subjects, which recur in a graph.
type rows struct {
	c       format.Cursor
	subject [3]bool  // whether a column has subjects, but the first
	base    [3]int64 // the first id of the group before
	out     *tile.Tile
}

func (r *rows) read(firstA uint32) {
	a := uint64(0)
	for i := range r.c.Count(4) {
		step := uint64(firstA)
		if i > 0 {
			step = r.c.Uv()
		}
		a = r.next(a, step)
		b := uint64(0)
		for j := range r.c.Count(3) {
			b = r.id(1, j, b)
			c := uint64(0)
			n := r.c.Count(1)
			for k := range n {
				c = r.id(2, k, c)
				r.out.C = append(r.out.C, uint32(c))
				if r.c.Err != nil {
					return
				}
			}
			r.some(n)
			r.out.B = append(r.out.B, uint32(b))
			r.out.BEnd = append(r.out.BEnd, uint32(len(r.out.C)))
		}
		if len(r.out.AEnd) == 0 && len(r.out.B) == 0 || len(r.out.AEnd) > 0 && int(r.out.AEnd[len(r.out.AEnd)-1]) == len(r.out.B) {
			r.some(0)
		}
		r.out.A = append(r.out.A, uint32(a))
		r.out.AEnd = append(r.out.AEnd, uint32(len(r.out.B)))
		if r.c.Err != nil {
			return
		}
	}
	r.some(len(r.out.A))
}

// some fails where there is nothing.
func (r *rows) some(n int) {
	if n == 0 {
		r.c.Fail("a group without rows")
	}
}

// id reads id i of a group, after the one before.
func (r *rows) id(col, i int, last uint64) uint64 {
	d := r.c.Uv()
	if i > 0 || !r.subject[col] {
		return r.next(last, d)
	}
	v := r.base[col] + zigzag(d)
	if r.c.Err == nil && (v <= 0 || v > math.MaxUint32) {
		r.c.Fail("an id of %d", v)
		return 0
	}
	r.base[col] = v
	return uint64(v)
}

// next adds a difference to an id.
func (r *rows) next(last, step uint64) uint64 {
	if r.c.Err == nil && (step == 0 || step > math.MaxUint32 || last+step > math.MaxUint32) {
		r.c.Fail("an id that repeats or overflows 32 bits, %d after %d", step, last)
		return 0
	}
	return last + step
}
