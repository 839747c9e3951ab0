package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/rdf"
)

// webPlace starts a web server that can be written to and returns the name of a manifest
// there, and the server.
func webPlace(t *testing.T) (name string, files *blobtest.Server) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir()) // where writers gather what they send
	files = &blobtest.Server{}
	srv := httptest.NewServer(files)
	t.Cleanup(srv.Close)
	return srv.URL + "/graphs/" + manifestName, files
}

// putTo writes an object, or fails the test.
func putTo(t *testing.T, name, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode >= 300 {
		t.Fatal(res.Status)
	}
}

func initRemote(t *testing.T, name string) {
	t.Helper()
	db, err := engine.Init(t.Context(), name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
}

func openRemote(t *testing.T, name, journal string) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), name, &engine.Options{CacheBytes: 4 << 20, Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

func refresh(t *testing.T, db *engine.DB) {
	t.Helper()
	if _, err := db.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Three writers of one remote manifest, two with journals of their own and one without,
// against a set of quads: what a journal has comes when it is sealed.
func TestRemoteWriteModel(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runRemoteModel(t, seed) })
	}
}

func runRemoteModel(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 19))
	name, _ := webPlace(t)
	initRemote(t, name)
	dir := t.TempDir()
	var dbs []*engine.DB
	for i, journal := range []string{"", filepath.Join(dir, "a.changes"), filepath.Join(dir, "b.changes")} {
		dbs = append(dbs, openRemote(t, name, journal))
		if i > 0 {
			if err := dbs[i].Own(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	shape := model.Shape{Terms: 4 + r.IntN(20), Entries: 1, Quads: 1 + r.IntN(20), Graphs: r.IntN(4)}
	set := model.Set{}                         // of the log
	waiting := make([][]model.Entry, len(dbs)) // in journals, oldest first
	for range 20 {
		i := r.IntN(len(dbs))
		db := dbs[i]
		refresh(t, db)
		sealed := func() {
			for _, e := range waiting[i] {
				set = apply(set, e)
			}
			waiting[i] = nil
		}
		switch k := r.IntN(10); {
		case k < 5:
			e := randomEntry(r, shape)
			if write(t, db, e); i == 0 {
				set = apply(set, e)
			} else {
				waiting[i] = append(waiting[i], e)
			}
		case k < 7:
			seal(t, db)
			sealed()
		case k == 7:
			if _, err := db.Compact(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrCompact) {
				t.Fatal(err)
			}
		case k == 8:
			e := randomEntry(r, shape)
			addDB(t, db, engine.Step{Adds: quads(e.Adds), Dels: quads(e.Dels)})
			sealed()
			set = apply(set, e)
		default:
			if i > 0 {
				closeDB(t, db)
				dbs[i] = openRemote(t, name, filepath.Join(dir, string(rune('a'+i-1))+".changes"))
			}
		}
		for j, db := range dbs {
			refresh(t, db)
			want := set
			for _, e := range waiting[j] {
				want = apply(want, e)
			}
			s := snapshot(t, db)
			checkVisible(t, s, want)
			s.Close()
		}
	}
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "rete-upload-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	report, err := engine.Check(t.Context(), name, nil, nil)
	if err != nil || !report.OK {
		t.Errorf("%+v, %v", report, err)
	}
}

// A journal-less writer does not change what it has not seen: it begins on what is committed, and
// one that was overtaken meanwhile is told, or run again.
func TestRemoteOvertaken(t *testing.T) {
	name, files := webPlace(t)
	initRemote(t, name)
	a, b := openRemote(t, name, ""), openRemote(t, name, "")
	set := model.Set{}
	changed := func(e model.Entry) model.Entry {
		set = apply(set, e)
		return e
	}
	check := func() {
		t.Helper()
		refresh(t, a)
		s := snapshot(t, a)
		defer s.Close()
		checkVisible(t, s, set)
	}
	write(t, a, changed(model.Entry{Adds: numbers(0, 3)}))
	write(t, b, changed(model.Entry{Dels: numbers(1, 2)}))
	write(t, a, changed(model.Entry{Adds: numbers(1, 2)})) // which it knew from before
	check()

	// overtaken inserts a quad that depends on how many there are, while the other writer inserts n.
	overtaken := func(opt *engine.WriteOptions, n int) (calls int, err error) {
		_, err = a.Write(t.Context(), opt, func(tx *engine.Tx) error {
			if calls++; calls == 1 {
				write(t, b, changed(model.Entry{Adds: numbers(n, n+1)}))
			}
			v, err := tx.View(t.Context())
			if err != nil {
				return err
			}
			seen, err := v.Len(t.Context())
			if err != nil {
				return err
			}
			return tx.Insert(t.Context(), rdfQuad(quadNumber(1000+int(seen))))
		})
		return calls, err
	}
	// An archive can be written after its commit has ended: what is counted are segments.
	segments := func() (n int) {
		for _, name := range files.Names() {
			if strings.HasSuffix(name, manifest.SegmentSuffix) {
				n++
			}
		}
		return n
	}
	before := segments()
	if calls, err := overtaken(nil, 10); calls != 1 || !errors.Is(err, engine.ErrConflict) {
		t.Errorf("%d calls, %v", calls, err)
	}
	check()
	if n := segments(); n != before+1 { // of the other writer
		t.Errorf("%d segments, then %d: %v", before, n, files.Names())
	}
	if calls, err := overtaken(&engine.WriteOptions{Repeat: true}, 11); calls != 2 || err != nil {
		t.Errorf("repeated: %d calls, %v", calls, err)
	}
	changed(model.Entry{Adds: numbers(1005, 1006)})
	check()
}

// TestClearOvertaken: also a graph that is too large to be deleted quad by quad is cleared again.
func TestClearOvertaken(t *testing.T) {
	name, _ := webPlace(t)
	initRemote(t, name)
	a, b := openRemote(t, name, ""), openRemote(t, name, "")
	addDB(t, a, engine.Step{Adds: quads(numbers(0, engine.ClearQuads+1))})
	for _, c := range []struct {
		repeat bool
		calls  int
		want   error
	}{{false, 1, engine.ErrConflict}, {true, 2, nil}} {
		calls := 0
		_, err := a.Write(t.Context(), &engine.WriteOptions{Repeat: c.repeat}, func(tx *engine.Tx) error {
			if calls++; calls == 1 {
				write(t, b, model.Entry{Adds: numbers(20_000+c.calls, 20_001+c.calls)})
			}
			if err := tx.Clear(t.Context()); err != nil {
				return err
			}
			return tx.Insert(t.Context(), rdfQuad(quadNumber(0)))
		})
		if calls != c.calls || !errors.Is(err, c.want) {
			t.Errorf("repeat %v: %d calls, %v", c.repeat, calls, err)
		}
	}
	s := snapshot(t, a)
	defer s.Close()
	checkVisible(t, s, apply(model.Set{}, model.Entry{Adds: numbers(0, 1)}))
}

// TestStateOfLargeWrites: also a write that is too large for the journal has its condition
// when it is committed.
func TestStateOfLargeWrites(t *testing.T) {
	name := filepath.Join(t.TempDir(), manifestName)
	db, err := engine.Init(t.Context(), name, nil, &engine.Options{MaxBatchLines: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	other, err := engine.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, other)
	s := snapshot(t, db)
	state := s.State()
	s.Close()
	for _, c := range []struct {
		state string
		want  error
	}{{state, engine.ErrConflict}, {"", nil}} {
		_, err := db.Write(t.Context(), &engine.WriteOptions{IfState: c.state}, func(tx *engine.Tx) error {
			addDB(t, other, engine.Step{Adds: quads(numbers(0, 1))})
			return tx.Insert(t.Context(), rdfQuads(numbers(10, 13))...)
		})
		if !errors.Is(err, c.want) {
			t.Errorf("state %q: %v", c.state, err)
		}
	}
	s = snapshot(t, db)
	defer s.Close()
	checkVisible(t, s, apply(model.Set{}, model.Entry{Adds: append(numbers(0, 1), numbers(10, 13)...)}))
}

// TestStateDuringMaintenance: what the database itself seals and compacts while a large write runs
// breaks no condition of it; a change by another writer in between does.
func TestStateDuringMaintenance(t *testing.T) {
	for _, sealing := range []bool{false, true} {
		for _, foreign := range []bool{false, true} {
			name := filepath.Join(t.TempDir(), manifestName)
			db, err := engine.Init(t.Context(), name, nil, &engine.Options{MaxBatchLines: 5})
			if err != nil {
				t.Fatal(err)
			}
			other, err := engine.Open(t.Context(), name, nil)
			if err != nil {
				t.Fatal(err)
			}
			addDB(t, db, engine.Step{Adds: quads(numbers(0, 3))}, engine.Step{Adds: quads(numbers(3, 6))})
			set := apply(model.Set{}, model.Entry{Adds: numbers(0, 6)})
			if sealing {
				write(t, db, model.Entry{Adds: numbers(6, 8)})
				set = apply(set, model.Entry{Adds: numbers(6, 8)})
			}
			s := snapshot(t, db)
			state := s.State()
			s.Close()
			worked := make(chan error, 1)
			begun, goOn := make(chan bool, 1), make(chan bool)
			letGo := sync.OnceFunc(func() { close(goOn) })
			hold := manifest.CommitOptions{Now: func() time.Time { begun <- true; <-goOn; return time.Now() }}
			go func() { // it ends after the write, and commits during it
				var err error
				if sealing {
					_, err = db.Seal(t.Context(), &engine.SealOptions{CommitOptions: hold})
				} else {
					_, err = db.Compact(t.Context(), &engine.CompactOptions{CommitOptions: hold})
				}
				worked <- err
			}()
			select {
			case <-begun:
			case err := <-worked:
				t.Fatalf("sealing %v: it ended before its commit: %v", sealing, err)
			}
			before := db.Manifest().Generation
			_, err = db.Write(t.Context(), &engine.WriteOptions{IfState: state}, func(tx *engine.Tx) error {
				letGo()
				for other.Manifest().Generation <= before {
					ended := len(worked) > 0 // and what it has committed is there
					refresh(t, other)
					if ended && other.Manifest().Generation <= before {
						return errors.New("the maintenance committed nothing")
					}
					time.Sleep(time.Millisecond)
				}
				if foreign {
					set = apply(set, model.Entry{Adds: numbers(8, 9)})
					addDB(t, other, engine.Step{Adds: quads(numbers(8, 9))})
				}
				return tx.Insert(t.Context(), rdfQuads(numbers(10, 20))...)
			})
			letGo()
			if foreign != errors.Is(err, engine.ErrConflict) || !foreign && err != nil {
				t.Errorf("sealing %v, another writer %v: %v", sealing, foreign, err)
			}
			if !foreign {
				set = apply(set, model.Entry{Adds: numbers(10, 20)})
			}
			if err := <-worked; err != nil {
				t.Error(err)
			}
			refresh(t, db)
			s = snapshot(t, db)
			checkVisible(t, s, set)
			s.Close()
			closeDB(t, other)
			closeDB(t, db)
		}
	}
}

// A journal-less writer changes nothing where it is refused, and leaves nothing anywhere.
func TestRemoteRefused(t *testing.T) {
	name, files := webPlace(t)
	initRemote(t, name)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	before := files.Names()
	_, path, _ := strings.Cut(strings.TrimPrefix(name, "http://"), "/")
	db := openRemote(t, srv.URL+"/"+path, "")
	_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), rdfQuads(numbers(0, 3))...) })
	if !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("write: %v", err)
	}
	if _, err := db.Add(t.Context(), []engine.Step{{Adds: quads(numbers(0, 3))}}, nil); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("add: %v", err)
	}
	if _, err := engine.Init(t.Context(), srv.URL+"/graphs/new.rete-manifest.json", nil, nil); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("init: %v", err)
	}
	if got := files.Names(); !slices.Equal(got, before) {
		t.Errorf("left: %v", got)
	}
}

// What fsck mends of a local graph it mends of a remote one: a manifest that was edited, and the
// journal of this machine.
func TestRemoteRepairs(t *testing.T) {
	name, files := webPlace(t)
	initRemote(t, name)
	journal := filepath.Join(t.TempDir(), "a.changes")
	db := openRemote(t, name, journal)
	write(t, db, model.Entry{Adds: numbers(0, 1)})
	closeDB(t, db)
	torn, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = torn.WriteString("+ <http://ex/a> <http")
	}
	if err = errors.Join(err, torn.Close()); err != nil {
		t.Fatal(err)
	}
	store := blob.NewHTTPWith(blob.HTTPOptions{})
	text, _, err := store.ReadAll(t.Context(), name, 1<<20)
	if err == nil {
		_, err = store.Put(t.Context(), name, []byte(strings.Replace(string(text), `"sealed"`, ` "sealed"`, 1)), blob.Cond{})
	}
	if err != nil {
		t.Fatal(err)
	}
	before := files.Names()
	for _, o := range []*engine.CheckOptions{nil, {Repair: true}} {
		if report, err := engine.Check(t.Context(), name, o, &engine.Options{Journal: journal}); err != nil || report.OK {
			t.Errorf("%+v, %v", report, err)
		}
	}
	if got := files.Names(); !slices.Equal(got, before) {
		t.Errorf("%v, then %v", before, got)
	}
	report, err := engine.Check(t.Context(), name, &engine.CheckOptions{Accept: true, Repair: true}, &engine.Options{Journal: journal})
	if err != nil || report.Generation != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	report, err = engine.Check(t.Context(), name, nil, &engine.Options{Journal: journal})
	if err != nil || !report.OK || report.Unsealed != 1 || len(report.Findings) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// A store that does not answer is an error of the check, and no damage.
func TestRemoteCheckUnreachable(t *testing.T) {
	name, files := webPlace(t)
	initRemote(t, name)
	db := openRemote(t, name, "")
	addDB(t, db, engine.Step{Adds: quads(numbers(0, 3))})
	closeDB(t, db)
	_, path, _ := strings.Cut(strings.TrimPrefix(name, "http://"), "/")
	for _, denied := range []string{manifestName, manifestName + ".g1", ".rete"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, denied) {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			files.ServeHTTP(w, r)
		}))
		report, err := engine.Check(t.Context(), srv.URL+"/"+path, nil, nil)
		if !errors.Is(err, blob.ErrDenied) {
			t.Errorf("%s: %+v, %v", denied, report, err)
		}
		srv.Close()
	}
}

// Everything that commits works on a remote manifest, and collections delete what nobody
// needs, in two steps.
func TestRemoteMaintenance(t *testing.T) {
	name, files := webPlace(t)
	base := filepath.Join(t.TempDir(), "base.nt")
	if err := os.WriteFile(base, []byte("<http://ex/a> <http://ex/p> \"base\" .\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	made, err := engine.Init(t.Context(), name, &engine.InitOptions{Bases: []engine.Source{{Name: base}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	closeDB(t, made)
	if _, err := engine.Init(t.Context(), name, nil, nil); !errors.Is(err, blob.ErrExists) {
		t.Errorf("init again: %v", err)
	}
	db := openRemote(t, name, "")
	for i := range 4 {
		addDB(t, db, engine.Step{Adds: quads(numbers(10*i, 10*i+10))})
	}
	want := visible(t, snapshot(t, db))
	if _, err := db.Compact(t.Context(), &engine.CompactOptions{First: 1, Count: 3}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	write(t, db, model.Entry{Dels: numbers(0, 5)})
	if _, err := db.Revert(t.Context(), 5, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ChangePrefixes(t.Context(), map[string]string{"ex": "http://ex/"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	same := func() {
		t.Helper()
		if got := visible(t, snapshot(t, openRemote(t, name, ""))); !slices.Equal(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
	}
	same()
	stray := openRemote(t, name, "")
	_, err = stray.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), rdfQuads(numbers(90, 91))...) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stray.Revert(t.Context(), 9, nil); err != nil {
		t.Fatal(err)
	}
	closeDB(t, stray) // which waits for the archive of its last commit
	// Hash trees: of a segment that stays, of those that go, and of one that is gone.
	for _, n := range append(files.Names(), "/graphs/g-g9-0123abcd-abcdef.rete") {
		if strings.HasSuffix(n, manifest.SegmentSuffix) {
			putTo(t, strings.Replace(name, "/graphs/"+manifestName, n, 1)+".obao", "tree")
		}
	}
	now := time.Now()
	gc := func(yes bool) *engine.Collection {
		t.Helper()
		c, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: yes, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	before := files.Names()
	if c := gc(false); c.Deleted+c.Marked > 0 || len(c.Files) == 0 || !slices.Equal(files.Names(), before) {
		t.Errorf("dry run: %+v", c)
	}
	if c := gc(true); c.Deleted > 0 || c.Marked == 0 {
		t.Errorf("first: %+v", c)
	}
	now = now.Add(25 * time.Hour)
	if c := gc(true); c.Deleted > 0 {
		t.Errorf("the generation has not moved: %+v", c)
	}
	addDB(t, db, engine.Step{Dels: quads(numbers(200, 201))})
	c := gc(true)
	if c.Deleted == 0 {
		t.Errorf("nothing was deleted: %+v", c)
	}
	same()
	left := files.Names()
	trees := 0
	for _, n := range before {
		of, tree := strings.CutSuffix(n, ".obao")
		if tree {
			trees++
		}
		if tree && slices.Contains(left, n) != slices.Contains(left, of) {
			t.Errorf("%s: one is left of segment and hash tree", of)
		}
	}
	if trees < 5 {
		t.Errorf("%d hash trees", trees)
	}
	for _, f := range c.Files {
		if f.State == "deleted" && slices.ContainsFunc(files.Names(), func(n string) bool { return strings.HasSuffix(n, "/"+f.Name) }) {
			t.Errorf("%s is still there", f.Name)
		}
	}
	report, err := engine.Check(t.Context(), name, nil, nil)
	if err != nil || !report.OK {
		t.Errorf("%+v, %v", report, err)
	}
	// Another manifest of the same graph name makes the two indistinguishable.
	twin, err := engine.Init(t.Context(), strings.Replace(name, manifestName, "twin.rete-manifest.json", 1), &engine.InitOptions{Name: db.Manifest().Name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	closeDB(t, twin)
	if _, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true}); err == nil || !strings.Contains(err.Error(), "twin") {
		t.Errorf("beside a twin: %v", err)
	}
}

// TestRemotePrefixesOfTransactions: without a journal, each commit takes the prefixes of its
// transaction, also one that has cleared the graph, and nothing is written to the working folder.
func TestRemotePrefixesOfTransactions(t *testing.T) {
	t.Chdir(t.TempDir())
	name, _ := webPlace(t)
	initRemote(t, name)
	db := openRemote(t, name, "")
	write := func(n int64, names map[string]string, clear bool) {
		t.Helper()
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			tx.NamePrefixes(names)
			if clear {
				if err := tx.Clear(t.Context()); err != nil {
					return err
				}
			}
			s := rdf.IRI("http://ex/s")
			return tx.Insert(t.Context(), rdf.Quad{S: s, P: s, O: rdf.Integer(n)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"a": "http://ex/a/"}
	check := func() {
		t.Helper()
		for _, db := range []*engine.DB{db, openRemote(t, name, "")} {
			if got, err := db.Prefixes(t.Context()); err != nil || !maps.Equal(got, want) {
				t.Errorf("%v, %v; want %v", got, err, want)
			}
		}
	}
	write(1, map[string]string{"a": "http://ex/a/", "no good": "x"}, false)
	check()
	write(2, map[string]string{"a": "http://ex/other/", "b": "http://ex/b/"}, false)
	want["b"] = "http://ex/b/"
	check()
	write(3, map[string]string{"c": "http://ex/c/"}, true)
	want["c"] = "http://ex/c/"
	check()
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("the working folder has %v, %v", left, err)
	}
}
