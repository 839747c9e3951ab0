package exec

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/value"
)

// TestNumbering numbers ids that lie beside each other, far apart, and in the query's own
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
			if n.Bytes() > room {
				t.Fatalf("%d bytes, asked for %d", n.Bytes(), room)
			}
			n.Add(col)
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

// TestSortEntries sorts rows with keys of all lengths, on one and on two goroutines, as a
// plain sort does, and ends with the context.
func TestSortEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{0, 1, 1000, minSharedSort - 1, 2 * minSharedSort} {
		for _, kinds := range []int{1, 3, 1 << 30} {
			for _, width := range []int{0, 4, 8, 12} {
				run := &Run{Budget: &Budget{Context: t.Context()}, Values: value.NewContext(t.Context()), Workers: -2}
				s := run.newSorter("order", 1, -1)
				s.width = width
				var keys []string
				col := make([]id, n)
				for i := range n {
					size := width
					if size == 0 {
						size = r.IntN(14)
					}
					key := make([]byte, size)
					for v, at := r.IntN(kinds), size-1; at >= 0; at-- {
						key[at], v = byte(v), v>>8
					}
					s.text = append(s.text, key...)
					s.endKey()
					keys, col[i] = append(keys, string(key)), id(i)
				}
				s.rows.add(&Batch{N: n, Col: [][]id{col}})
				if err := s.finish(); err != nil {
					t.Fatal(err)
				}
				want := make([]int32, n)
				for i := range want {
					want[i] = int32(i)
				}
				slices.SortStableFunc(want, func(a, b int32) int {
					return slices.Compare([]byte(keys[a]), []byte(keys[b]))
				})
				if !slices.Equal(s.sorted, want) {
					t.Fatalf("%d rows, %d kinds of keys of %d bytes: another order", n, kinds, width)
				}
				ended, end := context.WithCancel(t.Context())
				end()
				if run.Values = value.NewContext(ended); n > checkEvery && s.sort() == nil {
					t.Errorf("%d rows are sorted after the end", n)
				}
			}
		}
	}
}
