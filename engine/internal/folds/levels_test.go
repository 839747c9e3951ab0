package folds

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// TestLevels pushes runs of all sizes, some older than those below them, and compares
// what the levels say with the rows netted together.
func TestLevels(t *testing.T) {
	ctx, r := t.Context(), rand.New(rand.NewPCG(4, 2))
	for range 40 {
		var levels Levels
		var all []tombstone.Row
		for range 1 + r.IntN(12) {
			_, rows := drawRows(r, r.IntN(400)>>r.IntN(6), 1+r.IntN(500), 8*r.Uint32N(20))
			var err error
			if levels, err = levels.Push(ctx, NewRun(rows)); err != nil {
				t.Fatal(err)
			}
			all = append(all, rows...)
		}
		for i := 1; i < len(levels); i++ {
			if !Apart(levels[i-1].Len(), levels[i].Len()) {
				t.Fatalf("runs of %d and %d rows stay apart", levels[i-1].Len(), levels[i].Len())
			}
		}
		for o := range tile.Order(tile.NumOrders) {
			want := slices.CompactFunc(inOrder(all, o), func(a, b tombstone.Row) bool { return a.Key == b.Key })
			lo, hi := tombstone.Key{uint64(r.IntN(100))}, tombstone.MaxKey
			if r.IntN(2) == 0 {
				hi = tombstone.Key{lo[0] + uint64(r.IntN(500))}
			}
			srcs, err := levels.Sources(ctx, o, lo, hi, nil)
			if err != nil {
				t.Fatal(err)
			}
			n, err := levels.Count(ctx, o, lo, hi)
			if err != nil {
				t.Fatal(err)
			}
			got := collect(t, Merge(srcs))
			if want = tombstone.Range(want, lo, hi); !slices.Equal(got, want) || n < len(got) || levels.Len() < n {
				t.Fatalf("%v: %d rows of %d, %d in all, want %d", o, len(got), n, levels.Len(), len(want))
			}
			levels.Drop(o)
		}
	}
}

// TestMoved gives inserts other keys, which leave their places but not their order among
// each other.
func TestMoved(t *testing.T) {
	base := baseRows{10, 20, 30, 40, 50}
	var rows []tombstone.Row
	for _, k := range []uint64{11, 12, 13, 41, 42} {
		rows = append(rows, tombstone.Row{Key: tombstone.Key{k}, Weight: 33})
	}
	p := base.step(nil, rows, 36)
	turned, err := p.Moved(t.Context(), 12, func(k tombstone.Key) (tombstone.Key, bool) {
		return tombstone.Key{k[0]/10*10 + 9 - k[0]%10}, true // within the same gap
	})
	if err != nil || turned.Below() != 12 {
		t.Fatal(turned, err)
	}
	for i, r := range turned.Inserts() {
		if _, c := base.locate(r); c.At != r.At || i > 0 && cmp.Compare(turned.Inserts()[i-1].Key[0], r.Key[0]) >= 0 {
			t.Errorf("%v is at %d", r, c.At)
		}
	}
	for _, r := range turned.Inserts() { // changes above them are from 12 on
		if r.Weight >= 12 || !r.Adds() {
			t.Errorf("%v has the weight %d, below 12", r.Key, r.Weight)
		}
	}
	if gone, err := p.Moved(t.Context(), 12, func(k tombstone.Key) (tombstone.Key, bool) { return k, k[0] != 13 }); gone != nil || err != nil {
		t.Errorf("%v, %v for a key that is gone", gone, err)
	}
}
