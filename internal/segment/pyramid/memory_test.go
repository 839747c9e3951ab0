package pyramid

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each pair stands at both ends, neighbours ascend, and what has none does not come.
func TestInMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(20)
		weights, want := map[pair]uint64{}, map[[2]uint32]uint64{}
		for range r.IntN(3 * n) {
			x, y := uint32(r.IntN(n)), uint32(r.IntN(n))
			if x >= y {
				continue
			}
			w := 1 + r.Uint64N(1<<33)
			weights[pair(x)<<32|pair(y)] = w
			w = min(w, 1<<32-1)
			want[[2]uint32{x, y}], want[[2]uint32{y, x}] = w, w
		}
		last := int64(-1)
		err := inMemory(weights, n).each(context.Background(), func(v uint32, to, weight []uint32) {
			if int64(v) <= last || len(to) == 0 || len(to) != len(weight) || !slices.IsSorted(to) {
				t.Fatalf("vertex %d after %d has neighbours %d with weights %d", v, last, to, weight)
			}
			last = int64(v)
			for i, u := range to {
				if k := [2]uint32{v, u}; want[k] != uint64(weight[i]) || weight[i] == 0 {
					t.Fatalf("%d and %d: weight %d, want %d", v, u, weight[i], want[k])
				} else {
					delete(want, k)
				}
			}
		})
		if err != nil || len(want) > 0 {
			t.Fatalf("missing %v, error %v", want, err)
		}
	}
}
