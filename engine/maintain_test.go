package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

func TestPlanCompaction(t *testing.T) {
	const k, m = 1 << 10, 1 << 20
	for name, c := range map[string]struct {
		sizes        []int64
		first, count int
	}{
		"empty":                        {nil, 0, 0},
		"too few":                      {[]int64{k, k, k}, 0, 0},
		"small ones":                   {[]int64{k, k, 2 * k, k}, 0, 4},
		"small ones after a base":      {[]int64{900 * m, k, k, k, k, k}, 1, 5},
		"base in between":              {[]int64{k, k, k, k, 900 * m, k, k, k, k}, 5, 4},
		"base too, not enough after":   {[]int64{k, k, k, k, 900 * m, k, k, k}, 0, 4},
		"next tier":                    {[]int64{900 * m, m, 2 * m, m, 3 * m}, 1, 4},
		"smaller ones inside a tier":   {[]int64{900 * m, m, 2 * m, k, m, k, m}, 1, 6},
		"a base and few small ones":    {[]int64{900 * m, k, k, k}, 0, 0},
		"smallest tier first":          {[]int64{2 * m, 2 * m, 2 * m, 2 * m, k, k, k, k}, 4, 4},
		"an entry larger than a tier":  {[]int64{m, m, 60 * m, m, m}, 0, 0},
		"all large, one run of a tier": {[]int64{64 * m, 70 * m, 80 * m, 90 * m}, 0, 4},
	} {
		if first, count := engine.PlanCompaction(c.sizes, 4); count != c.count || count > 0 && first != c.first {
			t.Errorf("%s: got %d from %d on, want %d from %d on", name, count, first, c.count, c.first)
		}
	}
}

// Maintenance seals by number of changes and compacts, while writes go on; it ends
// with its context.
func TestMaintain(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- db.Maintain(ctx, &engine.MaintainOptions{SealChanges: 5, SealBytes: -1, SealAge: -1, Fanout: 3,
			Every: time.Microsecond, Busy: func() bool { return true }})
	}()
	set := model.Set{}
	for i := 0; ; i++ {
		if i == 100_000 {
			t.Fatalf("after %d writes: generation %d, %d entries", i, db.Manifest().Generation, len(db.Manifest().Log))
		}
		q := model.Quad{"<http://ex/a>", "<http://ex/b>", fmt.Sprintf("<http://ex/%d>", i), ""}
		write(t, db, model.Entry{Adds: []model.Quad{q}})
		set[q] = true
		m := db.Manifest()
		if m.Generation >= 12 && m.Generation > int64(len(m.Log))+2 { // sealed, and compacted
			break
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := visible(t, snapshot(t, db)); !slices.Equal(got, set.Sorted()) {
		t.Errorf("got %d quads, want %d", len(got), len(set))
	}
}

// The bounds of a database are those of compactions that have none, by policy too; where the memory is
// refused, nothing is changed.
func TestFoldBounds(t *testing.T) {
	refused := errors.New("there is no memory")
	var mu sync.Mutex
	var held []int64
	refuse := true
	fold := compaction.Options{MaxMemory: 64 << 20, Hold: func(_ context.Context, n int64) (func(), error) {
		mu.Lock()
		defer mu.Unlock()
		held = append(held, n)
		if refuse {
			return nil, refused
		}
		return func() {}, nil
	}}
	db, err := engine.Init(t.Context(), manifestName, nil, &engine.Options{FS: vfs.NewMem(), Fold: fold})
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	for i := range 4 {
		addDB(t, db, engine.Step{Adds: quads(numbers(i, i+1))})
	}
	if _, err := db.Compact(t.Context(), nil); !errors.Is(err, refused) || len(db.Manifest().Log) != 4 {
		t.Errorf("%v, %d entries", err, len(db.Manifest().Log))
	}
	refuse = false
	own := &engine.CompactOptions{First: 2}
	own.Fold.MaxMemory = 100 << 20
	if _, err := db.Compact(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- db.Maintain(ctx, &engine.MaintainOptions{Fanout: 3, Every: time.Microsecond})
	}()
	for i := 0; len(db.Manifest().Log) > 1; i++ {
		if len(ended) > 0 || i == 60_000 { // a minute or more
			t.Fatalf("nothing was compacted: %d entries", len(db.Manifest().Log))
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-ended
	mu.Lock()
	defer mu.Unlock()
	// Adds with all processors, adds and dels of a run within more, adds with one goroutine.
	if len(held) != 4 || held[1] != held[2] || held[1] <= held[3] || held[3] > 64<<20 {
		t.Errorf("held %d", held)
	}
}

// A compaction that makes way writes the same file as one that need not.
func TestCompactMakesWay(t *testing.T) {
	var pins [2]manifest.SegmentRef
	for i, busy := range []func() bool{nil, func() bool { return true }} {
		db := initDB(t, vfs.NewMem())
		for k := range 4 {
			write(t, db, model.Entry{Adds: []model.Quad{{fmt.Sprintf("<http://ex/%d>", k), "<http://ex/b>", "<http://ex/c>", ""}}})
			if _, err := db.Seal(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		asked, seen := 0, 0
		opt := &engine.CompactOptions{Fold: compaction.Options{Progress: func(compaction.Progress) { seen++ }}}
		if busy != nil {
			opt.Busy = func() bool { asked++; return busy() }
		}
		m, err := db.Compact(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		if seen == 0 || busy != nil && asked != seen {
			t.Errorf("progress came %d times, and it was asked %d times whether queries wait", seen, asked)
		}
		pins[i] = *m.Log[0].Adds
	}
	if pins[0].Size != pins[1].Size || pins[0].Hash != pins[1].Hash {
		t.Errorf("other bytes: %v and %v", pins[0], pins[1])
	}
}
