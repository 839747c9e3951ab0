package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// twoWriters is a writer with a journal, and what another process does to the same
// manifest; beside them the model of both.
type twoWriters struct {
	t  *testing.T
	fs *vfs.Mem
	a  *engine.DB

	log     []model.Entry
	known   int                 // how many entries of the log a knows
	journal map[model.Quad]bool // added or deleted, not sealed
	owned   bool                // a owns the journal
}

var twoQuads = [2]model.Quad{
	{"<http://ex/a>", "<http://ex/b>", "<http://ex/c>", ""},
	{"<http://ex/b>", "<http://ex/b>", "<http://ex/a>", "<http://ex/a>"},
}

// entry is the net changes of the journal as an entry of the log.
func (w *twoWriters) entry() (e model.Entry) {
	for q, add := range w.journal {
		if add {
			e.Adds = append(e.Adds, q)
		} else {
			e.Dels = append(e.Dels, q)
		}
	}
	return e
}

func (w *twoWriters) visible(entries int) model.Set {
	return apply(model.Fold(w.log[:entries]), w.entry())
}

// own is what the first write of a does: it reads the manifest anew.
func (w *twoWriters) own() {
	if !w.owned {
		w.owned, w.known = true, len(w.log)
	}
}

func (w *twoWriters) write(q model.Quad, add bool) {
	w.own()
	e := model.Entry{Dels: []model.Quad{q}}
	if add {
		e = model.Entry{Adds: []model.Quad{q}}
	}
	write(w.t, w.a, e)
	if w.visible(w.known)[q] != add {
		w.journal[q] = add
	}
}

func (w *twoWriters) seal() {
	w.own()
	_, err := w.a.Seal(w.t.Context(), nil)
	if len(w.journal) == 0 {
		if !errors.Is(err, engine.ErrNothingToSeal) {
			w.t.Fatalf("got %v, want nothing to seal", err)
		}
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.log = append(w.log, w.entry())
	w.known = len(w.log)
	clear(w.journal)
}

// add is another process that appends an entry.
func (w *twoWriters) add(e model.Entry) {
	b, err := engine.Open(w.t.Context(), manifestName, memOptions(w.fs))
	if err != nil {
		w.t.Fatal(err)
	}
	defer b.Close()
	_, err = b.Add(w.t.Context(), []engine.Step{{Adds: quads(e.Adds), Dels: quads(e.Dels)}}, nil)
	if w.owned && len(w.journal) > 0 {
		if !errors.Is(err, engine.ErrOwned) {
			w.t.Fatalf("got %v, want that the journal is owned", err)
		}
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if len(w.journal) > 0 {
		w.log = append(w.log, w.entry())
		clear(w.journal)
	}
	w.log = append(w.log, e)
}

func (w *twoWriters) refresh() {
	if _, err := w.a.Refresh(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.known = len(w.log)
}

func (w *twoWriters) reopen() {
	if err := w.a.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

func (w *twoWriters) open() {
	var err error
	if w.a, err = engine.Open(w.t.Context(), manifestName, memOptions(w.fs)); err != nil {
		w.t.Fatal(err)
	}
	w.owned, w.known = false, len(w.log)
}

func (w *twoWriters) compact() {
	if _, err := w.a.Compact(w.t.Context(), nil); err != nil {
		if !errors.Is(err, engine.ErrCompact) {
			w.t.Fatal(err)
		}
		return
	}
	w.log = []model.Entry{{Adds: model.Fold(w.log).Sorted()}}
	w.known = 1
}

// steps are what can happen next.
var steps = []struct {
	name string
	do   func(w *twoWriters)
}{
	{"insert 1", func(w *twoWriters) { w.write(twoQuads[0], true) }},
	{"delete 1", func(w *twoWriters) { w.write(twoQuads[0], false) }},
	{"insert 2", func(w *twoWriters) { w.write(twoQuads[1], true) }},
	{"seal", (*twoWriters).seal},
	{"add 1", func(w *twoWriters) { w.add(model.Entry{Adds: twoQuads[:1]}) }},
	{"add -1 +2", func(w *twoWriters) { w.add(model.Entry{Dels: twoQuads[:1], Adds: twoQuads[1:]}) }},
	{"refresh", (*twoWriters).refresh},
	{"reopen", (*twoWriters).reopen},
	{"compact", (*twoWriters).compact},
}

func runSteps(t *testing.T, list []int) {
	t.Helper()
	w := &twoWriters{t: t, fs: vfs.NewMem(), journal: map[model.Quad]bool{}}
	db, err := engine.Init(t.Context(), manifestName, nil, memOptions(w.fs))
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	w.open()
	names := make([]string, 0, len(list))
	for _, i := range list {
		names = append(names, steps[i].name)
		steps[i].do(w)
		s, err := w.a.Snapshot(t.Context())
		if err != nil {
			t.Fatalf("%v: %v", names, err)
		}
		got, want := visible(t, s), w.visible(w.known).Sorted()
		unsealed := s.Unsealed()
		s.Close()
		if !w.owned && w.known < len(w.log) {
			continue // it may know more than the model says, or not
		}
		if !slices.Equal(got, want) || (unsealed > 0) != (len(w.journal) > 0) {
			t.Fatalf("%v: the writer sees %v, want %v; %d unsealed, %v", names, got, want, unsealed, maps.Collect(maps.All(w.journal)))
		}
	}
	final := w.visible(len(w.log)).Sorted()
	w.reopen()
	for _, opt := range []engine.Options{{FS: w.fs, ReadOnly: true}, {FS: w.fs, Writer: true}} {
		w.a.Close()
		db, err := engine.Open(t.Context(), manifestName, &opt)
		if err != nil {
			t.Fatalf("%v: %v", names, err)
		}
		s, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatalf("%v: %v", names, err)
		}
		if got := visible(t, s); !slices.Equal(got, final) {
			t.Fatalf("%v: in the end %v, want %v", names, got, final)
		}
		s.Close()
		db.Close()
	}
}

// All short sequences of what a writer and another process do on two quads, and
// some long ones: the final state is the one that the order of acknowledgements
// allows.
func TestSequences(t *testing.T) {
	all, random := 3, 300
	if testing.Short() {
		all, random = 2, 100
	}
	var list []int
	var walk func()
	walk = func() {
		if len(list) > 0 {
			runSteps(t, list)
		}
		if len(list) == all {
			return
		}
		for i := range steps {
			list = append(list, i)
			walk()
			list = list[:len(list)-1]
		}
	}
	walk()
	r := rand.New(rand.NewPCG(4, 4))
	for i := range random {
		list := make([]int, 7)
		for j := range list {
			list[j] = r.IntN(len(steps))
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) { runSteps(t, list) })
	}
}

// A dump before a seal, after it, and after a restart is the same, byte by byte.
func TestSealKeepsDumps(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 6))
		m := vfs.NewMem()
		db := initDB(t, m)
		shape := model.Shape{Terms: 20, Entries: 1, Quads: 40, Graphs: 3}
		for range 1 + r.IntN(5) {
			write(t, db, randomEntry(r, shape))
		}
		before := dump(t, db)
		seal(t, db)
		if after := dump(t, db); after != before {
			t.Fatalf("seed %d: after the seal\n%s\nbefore\n%s", seed, after, before)
		}
		closeDB(t, db)
		if after := dump(t, openDB(t, m)); after != before {
			t.Fatalf("seed %d: after a restart\n%s\nbefore\n%s", seed, after, before)
		}
	}
}

func dump(t *testing.T, db *engine.DB) string {
	t.Helper()
	var list []model.Quad
	if err := snapshot(t, db).SortedQuads(t.Context(), collect(&list)); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, q := range list {
		fmt.Fprintln(&b, strings.Join(q[:], " "))
	}
	return b.String()
}
