package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// TestLargeWrites: whatever a transaction does, with batches on both sides of what a batch of
// the journal holds and of what several goroutines take, it sees its changes, counts those
// that are left, and leaves no segment that nothing names.
func TestLargeWrites(t *testing.T) {
	for seed := range longtest.Pick[uint64](40, 1000) {
		largeWrites(t, rand.New(rand.NewPCG(seed, 16)))
	}
}

func largeWrites(t *testing.T, r *rand.Rand) {
	m := vfs.NewMem()
	opt := memOptions(m)
	opt.MaxBatchLines = int64(1 + r.IntN(60))
	opt.WriteMemory = int64(r.IntN(2)) * int64(r.IntN(600_000))
	db, err := engine.Init(t.Context(), manifestName, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	set := map[rdf.Quad]bool{}
	for range 3 {
		now := map[rdf.Quad]bool{}
		for q := range set {
			now[q] = true
		}
		steps := ""
		done, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			for range 1 + r.IntN(8) {
				from := r.IntN(400)
				part := seq(from, from+r.IntN(1+r.IntN(500)))
				switch k := r.IntN(10); {
				case k < 6:
					steps += fmt.Sprint(" +", from, len(part))
					for _, q := range part {
						now[q] = true
					}
					if k == 0 {
						for _, q := range part {
							if err := tx.Insert(t.Context(), []rdf.Quad{q}); err != nil {
								return err
							}
						}
					} else if err := tx.Insert(t.Context(), part); err != nil {
						return err
					}
				case k < 8:
					steps += fmt.Sprint(" -", from, len(part))
					for _, q := range part {
						delete(now, q)
					}
					if err := tx.Delete(t.Context(), part); err != nil {
						return err
					}
				case k == 8 && r.IntN(5) == 0:
					steps += " clear"
					clear(now)
					if err := tx.Clear(t.Context()); err != nil {
						return err
					}
				default:
					v, err := tx.View(t.Context())
					if err != nil {
						return err
					}
					if got := count(t, v); got != len(now) {
						return fmt.Errorf("it sees %d quads, want %d", got, len(now))
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", steps, err)
		}
		changes := 0
		for q := range now {
			if !set[q] {
				changes++
			}
		}
		for q := range set {
			if !now[q] {
				changes++
			}
		}
		set = now
		s := snapshot(t, db)
		if got := count(t, s.View); got != len(set) || done.Changes != int64(changes) {
			t.Fatalf("%s: %d quads, want %d; %d changes, want %d", steps, got, len(set), done.Changes, changes)
		}
		named := 0
		for _, e := range s.Manifest().Log {
			if e.Adds != nil {
				named++
			}
			if e.Dels != nil {
				named++
			}
		}
		if files := segments(t, m); len(files) != named {
			t.Fatalf("%s: %d segments are named, there are %v", steps, named, files)
		}
	}
}

// TestLargeWriteLooksNothingUp: quads that are too many for the journal come as one entry.
func TestLargeWriteLooksNothingUp(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	const n = 100_500
	done, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), seq(0, n)) })
	if err != nil || done.Changes != n || len(db.Manifest().Log) != 1 {
		t.Errorf("%+v, %v, %d entries", done, err, len(db.Manifest().Log))
	}
}

// TestInvalidInLargeWrite: an invalid quad among many fails the transaction, also if its
// function goes on.
func TestInvalidInLargeWrite(t *testing.T) {
	m := vfs.NewMem()
	opt := memOptions(m)
	opt.MaxBatchLines = 10
	db, err := engine.Init(t.Context(), manifestName, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	for _, n := range []int{20, 2000} {
		for _, c := range quadtest.Invalid() {
			_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
				var invalid *rdf.InvalidError
				if err := tx.Insert(t.Context(), append(seq(0, n), c.Quad)); !errors.As(err, &invalid) {
					t.Errorf("%s: %v", c.Name, err)
				}
				return nil
			})
			if err == nil || len(segments(t, m)) > 0 || db.Manifest().Generation != 1 {
				t.Errorf("%s: error %v, generation %d", c.Name, err, db.Manifest().Generation)
			}
		}
	}
}
