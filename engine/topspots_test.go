package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMergedSpots: what is known of rows goes with them when runs are merged and
// split, in each order.
func TestMergedSpots(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	run := func(entry uint32) *topRun {
		var list []topChange
		for range 1 + r.IntN(60) {
			list = append(list, topChange{s: ID(r.IntN(9)), p: ID(r.IntN(3)), o: ID(r.IntN(9)), add: r.IntN(2) == 0, idle: r.IntN(4) == 0})
		}
		return newRun(list, entry, func(p ID) uint32 { return uint32(p) })
	}
	// A spot that tells the row, as the weight of a change does.
	learn := func(g *topGraph) {
		for o := range Order(6) {
			if r.IntN(3) == 0 {
				continue
			}
			in, err := g.sorted(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for i := range in.rows {
				if r.IntN(4) > 0 {
					in.learn(i, spot(in.rows[i].weight>>2)<<spotBits|spotIdle)
				}
			}
		}
	}
	kept := 0
	for range 300 {
		a, b := run(1), run(100)
		learn(a.graphs[0])
		learn(b.graphs[0])
		all := mergeRuns(a, b)
		live, _ := all.split()
		for _, m := range []*topRun{all, live} {
			if len(m.graphs) == 0 {
				continue
			}
			for o := range Order(6) {
				in, err := m.graphs[0].sorted(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				want := slices.Clone(m.graphs[0].spo)
				for i := range want {
					for c, from := range o.Columns() {
						want[i].key[c] = m.graphs[0].spo[i].key[from]
					}
				}
				slices.SortFunc(want, compareSide)
				if !slices.Equal(in.rows, want) || len(in.spots) != len(want) {
					t.Fatalf("order %v: %v with %d spots, want %v", o, in.rows, len(in.spots), want)
				}
				for i := range in.rows {
					switch p := in.known(i); {
					case p == spotUnknown:
					case p.row() != int(in.rows[i].weight>>2):
						t.Fatalf("order %v: row %d has the spot of another", o, i)
					default:
						kept++
					}
				}
			}
		}
	}
	if kept == 0 {
		t.Error("no spot was kept")
	}
}
