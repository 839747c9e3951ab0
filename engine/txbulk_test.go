package engine_test

import (
	"errors"
	"fmt"
	"maps"
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
	for range 4 {
		now := map[rdf.Quad]bool{}
		for q := range set {
			now[q] = true
		}
		steps := ""
		told := map[rdf.Quad]bool{}
		var o engine.WriteOptions
		if r.IntN(3) == 0 {
			steps, o.Preview = "preview", tell(told)
		}
		done, err := db.Write(t.Context(), &o, func(tx *engine.Tx) error {
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
							if err := tx.Insert(t.Context(), q); err != nil {
								return err
							}
						}
					} else if err := tx.Insert(t.Context(), part...); err != nil {
						return err
					}
				case k < 8:
					steps += fmt.Sprint(" -", from, len(part))
					for _, q := range part {
						delete(now, q)
					}
					if err := tx.Delete(t.Context(), part...); err != nil {
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
		changes := map[rdf.Quad]bool{}
		for q := range now {
			if !set[q] {
				changes[q] = true
			}
		}
		for q := range set {
			if !now[q] {
				changes[q] = false
			}
		}
		if o.Preview == nil {
			set = now
		} else if !maps.Equal(told, changes) {
			t.Fatalf("%s: the preview has %d changes, want %d", steps, len(told), len(changes))
		}
		s := snapshot(t, db)
		if got := count(t, s.View); got != len(set) || done.Changes != int64(len(changes)) {
			t.Fatalf("%s: %d quads, want %d; %d changes, want %d", steps, got, len(set), done.Changes, len(changes))
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

// tell notes the changes of a preview, of which none may come twice.
func tell(told map[rdf.Quad]bool) func(engine.Change) error {
	return func(c engine.Change) error {
		q := c.Quad.Quad()
		if _, twice := told[q]; twice {
			return fmt.Errorf("%v is told of twice", q)
		}
		told[q] = c.Added
		return nil
	}
}

// TestPreview: a preview leaves the graph, its state and its prefixes as they were, ends with the
// error of the function that receives the changes, and of a cleared graph reports only what is inserted again.
func TestPreview(t *testing.T) {
	const n = 10_002 // more than Clear deletes one by one
	m := vfs.NewMem()
	db := initDB(t, m)
	if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), seq(0, n)...) }); err != nil {
		t.Fatal(err)
	}
	state := snapshot(t, db).State()
	replace := func(tx *engine.Tx) error {
		tx.NamePrefixes(map[string]string{"ex": "http://ex/"})
		if err := tx.Insert(t.Context(), seq(n+9, n+11)...); err != nil { // gone with the rest
			return err
		}
		if err := tx.Clear(t.Context()); err != nil {
			return err
		}
		return tx.Insert(t.Context(), seq(3, n+5)...)
	}
	told := map[rdf.Quad]bool{}
	done, err := db.Write(t.Context(), &engine.WriteOptions{Preview: tell(told)}, replace)
	if err != nil || done.Changes != 8 || done.State != state {
		t.Fatalf("%+v, %v; the state was %s", done, err, state)
	}
	want := map[rdf.Quad]bool{}
	for i := range 3 {
		want[ith(i)] = false
	}
	for i := range 5 {
		want[ith(n+i)] = true
	}
	if !maps.Equal(told, want) {
		t.Errorf("told of %v", told)
	}
	no := errors.New("no")
	_, err = db.Write(t.Context(), &engine.WriteOptions{Preview: func(engine.Change) error { return no }}, replace)
	if !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	_, err = db.Write(t.Context(), &engine.WriteOptions{IfState: "another", Preview: tell(told)}, replace)
	if !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v", err)
	}
	prefixes, err := db.Prefixes(t.Context())
	if err != nil || len(prefixes) > 0 {
		t.Errorf("it kept %v, %v", prefixes, err)
	}
	s := snapshot(t, db)
	if got := count(t, s.View); got != n || s.State() != state || len(segments(t, m)) > 0 {
		t.Errorf("%d quads, state %s, segments %v", got, s.State(), segments(t, m))
	}
}

// TestLargeWriteLooksNothingUp: quads that are too many for the journal come as one entry.
func TestLargeWriteLooksNothingUp(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	const n = 100_500
	done, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), seq(0, n)...) })
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
				if err := tx.Insert(t.Context(), append(seq(0, n), c.Quad)...); !errors.As(err, &invalid) {
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
