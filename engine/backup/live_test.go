package backup_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// A segment is collected between the moment in which the backup reads the manifest and the
// one in which it opens the segment: the backup begins again with the newer state.
func TestCollectionBesideBackup(t *testing.T) {
	m := vfs.NewMem()
	db := newGraph(t, m, graphName)
	must(t, write(t.Context(), db, []int{1, 2, 3}, nil))
	seal(t, db)
	must(t, write(t.Context(), db, []int{4}, []int{1}))
	seal(t, db)
	rounds := 0
	fault := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpOpen && strings.HasPrefix(c.Name, "graph/m-g") && rounds < 3 {
			rounds++
			must(t, write(t.Context(), db, []int{10 + rounds}, nil))
			seal(t, db)
			compact(t, db)
			collect(t, db, 1)
		}
		return nil
	})
	beside, err := engine.Open(t.Context(), graphName, &engine.Options{FS: fault, ReadOnly: true})
	must(t, err)
	defer beside.Close()
	result := backUp(t, m, beside, nil)
	if result.Began != 4 || result.Generation <= 3 {
		t.Errorf("%+v", result)
	}
	got, _ := restore(t, m, "new/m.rete-manifest.json", "")
	sameGraph(t, got, db, result.Generation)
}

// The first change of a graph is written and sealed before each operation of a backup in
// turn: its journal, which is not there at first, is not taken for a lost one.
func TestFirstSealBesideBackup(t *testing.T) {
	for k, reached := 1, true; reached; k++ {
		m := vfs.NewMem()
		db := newGraph(t, m, graphName)
		calls := 0
		fault := vfs.NewFault(m, func(vfs.Call) error {
			if calls++; calls == k {
				must(t, write(t.Context(), db, []int{1}, nil))
				seal(t, db)
			}
			return nil
		})
		beside, err := engine.Open(t.Context(), graphName, &engine.Options{FS: fault, ReadOnly: true})
		must(t, err)
		result, err := place(t, m).Backup(t.Context(), beside, nil)
		if err != nil {
			t.Fatalf("before operation %d: %v", k, err)
		}
		if reached = calls >= k; !reached && k < 10 {
			t.Fatalf("a backup has %d operations", calls)
		}
		got, _ := restore(t, m, "new/m.rete-manifest.json", "")
		if n := len(linesNow(t, got)); n > 1 || n == 0 && result.Generation > 1 {
			t.Errorf("before operation %d: generation %d, %d quads", k, result.Generation, n)
		}
		must(t, beside.Close())
	}
}

// An older generation is collected meanwhile: the history of the backup ends before it.
func TestCollectionOfHistory(t *testing.T) {
	m := vfs.NewMem()
	db := newGraph(t, m, graphName)
	for i := range 5 {
		_, err := db.Add(t.Context(), []engine.Step{{Adds: doc(i, i+1)}}, nil)
		must(t, err)
		compact(t, db)
	}
	// The segment of generation 3, of which no newer one has use, is gone while its archive
	// is still there: what a collection that was interrupted leaves.
	old, err := db.At(t.Context(), 3)
	must(t, err)
	must(t, old.Close())
	file, err := manifest.Open(graphName, blob.MuxOptions{FS: m})
	must(t, err)
	third, err := file.ReadGeneration(t.Context(), 3)
	must(t, err)
	must(t, m.Remove("graph/"+third.Log[0].Adds.URL))
	result := backUp(t, m, db, &backup.Options{Generations: -1})
	if oldest := result.Generation - int64(result.Generations) + 1; oldest <= 3 || oldest > 5 {
		t.Errorf("the backup has generations %d to %d", oldest, result.Generation)
	}
	got, _ := restore(t, m, "new/m.rete-manifest.json", "")
	sameGraph(t, got, db, result.Generation, result.Generation-1)
}

// Under write load with seals, compactions and collections each backup is a state that was
// there: the writer only ever adds the next number and removes the one ten before it. Its
// generation is what it was when the writer committed it.
func TestBackupUnderLoad(t *testing.T) {
	const window = 10
	backups := longtest.Pick(25, 400)
	m := vfs.NewMem()
	db := newGraph(t, m, graphName)
	w := &loadWriter{db: db, window: window, states: map[int64][]string{1: nil}}
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	load.Go(func() {
		if err := w.run(t.Context(), func() bool { return ctx.Err() != nil }); err != nil {
			t.Error(err)
		}
	})
	beside := openReadOnly(t, m) // as another process has it
	var all []*backup.Result
	for range backups {
		r, err := place(t, m).Backup(t.Context(), beside, &backup.Options{Generations: 2})
		if err != nil {
			stop()
			load.Wait()
			t.Fatal(err)
		}
		all = append(all, r)
	}
	stop()
	load.Wait()
	for i, r := range all {
		got, _ := restore(t, m, fmt.Sprintf("new%d/m.rete-manifest.json", i), r.Backup)
		checkWindow(t, linesNow(t, got), window)
		for g := r.Generation - int64(r.Generations) + 1; g <= r.Generation; g++ {
			if at := linesAt(t, got, g); !slices.Equal(at, w.states[g]) {
				t.Errorf("generation %d: restored %q, the original had %q", g, at, w.states[g])
			}
		}
	}
}

// loadWriter writes numbers one by one, keeps the last ones, and commits now and then.
type loadWriter struct {
	db     *engine.DB
	window int
	states map[int64][]string // of every generation
}

func (w *loadWriter) run(ctx context.Context, done func() bool) error {
	for i := 0; !done(); i++ {
		if err := write(ctx, w.db, []int{i}, []int{i - w.window}); err != nil {
			return err
		}
		var err error
		switch i % 25 {
		case 7, 15:
			_, err = w.db.Seal(ctx, nil)
		case 20:
			_, err = w.db.Compact(ctx, nil)
		case 24:
			_, err = w.db.Collect(ctx, &engine.CollectOptions{Keep: 4, Grace: 1, Yes: true})
		default:
			continue
		}
		if err != nil && !errors.Is(err, engine.ErrNothingToSeal) && !errors.Is(err, engine.ErrCompact) {
			return err
		}
		g := w.db.Manifest().Generation
		if _, known := w.states[g]; known {
			continue
		}
		s, err := w.db.At(ctx, g)
		if err != nil {
			return err
		}
		w.states[g], err = sortedLines(ctx, s)
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
	}
	return nil
}

// checkWindow expects consecutive numbers, and as many as the writer leaves.
func checkWindow(t *testing.T, got []string, window int) {
	t.Helper()
	numbers := map[int]bool{}
	least := -1
	for _, line := range got {
		var n int
		if _, err := fmt.Sscanf(line, "<http://e/s%d>", &n); err != nil {
			t.Fatal(err)
		}
		numbers[n] = true
		if least < 0 || n < least {
			least = n
		}
	}
	for i := range numbers {
		if i >= least+len(numbers) {
			t.Fatalf("not a state of the writer's: %q", got)
		}
	}
	if len(numbers) != window && (least > 0 || len(numbers) > window) {
		t.Fatalf("%d numbers from %d on", len(numbers), least)
	}
}

// One backup at a time is made into a place.
func TestPlaceIsLocked(t *testing.T) {
	m, _ := smallGraph(t)
	second := errors.New("not tried")
	fault := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpOpen && strings.HasPrefix(c.Name, "graph/m-g") {
			_, second = backUpOn(t, m, m)
		}
		return nil
	})
	db, err := engine.Open(t.Context(), graphName, &engine.Options{FS: fault, ReadOnly: true})
	must(t, err)
	defer db.Close()
	if _, err := place(t, m).Backup(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(second, backup.ErrBusy) {
		t.Errorf("the second backup: %v", second)
	}
	// One that may wait begins when the other one has ended.
	lock, err := m.TryLock(placeName + "/backup.lock")
	must(t, err)
	waits := make(chan struct{}, 1)
	watched := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpLock {
			select {
			case waits <- struct{}{}:
			default:
			}
		}
		return nil
	})
	ended := make(chan error)
	go func() {
		_, err := place(t, watched).Backup(t.Context(), db, &backup.Options{Wait: time.Hour})
		ended <- err
	}()
	<-waits // it has tried
	must(t, lock.Close())
	must(t, <-ended)
}

// A backup that is cancelled leaves none, and nothing temporary.
func TestBackupCancelled(t *testing.T) {
	graph, want := smallGraph(t)
	for k := 1; ; k++ {
		m, n := copyOf(graph), 0
		ctx, cancel := context.WithCancel(t.Context())
		fault := vfs.NewFault(m, func(vfs.Call) error {
			if n++; n == k {
				cancel()
			}
			return nil
		})
		db, err := engine.Open(t.Context(), graphName, &engine.Options{FS: m, ReadOnly: true})
		must(t, err)
		_, err = place(t, fault).Backup(ctx, db, &backup.Options{Generations: -1})
		must(t, db.Close())
		cancel()
		if n < k {
			must(t, err)
			return
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("k = %d: %v", k, err)
		}
		if left := temporary(t, m, placeName, placeName+"/files"); len(left) > 0 {
			t.Fatalf("k = %d: left behind: %v", k, left)
		}
		if err != nil {
			_, err = backUpOn(t, m, m)
			must(t, err)
		}
		must(t, restoreOn(t, m))
		checkRestored(t, m, want)
	}
}
