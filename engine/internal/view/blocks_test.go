package view

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// TestBlockBorders compares what is done in blocks with the plain way, for as many rows as
// lie at the borders of blocks.
func TestBlockBorders(t *testing.T) {
	ctx, r := t.Context(), rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{0, 1, cancel.Block - 1, cancel.Block, cancel.Block + 1, 2 * cancel.Block, 3*cancel.Block + 5} {
		for kind, span := range map[string]int{"many keys": math.MaxInt32, "repeats": n/8 + 1, "few keys": 3} {
			must := func(what string, ok bool, err error) {
				t.Helper()
				if err != nil || !ok {
					t.Errorf("%s, %d rows, %s: %v", what, n, kind, err)
				}
			}
			for o := range tile.Order(6) {
				in := make([]segment.GraphRow, n)
				for i := range in {
					in[i] = segment.GraphRow{r.Uint32N(uint32(min(span, 1<<20))) + 1, r.Uint32N(5) + 1, r.Uint32N(70_000) + 1, uint32(i/3 + 1)}
				}
				by := func(list []segment.GraphRow, cols ...int) {
					slices.SortFunc(list, func(x, y segment.GraphRow) int {
						for _, c := range cols {
							if x[c] != y[c] {
								return cmp.Compare(x[c], y[c])
							}
						}
						return 0
					})
				}
				by(in, 3, 0, 1, 2)
				want := make([]segment.GraphRow, n)
				for i, row := range in {
					want[i] = segment.GraphRow{row[o.Columns()[0]], row[o.Columns()[1]], row[o.Columns()[2]], row[3]}
				}
				graphRows, err := segment.NewGraphRows(ctx, in, o)
				by(want, 0, 1, 2, 3)
				must("by order", slices.Equal(graphRows.Rows, want), err)
				if n == 0 {
					continue
				}
				id := want[n/2][0]
				want = slices.DeleteFunc(want, func(row segment.GraphRow) bool { return row[0] != id })
				graphRows, err = segment.NewLeadRows(ctx, in, o, id, false)
				must("of one id by order", slices.Equal(graphRows.Rows, want), err)
				by(want, 0, 3, 1, 2)
				graphRows, err = segment.NewLeadRows(ctx, in, o, id, true)
				must("of one id by graph", slices.Equal(graphRows.Rows, want), err)
			}
		}
	}
}
