package folds

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// drawRows returns n rows, and the heaviest of each key in order.
func drawRows(r *rand.Rand, n, span int, weight uint32) (rows, net []tombstone.Row) {
	heaviest := make(map[tombstone.Key]uint32)
	for range n {
		row := tombstone.Row{Key: tombstone.Key{uint64(r.IntN(span)), uint64(r.IntN(3)), uint64(r.IntN(2))}, Weight: weight + r.Uint32N(4)}
		heaviest[row.Key] = max(heaviest[row.Key], row.Weight)
		rows = append(rows, row)
	}
	for k, w := range heaviest {
		net = append(net, tombstone.Row{Key: k, Weight: w})
	}
	slices.SortFunc(net, tombstone.CompareRows)
	return rows, net
}

func inOrder(rows []tombstone.Row, o tile.Order) []tombstone.Row {
	out := slices.Clone(rows)
	for i := range out {
		for c, from := range o.Columns() {
			out[i].Key[c] = rows[i].Key[from]
		}
	}
	slices.SortFunc(out, tombstone.CompareRows)
	return out
}

// collect drains a source.
func collect(t testing.TB, src Source) (out []tombstone.Row) {
	t.Helper()
	for {
		rows, err := src.Next(t.Context())
		if err != nil {
			return out
		}
		if len(rows) == 0 {
			t.Fatal("a source delivered no rows and no end")
		}
		out = append(out, rows...)
	}
}

// TestRuns compares netting, merging and sorting in other orders with the plain way,
// for numbers of rows at the borders of blocks.
func TestRuns(t *testing.T) {
	ctx, r := t.Context(), rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{0, 1, 300, cancel.Block - 1, cancel.Block, cancel.Block + 1, 2*cancel.Block + 5} {
		for kind, span := range map[string]int{"many keys": math.MaxInt32, "repeats": n/8 + 1, "few keys": 3} {
			same := func(what string, got, want []tombstone.Row) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Errorf("%s, %d rows, %s: %d rows, want %d", what, n, kind, len(got), len(want))
				}
			}
			rows, a := drawRows(r, n, span, 8)
			got, err := tombstone.Net(ctx, rows)
			if err != nil {
				t.Fatal(err)
			}
			same("net", got, a)
			_, b := drawRows(r, n, span, 16)
			_, c := drawRows(r, n/3, span, 24)
			both := slices.Concat(c, b, a) // a later entry has the greater weight
			slices.SortStableFunc(both, func(x, y tombstone.Row) int { return x.Key.Compare(y.Key) })
			both = slices.CompactFunc(both, func(x, y tombstone.Row) bool { return x.Key == y.Key })
			same("merged sources", collect(t, Merge([]Source{Slice(a, false), Slice(b, false), Slice(c, true)})), both)
			x, y := NewRun(a), NewRun(b)
			if _, err := x.In(ctx, tile.POS); err != nil { // one has the order in memory
				t.Fatal(err)
			}
			m, err := MergeRuns(ctx, x, y)
			if err == nil {
				m, err = MergeRuns(ctx, m, NewRun(c))
			}
			if err != nil {
				t.Fatal(err)
			}
			for o := range tile.Order(tile.NumOrders) {
				list, err := m.In(ctx, o)
				if err != nil {
					t.Fatal(err)
				}
				same("merged runs in "+o.String(), list, inOrder(both, o))
				m.drop(o)
			}
			for _, from := range []uint32{0, 9, 17, 26, 99} {
				want := slices.DeleteFunc(slices.Clone(both), func(r tombstone.Row) bool { return r.Weight < from })
				same("rows from a weight on", collect(t, From(Slice(both, false), from)), want)
			}
		}
	}
}

// TestMergeSeek seeks in merged sources between reads.
func TestMergeSeek(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 300 {
		var lists []Source
		var all []tombstone.Row
		for i := range 1 + r.IntN(5) {
			_, rows := drawRows(r, r.IntN(700), 1+r.IntN(1000), uint32(8*i))
			lists = append(lists, Slice(rows, false))
			all = append(all, rows...)
		}
		all, _ = tombstone.Net(t.Context(), all)
		m := Merge(lists)
		for {
			if r.IntN(2) == 0 && len(all) > 0 {
				key := all[r.IntN(min(len(all), 400))].Key
				key[2] += uint64(r.IntN(2))
				m.Seek(key)
				all = all[tombstone.Gallop(all, key):]
			}
			rows, err := m.Next(t.Context())
			if err != nil {
				break
			}
			if len(rows) > len(all) || !slices.Equal(rows, all[:len(rows)]) {
				t.Fatalf("%v, want %v", rows, all)
			}
			all = all[len(rows):]
		}
		if len(all) > 0 {
			t.Fatalf("%d rows are missing", len(all))
		}
	}
}

// TestRunWaits: a reader that waits for an order that another one sorts ends with its own
// context, and finds the order afterwards.
func TestRunWaits(t *testing.T) {
	_, rows := drawRows(rand.New(rand.NewPCG(1, 2)), 9, 5, 8)
	run := NewRun(rows)
	if err := run.sorting.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := run.In(ctx, tile.POS)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the waiting reader got %v", err)
	}
	run.sorting.Unlock()
	if got, err := run.In(t.Context(), tile.POS); err != nil || !slices.Equal(got, inOrder(rows, tile.POS)) {
		t.Errorf("%v %v", got, err)
	}
}
