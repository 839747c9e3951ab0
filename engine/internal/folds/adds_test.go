package folds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// TestAdds compares the runs that add rows within bounds with those that a look at each row finds; some
// runs are nil, some only delete, and some finds stop early.
func TestAdds(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 9))
	for range 30 {
		runs := make([]*Run, r.IntN(60))
		for i := range runs {
			if _, net := drawRows(r, r.IntN(20), 50, 8); r.IntN(5) > 0 {
				runs[i] = NewRun(net)
			}
		}
		adds := NewAdds(runs)
		for range 40 {
			o := tile.Order(r.IntN(tile.NumOrders))
			lo := tombstone.Key{uint64(r.IntN(60)), uint64(r.IntN(3)), uint64(r.IntN(3))}
			hi := lo.After(1 + r.IntN(3))
			most := 1 + r.IntN(20)
			var want, got []int
			for i, run := range runs {
				for _, row := range inOrder(run.SPO(), o) {
					if row.Adds() && row.Key.Compare(lo) >= 0 && row.Key.Compare(hi) < 0 {
						want = append(want, i)
					}
				}
			}
			err := adds.Find(t.Context(), o, lo, hi, func(run int) bool {
				got = append(got, run)
				return len(got) < most
			})
			slices.Sort(got)
			if len(want) > most {
				got = slices.DeleteFunc(got, func(run int) bool { return !slices.Contains(want, run) })
				want = got[:min(most, len(got))]
				if len(got) != most {
					t.Fatalf("%v from %v to %v: %d runs, want %d", o, lo, hi, len(got), most)
				}
			}
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%v from %v to %v: runs %v, %v, want %v", o, lo, hi, got, err, want)
			}
		}
	}
}
