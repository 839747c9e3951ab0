package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

func rdfQuad(q model.Quad) rdf.Quad {
	out := rdf.Quad{S: rdf.FromSurface(q[0]), P: rdf.FromSurface(q[1]), O: rdf.FromSurface(q[2])}
	if q[3] != "" {
		out.G = rdf.FromSurface(q[3])
	}
	return out
}

func rdfQuads(list []model.Quad) (out []rdf.Quad) {
	for _, q := range list {
		out = append(out, rdfQuad(q))
	}
	return out
}

// write deletes and then inserts quads in one transaction.
func write(t testing.TB, db *engine.DB, e model.Entry) *engine.Done {
	t.Helper()
	done, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return change(t.Context(), tx, e) })
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func change(ctx context.Context, tx *engine.Tx, e model.Entry) error {
	if err := tx.Delete(ctx, rdfQuads(e.Dels)...); err != nil {
		return err
	}
	return tx.Insert(ctx, rdfQuads(e.Adds)...)
}

// randomEntry draws an entry without generalised quads, which no transaction takes.
func randomEntry(r *rand.Rand, shape model.Shape) model.Entry {
	e := model.Log(r, shape)[0]
	bad := func(q model.Quad) bool {
		return q[0][0] == '"' || q[0][:2] == "<<" || q[1][0] != '<' || q[1][:2] == "<<" || q[3] != "" && (q[3][0] == '"' || q[3][:2] == "<<")
	}
	return model.Entry{Adds: slices.DeleteFunc(e.Adds, bad), Dels: slices.DeleteFunc(e.Dels, bad)}
}

func seal(t testing.TB, db *engine.DB) {
	t.Helper()
	if _, err := db.Seal(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
		t.Fatal(err)
	}
}

// Apply is what an entry does to a set.
func apply(set model.Set, e model.Entry) model.Set {
	out := maps.Clone(set)
	for _, q := range e.Dels {
		delete(out, q)
	}
	for _, q := range e.Adds {
		out[q] = true
	}
	return out
}

// TestWriteModel runs random sequences of writes, seals, compactions, adds and
// reopenings, by a writer and a reader that refreshes, against a set of quads.
func TestWriteModel(t *testing.T) {
	seeds := longtest.Pick[uint64](12, 60)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runModel(t, seed) })
	}
}

func runModel(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 77))
	m := vfs.NewMem()
	initDB(t, m).Close()
	open := func() *engine.DB { return openDB(t, m) }
	if seed%2 == 1 {
		open = func() *engine.DB { return openSpilling(t, m) }
	}
	db := open()
	set := model.Set{}
	shape := model.Shape{Terms: 4 + r.IntN(20), Entries: 1, Quads: 1 + r.IntN(20), Graphs: r.IntN(4)}
	vocabulary := model.Vocabulary(shape.Terms)
	for step := range 25 {
		switch k := r.IntN(14); {
		case k < 8:
			e := randomEntry(r, shape)
			before := set
			set = apply(set, e)
			done := write(t, db, e)
			if want := int64(difference(before, set)); done.Changes != want {
				t.Fatalf("step %d: %d changes, want %d", step, done.Changes, want)
			}
		case k < 10:
			seal(t, db)
		case k == 10:
			if _, err := db.Compact(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrCompact) {
				t.Fatal(err)
			}
		case k == 11:
			closeDB(t, db)
			db = open()
		case k == 12:
			e := randomEntry(r, shape)
			addDB(t, db, engine.Step{Adds: quads(e.Adds), Dels: quads(e.Dels)})
			set = apply(set, e)
		default:
			failed := errors.New("no")
			_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
				change(t.Context(), tx, randomEntry(r, shape))
				return failed
			})
			if !errors.Is(err, failed) {
				t.Fatal(err)
			}
		}
		s := snapshot(t, db)
		label := fmt.Sprintf("seed %d, step %d", seed, step)
		if got, want := visible(t, s), set.Sorted(); !slices.Equal(got, want) {
			t.Fatalf("%s: got %v\nwant %v", label, got, want)
		}
		viewtest.CheckView(t, s.View, []model.Entry{{Adds: set.Sorted()}}, vocabulary, r, label)
		s.Close()
	}
	reader, err := engine.Open(t.Context(), manifestName, &engine.Options{FS: m, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got := visible(t, snapshot(t, reader)); !slices.Equal(got, set.Sorted()) {
		t.Fatalf("the reader sees %v\nwant %v", got, set.Sorted())
	}
}

func difference(a, b model.Set) (n int) {
	for q := range a {
		if !b[q] {
			n++
		}
	}
	for q := range b {
		if !a[q] {
			n++
		}
	}
	return n
}

// A transaction sees its own writes, in every step; views that it took before do
// not change.
func TestTxView(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := vfs.NewMem()
		db := initDB(t, m)
		if seed%2 == 1 {
			closeDB(t, db)
			db = openSpilling(t, m)
		}
		shape := model.Shape{Terms: 10, Entries: 1, Quads: 10, Graphs: 2}
		base := randomEntry(r, shape)
		write(t, db, base)
		set := apply(model.Set{}, base)
		if r.IntN(2) == 0 {
			seal(t, db)
		}
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			var views []engine.View
			var sets []model.Set
			for range 6 {
				e := randomEntry(r, shape)
				if err := change(t.Context(), tx, e); err != nil {
					return err
				}
				set = apply(set, e)
				v, err := tx.View(t.Context())
				if err != nil {
					return err
				}
				views, sets = append(views, v), append(sets, set)
			}
			for i, v := range views {
				viewtest.CheckView(t, v, []model.Entry{{Adds: sets[i].Sorted()}}, model.Vocabulary(10), r, fmt.Sprintf("seed %d, view %d", seed, i))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := visible(t, snapshot(t, db)); !slices.Equal(got, set.Sorted()) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, set.Sorted())
		}
	}
}

func TestWriteConditional(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	q := model.Quad{"<http://ex/a>", "<http://ex/b>", "<http://ex/c>", ""}
	before := snapshot(t, db).State()
	done := write(t, db, model.Entry{Adds: []model.Quad{q}})
	if got := snapshot(t, db).State(); got != done.State || got == before {
		t.Errorf("state %q, the write said %q, before it was %q", got, done.State, before)
	}
	again := write(t, db, model.Entry{Adds: []model.Quad{q}})
	if again.Changes != 0 || again.State != done.State || again.Batch != done.Batch {
		t.Errorf("nothing changed: got %+v, want the place of %+v", again, done)
	}
	none := func(*engine.Tx) error { t.Error("it ran"); return nil }
	if _, err := db.Write(t.Context(), &engine.WriteOptions{IfState: before}, none); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	if _, err := db.Write(t.Context(), &engine.WriteOptions{IfState: done.State}, func(tx *engine.Tx) error {
		return tx.Delete(t.Context(), rdfQuad(q))
	}); err != nil {
		t.Error(err)
	}
}

func TestJournalHasOneOwner(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	q := model.Quad{"<http://ex/a>", "<http://ex/b>", "<http://ex/c>", ""}
	write(t, db, model.Entry{Adds: []model.Quad{q}})
	if err := db.Announce(t.Context(), engine.Note{PID: 17, Address: "http://127.0.0.1:1", Token: "x"}); err != nil {
		t.Fatal(err)
	}
	other := openDB(t, m)
	_, err := other.Write(t.Context(), nil, func(*engine.Tx) error { return nil })
	var owned *engine.OwnedError
	if !errors.As(err, &owned) || owned.Note == nil || owned.Note.Address != "http://127.0.0.1:1" || !errors.Is(err, engine.ErrOwned) {
		t.Errorf("got %v, want the owner's note", err)
	}
	if got := visible(t, snapshot(t, other)); len(got) != 1 {
		t.Errorf("the other sees %v", got)
	}
	// It follows what the owner writes and seals.
	for i := range 6 {
		q[2] = fmt.Sprintf("<http://ex/c%d>", i)
		write(t, db, model.Entry{Adds: []model.Quad{q}})
		if i%2 == 1 {
			seal(t, db)
		}
		if moved, err := other.Refresh(t.Context()); err != nil || !moved {
			t.Fatalf("refresh: %v, %v", moved, err)
		}
		if got := visible(t, snapshot(t, other)); len(got) != i+2 {
			t.Errorf("the other sees %v", got)
		}
	}
	closeDB(t, db)
	if _, err := other.Write(t.Context(), nil, func(*engine.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
}
