package rete_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// openFiles counts the files that are open, by their names.
type openFiles struct {
	vfs.FS
	mu   sync.Mutex
	open map[string]int
}

type openFile struct {
	vfs.File
	done func()
}

func (f *openFiles) Open(name string) (vfs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	f.count(name, 1)
	return openFile{file, sync.OnceFunc(func() { f.count(name, -1) })}, nil
}

func (f openFile) Close() error {
	f.done()
	return f.File.Close()
}

func (f *openFiles) count(name string, by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open[name] += by; f.open[name] == 0 {
		delete(f.open, name)
	}
}

func (f *openFiles) segments() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for name := range f.open {
		if strings.HasSuffix(name, ".rete") {
			n++
		}
	}
	return n
}

const allNumbers = `PREFIX : <http://ex/> SELECT ?o { ?s :p ?o } ORDER BY ?o`

// numbers makes a database of two entries.
func numbers(t *testing.T) (*rete.DB, *openFiles) {
	t.Helper()
	fs := &openFiles{FS: vfs.NewMem(), open: make(map[string]int)}
	source := func(from, to int) engine.Source {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintln(&b, triple("s", "p", rdf.Integer(int64(i))))
		}
		return engine.Source{Name: "numbers.nq", Reader: strings.NewReader(b.String())}
	}
	db, err := retetest.Init(t.Context(), "m.rete-manifest.json", &engine.InitOptions{Bases: []engine.Source{source(0, 10), source(10, 20)}}, &engine.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, fs
}

// TestQueryEnds: the snapshot of a query is closed when its rows have ended, and no later. The
// segments that it alone has are then closed.
func TestQueryEnds(t *testing.T) {
	all := func(rows *sparql.Rows) error {
		n := 0
		for row, err := range rows.All() {
			var o int
			if err == nil {
				err = row.Scan(&o)
			}
			if err == nil && o != n {
				err = fmt.Errorf("row %d is %d", n, o)
			}
			if err != nil {
				return err
			}
			n++
		}
		if n != 20 {
			return fmt.Errorf("%d rows", n)
		}
		return nil
	}
	for name, end := range map[string]func(*sparql.Rows) error{
		"read": all,
		"left": func(rows *sparql.Rows) error {
			for _, err := range rows.All() {
				return err
			}
			return nil
		},
		"closed": (*sparql.Rows).Close,
		"cancelled": func(rows *sparql.Rows) error {
			if err := all(rows); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("after the context: %w", err)
			}
			return nil
		},
	} {
		db, fs := numbers(t)
		ctx, cancel := context.WithCancel(t.Context())
		ended := 0
		rows, err := db.Query(ctx, allNumbers, sparql.AtEnd(func() { ended++ }))
		if err != nil {
			t.Fatal(err)
		}
		if name == "cancelled" {
			cancel()
		}
		if _, err := db.Engine().Compact(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		snap, err := db.Snapshot(t.Context()) // of the new segment
		if err != nil {
			t.Fatal(err)
		}
		if n := fs.segments(); n != 3 || ended != 0 {
			t.Errorf("%s: %d segments are open while the query runs; its end was told %d times", name, n, ended)
		}
		if err := end(rows); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := fs.segments(); n != 1 || ended != 1 {
			t.Errorf("%s: %d segments are open after the end, which was told %d times", name, n, ended)
		}
		for _, err := range rows.All() {
			if !errors.Is(err, rete.ErrClosed) {
				t.Errorf("%s: read again: %v", name, err)
			}
		}
		snap.Close()
		cancel()
	}
}

// TestQueryRefused: what is wrong with a query is said at once, and leaves nothing open.
func TestQueryRefused(t *testing.T) {
	ctx := t.Context()
	db, fs := numbers(t)
	var syntax *sparql.SyntaxError
	if _, err := db.Query(ctx, "SELECT * { ?x ?y }"); !errors.As(err, &syntax) {
		t.Errorf("a text that is wrong: %v", err)
	}
	for text, want := range map[string]string{
		"ASK {}":                       "Select needs a SELECT query; Ask runs a query of the form ASK",
		"CONSTRUCT WHERE { ?s ?p ?o }": "Construct runs a query of the form CONSTRUCT",
		"SELECT * { ?s ?p ?o }":        "no variable ?who",
	} {
		ended := false
		_, err := db.Query(ctx, text, sparql.Bind("who", "Ann"), sparql.AtEnd(func() { ended = true }))
		if err == nil || !strings.Contains(err.Error(), want) || ended {
			t.Errorf("%s: %v, want %q; end %v", text, err, want, ended)
		}
	}
	if _, err := db.Query(ctx, allNumbers, sparql.Bind("o", struct{}{})); err == nil || !strings.Contains(err.Error(), "bind ?o") {
		t.Errorf("a value without a term: %v", err)
	}
	if _, err := db.Update(ctx, "DELETE WHERE { ?x }"); !errors.As(err, &syntax) {
		t.Errorf("an update that is wrong: %v", err)
	}
	if _, err := db.Engine().Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if n := fs.segments(); n != 1 {
		t.Errorf("%d segments are open after queries that failed", n)
	}
	db.Close()
	if _, err := db.Query(ctx, allNumbers); !errors.Is(err, rete.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestTexts: the methods that take a text see what they should: a snapshot its own state, a
// transaction its changes.
func TestTexts(t *testing.T) {
	ctx := t.Context()
	db, _ := numbers(t)
	type asker interface {
		Query(ctx context.Context, text string, opts ...sparql.Option) (*sparql.Rows, error)
	}
	count := func(what string, a asker, want int) {
		t.Helper()
		rows, err := a.Query(ctx, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?o >= ?least) }", sparql.Bind("least", 15))
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range rows.All() {
			var n int
			if err == nil {
				err = row.Scan(&n)
			}
			if n != want || err != nil {
				t.Errorf("%s: %d, %v; want %d", what, n, err, want)
			}
		}
	}
	old, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	done, err := db.Update(ctx, "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(?o = ?gone) }", sparql.Bind("gone", 15))
	if err != nil || done.Changes != 1 {
		t.Fatal(done, err)
	}
	_, err = db.Write(ctx, func(tx *rete.Tx) error {
		if err := tx.Update(ctx, "INSERT DATA { <x:s> <x:p> 30, 31 }"); err != nil {
			return err
		}
		count("the transaction", tx, 6)
		count("others", db, 4)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	count("the database", db, 6)
	count("an old snapshot", old, 5)
	count("and again", old, 5) // Query leaves it open
}
