package rete_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestCreate: one package alone makes a graph, writes to it, reads it, and tells what
// was changed.
func TestCreate(t *testing.T) {
	ctx := t.Context()
	opt := &rete.Options{FS: vfs.NewMem()}
	db, err := rete.Create(ctx, "/m.rete-manifest.json", opt)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := rete.Create(ctx, "/m.rete-manifest.json", opt); !errors.Is(err, blob.ErrExists) {
		t.Errorf("a second time: %v", err)
	}
	first := triple("s", "p", rdf.Integer(1))
	if _, err := db.Write(ctx, func(tx *rete.Tx) error { return tx.Insert(ctx, first) }); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Write(ctx, func(tx *rete.Tx) error { return tx.Clear(ctx) }, rete.IfState("another")); !errors.Is(err, rete.ErrConflict) {
		t.Errorf("in another state: %v", err)
	}
	for range 2 { // the second time there is nothing to do
		if err := db.Seal(ctx); err != nil {
			t.Error(err)
		}
	}
	done, err := db.Load(ctx, func(yield func(rdf.Quad, error) bool) { yield(triple("s", "p", rdf.Integer(2)), nil) }, nil)
	if err != nil || done.Changes != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := db.Write(ctx, func(tx *rete.Tx) error { return tx.Delete(ctx, first) }, rete.IfState(done.State)); err != nil {
		t.Error(err)
	}
	var changes []string
	for c, err := range db.Diff(ctx, 2, engine.Now) {
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, fmt.Sprint(c.Added, c.Quad))
	}
	slices.Sort(changes)
	if want := []string{fmt.Sprint(false, first), fmt.Sprint(true, triple("s", "p", rdf.Integer(2)))}; !slices.Equal(changes, want) {
		t.Errorf("%v, want %v", changes, want)
	}
	for c, err := range db.Diff(ctx, 2, engine.Now) { // a loop may be left
		if err != nil || c.Quad == (rdf.Quad{}) {
			t.Error(c, err)
		}
		break
	}
	for _, err := range db.Diff(ctx, 2, 99) {
		if !errors.Is(err, engine.ErrNoGeneration) {
			t.Errorf("a generation that is none: %v", err)
		}
	}
	for range 2 {
		if err := db.Compact(ctx); err != nil {
			t.Error(err)
		}
	}
	log, err := db.Log(ctx, 0)
	if err != nil || len(log) != 5 || log[0].Entries != 1 {
		t.Errorf("%+v, %v", log, err)
	}
	var kept *rete.Snapshot
	if err := db.View(ctx, func(s *rete.Snapshot) error {
		kept = s
		if n, err := s.Len(ctx); n != 1 || err != nil {
			t.Errorf("%d quads, %v", n, err)
		}
		if s.Generation() != log[0].Generation || s.State() == done.State {
			t.Errorf("generation %d, state %s", s.Generation(), s.State())
		}
		return errCut
	}); err != errCut {
		t.Errorf("the error of a view: %v", err)
	}
	if _, err := kept.Len(ctx); !errors.Is(err, rete.ErrClosed) {
		t.Errorf("a snapshot outlives its view: %v", err)
	}
}

var errCut = errors.New("cut")

// TestStoredPrefixes: texts may use the prefixes of the graph undeclared, and their own win.
func TestStoredPrefixes(t *testing.T) {
	ctx := t.Context()
	db, err := rete.Create(ctx, "/m.rete-manifest.json", &rete.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var syntax *sparql.SyntaxError
	if _, err := db.Query(ctx, `SELECT * { ex:s ?p ?o }`); !errors.As(err, &syntax) || !syntax.Undeclared {
		t.Errorf("undeclared: %v", err)
	}
	if _, err := db.Engine().ChangePrefixes(ctx, map[string]string{"ex": "http://ex/"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if known, err := db.Prefixes(ctx); known["ex"] != "http://ex/" || err != nil {
		t.Errorf("%v, %v", known, err)
	}
	if _, err := db.Update(ctx, `INSERT DATA { ex:s ex:p 1 }`); err != nil {
		t.Fatal(err)
	}
	count := func(rows *sparql.Rows, err error) int {
		t.Helper()
		if err != nil {
			t.Error(err)
			return -1
		}
		n := 0
		for _, err := range rows.All() {
			if n++; err != nil {
				t.Error(err)
			}
		}
		return n
	}
	const own = `PREFIX ex: <http://else/> SELECT * { ex:s ?p ?o }`
	const stored = `SELECT * { ex:s ?p ?o }`
	if _, err := db.Write(ctx, func(tx *rete.Tx) error {
		if err := tx.Update(ctx, `INSERT DATA { ex:s ex:p 2 }`); err != nil {
			return err
		}
		if n := count(tx.Query(ctx, stored)); n != 2 {
			t.Errorf("transaction: %d rows", n)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if n, m := count(db.Query(ctx, stored)), count(db.Query(ctx, own)); n != 2 || m != 0 {
		t.Errorf("database: %d and %d rows", n, m)
	}
	if err := db.View(ctx, func(s *rete.Snapshot) error {
		if n := count(s.Query(ctx, stored)); n != 2 {
			t.Errorf("snapshot: %d rows", n)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
