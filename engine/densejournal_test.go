package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// TestDenseJournal reads each state of a journal whose changes lie in every stretch of
// the base, with seeks, in parts and as a trie, while the next batches come: what one
// state knows of the changes goes on into the next, through merges and seals. Orders that
// the base does not store are read from those that it does.
func TestDenseJournal(t *testing.T) {
	for _, orders := range []int{6, 3} {
		t.Run(fmt.Sprintf("%d orders", orders), func(t *testing.T) { testDenseJournal(t, orders) })
	}
}

func testDenseJournal(t *testing.T, orders int) {
	batches := longtest.Pick(24, 60)
	r := rand.New(rand.NewPCG(66, 8))
	log := viewtest.DenseLog(r, batches)
	m := vfs.NewMem()
	initDB(t, m).Close()
	db := openDB(t, m)
	opt := &engine.AddOptions{}
	opt.Build.Orders = orders
	if _, err := db.Add(t.Context(), []engine.Step{{Adds: quads(log[0].Adds)}}, opt); err != nil {
		t.Fatal(err)
	}
	visible := model.Fold(log[:1])
	var words []string
	for _, e := range log {
		for _, q := range slices.Concat(e.Adds, e.Dels) {
			words = append(words, q[:]...)
		}
	}
	slices.Sort(words)
	words = slices.DeleteFunc(slices.Compact(words), func(s string) bool { return s == "" })
	var readers sync.WaitGroup
	for i, e := range log[1:] {
		write(t, db, e)
		if visible = apply(visible, e); i%25 == 24 {
			seal(t, db)
		}
		s, visible, seed := snapshot(t, db), visible, r.Uint64()
		readers.Go(func() {
			defer s.Close()
			r := rand.New(rand.NewPCG(seed, 1))
			tt := viewtest.LookupAll(t, s.View, words)
			for range 2 {
				viewtest.ScanDense(t, s.View, tt, visible, words, r)
				otherWays(t, s.View, tt, r)
			}
		})
		if i%4 == 3 {
			readers.Wait()
		}
	}
	readers.Wait()
	closeDB(t, db)
}

// otherWays compares a scan in parts, and a trie, with the scan as a whole.
func otherWays(t *testing.T, v engine.View, tt viewtest.Terms, r *rand.Rand) {
	t.Helper()
	p := dataset.Pattern{P: tt.ID[fmt.Sprintf("<http://ex/p%d>", r.IntN(4))], G: dataset.Graphs{Mode: dataset.Merge}}
	for _, o := range v.Orders(p) {
		c, err := v.Scan(t.Context(), p, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := viewtest.Drain(t, c)
		var parts, rows [][4]dataset.ID
		for i := range 3 {
			c, err := v.Scan(t.Context(), p, o, &dataset.ScanOptions{Part: i, Parts: 3})
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, viewtest.Drain(t, c)...)
		}
		tr, err := v.Trie(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if viewtest.Walk(t, tr, o, [4]dataset.ID{}, 0, &rows); !slices.Equal(parts, want) || !slices.Equal(rows, want) {
			t.Fatalf("%+v %v: %d rows, in parts %d, by the trie %d", p, o, len(want), len(parts), len(rows))
		}
	}
}
