package engine_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/storetest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

const manifestName = "g.rete-manifest.json"

// doc is a document of N-Quads as a source.
func doc(text string) *engine.Source {
	return &engine.Source{Name: "doc.nq", Reader: strings.NewReader(text)}
}

// quadReader reads model quads; labels of blank nodes are kept.
type quadReader struct{ list []model.Quad }

func (r *quadReader) Read(q *rdf.RawQuad) error {
	if len(r.list) == 0 {
		return io.EOF
	}
	m := r.list[0]
	r.list = r.list[1:]
	*q = rdf.RawQuad{S: []byte(m[0]), P: []byte(m[1]), O: []byte(m[2]), G: []byte(m[3])}
	return nil
}

func quads(list []model.Quad) *engine.Source {
	if len(list) == 0 {
		return nil
	}
	return &engine.Source{Quads: &quadReader{list}}
}

func memOptions(fsys vfs.FS) *engine.Options {
	return &engine.Options{FS: fsys, CacheBytes: 4 << 20}
}

func initDB(t testing.TB, fsys vfs.FS) *engine.DB {
	t.Helper()
	storetest.Cleanup(t, manifestName, memOptions(fsys))
	db, err := engine.Init(t.Context(), manifestName, nil, memOptions(fsys))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

// closeDB closes a database and expects no error.
func closeDB(t testing.TB, db *engine.DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func openDB(t testing.TB, fsys vfs.FS) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), manifestName, memOptions(fsys))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

func addDB(t testing.TB, db *engine.DB, steps ...engine.Step) *manifest.Manifest {
	t.Helper()
	m, err := db.Add(t.Context(), steps, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func snapshot(t testing.TB, db *engine.DB) *engine.Snapshot {
	t.Helper()
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// visible returns the quads of a snapshot, sorted by surface.
func visible(t testing.TB, s *engine.Snapshot) []model.Quad {
	t.Helper()
	var list []model.Quad
	if err := quadtest.Each(s.Quads(t.Context(), dataset.Pattern{}), collect(&list)); err != nil {
		t.Fatal(err)
	}
	got := model.Set{}
	for _, q := range list {
		if got[q] {
			t.Fatalf("%v twice", q)
		}
		got[q] = true
	}
	if n, err := s.Len(t.Context()); err != nil || n != uint64(len(got)) {
		t.Fatalf("counted %d quads, %v; there are %d", n, err, len(got))
	}
	return got.Sorted()
}

// collect returns a function that appends quads to a list.
func collect(to *[]model.Quad) func(*rdf.RawQuad) error {
	return func(q *rdf.RawQuad) error {
		*to = append(*to, model.Quad{string(q.S), string(q.P), string(q.O), string(q.G)})
		return nil
	}
}

func checkVisible(t testing.TB, s *engine.Snapshot, want model.Set) {
	t.Helper()
	if got := visible(t, s); !slices.Equal(got, want.Sorted()) {
		t.Fatalf("generation %d:\ngot  %v\nwant %v", s.Generation(), got, want.Sorted())
	}
}

// Random logs, committed step by step; every generation stays readable, and its
// difference to every other is the model's.
func TestDBAgainstModel(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 9))
		log := model.Log(r, model.Shape{Terms: 8 + r.IntN(10), Entries: 4})
		m := vfs.NewMem()
		db := initDB(t, m)
		for i := 0; i < len(log); {
			// Some commits append two entries.
			n := min(1+r.IntN(2), len(log)-i)
			var steps []engine.Step
			for _, e := range log[i : i+n] {
				steps = append(steps, engine.Step{Adds: quads(e.Adds), Dels: quads(e.Dels)})
			}
			i += n
			addDB(t, db, steps...)
			checkVisible(t, snapshot(t, db), model.Fold(log[:i]))
		}
		again := openDB(t, m)
		checkVisible(t, snapshot(t, again), model.Fold(log))
		history, err := again.Log(t.Context(), 0)
		if err != nil || len(history) == 0 || history[len(history)-1].Generation != 1 {
			t.Fatalf("history: %v, %v", history, err)
		}
		checkDiffs(t, again, history)
		s, err := again.Status(t.Context(), &engine.StatusOptions{Count: true})
		if err != nil || !s.Verified || s.VisibleQuads == nil || int(*s.VisibleQuads) != len(model.Fold(log)) {
			t.Errorf("seed %d: status %+v, %v, want %d quads", seed, s, err, len(model.Fold(log)))
		}
	}
}

// checkDiffs compares the differences of all pairs of generations with those of
// their quads.
func checkDiffs(t *testing.T, db *engine.DB, history []engine.Generation) {
	t.Helper()
	at := map[int64]model.Set{}
	for _, g := range history {
		s, err := db.At(t.Context(), g.Generation)
		if err != nil {
			t.Fatal(err)
		}
		at[g.Generation] = model.Set{}
		for _, q := range visible(t, s) {
			at[g.Generation][q] = true
		}
		s.Close()
	}
	for a, from := range at {
		for b, to := range at {
			got := map[model.Quad]bool{}
			err := eachChange(db.Diff(t.Context(), a, b), func(added bool, q *rdf.RawQuad) error {
				got[model.Quad{string(q.S), string(q.P), string(q.O), string(q.G)}] = added
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			have := from
			for q, added := range got {
				if from[q] == to[q] || to[q] != added {
					t.Errorf("diff %d..%d: %v, added %v", a, b, q, added)
				}
				have = withQuad(have, q, added)
			}
			if !slices.Equal(have.Sorted(), to.Sorted()) {
				t.Errorf("diff %d..%d is not whole", a, b)
			}
		}
	}
}

func withQuad(s model.Set, q model.Quad, in bool) model.Set {
	out := model.Set{}
	for k := range s {
		out[k] = true
	}
	if in {
		out[q] = true
	} else {
		delete(out, q)
	}
	return out
}

func TestSnapshotIsolation(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	empty := snapshot(t, db)
	addDB(t, db, engine.Step{Adds: doc("<http://e/a> <http://e/p> <http://e/b> .")})
	one := snapshot(t, db)
	if same := snapshot(t, db); same.Generation() != 2 || one.Generation() != 2 || empty.Generation() != 1 {
		t.Errorf("got generations %d, %d, %d, want 2, 2, 1", same.Generation(), one.Generation(), empty.Generation())
	}
	// Another process commits; this one sees it when it refreshes.
	other := openDB(t, m)
	addDB(t, other, engine.Step{Dels: doc("<http://e/a> <http://e/p> <http://e/b> .")})
	if s := snapshot(t, db); s.Generation() != 2 {
		t.Errorf("moved without Refresh to %d", s.Generation())
	}
	for i, want := range []bool{true, false} {
		if moved, err := db.Refresh(t.Context()); err != nil || moved != want {
			t.Errorf("Refresh %d: got %v, %v, want %v", i, moved, err, want)
		}
	}
	for s, want := range map[*engine.Snapshot]int{empty: 0, one: 1, snapshot(t, db): 0} {
		if got := visible(t, s); len(got) != want {
			t.Errorf("generation %d: got %v, want %d quads", s.Generation(), got, want)
		}
	}
	// Open snapshots outlive their database.
	db.Close()
	if got := visible(t, one); len(got) != 1 {
		t.Errorf("after Close: got %v", got)
	}
	if _, err := db.Snapshot(t.Context()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	one.Close()
	one.Close()
}

func TestConcurrentSnapshots(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s, err := db.Snapshot(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				// Generation g has g-1 quads: no reader sees half of a commit.
				n, err := s.Len(t.Context())
				if err != nil || int64(n) != s.Generation()-1 {
					t.Errorf("generation %d has %d quads, %v", s.Generation(), n, err)
				}
				s.Close()
			}
		})
	}
	for i := range 12 {
		addDB(t, db, engine.Step{Adds: doc(fmt.Sprintf("<http://e/%d> <http://e/p> \"x\" .", i))})
	}
	close(stop)
	wg.Wait()
}

func TestAddDetails(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	got := addDB(t, db, engine.Step{Adds: doc("_:x <http://e/p> _:y .\n_:x <http://e/p> _:y <http://e/g> .")})
	ref := got.Log[0].Adds
	if ref.Quads == nil || *ref.Quads != 2 || ref.Canonical == nil || !*ref.Canonical || ref.Extra == nil {
		t.Errorf("got %+v, want quads, canonical and extra", ref)
	}
	if !strings.HasPrefix(ref.URL, fmt.Sprintf("g-g2-%x-", ref.Hash[:4])) || !strings.HasSuffix(ref.URL, ".rete") {
		t.Errorf("got name %s", ref.URL)
	}
	// A label of a document to be deleted names the stored node.
	s := snapshot(t, db)
	label := visible(t, s)[0][0]
	got = addDB(t, db, engine.Step{Dels: doc(label + " <http://e/p> " + visible(t, s)[0][2] + " .")})
	if !strings.HasSuffix(got.Log[1].Dels.URL, ".tomb.rete") {
		t.Errorf("got name %s", got.Log[1].Dels.URL)
	}
	if now := visible(t, snapshot(t, db)); len(now) != 1 || now[0][3] != "<http://e/g>" {
		t.Errorf("got %v, want the quad of the named graph", now)
	}
	// Nothing to add is no generation.
	if got := addDB(t, db, engine.Step{Adds: doc("")}, engine.Step{}); got.Generation != 3 {
		t.Errorf("got generation %d, want 3", got.Generation)
	}
	storetest.NoTemp(t, m, ".")
	before := names(t, m)
	if _, err := db.Add(t.Context(), []engine.Step{{Adds: doc("<http://e/a> <http://e/p> <http://e/b> .")}, {Adds: doc("<oops")}}, nil); err == nil {
		t.Error("a broken document was added")
	} else if se := new(rdf.SyntaxError); !errors.As(err, &se) || se.Line != 1 {
		t.Errorf("got %v, want a syntax error with its line", err)
	}
	one := int64(1)
	opt := &engine.AddOptions{CommitOptions: manifest.CommitOptions{IfGeneration: &one}}
	if _, err := db.Add(t.Context(), []engine.Step{{Adds: doc("")}}, opt); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	if after := names(t, m); !slices.Equal(before, after) {
		t.Errorf("a failed add left files: %v, before %v", after, before)
	}
}

func names(t testing.TB, fsys vfs.FS) []string {
	t.Helper()
	list, err := fsys.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

func putFile(t testing.TB, fsys vfs.FS, name string, b []byte) {
	t.Helper()
	f, err := fsys.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestInitAndAddSegments(t *testing.T) {
	m := vfs.NewMem()
	if err := m.MkdirAll("data"); err != nil {
		t.Fatal(err)
	}
	if err := m.MkdirAll("db"); err != nil {
		t.Fatal(err)
	}
	quad := [][4]string{{"<http://e/a>", "<http://e/p>", "<http://e/b>", ""}}
	file, _ := segtest.Build(t, quad, &segment.WriterOptions{Plain: true})
	putFile(t, m, "data/base.rete", file)
	putFile(t, m, "data/more.ttl", []byte("@prefix : <http://e/> . :c :p :d ."))
	name := filepath.Join("db", "people"+manifest.Suffix)
	db, err := engine.Init(t.Context(), name, &engine.InitOptions{Bases: []engine.Source{{Name: "data/base.rete"}, {Name: "data/more.ttl"}}}, memOptions(m))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	got := db.Manifest()
	if got.Name != "people" || len(got.Log) != 2 || got.Log[0].Adds.URL != "../data/base.rete" || !*got.Log[0].Adds.Canonical ||
		!strings.HasPrefix(got.Log[1].Adds.URL, "people-g1-") {
		t.Errorf("got %s", got.Encode())
	}
	if n := len(visible(t, snapshot(t, db))); n != 2 {
		t.Errorf("got %d quads, want 2", n)
	}
	if _, err := engine.Init(t.Context(), name, nil, memOptions(m)); !errors.Is(err, blob.ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	// A segment of this manifest that its log has dropped is copied.
	minted := got.Log[1].Adds.URL
	putFile(t, m, "db/people-g9-00000000-abcdef.rete", file)
	for _, from := range []string{"db/" + minted, "db/people-g9-00000000-abcdef.rete"} {
		got = addDB(t, db, engine.Step{Adds: &engine.Source{Name: from}})
	}
	if got.Log[2].Adds.URL != minted || strings.HasPrefix(got.Log[3].Adds.URL, "people-g9") || !strings.HasPrefix(got.Log[3].Adds.URL, "people-g3-") {
		t.Errorf("got names %s and %s", got.Log[2].Adds.URL, got.Log[3].Adds.URL)
	}
	if n := len(visible(t, snapshot(t, db))); n != 2 {
		t.Errorf("got %d quads, want 2", n)
	}
}

func TestSingleSegment(t *testing.T) {
	m := vfs.NewMem()
	file, _ := segtest.Build(t, [][4]string{{"<http://e/a>", "<http://e/p>", "\"x\"", ""}}, nil)
	putFile(t, m, "one.rete", file)
	db, err := engine.Open(t.Context(), "one.rete", memOptions(m))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := visible(t, snapshot(t, db)); len(got) != 1 {
		t.Errorf("got %v, want one quad", got)
	}
	if _, err := db.Add(t.Context(), nil, nil); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
	if s, err := db.Status(t.Context(), nil); err != nil || !s.Verified || len(s.Segments) != 1 {
		t.Errorf("status: %+v, %v", s, err)
	}
}

// Spellings of other programs: one term is one id, whatever file it comes from.
func TestForeignSpelling(t *testing.T) {
	m := vfs.NewMem()
	lang := "\"a\"@EN-gb"
	str := "\"s\"^^<http://www.w3.org/2001/XMLSchema#string>"
	file, _ := segtest.Build(t, [][4]string{
		{"<http://e/a>", "<http://e/p>", lang, ""},
		{"<http://e/a>", "<http://e/p>", "\"a\"@en-gb", ""},
		{"<http://e/a>", "<http://e/p>", str, "<http://e/g>"},
	}, &segment.WriterOptions{Plain: true})
	putFile(t, m, "foreign.rete", file)
	db := initDB(t, m)
	got := addDB(t, db, engine.Step{Adds: &engine.Source{Name: "foreign.rete"}})
	if c := got.Log[0].Adds.Canonical; c == nil || *c {
		t.Error("its spelling was not noticed")
	}
	want := model.Set{
		{"<http://e/a>", "<http://e/p>", "\"a\"@en-gb", ""}:       true,
		{"<http://e/a>", "<http://e/p>", "\"s\"", "<http://e/g>"}: true,
	}
	checkVisible(t, snapshot(t, db), want)
	addDB(t, db, engine.Step{Dels: doc("<http://e/a> <http://e/p> \"a\"@en-GB .")})
	delete(want, model.Quad{"<http://e/a>", "<http://e/p>", "\"a\"@en-gb", ""})
	checkVisible(t, snapshot(t, db), want)
}

func TestSharedLabelsWarn(t *testing.T) {
	m := vfs.NewMem()
	for i, opt := range []*segment.WriterOptions{{Plain: true}, {Plain: true}, nil} {
		file, _ := segtest.Build(t, [][4]string{
			{"<http://e/a>", "<http://e/p>", "_:n1", ""}, {fmt.Sprintf("_:own%d", i), "<http://e/p>", "\"x\"", ""}}, opt)
		putFile(t, m, fmt.Sprintf("f%d.rete", i), file)
	}
	db := initDB(t, m)
	for i, want := range []int{0, 1, 0} { // the last is ours
		var got []string
		opt := &engine.AddOptions{Warn: func(s string) { got = append(got, s) }}
		if _, err := db.Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: fmt.Sprintf("f%d.rete", i)}}}, opt); err != nil {
			t.Fatal(err)
		}
		if len(got) != want || want > 0 && (!strings.Contains(got[0], "f0.rete") || !strings.Contains(got[0], "_:n1")) {
			t.Errorf("file %d: got warnings %q, want %d", i, got, want)
		}
	}
}
