package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// Every change is interrupted before its k-th file operation, for every k, or each third, as by
// a Ctrl-C. If it says that it was, the graph is the previous one; if it says that it is
// done, it is. Either way the database works on, and so does the next process.
func TestInterruptedChanges(t *testing.T) {
	here, there := model.Entry{Adds: twoQuads[:1]}, model.Entry{Dels: twoQuads[:1], Adds: twoQuads[1:]}
	for _, c := range []struct {
		name string
		keep bool // an interrupted one leaves the generation too
		do   func(ctx context.Context, db *engine.DB) error
		does model.Entry
	}{
		{"write", true, func(ctx context.Context, db *engine.DB) error {
			_, err := db.Write(ctx, nil, func(tx *engine.Tx) error { return change(ctx, tx, there) })
			return err
		}, there},
		{"seal", true, func(ctx context.Context, db *engine.DB) error { _, err := db.Seal(ctx, nil); return err }, model.Entry{}},
		{"compact", true, func(ctx context.Context, db *engine.DB) error { _, err := db.Compact(ctx, nil); return err }, model.Entry{}},
		{"add", true, func(ctx context.Context, db *engine.DB) error {
			_, err := db.Add(ctx, []engine.Step{{Adds: quads(there.Adds), Dels: quads(there.Dels)}}, nil)
			return err
		}, there},
		{"revert", false, func(ctx context.Context, db *engine.DB) error { _, err := db.Revert(ctx, 1, nil); return err },
			model.Entry{Dels: twoQuads[:]}},
		{"clear", true, func(ctx context.Context, db *engine.DB) error {
			_, err := db.Write(ctx, nil, func(tx *engine.Tx) error { return tx.Clear(ctx) })
			return err
		}, model.Entry{Dels: twoQuads[:]}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k := int64(1); ; k += longtest.Pick[int64](3, 1) {
				m := vfs.NewMem()
				initDB(t, m).Close()
				var n, armed atomic.Int64
				ctx, cancel := context.WithCancel(t.Context())
				fsys := vfs.NewFault(m, func(vfs.Call) error {
					if armed.Load() == 1 && n.Add(1) == k {
						cancel()
					}
					return nil
				})
				db, err := engine.Open(t.Context(), manifestName, memOptions(fsys))
				if err != nil {
					t.Fatal(err)
				}
				addDB(t, db, engine.Step{Adds: quads(twoQuads[1:])}, engine.Step{Dels: quads(twoQuads[:1])})
				write(t, db, here)
				before := apply(apply(model.Set{}, model.Entry{Adds: twoQuads[1:]}), here)
				generation := db.Manifest().Generation
				armed.Store(1)
				err = c.do(ctx, db)
				armed.Store(0)
				cancel()
				want := before
				switch {
				case err == nil:
					want = apply(before, c.does)
				case !errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrUnknownOutcome):
					t.Fatalf("k = %d: got %v", k, err)
				default:
					mf, rerr := manifestIn(m)
					if rerr != nil || c.keep && mf.Generation != generation {
						t.Fatalf("k = %d: interrupted, but generation %d was committed: %v", k, mf.Generation, rerr)
					}
				}
				for range 2 {
					s, err := db.Snapshot(t.Context())
					if err != nil {
						t.Fatalf("k = %d: %v", k, err)
					}
					if got := visible(t, s); !slices.Equal(got, want.Sorted()) {
						t.Fatalf("k = %d: there are %v, want %v", k, got, want.Sorted())
					}
					s.Close()
					q := model.Quad{"<http://ex/x>", "<http://ex/y>", "<http://ex/z>", ""}
					write(t, db, model.Entry{Adds: []model.Quad{q}})
					seal(t, db)
					want = apply(want, model.Entry{Adds: []model.Quad{q}})
					closeDB(t, db)
					db, err = engine.Open(t.Context(), manifestName, memOptions(m.CrashClone(vfs.CrashOptions{})))
					if err != nil {
						t.Fatalf("k = %d: %v", k, err)
					}
				}
				closeDB(t, db)
				if n.Load() < k {
					if k < 3 {
						t.Errorf("only %d operations were tried", k)
					}
					return
				}
			}
		})
	}
}

// A write waits for an owner that does not serve, as long as it is allowed.
func TestOwnerWait(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	if err := db.Own(t.Context()); err != nil {
		t.Fatal(err)
	}
	var tried atomic.Int64
	waits := make(chan struct{})
	opt := memOptions(vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpLock && tried.Add(1) == 3 {
			close(waits)
		}
		return nil
	}))
	opt.OwnerWait = time.Hour
	other, err := engine.Open(t.Context(), manifestName, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := other.Own(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if err := db.Announce(t.Context(), engine.Note{PID: 1, Address: "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	if err := other.Own(t.Context()); !errors.Is(err, engine.ErrOwned) { // at once
		t.Errorf("a server is not waited for: got %v", err)
	}
	if err := db.Announce(t.Context(), engine.Note{PID: 1}); err != nil {
		t.Fatal(err)
	}
	tried.Store(0)
	ended := make(chan error)
	go func() { ended <- other.Own(t.Context()) }()
	select {
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	case <-waits: // it tries again and again
	}
	closeDB(t, db)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
