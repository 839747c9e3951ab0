package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/vfs"
)

// Nothing that is there is ever replaced, whichever of the names it has.
func TestRestoreReplacesNothing(t *testing.T) {
	graph, want := smallGraph(t)
	_, err := backUpOn(t, graph, graph)
	must(t, err)
	whole := copyOf(graph)
	must(t, restoreOn(t, whole))
	obstacles := names(t, whole, "new")
	for _, name := range []string{".changes", ".changes.7", ".changes.mark", ".gc", ".g7", ".g0"} {
		obstacles = append(obstacles, "new/m.rete-manifest.json"+name)
	}
	tried := 0
	for _, name := range obstacles {
		if strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".owner") {
			continue
		}
		tried++
		m := copyOf(graph)
		must(t, m.MkdirAll("new"))
		there := []byte("somebody's")
		if strings.HasSuffix(name, ".rete") {
			there = content(t, whole, name) // the same bytes are another graph's all the same
		}
		replace(t, m, name, there)
		if err := restoreOn(t, m); !errors.Is(err, blob.ErrExists) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is there: %v", name, err)
		}
		if left := names(t, m, "new"); len(left) != 1 || !bytes.Equal(content(t, m, name), there) {
			t.Errorf("%s was there, now there are %v", name, left)
		}
	}
	if tried < 9 {
		t.Errorf("only %d names were tried: %v", tried, obstacles)
	}
	// A restored graph is not restored over either.
	if err := restoreOn(t, whole); !errors.Is(err, blob.ErrExists) {
		t.Errorf("got %v", err)
	}
	checkRestored(t, whole, want)
	// Files of other graphs do not matter.
	m := copyOf(graph)
	must(t, m.MkdirAll("new"))
	replace(t, m, "new/m.rete-manifest.json2", []byte("?"))
	replace(t, m, "new/another.rete", []byte("?"))
	must(t, restoreOn(t, m))
}

// A restore that was interrupted is not mixed with one of another backup.
func TestRestoreOfAnotherBackup(t *testing.T) {
	m, _ := smallGraph(t)
	first, err := backUpOn(t, m, m)
	must(t, err)
	db := open(t, m, graphName)
	must(t, write(t.Context(), db, []int{8}, nil))
	must(t, db.Close())
	_, err = backUpOn(t, m, m)
	must(t, err)
	full := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpWrite && strings.HasPrefix(c.Name, "new/m-g") {
			return vfs.ErrNoSpace
		}
		return nil
	})
	if err := restoreOn(t, full); !errors.Is(err, vfs.ErrNoSpace) {
		t.Fatal(err)
	}
	_, err = place(t, m).Restore(t.Context(), "new/m.rete-manifest.json", &backup.RestoreOptions{Backup: first.Backup}, options(m))
	if err == nil || !strings.Contains(err.Error(), "was interrupted here") {
		t.Errorf("got %v", err)
	}
	if r, err := place(t, m).Restore(t.Context(), "new/m.rete-manifest.json", nil, options(m)); err != nil || !r.Resumed {
		t.Errorf("%+v, %v", r, err)
	}
	checkGraph(t, m, "new/m.rete-manifest.json")
}

// A journal somewhere else is backed up from there, and restored where it is asked for.
func TestJournalElsewhere(t *testing.T) {
	m, _ := smallGraph(t)
	must(t, m.MkdirAll("fast"))
	must(t, m.Rename(graphName+".changes", "fast/j"))
	must(t, m.Rename(graphName+".changes.mark", "fast/j.mark"))
	// Without it the changes would be missing, and nobody would know.
	if _, err := backUpOn(t, m, m); !errors.Is(err, backup.ErrNoJournal) || !strings.Contains(err.Error(), graphName+".changes") {
		t.Errorf("got %v", err)
	}
	sealed := options(m)
	sealed.SealedOnly = true
	without, err := engine.Open(t.Context(), graphName, sealed)
	must(t, err)
	defer without.Close()
	if r := backUp(t, m, without, nil); r.Changes != 0 {
		t.Errorf("%+v", r)
	}
	opt := options(m)
	opt.Journal = "fast/j"
	db, err := engine.Open(t.Context(), graphName, opt)
	must(t, err)
	defer db.Close()
	if r := backUp(t, m, db, nil); r.Changes != 2 {
		t.Errorf("%+v", r)
	}
	must(t, m.MkdirAll("faster"))
	to := options(m)
	to.Journal = "faster/j"
	_, err = place(t, m).Restore(t.Context(), "new/m.rete-manifest.json", nil, to)
	must(t, err)
	got, err := engine.Open(t.Context(), "new/m.rete-manifest.json", to)
	must(t, err)
	defer got.Close()
	sameGraph(t, got, db, 2)
	if _, err := m.Stat("new/m.rete-manifest.json.changes"); err == nil {
		t.Error("there is a journal next to the manifest too")
	}
}

// Segments outside the folder come into it, each under a name of its own; those below it
// keep their place.
func TestSegmentsOutside(t *testing.T) {
	m := vfs.NewMem()
	for _, dir := range []string{"graph/sub", "a", "b"} {
		must(t, m.MkdirAll(dir))
	}
	for i, name := range []string{"graph/sub/x.rete", "a/x.rete", "b/x.rete", "b/y.rete", "graph/X.rete"} {
		db := newGraph(t, m, fmt.Sprintf("tmp%d/m.rete-manifest.json", i), *doc(i, i+100))
		replace(t, m, name, content(t, m, fmt.Sprintf("tmp%d/%s", i, db.Manifest().Log[0].Adds.URL)))
	}
	var bases []engine.Source
	for _, name := range []string{"graph/sub/x.rete", "a/x.rete", "b/x.rete", "b/y.rete", "graph/X.rete"} {
		bases = append(bases, engine.Source{Name: name})
	}
	db := newGraph(t, m, graphName, bases...)
	backUp(t, m, db, nil)
	got, _ := restore(t, m, "deep/er/new/m.rete-manifest.json", "")
	sameGraph(t, got, db, 1)
	urls := map[string]bool{}
	for _, e := range got.Manifest().Log {
		url := e.Adds.URL
		if urls[strings.ToLower(url)] || !filepath.IsLocal(url) {
			t.Errorf("a segment is called %s", url)
		}
		urls[strings.ToLower(url)] = true
		content(t, m, "deep/er/new/"+url)
	}
	if !urls["sub/x.rete"] || !urls["x.rete"] || !urls["y.rete"] {
		t.Errorf("the segments are %v", urls)
	}
	for _, name := range []string{"a/x.rete", "b/x.rete", "b/y.rete", "graph/sub/x.rete", "graph/X.rete"} {
		must(t, m.Remove(name))
	}
	checkGraph(t, m, "deep/er/new/m.rete-manifest.json")
}

// serveDir serves a folder with ranges and strong validators.
func serveDir(t *testing.T, dir string) string {
	t.Helper()
	files := http.FileServer(http.Dir(dir))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(r.URL.Path))); err == nil {
			w.Header().Set("ETag", fmt.Sprintf("%q", info.ModTime().String()))
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// A segment at a URL stays there unless it is fetched; of a remote manifest what it names
// next to itself is copied.
func TestRemoteSegments(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	web := newGraph(t, vfs.OS(), filepath.ToSlash(at("web/w.rete-manifest.json")), *doc(1, 2, 3))
	url := serveDir(t, at("web"))
	db := newGraph(t, vfs.OS(), filepath.ToSlash(at("graph/m.rete-manifest.json")), engine.Source{Name: url + "/" + web.Manifest().Log[0].Adds.URL}, *doc(4))
	remote := open(t, vfs.OS(), url+"/w.rete-manifest.json")

	for i, c := range []struct {
		db      *engine.DB
		fetch   bool
		remotes int
	}{{db, false, 1}, {db, true, 0}, {remote, false, 0}} {
		p, err := backup.Open(at(fmt.Sprintf("place%d", i)), blob.MuxOptions{})
		must(t, err)
		b, err := p.Backup(t.Context(), c.db, &backup.Options{Fetch: c.fetch})
		must(t, err)
		to := at(fmt.Sprintf("new%d/n.rete-manifest.json", i))
		r, err := p.Restore(t.Context(), to, nil, nil)
		must(t, err)
		if len(b.Remote) != c.remotes || len(r.Remote) != c.remotes {
			t.Errorf("%d: %+v, %+v", i, b, r)
		}
		got := open(t, vfs.OS(), to)
		sameGraph(t, got, c.db, 1)
		for _, e := range got.Manifest().Log {
			if blob.IsRemote(e.Adds.URL) != (c.remotes == 1 && path.Base(e.Adds.URL) == web.Manifest().Log[0].Adds.URL) {
				t.Errorf("%d: a segment is %s", i, e.Adds.URL)
			}
		}
	}
}

// The working directory moves between opening a place and its use.
func TestPlaceIsBound(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	db := newGraph(t, vfs.OS(), "graph/m.rete-manifest.json", *doc(1))
	p, err := backup.Open("place", blob.MuxOptions{})
	must(t, err)
	full, err := engine.Open(t.Context(), filepath.Join(dir, "graph", "m.rete-manifest.json"), nil)
	must(t, err)
	defer full.Close()
	must(t, db.Close())
	t.Chdir(t.TempDir())
	_, err = p.Backup(t.Context(), full, nil)
	must(t, err)
	if _, err := os.Stat(filepath.Join(dir, "place", "files")); err != nil {
		t.Error(err)
	}
	// A link to the folder of the graph is that folder.
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "graph"), link); err != nil {
		t.Skip(err)
	}
	beside, err := backup.Open(link, blob.MuxOptions{})
	must(t, err)
	if _, err := beside.Backup(t.Context(), full, nil); err == nil || !strings.Contains(err.Error(), "lost with it") {
		t.Errorf("got %v", err)
	}
}

// A store of another kind is a place too: what it needs is to put, get and list.
func TestPlaceInAStore(t *testing.T) {
	graph, want := smallGraph(t)
	far := vfs.NewMem()
	must(t, far.MkdirAll("files"))
	opt := blob.MuxOptions{FS: graph, Schemes: map[string]blob.Store{"far": farStore{blob.NewLocal(far, "")}}}
	p, err := backup.Open("far://bucket/backups", opt)
	must(t, err)
	_, err = p.Backup(t.Context(), openReadOnly(t, graph), &backup.Options{Generations: -1})
	must(t, err)
	_, err = p.Restore(t.Context(), "new/m.rete-manifest.json", nil, options(graph))
	must(t, err)
	checkRestored(t, graph, want)
	if _, err := p.Backup(t.Context(), openReadOnly(t, graph), &backup.Options{Keep: 1}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}

// farStore takes names of the form far://bucket/backups/….
type farStore struct{ blob.Store }

func farName(name string) string { return strings.TrimPrefix(name, "far://bucket/backups/") }

func (s farStore) Open(ctx context.Context, name string) (blob.Object, error) {
	return s.Store.Open(ctx, farName(name))
}

func (s farStore) ReadAll(ctx context.Context, name string, most int64) ([]byte, string, error) {
	return s.Store.ReadAll(ctx, farName(name), most)
}

func (s farStore) Put(ctx context.Context, name string, data []byte, cond blob.Cond) (string, error) {
	return s.Store.Put(ctx, farName(name), data, cond)
}

func (s farStore) Create(ctx context.Context, name string) (blob.Writer, error) {
	return s.Store.Create(ctx, farName(name))
}

func (s farStore) Remove(ctx context.Context, name string) error {
	return s.Store.Remove(ctx, farName(name))
}

func (s farStore) List(ctx context.Context, prefix string) ([]blob.Info, error) {
	return s.Store.List(ctx, farName(prefix))
}
