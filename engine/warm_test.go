package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

const warmQuads = 12_000

// loads is how many units a function makes the cache of a database load.
func loads(db *engine.DB, f func()) uint64 {
	before := cache.StatsOf(db.Cache()).Loads
	f()
	return cache.StatsOf(db.Cache()).Loads - before
}

// readAll reads every quad with its terms.
func readAll(t *testing.T, db *engine.DB) (n int) {
	t.Helper()
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, p := range []dataset.Pattern{{}, {P: dataset.ID(1)}} {
		if err := quadtest.Each(s.Quads(t.Context(), p), func(*rdf.RawQuad) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func warmed(t *testing.T, db *engine.DB) engine.WarmStats {
	t.Helper()
	if err := db.Warmed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db.WarmStats()
}

// What is asked for after the warming is not decoded any more, when a database was
// opened and when a compaction brought another segment.
func TestWarm(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	viewtest.WriteSegment(t, filepath.Join(dir, "one.rete"), warmQuads, viewtest.LazyQuad)
	opt := &engine.Options{Warm: &engine.WarmOptions{Busy: func() bool { return false }}}
	db, err := engine.Open(t.Context(), filepath.Join(dir, "one.rete"), opt)
	if err != nil {
		t.Fatal(err)
	}
	st := warmed(t, db)
	if st.Units < 7 || st.Bytes < 500<<10 || st.Running || st.Full {
		t.Errorf("%+v", st)
	}
	if n := loads(db, func() { readAll(t, db) }); n > 0 {
		t.Errorf("%d loads after the warming", n)
	}
	closeDB(t, db)

	name := filepath.Join(dir, "g.rete-manifest.json")
	if db, err = engine.Init(t.Context(), name, nil, opt); err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	for e := range 3 {
		var text strings.Builder
		for i := range warmQuads / 3 {
			q := viewtest.LazyQuad(e*warmQuads/3 + i)
			fmt.Fprintf(&text, "%s %s %s .\n", q[0], q[1], q[2])
		}
		addDB(t, db, engine.Step{Adds: doc(text.String())})
	}
	readAll(t, db) // the state is opened
	units := warmed(t, db).Units
	if n := loads(db, func() { readAll(t, db) }); n > 0 || units == 0 {
		t.Errorf("%d units warmed; %d loads after it", units, n)
	}
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	readOpened(t, db)
	if st := warmed(t, db); st.Units <= units {
		t.Errorf("nothing was warmed after the compaction: %+v, %d units before", st, units)
	}
	if n := loads(db, func() { readAll(t, db) }); n > 0 {
		t.Errorf("%d loads after the compaction was warmed", n)
	}
}

// readOpened opens the state that a database knows.
func readOpened(t *testing.T, db *engine.DB) {
	t.Helper()
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// A database may be closed while it is being warmed; without the option nothing is.
func TestWarmClose(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	name := filepath.Join(t.TempDir(), "one.rete")
	viewtest.WriteSegment(t, name, warmQuads, viewtest.LazyQuad)
	for range 20 {
		db, err := engine.Open(t.Context(), name, &engine.Options{Warm: &engine.WarmOptions{}})
		if err != nil {
			t.Fatal(err)
		}
		closeDB(t, db)
		closeDB(t, db)
		warmed(t, db) // does not wait for ever
	}
	db, err := engine.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	if st := warmed(t, db); st != (engine.WarmStats{}) || cache.StatsOf(db.Cache()).Loads > 0 {
		t.Errorf("%+v without the option", st)
	}
}

// Waiting for the warming ends with the context.
func TestWarmedContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "one.rete")
	viewtest.WriteSegment(t, name, warmQuads, viewtest.LazyQuad)
	started, hold := make(chan struct{}), make(chan struct{})
	first := true
	db, err := engine.Open(t.Context(), name, &engine.Options{Warm: &engine.WarmOptions{Busy: func() bool {
		if first {
			first = false
			close(started)
			<-hold
		}
		return false
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Warmed(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v while it is at work", err)
	}
	if !db.WarmStats().Running {
		t.Error("it says that it is not at work")
	}
	close(hold)
	warmed(t, db)
}

// Damage is logged by the warming, which changes no answer: queries report it where
// they meet it.
func TestWarmDamage(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "one.rete")
	built := viewtest.WriteSegment(t, name, warmQuads, viewtest.LazyQuad)
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for at := 512; at < int(built.Size)*3/4; at += 4096 {
		file[at] ^= 0x40
	}
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	db, err := engine.Open(t.Context(), name, &engine.Options{
		Warm: &engine.WarmOptions{}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	warmed(t, db)
	s := snapshot(t, db)
	if err := quadtest.Each(s.Quads(t.Context(), dataset.Pattern{}), func(*rdf.RawQuad) error { return nil }); !errors.Is(err, damage.Err) {
		t.Errorf("got %v, want damage", err)
	}
	closeDB(t, db)
	if got := log.String(); strings.Count(got, "warming failed") != 1 || !strings.Contains(got, "one.rete") {
		t.Errorf("the log says %q", got)
	}
}

// Segments from a web server are not fetched ahead.
func TestWarmRemote(t *testing.T) {
	dir := t.TempDir()
	viewtest.WriteSegment(t, filepath.Join(dir, "one.rete"), warmQuads, viewtest.LazyQuad)
	srv := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer srv.Close()
	db, err := engine.Open(t.Context(), srv.URL+"/one.rete", &engine.Options{Warm: &engine.WarmOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	if st := warmed(t, db); st.Units > 0 || st.Running {
		t.Errorf("%+v", st)
	}
}

// Writers and readers go on while segments come and go under the warming.
func TestWarmMoving(t *testing.T) {
	fsys := vfs.NewMem()
	opt := memOptions(fsys)
	opt.Warm = &engine.WarmOptions{Share: 1}
	db, err := engine.Init(t.Context(), manifestName, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	for e := range 12 {
		addDB(t, db, engine.Step{Adds: doc(fmt.Sprintf("<http://e/s%d> <http://e/p> \"%d\" .\n<http://e/s> <http://e/p> \"%d\" <http://e/g%d> .\n", e, e, e, e))})
		if n := len(visible(t, snapshot(t, db))); n != 2*(e+1) {
			t.Fatalf("%d quads after %d entries", n, e+1)
		}
		if e%4 == 3 {
			if _, err := db.Compact(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	warmed(t, db)
}

// Changes of a journal bring no segments: a reader that follows them warms nothing anew.
func TestWarmJournal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "g.rete-manifest.json")
	db, err := engine.Init(t.Context(), name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	addDB(t, db, engine.Step{Adds: doc("<http://e/a> <http://e/p> <http://e/b> .\n")})
	reader, err := engine.Open(t.Context(), name, &engine.Options{ReadOnly: true, Warm: &engine.WarmOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, reader)
	readOpened(t, reader)
	warmed(t, reader)
	for i := range 10 {
		q := rdf.Quad{S: rdf.IRI("http://e/a"), P: rdf.IRI("http://e/p"), O: rdf.Integer(int64(i))}
		if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), q) }); err != nil {
			t.Fatal(err)
		}
		if moved, err := reader.Refresh(t.Context()); err != nil || !moved {
			t.Fatal(moved, err)
		}
		readOpened(t, reader)
		if i == 0 {
			warmed(t, reader) // the first has opened the journal
		} else if reader.WarmStats().Running {
			t.Error("it warms for a change of the journal")
		}
	}
}
