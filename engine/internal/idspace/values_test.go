package idspace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/canceltest"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/internal/valuekey"
)

const integer = `"%d"^^<http://www.w3.org/2001/XMLSchema#integer>`

var integers, _, _ = valuekey.Of(fmt.Appendf(nil, integer, 7))

// integerIndex returns an index of the local ids from 1 to n, by values in no order.
func integerIndex(t *testing.T, n int) layers.ValueIndex {
	t.Helper()
	b := valueindex.NewBuilder(nil)
	for i, v := range rand.New(rand.NewPCG(9, 9)).Perm(n) {
		if err := b.Add(uint32(i)+1, fmt.Appendf(nil, integer, v)); err != nil {
			t.Fatal(err)
		}
	}
	made, err := valueindex.Make(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestSortedValues finds the ids of as many values as lie at the borders of blocks, sorted as
// numbers and as bits.
func TestSortedValues(t *testing.T) {
	for _, n := range []int{0, 1, cancel.Block - 1, cancel.Block, cancel.Block + 1, 2 * cancel.Block, 3*cancel.Block + 5} {
		index := integerIndex(t, n)
		for _, objects := range []uint32{uint32(n), 1 << 31} {
			list, err := sortedValues(t.Context(), index, integers, 0, uint64(n), objects)
			if err != nil || len(list) != n {
				t.Errorf("%d values of %d, %v", len(list), n, err)
			}
			for i, id := range list {
				if id != dataset.ID(i)+1 {
					t.Fatalf("%d values: %d is %d", n, i, id)
				}
			}
		}
	}
}

// TestSortedValuesEnd sorts very many values: the context is checked all the while.
func TestSortedValuesEnd(t *testing.T) {
	const n = 5*(64<<10) + 9
	index := integerIndex(t, n)
	for name, objects := range map[string]uint32{"as bits": n, "as numbers": 1 << 31} {
		t.Run(name, func(t *testing.T) {
			canceltest.Work(t, n, func() func(ctx context.Context) error {
				return func(ctx context.Context) error {
					_, err := sortedValues(ctx, index, integers, 0, n, objects)
					return err
				}
			})
		})
	}
}
