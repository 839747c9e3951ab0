package count

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/canceltest"
)

// TestWeightsChecked // does what is done with many rows at once: there is a check of the context
// at least for every 64 Ki rows, it ends with the context at each of its checks, and it can be
// done again then.
func TestWeightsChecked(t *testing.T) {
	const n = 5*cancel.Every + 17
	few := make([]id, n)
	for i := range few {
		few[i] = id(i / 9)
	}
	canceltest.Work(t, n, func() func(context.Context) error {
		return func(ctx context.Context) error {
			w := weights{ids: append([]id(nil), few...), n: make([]uint64, n)}
			for i := range w.n {
				w.n[i] = 1
			}
			w, err := w.sorted(ctx)
			if err != nil {
				return err
			}
			if w, err = w.times(ctx, &weights{ids: w.ids, n: w.n}); err != nil {
				return err
			}
			_, err = w.sum(ctx)
			return err
		}
	})
}

// TestWeights compares the sums and products of numbers of rows with the plain way.
func TestWeights(t *testing.T) {
	ctx := t.Context()
	r := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{0, 1, cancel.Block - 1, cancel.Block + 1, 3*cancel.Block + 5} {
		list, other := make([]id, n), make([]id, n)
		for i := range list {
			list[i], other[i] = id(r.IntN(n)), id(r.IntN(60))
		}
		w, total := weights{ids: list, n: make([]uint64, n)}, make(map[id]uint64)
		for i := range w.n {
			w.n[i] = uint64(other[i] % 5)
			total[list[i]] += w.n[i]
		}
		want := slices.Sorted(maps.Keys(total))
		w, err := w.sorted(ctx)
		if err != nil || !slices.Equal(w.ids, want) {
			t.Fatal(len(w.ids), err)
		}
		half := weights{}
		for i, k := range w.ids {
			if w.n[i] != total[k] {
				t.Errorf("%d rows: %d is the sum of %d, want %d", n, w.n[i], k, total[k])
			}
			if i%2 == 0 {
				half.ids, half.n = append(half.ids, k), append(half.n, 3)
			}
		}
		if w, err = w.times(ctx, &half); err != nil || !slices.Equal(w.ids, half.ids) {
			t.Fatal(len(w.ids), err)
		}
		for i, k := range w.ids {
			if w.n[i] != 3*total[k] {
				t.Errorf("%d rows: %d is the product of %d, want %d", n, w.n[i], k, 3*total[k])
			}
		}
	}
}
