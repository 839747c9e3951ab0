package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// TestTermsOfTransactions inserts quads of terms that programs can make but RDF does not
// have. Each is refused, and leaves nothing; what is taken is there after a restart,
// and after a seal.
func TestTermsOfTransactions(t *testing.T) {
	fsys := vfs.NewMem()
	db := initDB(t, fsys)
	s, p, o := rdf.IRI("x:s"), rdf.IRI("x:p"), rdf.IRI("x:o")
	text := func(o rdf.Term) rdf.Quad { return rdf.Quad{S: s, P: p, O: o} }
	bad, good := []rdf.Quad{}, []rdf.Quad{text(o)}
	for _, c := range quadtest.Invalid() {
		bad = append(bad, c.Quad)
	}
	for _, c := range quadtest.Valid() {
		good = append(good, c.Quad)
	}
	for i, q := range bad {
		done, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			if err := tx.Insert(t.Context(), text(rdf.String("before")), q); err == nil {
				t.Errorf("%d: %v is taken", i, q)
			}
			// Nor is it taken later, when it has been looked for.
			if err := tx.Delete(t.Context(), q); err == nil && tx.Insert(t.Context(), q) == nil {
				t.Errorf("%d: %v is taken after a delete", i, q)
			}
			return tx.Insert(t.Context(), text(o))
		})
		if err != nil || i > 0 && done.Changes != 0 {
			t.Errorf("%d: %v %v", i, done, err)
		}
	}
	if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), good...) }); err != nil {
		t.Fatal(err)
	}
	want := visible(t, snapshot(t, db))
	if len(want) != len(good) {
		t.Errorf("%d quads, want %d: %v", len(want), len(good), want)
	}
	closeDB(t, db)
	again, err := engine.Open(t.Context(), manifestName, memOptions(fsys))
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, again)
	if diff := cmp.Diff(want, visible(t, snapshot(t, again))); diff != "" {
		t.Errorf("after a restart: %s", diff)
	}
	seal(t, again)
	if diff := cmp.Diff(want, visible(t, snapshot(t, again))); diff != "" {
		t.Errorf("after a seal: %s", diff)
	}
}

// TestTermsOfSources gives sources quads of such terms.
func TestTermsOfSources(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	good := model.Quad{"<x:s>", "<x:p>", `"a\nb"@en`, ""}
	for _, c := range quadtest.Invalid() {
		q := model.Quad{c.Quad.S.Surface(), c.Quad.P.Surface(), c.Quad.O.Surface(), c.Quad.G.Surface()}
		source := func() *engine.Source {
			return &engine.Source{Name: "made", Quads: &quadReader{[]model.Quad{good, q}}}
		}
		var invalid *rdf.InvalidError
		for _, step := range []engine.Step{{Adds: source()}, {Dels: source()}} {
			if _, err := db.Add(t.Context(), []engine.Step{step}, nil); !errors.As(err, &invalid) || !strings.Contains(err.Error(), "made") {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		opt := &engine.InitOptions{Bases: []engine.Source{*source()}}
		if _, err := engine.Init(t.Context(), manifestName, opt, memOptions(vfs.NewMem())); !errors.As(err, &invalid) {
			t.Errorf("%s as a base: error %v", c.Name, err)
		}
	}
	addDB(t, db, engine.Step{Adds: &engine.Source{Quads: &quadReader{[]model.Quad{good}}}})
	if got := visible(t, snapshot(t, db)); len(got) != 1 || got[0] != good {
		t.Errorf("%v", got)
	}
}

// TestEndedTransaction uses a transaction after its end, of either kind: no method
// takes what would be lost.
func TestEndedTransaction(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	for _, failure := range []error{nil, errors.New("no")} {
		var kept *engine.Tx
		if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { kept = tx; return failure }); err != failure {
			t.Fatal(err)
		}
		q := []rdf.Quad{{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.IRI("x:o")}}
		_, err := kept.View(t.Context())
		for i, err := range []error{kept.Insert(t.Context(), q...), kept.Insert(t.Context(), nil...), kept.Delete(t.Context(), q...), kept.Clear(t.Context()), err} {
			if !errors.Is(err, engine.ErrTxEnded) {
				t.Errorf("method %d: %v", i, err)
			}
		}
	}
}

// closedMethods are the methods that do something with the files of a database.
var closedMethods = map[string]func(t *testing.T, db *engine.DB) error{
	"Snapshot": func(t *testing.T, db *engine.DB) error {
		s, err := db.Snapshot(t.Context())
		if err == nil {
			s.Close()
		}
		return err
	},
	"Content": func(t *testing.T, db *engine.DB) error {
		_, err := db.Content(t.Context())
		return err
	},
	"Before": func(t *testing.T, db *engine.DB) error {
		_, _, err := db.Before(t.Context(), &manifest.Manifest{Generation: 1})
		if errors.Is(err, engine.ErrNoGeneration) {
			return nil
		}
		return err
	},
	"At": func(t *testing.T, db *engine.DB) error {
		s, err := db.At(t.Context(), 1)
		if err == nil {
			s.Close()
		}
		return err
	},
	"Write": func(t *testing.T, db *engine.DB) error {
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			return tx.Insert(t.Context(), []rdf.Quad{{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.IRI("x:o")}}...)
		})
		return err
	},
	"Add": func(t *testing.T, db *engine.DB) error {
		_, err := db.Add(t.Context(), []engine.Step{{Adds: doc("<x:a> <x:b> <x:c> .\n")}}, nil)
		return err
	},
	"Load": func(t *testing.T, db *engine.DB) error {
		_, err := db.Load(t.Context(), given(seq(0, 3), nil), nil)
		return err
	},
	"Prefixes": func(t *testing.T, db *engine.DB) error { _, err := db.Prefixes(t.Context()); return err },
	"ChangePrefixes": func(t *testing.T, db *engine.DB) error {
		_, err := db.ChangePrefixes(t.Context(), map[string]string{"a": "http://ex/a/"}, nil, nil)
		return err
	},
	"Revert":  func(t *testing.T, db *engine.DB) error { _, err := db.Revert(t.Context(), 1, nil); return err },
	"Seal":    func(t *testing.T, db *engine.DB) error { _, err := db.Seal(t.Context(), nil); return err },
	"Compact": func(t *testing.T, db *engine.DB) error { _, err := db.Compact(t.Context(), nil); return err },
	"Collect": func(t *testing.T, db *engine.DB) error { _, err := db.Collect(t.Context(), nil); return err },
	"Ready":   func(t *testing.T, db *engine.DB) error { return db.Ready(t.Context()) },
	"Refresh": func(t *testing.T, db *engine.DB) error { _, err := db.Refresh(t.Context()); return err },
	"Status":  func(t *testing.T, db *engine.DB) error { _, err := db.Status(t.Context(), nil); return err },
	"GenerationAt": func(t *testing.T, db *engine.DB) error {
		_, err := db.GenerationAt(t.Context(), time.Now().Add(time.Hour))
		return err
	},
	"Log": func(t *testing.T, db *engine.DB) error { _, err := db.Log(t.Context(), 0); return err },
	"Diff": func(t *testing.T, db *engine.DB) error {
		return eachChange(db.Diff(t.Context(), 1, engine.Now), func(bool, *rdf.RawQuad) error { return nil })
	},
	"Own": func(t *testing.T, db *engine.DB) error { return db.Own(t.Context()) },
	"Announce": func(t *testing.T, db *engine.DB) error {
		return db.Announce(t.Context(), engine.Note{Address: "nowhere"})
	},
	"Maintain": func(t *testing.T, db *engine.DB) error {
		return db.Maintain(t.Context(), &engine.MaintainOptions{SealChanges: 1, Fanout: 2, Every: time.Microsecond})
	},
}

// TestClosed calls the methods of databases that are closed: of an owner of the
// journal, and of one that only read.
func TestClosed(t *testing.T) {
	for _, owner := range []bool{true, false} {
		for name, call := range closedMethods {
			db := initDB(t, vfs.NewMem())
			if owner {
				if err := closedMethods["Write"](t, db); err != nil {
					t.Fatal(err)
				}
			}
			closeDB(t, db)
			if err := call(t, db); !errors.Is(err, engine.ErrClosed) {
				t.Errorf("%s, owner %v: %v", name, owner, err)
			}
			db.Manifest()
			db.Owner()
		}
	}
}
