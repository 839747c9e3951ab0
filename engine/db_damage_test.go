package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<http://e/s%d> <http://e/p%d> <http://e/o%d> .\n", i, i%3, i*7%n)
	}
	return b.String()
}

// Every kind of bad segment is named by Status, all of them at once, and a
// snapshot fails with the name.
func TestStatusNamesEveryBadSegment(t *testing.T) {
	other, _ := segtest.Build(t, [][4]string{{"<http://e/z>", "<http://e/p>", "<http://e/z>", ""}}, nil)
	spoil := map[string]func(b []byte) []byte{
		"truncated": func(b []byte) []byte { return b[:len(b)-1] },
		"extended":  func(b []byte) []byte { return append(b, 0) },
		"replaced":  func([]byte) []byte { return other },
		"header":    func(b []byte) []byte { b[20] ^= 1; return b },
		"middle":    func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"missing":   nil,
	}
	dir := t.TempDir()
	name := filepath.Join(dir, manifestName)
	db, err := engine.Init(t.Context(), name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	kinds := []string{"truncated", "", "extended", "replaced", "", "header", "middle", "missing"}
	for i := range kinds {
		addDB(t, db, engine.Step{Adds: doc(many(100 + i))})
	}
	if s, err := db.Status(t.Context(), nil); err != nil || !s.Verified || len(s.Segments) != len(kinds) {
		t.Fatalf("before: %+v, %v", s, err)
	}
	log := db.Manifest().Log
	for i, kind := range kinds {
		file := filepath.Join(dir, log[i].Adds.URL)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(file)
		if kind == "" {
			err = os.WriteFile(file, b, 0o666)
		} else if spoil[kind] != nil {
			err = os.WriteFile(file, spoil[kind](b), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var last, total int64
	s, err := db.Status(t.Context(), &engine.StatusOptions{Count: true, Progress: func(d, n int64) { last, total = d, n }})
	if err != nil {
		t.Fatal(err)
	}
	if s.Verified || s.VisibleQuads != nil || last > total || total == 0 {
		t.Errorf("verified %v, visible %v, progress %d of %d", s.Verified, s.VisibleQuads, last, total)
	}
	for i, kind := range kinds {
		seg := s.Segments[i]
		if seg.OK != (kind == "") || seg.Damaged != (kind != "" && kind != "missing") {
			t.Errorf("%s: ok %v, damaged %v, %s", kind, seg.OK, seg.Damaged, seg.Error)
		}
		if kind != "" && !strings.Contains(seg.Error, seg.URL) {
			t.Errorf("%s: the error does not name the segment: %s", kind, seg.Error)
		}
	}
	// A new database over the bad store fails with a name, never with fewer rows.
	again, err := engine.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Snapshot(t.Context()); err == nil || !strings.Contains(err.Error(), "g-g") {
		t.Errorf("got %v, want an error that names a segment", err)
	}
}

// A query that needs the changed byte fails; one that does not need it is right.
func TestDamageIsLocal(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, manifestName)
	db, err := engine.Init(t.Context(), name, &engine.InitOptions{Bases: []engine.Source{*doc(many(60000))}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, db.Manifest().Log[0].Adds.URL)
	db.Close()
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	failed, right := 0, 0
	for i := range 20 {
		at := 2000 + i*(len(good)-150000)/20
		b := bytes.Clone(good)
		b[at] ^= 0x40
		if err := os.WriteFile(file, b, 0o666); err != nil {
			t.Fatal(err)
		}
		db, err := engine.Open(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 10 {
			want := model.Quad{fmt.Sprintf("<http://e/s%d>", k*6000), fmt.Sprintf("<http://e/p%d>", k*6000%3), fmt.Sprintf("<http://e/o%d>", k*6000*7%60000), ""}
			got, err := point(t, db, want[0])
			switch {
			case err == nil && slices.Equal(got, []model.Quad{want}):
				right++
			case errors.Is(err, damage.Err) && strings.Contains(err.Error(), filepath.Base(file)):
				failed++
			default:
				t.Errorf("byte %d, %s: got %v, %v", at, want[0], got, err)
			}
		}
		db.Close()
	}
	if failed == 0 || right < failed {
		t.Errorf("%d queries failed and %d were right: want some, and mostly right ones", failed, right)
	}
}

// point returns the quads of a subject in the default graph.
func point(t *testing.T, db *engine.DB, subject string) ([]model.Quad, error) {
	s, err := db.Snapshot(t.Context())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	ids := make([]dataset.ID, 1)
	if err := s.Lookup(t.Context(), []rdf.Term{rdf.FromSurface(subject)}, ids); err != nil {
		return nil, err
	}
	if ids[0] == 0 {
		return nil, nil
	}
	var out []model.Quad
	err = quadtest.Each(s.Quads(t.Context(), dataset.Pattern{S: ids[0]}), collect(&out))
	return out, err
}

// A manifest whose segments lie behind a web server gives the same answers; a
// server that breaks the rules, or changes a file, gives an error with the name.
func TestDBOverHTTP(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, manifestName)
	opt := &engine.InitOptions{Bases: []engine.Source{*doc(many(40000))}}
	db, err := engine.Init(t.Context(), name, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	addDB(t, db, engine.Step{Dels: doc("<http://e/s1> <http://e/p1> <http://e/o7> ."), Adds: doc("<http://e/new> <http://e/p1> <http://e/s2> .")})
	want := visible(t, snapshot(t, db))
	base := db.Manifest().Log[0].Adds.URL
	db.Close()

	var mode atomic.Value
	var bytesServed atomic.Int64
	mode.Store("")
	etag := func() string {
		if mode.Load() == "replaced" {
			return `"v2"`
		}
		return `"v1"`
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := os.ReadFile(filepath.Join(dir, filepath.Base(r.URL.Path)))
		if err != nil {
			w.WriteHeader(404)
			return
		}
		w.Header().Set("ETag", etag())
		if filepath.Base(r.URL.Path) == base {
			switch mode.Load() {
			case "whole":
				w.Write(b)
				return
			case "short":
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", 9, len(b)))
				w.WriteHeader(206)
				w.Write(b[:10])
				return
			case "gone":
				w.WriteHeader(404)
				return
			}
		}
		cw := &countWriter{ResponseWriter: w, n: &bytesServed}
		http.ServeContent(cw, r, "", time.Time{}, bytes.NewReader(b))
	}))
	defer srv.Close()
	remote := func() *engine.DB {
		mode.Store("")
		db, err := engine.Open(t.Context(), srv.URL+"/"+manifestName, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	db = remote()
	if got, err := point(t, db, "<http://e/s1>"); err != nil || len(got) != 0 {
		t.Errorf("the deleted quad: got %v, %v", got, err)
	}
	size, _ := os.Stat(filepath.Join(dir, base))
	if n := bytesServed.Load(); n > size.Size()/3 {
		t.Errorf("a point query fetched %d of %d bytes", n, size.Size())
	}
	if got := visible(t, snapshot(t, db)); !slices.Equal(got, want) {
		t.Errorf("got %d quads, want %d, the same", len(got), len(want))
	}
	if _, err := db.Add(t.Context(), []engine.Step{{Adds: doc(many(1))}}, nil); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
	for _, full := range []bool{false, true} {
		s, err := db.Status(t.Context(), &engine.StatusOptions{Full: full})
		want := map[bool]string{false: "header", true: "whole"}[full]
		if err != nil || !s.Verified || s.Segments[0].Checked != want {
			t.Errorf("status, full %v: %+v, %v", full, s, err)
		}
	}
	for m, sentinel := range map[string]error{"whole": blob.ErrProtocol, "short": blob.ErrProtocol, "gone": blob.ErrNotFound, "replaced": damage.Err} {
		db := remote()
		s := snapshot(t, db)
		mode.Store(m)
		err := quadtest.Each(s.Quads(t.Context(), dataset.Pattern{}), collect(new([]model.Quad)))
		if !errors.Is(err, sentinel) || !strings.Contains(err.Error(), base) {
			t.Errorf("%s: got %v, want %v with the name of the segment", m, err, sentinel)
		}
	}
}

type countWriter struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (w *countWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.n.Add(int64(n))
	return n, err
}

// The machine stops, or an operation fails, at every point of an Add.
func TestAddCrash(t *testing.T) {
	step := func() []engine.Step {
		return []engine.Step{{Adds: doc("<http://e/b> <http://e/p> <http://e/c> ."), Dels: doc("<http://e/a> <http://e/p> <http://e/b> .")}}
	}
	before := model.Set{{"<http://e/a>", "<http://e/p>", "<http://e/b>", ""}: true}
	after := model.Set{{"<http://e/b>", "<http://e/p>", "<http://e/c>", ""}: true}
	for k := 1; ; k++ {
		m := vfs.NewMem()
		cut := vfs.NewPowerCut(m, k, 4)
		db := initDB(t, cut.FS)
		addDB(t, db, engine.Step{Adds: doc("<http://e/a> <http://e/p> <http://e/b> .")})
		cut.Arm(true)
		_, err := db.Add(t.Context(), step(), nil)
		done := !cut.Arm(false)
		states := append(cut.States, m)
		if done {
			if err != nil {
				t.Fatal(err)
			}
			states = vfs.Crashes(m, 4)
		}
		for i, state := range states {
			isAfter := beforeOrAfter(t, state, before, after)
			if err == nil && !isAfter {
				t.Fatalf("k = %d, state %d: acknowledged, and lost", k, i)
			}
		}
		if done {
			if k < 20 {
				t.Errorf("only %d operations", k)
			}
			break
		}
	}
	// An operation fails and the machine goes on.
	for k := 1; ; k++ {
		m := vfs.NewMem()
		armed := false
		fail, hit := vfs.FailAt(k, vfs.ErrNoSpace, func(vfs.Call) bool { return armed })
		db := initDB(t, vfs.NewFault(m, fail))
		addDB(t, db, engine.Step{Adds: doc("<http://e/a> <http://e/p> <http://e/b> .")})
		armed = true
		_, err := db.Add(t.Context(), step(), nil)
		armed = false
		if isAfter := beforeOrAfter(t, m, before, after); isAfter != (err == nil) && !errors.Is(err, engine.ErrUnknownOutcome) {
			t.Errorf("k = %d: the add ended with %v, done is %v", k, err, isAfter)
		}
		if !hit() {
			break
		}
	}
}

// beforeOrAfter opens a store, which must show one of two states and be sound,
// and reports whether it is the second.
func beforeOrAfter(t *testing.T, m *vfs.Mem, before, after model.Set) bool {
	t.Helper()
	db := openDB(t, m)
	got := visible(t, snapshot(t, db))
	isAfter := slices.Equal(got, after.Sorted())
	if !isAfter && !slices.Equal(got, before.Sorted()) {
		t.Fatalf("got %v, want the previous state or the next one", got)
	}
	if s, err := db.Status(t.Context(), nil); err != nil || !s.Verified {
		t.Fatalf("status: %+v, %v", s, err)
	}
	return isAfter
}
