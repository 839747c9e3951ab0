package engine_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

func turtle(text string) *engine.Source {
	return &engine.Source{Name: "doc.ttl", Reader: strings.NewReader(text)}
}

// TestPrefixesOfDocuments: a commit brings the prefixes of its documents along; one that is there
// stays. A new database, and one that was open, know them.
func TestPrefixesOfDocuments(t *testing.T) {
	fsys := vfs.NewMem()
	db := initDB(t, fsys)
	defer db.Close()
	other, err := engine.Open(t.Context(), manifestName, memOptions(fsys))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	check := func(db *engine.DB, want map[string]string) {
		t.Helper()
		if got, err := db.Prefixes(t.Context()); err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	add := func(text string) {
		t.Helper()
		if _, err := db.Add(t.Context(), []engine.Step{{Adds: turtle(text)}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	check(db, nil)
	add("PREFIX a: <http://ex/a/> a:x a:x a:x .")
	add("PREFIX a: <http://ex/other/> PREFIX b: <http://ex/b/> a:x a:x b:x .")
	want := map[string]string{"a": "http://ex/a/", "b": "http://ex/b/"}
	check(db, want)
	if _, err := other.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(other, want)

	// What another name would be, and what is known, is no commit.
	before := db.Manifest().Generation
	if err := db.KeepPrefixes(t.Context(), map[string]string{"a": "http://ex/third/", "b": "http://ex/b/", "no good": "x"}); err != nil || db.Manifest().Generation != before {
		t.Errorf("generation %d after %d, %v", db.Manifest().Generation, before, err)
	}
	if err := db.KeepPrefixes(t.Context(), map[string]string{"c": "http://ex/c/"}); err != nil || db.Manifest().Generation != before+1 {
		t.Errorf("generation %d after %d, %v", db.Manifest().Generation, before, err)
	}
	want["c"] = "http://ex/c/"
	check(db, want)

	// A commit of prefixes leaves the journal and what readers see as they are.
	a := rdf.IRI("http://ex/j")
	tx := func(tx *engine.Tx) error { return tx.Insert(t.Context(), []rdf.Quad{{S: a, P: a, O: a}}) }
	if _, err := db.Write(t.Context(), nil, tx); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ChangePrefixes(t.Context(), map[string]string{"d": "http://ex/d/"}, []string{"b", "none"}, nil); err != nil {
		t.Fatal(err)
	}
	delete(want, "b")
	want["d"] = "http://ex/d/"
	if _, err := db.ChangePrefixes(t.Context(), map[string]string{"1": "http://ex/d/"}, nil, nil); err == nil {
		t.Error("an invalid prefix was taken")
	}
	check(db, want)
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if snap.Unsealed() != 1 {
		t.Errorf("%d unsealed", snap.Unsealed())
	}

	// Compaction keeps them in the manifest, and makes the bytes of the quads alone.
	if _, err := db.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check(db, want)
}
