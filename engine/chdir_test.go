package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
)

// moving is a world in which names lead elsewhere from one operation to the next:
// two databases of the same names, and an empty folder.
type moving struct {
	dir    string // of all
	before map[string]string
}

// newMoving makes the other database, in there/, and sets the working directory to
// here/, which is empty.
func newMoving(t *testing.T) *moving {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &moving{dir: dir}
	for _, sub := range []string{"here", "there", "empty"} {
		if err := os.MkdirAll(filepath.Join(dir, sub, "logs"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	other, err := engine.Init(t.Context(), filepath.Join(dir, "there", manifestName), nil, &engine.Options{Journal: filepath.Join(dir, "there", "logs", "j")})
	if err != nil {
		t.Fatal(err)
	}
	write(t, other, model.Entry{Adds: []model.Quad{nthQuad(20)}})
	seal(t, other)
	write(t, other, model.Entry{Adds: []model.Quad{nthQuad(21)}})
	closeDB(t, other)
	w.before = w.others(t)
	t.Chdir(filepath.Join(dir, "here"))
	return w
}

// others is what lies outside of here/.
func (w *moving) others(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, sub := range []string{"there", "empty"} {
		err := filepath.WalkDir(filepath.Join(w.dir, sub), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			files[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func (w *moving) check(t *testing.T, after string) {
	t.Helper()
	got := w.others(t)
	for name, text := range got {
		if old, ok := w.before[name]; !ok || old != text {
			t.Fatalf("%s: %s was written", after, name)
		}
	}
	if len(got) != len(w.before) {
		t.Fatalf("%s: files of another folder are gone", after)
	}
}

// A database is where it was when it was opened, whatever becomes of the working
// directory, and of the symbolic links on its path, between any two operations.
func TestNamesAreBound(t *testing.T) {
	link := func(t *testing.T, w *moving, to string) {
		t.Helper()
		name := filepath.Join(w.dir, "link")
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(w.dir, to), name); err != nil {
			t.Skip(err)
		}
	}
	chdir := func(t *testing.T, w *moving, to string) { t.Chdir(filepath.Join(w.dir, to)) }
	for name, c := range map[string]struct {
		name, journal string
		back          func(*testing.T, *moving, string) // leads names to a folder
	}{
		"plain":         {manifestName, "", chdir},
		"dot":           {"." + string(filepath.Separator) + manifestName, "", chdir},
		"up":            {filepath.Join("..", "here", manifestName), "", chdir},
		"journal":       {manifestName, filepath.Join("logs", "j"), chdir},
		"link":          {filepath.Join("..", "link", manifestName), filepath.Join("..", "link", "logs", "j"), link},
		"absolute link": {"", "", link},
	} {
		t.Run(name, func(t *testing.T) {
			w := newMoving(t)
			if c.name == "" {
				c.name = filepath.Join(w.dir, "link", manifestName)
			}
			moves := []string{"there", "empty"}
			n := 0
			move := func(after string) {
				w.check(t, after)
				n++
				c.back(t, w, moves[n%2])
			}
			opt := engine.Options{Journal: c.journal}
			c.back(t, w, "here")
			runBound(t, c.name, &opt, move, func() { c.back(t, w, "here") })
			w.check(t, "the end")
			found, err := filepath.Glob(filepath.Join(w.dir, "here", "*.rete"))
			if err != nil || len(found) == 0 {
				t.Errorf("segments: %v, %v", found, err)
			}
		})
	}
}

// runBound does everything that a database can, and moves in between.
func runBound(t *testing.T, name string, opt *engine.Options, move func(after string), home func()) {
	ctx := t.Context()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		move(what)
	}
	db, err := engine.Init(ctx, name, nil, opt)
	must("init", err)
	set, n, now := model.Set{}, 0, time.Now()
	round := func(db *engine.DB) {
		t.Helper()
		add := func() model.Entry {
			e := model.Entry{Adds: []model.Quad{nthQuad(n % 20)}}
			n++
			set = apply(set, e)
			return e
		}
		write(t, db, add())
		move("write")
		seal(t, db)
		move("seal")
		_, err := db.Add(ctx, []engine.Step{{Adds: quads(add().Adds)}}, nil)
		must("add", err)
		write(t, db, add())
		move("second write")
		s, err := db.Snapshot(ctx)
		must("snapshot", err)
		checkVisible(t, s, set)
		s.Close()
		seal(t, db)
		move("second seal")
		_, err = db.Compact(ctx, &engine.CompactOptions{First: len(db.Manifest().Log) - 2})
		must("compact a run", err)
		old, err := db.At(ctx, db.Manifest().Generation-1)
		must("an older generation", err)
		checkVisible(t, old, set)
		old.Close()
		write(t, db, add())
		move("third write")
		_, err = db.Revert(ctx, db.Manifest().Generation, nil)
		must("revert", err)
		delete(set, nthQuad((n-1)%20))
		_, err = db.Compact(ctx, nil)
		must("compact", err)
		for range 2 {
			now = now.Add(48 * time.Hour)
			_, err = db.Collect(ctx, &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return now }})
			must("collect", err)
			write(t, db, add())
			move("write between")
			seal(t, db)
			move("seal between")
		}
		_, err = db.Status(ctx, nil)
		must("status", err)
		_, err = db.Log(ctx, 0)
		must("log", err)
		_, err = db.Refresh(ctx)
		must("refresh", err)
		write(t, db, add())
		move("last write")
	}
	round(db)
	must("close", db.Close())
	home()
	readOnly := *opt
	readOnly.ReadOnly = true
	reader, err := engine.Open(ctx, name, &readOnly)
	must("open a reader", err)
	home()
	db, err = engine.Open(ctx, name, opt)
	must("open", err)
	round(db)
	_, err = reader.Refresh(ctx)
	must("refresh a reader", err)
	s, err := reader.Snapshot(ctx)
	must("a reader's snapshot", err)
	checkVisible(t, s, set)
	s.Close()
	must("close the reader", reader.Close())
	must("close", db.Close())
	home()
	report, err := engine.Check(ctx, name, nil, opt)
	if err != nil || !report.OK {
		t.Fatalf("%+v, %v", report, err)
	}
}

// What add and init are given is relative to the working directory of the call.
func TestSourcesAreOfTheCall(t *testing.T) {
	w := newMoving(t)
	db, err := engine.Init(t.Context(), manifestName, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	given, err := filepath.Glob(filepath.Join(w.dir, "there", "*.rete"))
	if err != nil || len(given) != 1 {
		t.Fatal(given, err)
	}
	t.Chdir(filepath.Join(w.dir, "there"))
	m := addDB(t, db, engine.Step{Adds: &engine.Source{Name: filepath.Base(given[0])}})
	if got, want := m.Log[0].Adds.URL, "../there/"+filepath.Base(given[0]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	t.Chdir(filepath.Join(w.dir, "empty"))
	checkVisible(t, snapshot(t, db), model.Set{nthQuad(20): true})
	w.check(t, "add")
	if _, err := db.Compact(t.Context(), &engine.CompactOptions{Out: "out.rete"}); err != nil {
		t.Fatal(err)
	}
	if got := db.Manifest().Log[0].Adds.URL; got != "../empty/out.rete" {
		t.Errorf("got %s", got)
	}
}

// A name that is absolute needs no working directory.
func TestWithoutWorkingDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the working directory cannot be removed")
	}
	name := filepath.Join(t.TempDir(), manifestName)
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Skip(err)
	}
	t.Setenv("PWD", "")
	db, err := engine.Init(t.Context(), name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	write(t, db, firstQuads(2))
	seal(t, db)
	checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(2)}))
	if _, err := engine.Open(t.Context(), manifestName, nil); err == nil {
		t.Error("a relative name was opened")
	}
}
