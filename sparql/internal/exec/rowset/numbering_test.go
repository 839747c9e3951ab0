package rowset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/ids"
)

// TestNumbering numbers ids that lie next to each other, far apart, and in the query's own
// space, and compares with a sorted list. The memory asked for is what there is.
func TestNumbering(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	for run := range 200 {
		var n Numbering
		var all []id
		spread := uint64(1) << r.IntN(45)
		for range r.IntN(8) {
			col := make([]id, r.IntN(600))
			for i := range col {
				switch r.IntN(10) {
				case 0:
					col[i] = 0
				case 1:
					col[i] = ids.Local | id(1+r.IntN(500))
				default:
					col[i] = id(1 + r.Uint64N(spread))
				}
			}
			room := n.Room(len(col))
			if err := n.Reserve(t.Context(), len(col)); err != nil {
				t.Fatal(err)
			}
			n.Add(col)
			if n.Bytes() > room {
				t.Fatalf("%d bytes with the ids, asked for %d", n.Bytes(), room)
			}
			all = append(all, col...)
		}
		if err := n.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(all)
		slices.Sort(want)
		want = slices.Compact(want)
		if len(want) > 0 && want[0] == 0 {
			want = want[1:]
		}
		var got []id
		for block := 0; block < len(n.sorted); {
			before := len(got)
			if got, block = n.List(got, block, before+1+r.IntN(300)); len(got) == before {
				t.Fatal("no ids")
			}
		}
		if !slices.Equal(got, want) || n.total != len(want) {
			t.Fatalf("run %d: %d ids, %d numbers, want %d", run, len(got), n.total, len(want))
		}
		numbers := make([]uint32, len(all))
		n.Numbers(numbers, all)
		for i, v := range all {
			at, _ := slices.BinarySearch(want, v)
			if v != 0 {
				at++
			}
			if v == 0 && numbers[i] != 0 || v != 0 && numbers[i] != uint32(at) {
				t.Fatalf("run %d: the number of %#x is %d, want %d", run, v, numbers[i], at)
			}
		}
	}
}
