package path

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/canceltest"
)

// TestFrontChecked // does what is done with many rows at once: there is a check of the context
// at least for every 64 Ki rows, it ends with the context at each of its checks, and it can be
// done again then.
func TestFrontChecked(t *testing.T) {
	const n = 5*cancel.Every + 17
	far := make([]id, n)
	for i := range far {
		far[i] = id(i) * 1_000_003
	}
	canceltest.Work(t, n, func() func(context.Context) error {
		f := front{nodes: far, sets: make([]uint64, n)}
		f.sets[n-1] = 1
		return func(ctx context.Context) error {
			of, err := f.byNode(ctx)
			if err == nil && of(far[n-1]) != 1 {
				t.Error("a wrong set")
			}
			return err
		}
	})
}

// TestFront compares the starts of the nodes of a front with the plain way.
func TestFront(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{0, 1, cancel.Block - 1, cancel.Block + 1, 3*cancel.Block + 5} {
		list, other := make([]id, n), make([]id, n)
		for i := range list {
			list[i], other[i] = id(r.IntN(n)), id(r.IntN(60))
		}
		f, want := front{nodes: list, sets: make([]uint64, n)}, make(map[id]uint64)
		for i, k := range list {
			f.sets[i] = 1 << other[i]
			want[k] |= f.sets[i]
		}
		starts, err := f.byNode(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for k, set := range want {
			if starts(k) != set {
				t.Errorf("%d rows: %x of %d, want %x", n, starts(k), k, set)
			}
		}
	}
}
