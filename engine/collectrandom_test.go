package engine_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

var folderSeeds = flag.Int("folder.seeds", 0, "random folders of several graphs that are collected")

// Whatever is done to the graphs of a folder, every generation of every graph that its
// own collections let stay can be read, and is what it was.
func TestCollectFolders(t *testing.T) {
	for seed := range uint64(cmp.Or(*folderSeeds, longtest.Pick(8, 40))) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := &folderWorld{r: rand.New(rand.NewPCG(seed, 11)), m: vfs.NewMem(), now: time.Now(), graphs: map[string]*folderGraph{}}
			for _, dir := range []string{"sub", "other", "other/sub"} {
				if err := w.m.MkdirAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			for w.step = range 60 {
				w.change(t)
			}
			w.check(t)
			w.clean(t)
			for name, g := range w.graphs {
				closeDB(t, g.db)
				report, err := engine.Check(t.Context(), name, nil, memOptions(w.m))
				if err != nil || !report.OK {
					t.Errorf("%s: %+v, %v", name, report, err)
				}
			}
			if t.Failed() {
				t.Log(strings.Join(w.log, "\n"))
			}
		})
	}
}

// folderWorld is two folders with graphs. Those of one folder share its segments, and
// those of a folder below, but nothing of the other folder: what is there they cannot see.
type folderWorld struct {
	r      *rand.Rand
	m      *vfs.Mem
	now    time.Time
	graphs map[string]*folderGraph // by manifest
	step   int
	log    []string
}

type folderGraph struct {
	db     *engine.DB
	states map[int64]model.Set // of generations
	oldest int64               // that stays
}

func (w *folderWorld) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%d: ", w.step)+fmt.Sprintf(format, args...))
}

// pick returns a graph, "" if there is none.
func (w *folderWorld) pick() (string, *folderGraph) {
	if len(w.graphs) == 0 {
		return "", nil
	}
	names := slices.Sorted(maps.Keys(w.graphs))
	name := names[w.r.IntN(len(names))]
	return name, w.graphs[name]
}

// segments lists the segments of the folder of a manifest, and of the one below.
func (w *folderWorld) segments(t *testing.T, manifest string) (out []string) {
	t.Helper()
	for _, dir := range []string{path.Dir(manifest), path.Join(path.Dir(manifest), "sub")} {
		entries, err := w.m.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".rete") && !e.IsDir() {
				out = append(out, path.Join(dir, e.Name()))
			}
		}
	}
	return out
}

// content returns the quads of a segment.
func (w *folderWorld) content(t *testing.T, name string) model.Set {
	t.Helper()
	db, err := engine.Open(t.Context(), name, memOptions(w.m))
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return model.Fold([]model.Entry{{Adds: visible(t, s)}})
}

func (w *folderWorld) quads() []model.Quad {
	var out []model.Quad
	for range 1 + w.r.IntN(3) {
		out = append(out, nthQuad(w.r.IntN(12)))
	}
	return out
}

// change does one thing to the folder.
func (w *folderWorld) change(t *testing.T) {
	ctx := t.Context()
	name, g := w.pick()
	if g == nil || len(w.graphs) < 5 && w.r.IntN(8) == 0 {
		w.init(t)
		return
	}
	set := g.states[g.db.Manifest().Generation]
	var m *manifest.Manifest
	var err error
	switch k := w.r.IntN(20); {
	case k < 4:
		e := model.Entry{Adds: w.quads(), Dels: w.quads()}
		write(t, g.db, e)
		set = apply(set, e)
		m, err = g.db.Seal(ctx, nil)
		w.note("write and seal %s", name)
	case k < 6:
		from := w.segments(t, name)
		if len(from) == 0 {
			return
		}
		base := from[w.r.IntN(len(from))]
		set = apply(set, model.Entry{Adds: w.content(t, base).Sorted()})
		m, err = g.db.Add(ctx, []engine.Step{{Adds: &engine.Source{Name: base}}}, nil)
		w.note("add %s to %s", base, name)
	case k < 10:
		opt := &engine.CompactOptions{}
		if n := len(g.db.Manifest().Log); n > 1 && w.r.IntN(2) == 0 {
			opt.First = w.r.IntN(n)
		}
		switch w.r.IntN(4) {
		case 0:
			opt.Dir = path.Join(path.Dir(name), "sub")
		case 1:
			opt.Out = path.Join(path.Dir(name), fmt.Sprintf("out%d.rete", w.step))
		}
		m, err = g.db.Compact(ctx, opt)
		w.note("compact %s %+v", name, *opt)
	case k < 11:
		to := g.oldest + w.r.Int64N(g.db.Manifest().Generation-g.oldest+1)
		if g.states[to] == nil {
			return
		}
		set = g.states[to]
		m, err = g.db.Revert(ctx, to, nil)
		w.note("revert %s to %d", name, to)
	case k < 12:
		w.copyManifest(t, name)
		return
	case k < 13:
		w.note("remove %s", name)
		closeDB(t, g.db)
		delete(w.graphs, name)
		if err := w.m.Remove(name); err != nil {
			t.Fatal(err)
		}
		return
	default:
		w.collect(t, name, g)
		return
	}
	if errors.Is(err, engine.ErrCompact) || errors.Is(err, engine.ErrNothingToSeal) {
		return
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(w.log, "\n"))
	}
	g.states[m.Generation] = set
}

// init makes a graph, of segments that lie about, needed or not.
func (w *folderWorld) init(t *testing.T) {
	file := []string{"a.rete-manifest.json", "schema.json", "b", "c.db", "c.db.json", "other/a.json"}[w.r.IntN(6)]
	opt := &engine.InitOptions{Name: []string{"a", "b", "a-g1"}[w.r.IntN(3)]}
	set := model.Set{}
	for _, s := range w.segments(t, file) {
		if w.r.IntN(4) == 0 {
			opt.Bases = append(opt.Bases, engine.Source{Name: s})
			set = apply(set, model.Entry{Adds: w.content(t, s).Sorted()})
		}
	}
	db, err := engine.Init(t.Context(), file, opt, memOptions(w.m))
	if err != nil {
		return // it is there already, or its archives are
	}
	w.note("init %s as %s of %v", file, opt.Name, opt.Bases)
	w.graphs[file] = &folderGraph{db: db, states: map[int64]model.Set{1: set}, oldest: 1}
}

// copyManifest copies a manifest's file, as people do before they try something.
func (w *folderWorld) copyManifest(t *testing.T, name string) {
	to := path.Join(path.Dir(name), fmt.Sprintf("copy%d-%s", w.step, path.Base(name)))
	text, err := vfs.ReadFile(w.m, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vfs.WriteFile(w.m, to, text, w.m.RenameNew); err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(t.Context(), to, memOptions(w.m))
	if err != nil {
		t.Fatal(err)
	}
	w.note("copy %s", name)
	at := db.Manifest().Generation
	w.graphs[to] = &folderGraph{db: db, states: map[int64]model.Set{at: w.graphs[name].states[at]}, oldest: at}
}

func (w *folderWorld) collect(t *testing.T, name string, g *folderGraph) {
	w.now = w.now.Add(time.Duration(w.r.IntN(30)) * time.Hour)
	opt := &engine.CollectOptions{Keep: w.r.IntN(4), Yes: w.r.IntN(5) > 0, Now: func() time.Time { return w.now }}
	if w.r.IntN(2) == 0 {
		opt.Grace = time.Nanosecond
	}
	if w.r.IntN(4) == 0 {
		opt.OlderThan = time.Duration(w.r.IntN(40)) * time.Hour
	}
	c, err := g.db.Collect(t.Context(), opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(w.log, "\n"))
	}
	w.note("collect %s: %+v", name, *c)
	if opt.Yes {
		g.oldest = max(g.oldest, c.Oldest)
	}
	if c.Deleted > 0 {
		w.check(t)
	}
}

// clean collects what there is to collect: no segment stays that nothing names, if one
// graph alone gives such names.
func (w *folderWorld) clean(t *testing.T) {
	for i := range 6 { // what one lets go the next can mark
		for name, g := range w.graphs {
			w.now = w.now.Add(48 * time.Hour)
			if _, err := g.db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return w.now }}); err != nil {
				t.Fatal(name, err)
			}
			write(t, g.db, model.Entry{Adds: []model.Quad{nthQuad(i)}, Dels: []model.Quad{nthQuad(i + 1)}})
			m, err := g.db.Seal(t.Context(), nil)
			if errors.Is(err, engine.ErrNothingToSeal) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			set := apply(g.states[m.Generation-1], model.Entry{Adds: []model.Quad{nthQuad(i)}, Dels: []model.Quad{nthQuad(i + 1)}})
			g.states[m.Generation], g.oldest = set, m.Generation-1
		}
	}
	w.check(t)
	for _, dir := range []string{".", "other"} {
		named, givers := map[string]bool{}, map[string]int{} // by graph name: manifests
		entries, err := w.m.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			text, err := vfs.ReadFile(w.m, path.Join(dir, e.Name()), 1<<20)
			if err != nil {
				continue
			}
			m, err := manifest.Parse(text)
			if err != nil {
				continue
			}
			for _, entry := range m.Log {
				for _, s := range []*manifest.SegmentRef{entry.Adds, entry.Dels} {
					if s != nil {
						named[s.URL] = true
					}
				}
			}
			if g := w.graphs[path.Join(dir, e.Name())]; g != nil || !strings.Contains(e.Name(), ".g") {
				givers[m.Name]++
			} else if base := e.Name()[:strings.LastIndex(e.Name(), ".g")]; w.graphs[path.Join(dir, base)] == nil {
				givers[m.Name] += 2 // left by a manifest that was removed
			}
		}
		for _, e := range entries {
			for name, n := range givers {
				if n == 1 && strings.HasPrefix(e.Name(), name+"-g") && strings.HasSuffix(e.Name(), ".rete") && !named[e.Name()] &&
					strings.Count(strings.TrimPrefix(e.Name(), name+"-g"), "-") == 2 {
					t.Errorf("%s/%s is left", dir, e.Name())
				}
			}
		}
	}
}

// check reads every generation that stays, of every graph.
func (w *folderWorld) check(t *testing.T) {
	t.Helper()
	for name, g := range w.graphs {
		for generation, want := range g.states {
			if generation < g.oldest {
				continue
			}
			s, err := g.db.At(t.Context(), generation)
			if err != nil {
				t.Fatalf("generation %d of %s: %v\n%s", generation, name, err, strings.Join(w.log, "\n"))
			}
			if got := visible(t, s); !slices.Equal(got, want.Sorted()) {
				t.Fatalf("generation %d of %s: got %v, want %v\n%s", generation, name, got, want.Sorted(), strings.Join(w.log, "\n"))
			}
			s.Close()
		}
	}
}
