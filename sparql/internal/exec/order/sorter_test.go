package order

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/value"
)

// TestSortEntries sorts rows with keys of all lengths, on one and on two goroutines, as a
// plain sort does, and ends with the context.
func TestSortEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{0, 1, 1000, minSharedSort - 1, 2 * minSharedSort} {
		for _, kinds := range []int{1, 3, 1 << 30} {
			for _, width := range []int{0, 4, 8, 12} {
				run := &run.Run{Budget: &mem.Budget{}, Values: value.NewContext(t.Context()), Cores: cores.Limit{Most: 2, Machine: cores.NewMachine(8)}}
				s := newSorter(run, "order", 1, -1)
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
				s.rows.Add(&rowset.Batch{N: n, Col: [][]id{col}})
				if err := s.finish(t.Context()); err != nil {
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
				if n > cancel.Every && s.sort(ended) == nil {
					t.Errorf("%d rows are sorted after the end", n)
				}
			}
		}
	}
}
