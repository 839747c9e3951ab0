package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/mortal"
	"github.com/rete-go/rete/internal/vfs"
)

const mortalPlace = "mem://host/graphs/"

// mortalOptions are those of a writer whose way to the store is a life, and whose journal is on
// a disk of its own.
func mortalOptions(l *mortal.Life, disk *vfs.Mem, journal bool) *engine.Options {
	o := &engine.Options{FS: disk, CacheBytes: 4 << 20, Stores: map[string]blob.Store{"mem": l}}
	if journal {
		o.Journal = "mine.changes"
	}
	return o
}

// act is what a writer is killed in.
type act struct {
	name    string
	journal bool
	do      func(ctx context.Context, db *engine.DB) error
	// change is what it does to the graph, if it is done; with a journal it is there in any case.
	change model.Entry
}

var acts = []act{
	{name: "add", change: model.Entry{Adds: numbers(100, 103), Dels: numbers(0, 2)}, do: func(ctx context.Context, db *engine.DB) error {
		_, err := db.Add(ctx, []engine.Step{{Adds: quads(numbers(100, 103)), Dels: quads(numbers(0, 2))}}, nil)
		return err
	}},
	{name: "update", change: model.Entry{Adds: numbers(100, 101), Dels: numbers(0, 1)}, do: func(ctx context.Context, db *engine.DB) error {
		_, err := db.Write(ctx, nil, func(tx *engine.Tx) error {
			return change(ctx, tx, model.Entry{Adds: numbers(100, 101), Dels: numbers(0, 1)})
		})
		return err
	}},
	{name: "seal", journal: true, change: model.Entry{Adds: numbers(100, 103), Dels: numbers(0, 2)}, do: func(ctx context.Context, db *engine.DB) error {
		_, err := db.Seal(ctx, nil)
		return err
	}},
	{name: "compact", do: func(ctx context.Context, db *engine.DB) error {
		_, err := db.Compact(ctx, nil)
		return err
	}},
	{name: "compact some", do: func(ctx context.Context, db *engine.DB) error {
		_, err := db.Compact(ctx, &engine.CompactOptions{First: 1, Count: 2})
		return err
	}},
	{name: "revert", change: model.Entry{Adds: numbers(4, 6), Dels: numbers(30, 33)}, do: func(ctx context.Context, db *engine.DB) error {
		_, err := db.Revert(ctx, 4, nil)
		return err
	}},
	{name: "collect", do: func(ctx context.Context, db *engine.DB) error {
		_, err := db.Collect(ctx, collectAfter(25*time.Hour))
		return err
	}},
}

func collectAfter(d time.Duration) *engine.CollectOptions {
	return &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return time.Now().Add(d) }}
}

// mortalGraph makes a graph with a history, of which a collection has marked what it can let go,
// and a disk with a journal that has a change.
func mortalGraph(t *testing.T) (store *mortal.Store, disk *vfs.Mem, set model.Set) {
	t.Helper()
	store, disk, set = &mortal.Store{}, vfs.NewMem(), model.Set{}
	db, err := engine.Init(t.Context(), mortalPlace+manifestName, nil, mortalOptions(&mortal.Life{Store: store}, vfs.NewMem(), false))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []model.Entry{{Adds: numbers(0, 10)}, {Adds: numbers(10, 20)}, {Adds: numbers(20, 24)}, {Adds: numbers(30, 33), Dels: numbers(4, 6)}} {
		addDB(t, db, engine.Step{Adds: quads(e.Adds), Dels: quads(e.Dels)})
		set = apply(set, e)
	}
	if _, err := db.Collect(t.Context(), collectAfter(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ChangePrefixes(t.Context(), map[string]string{"ex": "http://ex/"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	writer := mortalOpen(t, &mortal.Life{Store: store}, disk, true)
	write(t, writer, acts[2].change)
	closeDB(t, writer)
	return store, disk, set
}

func mortalOpen(t *testing.T, l *mortal.Life, disk *vfs.Mem, journal bool) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), mortalPlace+manifestName, mortalOptions(l, disk, journal))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// A writer is killed at each request of what it does, before the store has done it and after. The
// next writer opens the graph and goes on, nothing is there by half or twice, and after two
// collections with their grace between them nothing is left that is not named.
func TestKilledAtEachRequest(t *testing.T) {
	store, disk, set := mortalGraph(t)
	for _, a := range acts {
		t.Run(a.name, func(t *testing.T) {
			for _, done := range []bool{false, true} {
				kills := 0
				for at := 1; killed(t, &a, store.Clone(), disk, set, at, done) && !t.Failed(); at++ {
					kills++
				}
				if kills < 2 || t.Failed() {
					t.Fatalf("killed %d times, done %v", kills, done)
				}
				t.Logf("killed at %d requests, done %v", kills, done)
			}
		})
	}
}

// killed kills a writer at a request; false: it ended before.
func killed(t *testing.T, a *act, store *mortal.Store, disk *vfs.Mem, set model.Set, at int, done bool) bool {
	disk = disk.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
	left := disk
	life := &mortal.Life{Store: store, Last: at, Done: done, Writes: !longtest.On()}
	life.OnEnd = func() { left = disk.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone}) }
	db, err := engine.Open(t.Context(), mortalPlace+manifestName, mortalOptions(life, disk, a.journal))
	if err == nil {
		err = a.do(t.Context(), db)
		if cerr := db.Close(); cerr != nil && !life.Ended() {
			t.Error(cerr)
		}
	}
	ended := life.Ended()
	if !ended && err != nil {
		t.Errorf("not killed: %v", err)
	}
	next := mortalOpen(t, &mortal.Life{Store: store}, left, a.journal)
	defer closeDB(t, next)
	goOn(t, a, next, set, err == nil)
	report, cerr := engine.Check(t.Context(), next.Name(), nil, mortalOptions(&mortal.Life{Store: store}, left, a.journal))
	if cerr != nil || !report.OK {
		t.Errorf("check: %+v, %v", report, cerr)
	}
	collected(t, next, store)
	if t.Failed() {
		t.Errorf("killed %v at request %d, done %v: %v", ended, at, done, err)
	}
	return ended
}

// goOn writes with the next writer and checks what is visible then.
func goOn(t *testing.T, a *act, next *engine.DB, set model.Set, acknowledged bool) {
	t.Helper()
	e := model.Entry{Adds: numbers(200, 202)}
	write(t, next, e)
	if a.journal {
		seal(t, next)
	}
	with, without := apply(apply(set, a.change), e), apply(set, e)
	if acknowledged || a.journal {
		without = with
	}
	s := snapshot(t, next)
	defer s.Close()
	got := model.Set{}
	for _, q := range visible(t, s) {
		got[q] = true
	}
	if !maps.Equal(got, with) && !maps.Equal(got, without) {
		t.Errorf("got %v\nwant %v\nor   %v", got.Sorted(), with.Sorted(), without.Sorted())
	}
}

// collected collects what nobody names, with a grace between each two collections, and checks
// that nothing else is left than what the manifest and the archives of its last commits name.
func collected(t *testing.T, db *engine.DB, store *mortal.Store) {
	t.Helper()
	for i := range 3 {
		addDB(t, db, engine.Step{Adds: quads(numbers(300+i, 301+i))})
		if _, err := db.Collect(t.Context(), collectAfter(time.Duration(i)*25*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	m := db.Manifest()
	named := map[string]bool{manifestName: true, manifestName + ".gc": true}
	m.Each(func(s *manifest.SegmentRef) { named[s.URL] = true })
	for g := m.Generation - 2; g <= m.Generation; g++ { // let go since the last collection but one
		named[fmt.Sprintf("%s.g%d", manifestName, g)] = true
	}
	for _, name := range store.Names() {
		if base := path.Base(name); !named[base] {
			t.Errorf("%s is left", base)
		}
	}
	if _, err := db.Seal(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
		t.Error(err)
	}
}
