package engine_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// Every generation can be restored, also over unsealed changes and compactions, and
// that is a generation as any other.
func TestRevert(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 5))
		db := initDB(t, vfs.NewMem())
		shape := model.Shape{Terms: 8, Entries: 1, Quads: 8, Graphs: 2}
		set := model.Set{}
		sets := map[int64]model.Set{1: set}
		for range 8 {
			switch r.IntN(6) {
			case 0:
				if _, err := db.Compact(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrCompact) {
					t.Fatal(err)
				}
				seal(t, db)
			case 1:
				g := 1 + r.Int64N(db.Manifest().Generation)
				if _, err := db.Revert(t.Context(), g, nil); err != nil {
					t.Fatal(err)
				}
				if set = sets[g]; set == nil {
					t.Fatalf("seed %d: generation %d was never seen", seed, g)
				}
			default:
				e := randomEntry(r, shape)
				write(t, db, e)
				set = apply(set, e)
				if r.IntN(2) == 0 {
					seal(t, db)
				}
			}
			if got := visible(t, snapshot(t, db)); !slices.Equal(got, set.Sorted()) {
				t.Fatalf("seed %d: got %v, want %v", seed, got, set.Sorted())
			}
			for g := db.Manifest().Generation; g > 0 && sets[g] == nil; g-- {
				s, err := db.At(t.Context(), g)
				if err != nil {
					t.Fatal(err)
				}
				sets[g] = model.Set{}
				for _, q := range visible(t, s) {
					sets[g][q] = true
				}
				s.Close()
			}
		}
		// What a difference to now says turns the one into the other.
		for g, was := range sets {
			got := apply(was, model.Entry{})
			if err := eachChange(db.Diff(t.Context(), g, engine.Now), func(added bool, q *rdf.RawQuad) error {
				k := model.Quad{string(q.S), string(q.P), string(q.O), string(q.G)}
				if got[k] == added {
					t.Fatalf("seed %d: generation %d to now: %v is no difference", seed, g, k)
				}
				if added {
					got[k] = true
				} else {
					delete(got, k)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Sorted(), set.Sorted()) {
				t.Fatalf("seed %d: generation %d and the difference to now: %v, want %v", seed, g, got.Sorted(), set.Sorted())
			}
		}
	}
}

func TestRevertNoSeal(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	q := model.Quad{"<http://ex/a>", "<http://ex/b>", "<http://ex/c>", ""}
	write(t, db, model.Entry{Adds: []model.Quad{q}})
	if _, err := db.Revert(t.Context(), 1, &engine.RevertOptions{NoSeal: true}); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	if _, err := db.Add(t.Context(), []engine.Step{{Adds: doc("<http://ex/a> <http://ex/b> <http://ex/d> .\n")}},
		&engine.AddOptions{NoSeal: true}); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	if got := visible(t, snapshot(t, db)); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}
