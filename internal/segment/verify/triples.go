package verify

import (
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/tile"
)

// bitset is a set of ids from 1.
type bitset []uint64

func newBitset(n uint64) bitset    { return make(bitset, n/64+1) }
func (b bitset) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i uint32) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) full(lo, hi uint32) (missing uint32, ok bool) {
	for i := lo; i <= hi && i >= lo; i++ {
		if !b.has(i) {
			return i, false
		}
	}
	return 0, true
}

// graphs checks all orders of all graphs.
func (v *verifier) graphs(ctx context.Context) error {
	c := v.p.Counts()
	v.used = [3]bitset{
		newBitset(uint64(c.Shared) + uint64(c.Subjects)), newBitset(uint64(c.Predicates)), newBitset(uint64(c.Shared) + uint64(c.Objects)),
	}
	for g := 0; g <= c.Graphs; g++ {
		var want tripleSum
		for o := range tile.Order(tile.NumOrders) {
			if !v.p.HasOrder(o) {
				continue
			}
			got, err := v.order(ctx, g, o)
			if err != nil {
				return err
			}
			if o == tile.SPO {
				want = got
				v.quads += got.rows
				if err := v.stated(ctx, g, got.rows); err != nil {
					return err
				}
			}
			if got != want {
				return damage.New(fmt.Sprintf("order %v of graph %d", o, g), "its %d triples are not the %d of SPO", got.rows, want.rows)
			}
		}
	}
	return nil
}

// stated compares the number of triples of a graph with that of its record, if that has one.
func (v *verifier) stated(ctx context.Context, g int, rows uint64) error {
	if g == 0 {
		return nil
	}
	ref, err := v.p.GraphRef(ctx, g)
	if err == nil && ref.Rows > 0 && ref.Rows != rows {
		err = damage.New("named graphs", "graph %d has %d triples, its record says %d", g, rows, ref.Rows)
	}
	return err
}

// tripleSum identifies a set of triples, whatever order they come in.
type tripleSum struct{ rows, x, y uint64 }

func (t *tripleSum) add(seed [2]uint64, s, p, o uint32) {
	h := func(k uint64) uint64 {
		x := (uint64(s)<<32 | uint64(p)) ^ k
		x = (x ^ x>>32) * 0xd6e8feb86659fd93
		x ^= uint64(o) * k
		x = (x ^ x>>29) * 0x9e3779b97f4a7c15
		x = (x ^ x>>32) * k
		return x ^ x>>31
	}
	t.rows++
	t.x += h(seed[0])
	t.y += h(seed[1])
}

// order reads one order of one graph.
func (v *verifier) order(ctx context.Context, g int, o tile.Order) (sum tripleSum, err error) {
	part := func(r read.Run) string { return fmt.Sprintf("graph %d, %v tile %d", g, o, r.Number) }
	c := v.p.Counts()
	limits := [3]uint64{uint64(c.Shared) + uint64(c.Subjects), uint64(c.Predicates), uint64(c.Shared) + uint64(c.Objects)}
	scan, err := v.p.Scan(ctx, g, o)
	if err != nil {
		return sum, err
	}
	if o == tile.SPO && g > 0 {
		ref, err := v.p.GraphRef(ctx, g)
		if err != nil {
			return sum, err
		}
		if t, _ := read.PlaceOf(scan); int(ref.Tiles) != t.Tiles {
			return sum, damage.New("named graph", "%d tiles where %d are due", t.Tiles, ref.Tiles)
		}
	}
	cols := o.Columns()
	var last [3]uint32
	for {
		run, err := scan.Next(ctx)
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
		cursor := new(tile.Cursor)
		for cursor.Reset(run.Tile); cursor.Valid(); cursor.Next() {
			var spo [3]uint32
			row := [3]uint32{}
			row[0], row[1], row[2] = cursor.Row()
			if !read.Less(last, row) {
				return sum, damage.New(part(run), "row %v after %v", row, last)
			}
			last = row
			for i, col := range cols {
				spo[col] = row[i]
				if uint64(row[i]) > limits[col] {
					return sum, damage.New(part(run), "id %d of %d", row[i], limits[col])
				}
			}
			sum.add(v.seed, spo[0], spo[1], spo[2])
			if o == tile.SPO {
				v.used[0].set(spo[0])
				v.used[1].set(spo[1])
				v.used[2].set(spo[2])
			}
		}
		t, i := read.PlaceOf(scan)
		if r, err := t.Ref(ctx, i); err == nil {
			v.tick(int64(r.Len))
		}
	}
}

// split checks that each term is used as its section says: a term in the wrong
// section loses join results. In generation 0x06 the names of graphs are subjects.
func (v *verifier) split(ctx context.Context) error {
	c := v.p.Counts()
	if v.s.Header().Format != format.FormatByte && c.Graphs > 0 {
		names, err := v.p.GraphNodes(ctx)
		if err != nil {
			return err
		}
		for _, node := range names {
			v.used[0].set(uint32(node))
		}
	}
	for i, limit := range [3]uint32{c.Shared + c.Subjects, c.Predicates, c.Shared + c.Objects} {
		if id, ok := v.used[i].full(1, limit); !ok && limit > 0 {
			return damage.New("dictionary", "%s %d is used by no quad as such", [3]string{"subject", "predicate", "object"}[i], id)
		}
	}
	return nil
}

// header compares counts and flags with what was found.
func (v *verifier) header() error {
	h := v.s.Header()
	if h.Quads != v.quads {
		return format.HeaderErr(24, "%d quads stated, %d found", h.Quads, v.quads)
	}
	if h.Terms != v.terms {
		return format.HeaderErr(32, "%d terms stated, %d found", h.Terms, v.terms)
	}
	if named := h.Flags&format.FlagNamedGraphs != 0; named != (v.p.Counts().Graphs > 0) {
		return format.HeaderErr(5, "flag of named graphs is %v, there are %d", named, v.p.Counts().Graphs)
	}
	if quoted := h.Flags&format.FlagTripleTerms != 0; quoted != v.quoted {
		return format.HeaderErr(5, "flag of triple terms is %v, it should be %v", quoted, v.quoted)
	}
	return nil
}
