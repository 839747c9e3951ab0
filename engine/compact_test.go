package engine_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

func modelSteps(log []model.Entry) []engine.Step {
	var steps []engine.Step
	for _, e := range log {
		steps = append(steps, engine.Step{Adds: quads(e.Adds), Dels: quads(e.Dels)})
	}
	return steps
}

// Whatever run of a log is compacted, the graph stays, older generations stay
// readable, and a compaction of the whole afterwards gives the same bytes.
func TestCompactAgainstModel(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 11))
		log := model.Log(r, model.Shape{Terms: 8 + r.IntN(10), Entries: 5})
		want := model.Fold(log)
		var hash [16]byte
		for try := range 4 {
			m := vfs.NewMem()
			db := initDB(t, m)
			addDB(t, db, modelSteps(log)...)
			n := len(db.Manifest().Log)
			if try > 0 { // partial ones first
				first := r.IntN(n)
				opt := &engine.CompactOptions{First: first, Count: 1 + r.IntN(n-first)}
				got, err := db.Compact(t.Context(), opt)
				if err != nil && !errors.Is(err, engine.ErrCompact) {
					t.Fatal(err)
				}
				if err == nil && len(got.Log) > n-opt.Count+1 {
					t.Errorf("%d entries after compacting %d of %d", len(got.Log), opt.Count, n)
				}
				checkVisible(t, snapshot(t, db), want)
			}
			got, err := db.Compact(t.Context(), nil)
			if err != nil && !errors.Is(err, engine.ErrCompact) {
				t.Fatal(err)
			}
			if err != nil {
				got = db.Manifest()
			}
			checkVisible(t, snapshot(t, db), want)
			if len(got.Log) != 1 || got.Log[0].Dels != nil {
				t.Fatalf("got a log of %d entries", len(got.Log))
			}
			if try == 0 {
				hash = got.Log[0].Adds.Hash
			}
			if got.Log[0].Adds.Hash != hash {
				t.Errorf("seed %d, try %d: other bytes for the same graph", seed, try)
			}
			if _, err := db.Compact(t.Context(), nil); !errors.Is(err, engine.ErrCompact) {
				t.Errorf("a second time: got %v, want ErrCompact", err)
			}
			old, err := db.At(t.Context(), 2)
			if err != nil {
				t.Fatal(err)
			}
			checkVisible(t, old, want)
			old.Close()
			if err := eachChange(db.Diff(t.Context(), 2, got.Generation), func(bool, *rdf.RawQuad) error {
				return errors.New("a compaction changed the graph")
			}); err != nil {
				t.Error(err)
			}
			if s, err := db.Status(t.Context(), nil); err != nil || !s.Verified {
				t.Errorf("status: %+v, %v", s, err)
			}
		}
	}
}

func TestCompactDetails(t *testing.T) {
	m := vfs.NewMem()
	if err := m.MkdirAll("out"); err != nil {
		t.Fatal(err)
	}
	db := initDB(t, m)
	if _, err := db.Compact(t.Context(), nil); !errors.Is(err, engine.ErrCompact) {
		t.Errorf("empty log: got %v, want ErrCompact", err)
	}
	addDB(t, db, engine.Step{Adds: doc("<http://e/a> <http://e/p> <http://e/b> .")}, engine.Step{Adds: doc("<http://e/b> <http://e/p> <http://e/c> .")})
	for _, opt := range []*engine.CompactOptions{{First: 3}, {First: -1}, {First: 1, Count: 2}} {
		if _, err := db.Compact(t.Context(), opt); err == nil || errors.Is(err, engine.ErrCompact) {
			t.Errorf("%+v: got %v, want an error that names the entries", opt, err)
		}
	}
	got, err := db.Compact(t.Context(), &engine.CompactOptions{Out: "out/all.rete"})
	if err != nil || got.Log[0].Adds.URL != "out/all.rete" {
		t.Errorf("got %v, %v, want out/all.rete", got, err)
	}
	addDB(t, db, engine.Step{Adds: doc("<http://e/c> <http://e/p> <http://e/d> .")})
	if _, err := db.Compact(t.Context(), &engine.CompactOptions{Out: "out/all.rete"}); err == nil {
		t.Error("a file was written over")
	}
	if n := len(visible(t, snapshot(t, db))); n != 3 {
		t.Errorf("got %d quads, want 3", n)
	}
	got, err = db.Compact(t.Context(), &engine.CompactOptions{Dir: "out"})
	if err != nil || !strings.HasPrefix(got.Log[0].Adds.URL, "out/g-g") {
		t.Errorf("got %v, %v, want a name in out", got, err)
	}
	// All quads deleted: the log becomes empty.
	addDB(t, db, engine.Step{Dels: &engine.Source{Name: got.Log[0].Adds.URL}})
	if got, err = db.Compact(t.Context(), nil); err != nil || len(got.Log) != 0 {
		t.Errorf("got %v, %v, want an empty log", got, err)
	}
	if n := len(visible(t, snapshot(t, db))); n != 0 {
		t.Errorf("got %d quads, want none", n)
	}
}

// Others commit while a compaction runs: what they append stays; if they take
// away what was compacted the compaction is dropped and leaves nothing behind.
func TestCompactMeetsOthers(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	addDB(t, db, engine.Step{Adds: doc("<http://e/a> <http://e/p> <http://e/b> .")}, engine.Step{Adds: doc("<http://e/b> <http://e/p> <http://e/c> .")})
	during := func(change manifest.Change) error {
		once := false
		opt := &engine.CompactOptions{}
		opt.Now = nil
		opt.Rand = readerFunc(func(p []byte) (int, error) { // called when the commit begins
			if !once {
				once = true
				if _, err := manifesttest.Open(t, m, manifestName).Commit(t.Context(), nil, change); err != nil {
					t.Error(err)
				}
			}
			for i := range p {
				p[i] = byte(rand.Uint32())
			}
			return len(p), nil
		})
		_, err := db.Compact(t.Context(), opt)
		return err
	}
	first := db.Manifest().Log[0]
	if err := during(func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		cur.Log = append(cur.Log, manifest.Entry{Dels: first.Adds})
		return cur, nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := visible(t, snapshot(t, db)); len(got) != 1 || len(db.Manifest().Log) != 2 {
		t.Errorf("got %v in %d entries, want one quad in 2", got, len(db.Manifest().Log))
	}
	before := names(t, m)
	if err := during(func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		cur.Log = nil
		return cur, nil
	}); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	left := slices.DeleteFunc(names(t, m), func(n string) bool { return slices.Contains(before, n) || strings.Contains(n, "json.g") })
	if len(left) > 0 {
		t.Errorf("a dropped compaction left %v", left)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The machine stops at every point of a compaction: the graph is the same.
func TestCompactCrash(t *testing.T) {
	for k := 1; ; k++ {
		m := vfs.NewMem()
		cut := vfs.NewPowerCut(m, k, 4)
		db := initDB(t, cut.FS)
		addDB(t, db, engine.Step{Adds: doc(many(20))}, engine.Step{Dels: doc(many(5))})
		want := visible(t, snapshot(t, db))
		cut.Arm(true)
		_, err := db.Compact(t.Context(), nil)
		if !cut.Arm(false) {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		if err == nil {
			t.Errorf("k = %d: no error", k)
		}
		for i, state := range cut.States {
			db := openDB(t, state)
			if got := visible(t, snapshot(t, db)); !slices.Equal(got, want) {
				t.Fatalf("k = %d, state %d: got %d quads, want %d", k, i, len(got), len(want))
			}
			if s, err := db.Status(t.Context(), nil); err != nil || !s.Verified {
				t.Fatalf("k = %d, state %d: %+v, %v", k, i, s, err)
			}
		}
	}
}

// Metadata that the one segment of the log does not have is a reason to compact.
func TestCompactForMetadata(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	addDB(t, db, engine.Step{Adds: doc("<http://e/a> <http://e/p> <http://e/b> .")})
	opt := &engine.CompactOptions{}
	opt.Fold.Metadata = []byte(`{"title":"a graph"}`)
	for i, want := range []error{nil, engine.ErrCompact} {
		if _, err := db.Compact(t.Context(), opt); !errors.Is(err, want) {
			t.Errorf("round %d: got %v, want %v", i, err, want)
		}
	}
	if _, err := db.Compact(t.Context(), nil); !errors.Is(err, engine.ErrCompact) {
		t.Errorf("without metadata: got %v", err)
	}
}
