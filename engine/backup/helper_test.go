package backup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/storetest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

const (
	graphName = "graph/m.rete-manifest.json"
	placeName = "safe/backups"
)

func options(fsys vfs.FS) *engine.Options {
	return &engine.Options{FS: fsys, CacheBytes: 1 << 20}
}

// quadsOf are numbered quads, some of them in named graphs.
func quadsOf(numbers ...int) (out []rdf.Quad) {
	for _, n := range numbers {
		q := rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://e/s%d", n)), P: rdf.IRI("http://e/p"), O: rdf.String(fmt.Sprint(n))}
		if n%3 == 0 {
			q.G = rdf.IRI(fmt.Sprintf("http://e/g%d", n%6))
		}
		out = append(out, q)
	}
	return out
}

// doc is numbered quads as a document.
func doc(numbers ...int) *engine.Source {
	var b strings.Builder
	for _, q := range quadsOf(numbers...) {
		fmt.Fprintf(&b, "%s %s %s %s .\n", q.S, q.P, q.O, q.G)
	}
	return &engine.Source{Name: "doc.nq", Reader: strings.NewReader(b.String())}
}

// newGraph makes an empty graph.
func newGraph(t testing.TB, fsys vfs.FS, name string, bases ...engine.Source) *engine.DB {
	t.Helper()
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		if err := fsys.MkdirAll(name[:i]); err != nil {
			t.Fatal(err)
		}
	}
	db, err := engine.Init(t.Context(), name, &engine.InitOptions{Bases: bases}, options(fsys))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func open(t testing.TB, fsys vfs.FS, name string) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), name, options(fsys))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// write inserts some numbers and deletes others in one transaction.
func write(ctx context.Context, db *engine.DB, insert, remove []int) error {
	_, err := db.Write(ctx, nil, func(tx *engine.Tx) error {
		if err := tx.Delete(ctx, quadsOf(remove...)...); err != nil {
			return err
		}
		return tx.Insert(ctx, quadsOf(insert...)...)
	})
	return err
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func seal(t testing.TB, db *engine.DB) {
	t.Helper()
	if _, err := db.Seal(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
		t.Fatal(err)
	}
}

func compact(t testing.TB, db *engine.DB) {
	t.Helper()
	if _, err := db.Compact(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrCompact) {
		t.Fatal(err)
	}
}

// collect removes what generations need that are not the newest keep ones.
func collect(t testing.TB, db *engine.DB, keep int) {
	t.Helper()
	for i := range 2 {
		opt := &engine.CollectOptions{Keep: keep, Grace: 1, Yes: true, Now: func() time.Time { return time.Now().Add(time.Duration(i+1) * time.Hour) }}
		if _, err := db.Collect(t.Context(), opt); err != nil {
			t.Fatal(err)
		}
		if i == 0 { // the generation must move on
			if _, err := db.Add(t.Context(), []engine.Step{{Adds: doc(1 << 20)}}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// lines is a state in the order of a dump.
func lines(t testing.TB, s *engine.Snapshot, err error) []string {
	t.Helper()
	must(t, err)
	defer s.Close()
	out, err := sortedLines(t.Context(), s)
	must(t, err)
	return out
}

func sortedLines(ctx context.Context, s *engine.Snapshot) (out []string, err error) {
	err = quadtest.Each(s.SortedQuads(ctx), func(q *rdf.RawQuad) error {
		out = append(out, fmt.Sprintf("%s %s %s %s", q.S, q.P, q.O, q.G))
		return nil
	})
	return out, err
}

func linesNow(t testing.TB, db *engine.DB) []string {
	t.Helper()
	if _, err := db.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot(t.Context())
	return lines(t, s, err)
}

func linesAt(t testing.TB, db *engine.DB, generation int64) []string {
	t.Helper()
	s, err := db.At(t.Context(), generation)
	return lines(t, s, err)
}

func place(t testing.TB, fsys vfs.FS) *backup.Place {
	t.Helper()
	p, err := backup.Open(placeName, blob.MuxOptions{FS: fsys})
	must(t, err)
	return p
}

func backUp(t testing.TB, fsys vfs.FS, db *engine.DB, opt *backup.Options) *backup.Result {
	t.Helper()
	r, err := place(t, fsys).Backup(t.Context(), db, opt)
	must(t, err)
	return r
}

// restore restores a backup and checks the whole of what it made.
func restore(t testing.TB, fsys vfs.FS, to, name string) (*engine.DB, *backup.Restored) {
	t.Helper()
	r, err := place(t, fsys).Restore(t.Context(), to, &backup.RestoreOptions{Backup: name}, options(fsys))
	must(t, err)
	checkGraph(t, fsys, to)
	return open(t, fsys, to), r
}

// checkGraph runs the check of everything on a graph.
func checkGraph(t testing.TB, fsys vfs.FS, name string) {
	t.Helper()
	r, err := engine.Check(t.Context(), name, nil, options(fsys))
	must(t, err)
	if !r.OK {
		t.Fatalf("%s: %+v", name, r.Findings)
	}
	storetest.Check(t, name, options(fsys))
}

// sameGraph compares two graphs: their states now, and those of generations.
func sameGraph(t testing.TB, got, want *engine.DB, generations ...int64) {
	t.Helper()
	if a, b := linesNow(t, got), linesNow(t, want); !slices.Equal(a, b) {
		t.Fatalf("restored\n%q\nwant\n%q", a, b)
	}
	for _, g := range generations {
		if a, b := linesAt(t, got, g), linesAt(t, want, g); !slices.Equal(a, b) {
			t.Fatalf("generation %d: restored\n%q\nwant\n%q", g, a, b)
		}
	}
}

// step changes a graph at random.
func step(t testing.TB, r *rand.Rand, db *engine.DB) {
	t.Helper()
	some := func(n int) (list []int) {
		for range n {
			list = append(list, r.IntN(30))
		}
		return list
	}
	switch r.IntN(8) {
	case 0:
		seal(t, db)
	case 1:
		compact(t, db)
	case 2:
		_, err := db.Add(t.Context(), []engine.Step{{Adds: doc(some(3)...), Dels: doc(some(2)...)}}, nil)
		must(t, err)
	default:
		must(t, write(t.Context(), db, some(1+r.IntN(4)), some(r.IntN(4))))
	}
}

// names lists the files of a folder.
func names(t testing.TB, fsys vfs.FS, dir string) (out []string) {
	t.Helper()
	entries, err := fsys.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			out = append(out, dir+"/"+e.Name())
		}
	}
	return out
}

func content(t testing.TB, fsys vfs.FS, name string) []byte {
	t.Helper()
	b, err := vfs.ReadFile(fsys, name, 1<<30)
	must(t, err)
	return b
}

// replace gives a file other bytes.
func replace(t testing.TB, fsys vfs.FS, name string, data []byte) {
	t.Helper()
	_, err := vfs.WriteFile(fsys, name, data, fsys.Rename)
	must(t, err)
}
