package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// TestInheritedViews goes through random sequences of writes, seals, compactions, adds
// and reopenings. A generation goes on from what the previous one knew, so before each
// step some orders are asked for. After it, scans, counts and look-ups are as the model
// says, and so are dumps and differences, of the writer, of a reader that follows it, and
// of one that knows nothing. Readers of older states go on meanwhile.
func TestInheritedViews(t *testing.T) {
	seeds := longtest.Pick[uint64](4, 24)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			newGenerations(t, seed).run(longtest.Pick(20, 40))
		})
	}
}

// generations is a database and what its states must show.
type generations struct {
	t        *testing.T
	label    string
	r        *rand.Rand
	fs       vfs.FS
	cache    int64
	opt      engine.AddOptions
	db       *engine.DB
	follower *engine.DB
	shape    model.Shape
	words    []string
	set      model.Set
	fresh    []model.Quad        // that were added with terms of their own
	sets     map[int64]model.Set // by generation
	foreign  int                 // segments of another program
	readers  sync.WaitGroup
}

func newGenerations(t *testing.T, seed uint64) *generations {
	h := &generations{t: t, r: rand.New(rand.NewPCG(seed, 19)), fs: vfs.NewMem(), set: model.Set{}, sets: map[int64]model.Set{}}
	initDB(t, h.fs).Close()
	h.cache = []int64{4 << 20, 4 << 20, 4 << 10, 32 << 10}[seed%4] // not all layers have room in memory
	h.db = h.open(false)
	h.shape = model.Shape{Terms: 8 + h.r.IntN(24), Entries: 1, Quads: 1 + h.r.IntN(20), Graphs: h.r.IntN(4)}
	h.words = model.Vocabulary(h.shape.Terms)
	for i := range 30 {
		for _, kind := range []string{"n", "q", "h"} {
			h.words = append(h.words, fmt.Sprintf("<http://ex/%s%d>", kind, i))
		}
	}
	large := h.shape
	large.Quads = 40 * large.Quads
	h.label = fmt.Sprintf("seed %d, base", seed)
	h.opt.Build.Orders = []int{6, 3, 6}[seed%3]
	h.add(randomEntry(h.r, large).Adds, nil)
	h.follower = h.open(true)
	t.Cleanup(h.readers.Wait)
	return h
}

func (h *generations) open(readOnly bool) *engine.DB {
	opt := memOptions(h.fs)
	opt.ReadOnly, opt.CacheBytes = readOnly, h.cache
	db, err := engine.Open(h.t.Context(), manifestName, opt)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { closeDB(h.t, db) })
	return db
}

func (h *generations) add(adds, dels []model.Quad) {
	if _, err := h.db.Add(h.t.Context(), []engine.Step{{Adds: quads(adds), Dels: quads(dels)}}, &h.opt); err != nil {
		h.t.Fatal(err)
	}
	h.set = apply(h.set, model.Entry{Adds: adds, Dels: dels})
}

// addForeign adds segments of another program, which spells terms in several ways.
func (h *generations) addForeign(e model.Entry) {
	source := func(list []model.Quad) *engine.Source {
		if len(list) == 0 {
			return nil
		}
		h.foreign++
		rows := make([][4]string, len(list))
		for i, q := range list {
			rows[i] = [4]string{model.Respell(h.r, q[0]), q[1], model.Respell(h.r, q[2]), q[3]}
		}
		data, _ := segtest.Build(h.t, rows, &segment.WriterOptions{Plain: true})
		name := path.Join(path.Dir(manifestName), fmt.Sprintf("foreign%d.rete", h.foreign))
		if _, err := vfs.WriteFile(h.fs, name, data, h.fs.Rename); err != nil {
			h.t.Fatal(err)
		}
		return &engine.Source{Name: name}
	}
	addDB(h.t, h.db, engine.Step{Adds: source(e.Adds), Dels: source(e.Dels)})
	h.set = apply(h.set, e)
}

func (h *generations) run(steps int) {
	for step := range steps {
		h.label = fmt.Sprintf("%s, step %d", h.t.Name(), step)
		h.warm(h.db)
		h.warm(h.follower)
		if h.r.IntN(3) == 0 {
			h.readOn()
		}
		h.step()
		h.check(snapshot(h.t, h.db))
		if _, err := h.follower.Refresh(h.t.Context()); err != nil {
			h.t.Fatalf("%s: %v", h.label, err)
		}
		if h.r.IntN(3) > 0 {
			h.check(snapshot(h.t, h.follower))
		}
	}
	h.readers.Wait()
}

// step changes the database.
func (h *generations) step() {
	compact := func(opt *engine.CompactOptions) {
		if _, err := h.db.Compact(h.t.Context(), opt); err != nil && !errors.Is(err, engine.ErrCompact) {
			h.t.Fatalf("%s: %v", h.label, err)
		}
	}
	switch k := h.r.IntN(16); {
	case k < 7:
		e := h.entry()
		write(h.t, h.db, e)
		if h.set = apply(h.set, e); k == 0 {
			h.seal() // before anybody has read it
		}
	case k < 11:
		h.seal()
	case k == 11:
		e := h.entry()
		if h.r.IntN(2) == 0 {
			h.addForeign(e)
			break
		}
		h.add(e.Adds, e.Dels)
	case k < 15:
		if n := len(h.db.Manifest().Log); n > 2 {
			first := 1 + h.r.IntN(n-2)
			opt := &engine.CompactOptions{First: first, Count: 1 + h.r.IntN(n-first)}
			var sealer sync.WaitGroup
			if k == 14 {
				sealer.Go(func() { h.db.Seal(h.t.Context(), nil) })
			}
			compact(opt)
			sealer.Wait()
		}
	default:
		compact(nil)
	}
	s := snapshot(h.t, h.db)
	if s.Unsealed() == 0 {
		h.sets[s.Generation()] = h.set
	}
	s.Close()
}

// entry returns random changes.
func (h *generations) entry() model.Entry {
	e := randomEntry(h.r, h.shape)
	if h.r.IntN(2) == 0 { // terms and names that are new, and may go again
		name := func(kind string) string { return fmt.Sprintf("<http://ex/%s%d>", kind, h.r.IntN(30)) }
		q := model.Quad{name("n"), name("q"), name("n"), name("h")}
		if h.r.IntN(2) == 0 {
			q[0], q[2] = h.words[0], h.words[1]
		}
		h.fresh = append(h.fresh, q)
		e.Adds = append(e.Adds, h.fresh[len(h.fresh)-1])
	} else if n := len(h.fresh); n > 0 {
		e.Dels = append(e.Dels, h.fresh[n-1])
		h.fresh = h.fresh[:n-1]
	}
	return e
}

// seal seals the journal, while a writer goes on.
func (h *generations) seal() {
	e := randomEntry(h.r, h.shape)
	var writer sync.WaitGroup
	if h.r.IntN(2) == 0 {
		writer.Go(func() { write(h.t, h.db, e) })
		h.set = apply(h.set, e)
	}
	if _, err := h.db.Seal(h.t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
		h.t.Fatalf("%s: %v", h.label, err)
	}
	writer.Wait()
}

// warm scans and counts some of the graph.
func (h *generations) warm(db *engine.DB) {
	s := snapshot(h.t, db)
	for range h.r.IntN(6) {
		h.read(s.View, dataset.Order(h.r.IntN(6)), h.r.IntN(2) == 0)
	}
	s.Close()
}

func (h *generations) read(v engine.View, o dataset.Order, count bool) {
	g := dataset.Graphs{}
	if o%2 == 0 {
		g.Mode = dataset.Each
	}
	if count {
		if _, err := v.Count(context.Background(), dataset.Pattern{G: g}); err != nil {
			h.t.Error(err)
		}
		return
	}
	c, err := v.Scan(context.Background(), dataset.Pattern{G: g}, o, nil)
	var b dataset.Batch
	for err == nil {
		err = c.Next(context.Background(), &b)
	}
}

// readOn reads the state as it is now from another goroutine.
func (h *generations) readOn() {
	s, err := h.db.Snapshot(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	set, r := h.set, rand.New(rand.NewPCG(h.r.Uint64(), 0))
	h.readers.Go(func() {
		defer s.Close()
		for range 4 {
			h.read(s.View, dataset.Order(r.IntN(6)), false)
			if n, err := s.Len(context.Background()); err != nil || n != uint64(len(set)) {
				h.t.Errorf("%d quads, %v, want %d", n, err, len(set))
			}
		}
	})
}

// check compares a state with the model, and with that of a reader that knows nothing.
func (h *generations) check(s *engine.Snapshot) {
	defer s.Close()
	viewtest.CheckView(h.t, s.View, []model.Entry{{Adds: h.set.Sorted()}}, h.words, h.r, h.label)
	fresh := h.open(true)
	defer fresh.Close()
	var got, want []model.Quad
	for db, to := range map[*engine.Snapshot]*[]model.Quad{s: &got, snapshot(h.t, fresh): &want} {
		if err := quadtest.Each(db.SortedQuads(h.t.Context()), collect(to)); err != nil {
			h.t.Fatalf("%s: %v", h.label, err)
		}
	}
	if !slices.Equal(got, want) {
		h.t.Fatalf("%s: dumped %v, a new reader %v", h.label, got, want)
	}
	for g, then := range h.sets {
		h.difference(g, then)
		break
	}
}

// difference compares a difference with that of the sets.
func (h *generations) difference(generation int64, then model.Set) {
	got, want := model.Set{}, model.Set{}
	now := h.set
	err := eachChange(h.db.Diff(h.t.Context(), generation, engine.Now), func(added bool, q *rdf.RawQuad) error {
		m := model.Quad{string(q.S), string(q.P), string(q.O), string(q.G)}
		if got[m] || now[m] != added || then[m] == added {
			return fmt.Errorf("%v is added: %v", m, added)
		}
		got[m] = true
		return nil
	})
	for _, pair := range [][2]model.Set{{then, now}, {now, then}} {
		for q := range pair[0] {
			if !pair[1][q] {
				want[q] = true
			}
		}
	}
	if err != nil || !slices.Equal(got.Sorted(), want.Sorted()) {
		h.t.Fatalf("%s: the difference to generation %d is %v, %v, want %v", h.label, generation, got.Sorted(), err, want.Sorted())
	}
}
