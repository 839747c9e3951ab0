package engine_test

import (
	"errors"
	"io/fs"
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

	// A commit of prefixes leaves the journal and what readers see as they are.
	a := rdf.IRI("http://ex/j")
	tx := func(tx *engine.Tx) error { return tx.Insert(t.Context(), []rdf.Quad{{S: a, P: a, O: a}}...) }
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

// TestPrefixesOfTransactions: the prefixes of a transaction are kept with its changes, without a
// commit, for readers of other processes and after a restart; the next seal takes them into the
// manifest. What the graph has stays.
func TestPrefixesOfTransactions(t *testing.T) {
	fsys := vfs.NewMem()
	db := initDB(t, fsys)
	open := func() *engine.DB {
		t.Helper()
		db, err := engine.Open(t.Context(), manifestName, memOptions(fsys))
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	check := func(db *engine.DB, want map[string]string) {
		t.Helper()
		if got, err := db.Prefixes(t.Context()); err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	write := func(n int64, names map[string]string) {
		t.Helper()
		s := rdf.IRI("http://ex/s")
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			tx.NamePrefixes(names)
			return tx.Insert(t.Context(), []rdf.Quad{{S: s, P: s, O: rdf.Integer(n)}}...)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	names := manifestName + ".changes.prefixes"
	write(1, map[string]string{"a": "http://ex/a/", "no good": "x"})
	write(1, map[string]string{"unchanged": "http://ex/"}) // nothing changes
	write(2, map[string]string{"a": "http://ex/other/", "b": "http://ex/b/"})
	want := map[string]string{"a": "http://ex/a/", "b": "http://ex/b/"}
	check(db, want)
	other := open()
	defer other.Close()
	check(other, want)
	if g := db.Manifest().Generation; g != 1 || len(db.Manifest().Prefixes) != 0 {
		t.Errorf("generation %d with %v", g, db.Manifest().Prefixes)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open()
	defer func() { db.Close() }()
	write(3, map[string]string{"c": "http://ex/c/"})
	want["c"] = "http://ex/c/"
	check(db, want)
	if _, err := db.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check(db, want)
	if !maps.Equal(db.Manifest().Prefixes, want) {
		t.Errorf("sealed %v", db.Manifest().Prefixes)
	}
	if _, err := fsys.Stat(names); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}

	// A change of prefixes takes them over, and those that it removes are gone.
	write(4, map[string]string{"d": "http://ex/d/", "e": "http://ex/e/"})
	if _, err := db.ChangePrefixes(t.Context(), nil, []string{"d"}, nil); err != nil {
		t.Fatal(err)
	}
	want["e"] = "http://ex/e/"
	check(db, want)
	if !maps.Equal(db.Manifest().Prefixes, want) {
		t.Errorf("committed %v", db.Manifest().Prefixes)
	}

	// An entry seals the journal first.
	write(5, map[string]string{"f": "http://ex/f/"})
	if _, err := db.Add(t.Context(), []engine.Step{{Adds: turtle("PREFIX g: <http://ex/g/> g:x g:x g:x .")}}, nil); err != nil {
		t.Fatal(err)
	}
	want["f"], want["g"] = "http://ex/f/", "http://ex/g/"
	check(db, want)
	if !maps.Equal(db.Manifest().Prefixes, want) {
		t.Errorf("added %v", db.Manifest().Prefixes)
	}

	// A file that cannot be read is an error of the prefixes alone, and names itself.
	write(6, map[string]string{"h": "http://ex/h/"})
	if _, err := vfs.WriteFile(fsys, names, []byte{1, 9}, fsys.Rename); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Prefixes(t.Context()); err == nil || !strings.Contains(err.Error(), names) {
		t.Errorf("a damaged file: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open()
	write(7, map[string]string{"i": "http://ex/i/"})
	if _, err := db.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// TestPrefixesBeforeClear: prefixes that a transaction names are kept, also if it clears a large
// graph after that.
func TestPrefixesBeforeClear(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		return tx.Insert(t.Context(), seq(0, engine.ClearQuads+1)...)
	}); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{"ex": "http://ex/"}
	if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		tx.NamePrefixes(named)
		if err := tx.Clear(t.Context()); err != nil {
			return err
		}
		return tx.Insert(t.Context(), seq(0, 1)...)
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Prefixes(t.Context()); err != nil || !maps.Equal(got, named) {
		t.Errorf("%v, %v; want %v", got, err, named)
	}
}
