package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/vfs"
)

// script is steps on a database, and the sets of quads before the first and after
// each of them.
type script struct {
	steps   []func(ctx context.Context, db *engine.DB) error
	sets    []model.Set
	entries []model.Entry // what each step does
	isWrite []bool
	memory  int64 // Options.WriteMemory
}

func (s *script) options(fsys vfs.FS) *engine.Options {
	opt := memOptions(fsys)
	opt.WriteMemory = s.memory
	return opt
}

// newScript draws writes with seals, compactions and an add between them.
func newScript(r *rand.Rand, writes int) *script {
	s := &script{sets: []model.Set{{}}}
	shape := model.Shape{Terms: 6, Entries: 1, Quads: 4, Graphs: 2}
	step := func(e model.Entry, isWrite bool, f func(context.Context, *engine.DB) error) {
		s.steps, s.sets = append(s.steps, f), append(s.sets, apply(s.sets[len(s.sets)-1], e))
		s.entries, s.isWrite = append(s.entries, e), append(s.isWrite, isWrite)
	}
	for i := range writes {
		e := randomEntry(r, shape)
		step(e, true, func(ctx context.Context, db *engine.DB) error {
			_, err := db.Write(ctx, nil, func(tx *engine.Tx) error { return change(ctx, tx, e) })
			return err
		})
		switch i % 4 {
		case 1:
			step(model.Entry{}, false, func(ctx context.Context, db *engine.DB) error {
				_, err := db.Seal(ctx, nil)
				if errors.Is(err, engine.ErrNothingToSeal) {
					err = nil
				}
				return err
			})
		case 2:
			add := randomEntry(r, shape)
			step(add, false, func(ctx context.Context, db *engine.DB) error {
				_, err := db.Add(ctx, []engine.Step{{Adds: quads(add.Adds), Dels: quads(add.Dels)}}, nil)
				return err
			})
		case 3:
			step(model.Entry{}, false, func(ctx context.Context, db *engine.DB) error {
				_, err := db.Compact(ctx, nil)
				if errors.Is(err, engine.ErrCompact) {
					err = nil
				}
				return err
			})
		}
	}
	return s
}

// tended appends what tends a store: seals with a revert and a collection of garbage
// after them, so that files go that older generations had.
func (s *script) tended() *script {
	tend := func(f func(context.Context, *engine.DB) error) {
		s.steps, s.sets = append(s.steps, f), append(s.sets, s.sets[len(s.sets)-1])
		s.entries, s.isWrite = append(s.entries, model.Entry{}), append(s.isWrite, false)
	}
	seal := func(ctx context.Context, db *engine.DB) error {
		_, err := db.Seal(ctx, nil)
		if errors.Is(err, engine.ErrNothingToSeal) {
			err = nil
		}
		return err
	}
	collect := func(ctx context.Context, db *engine.DB) error {
		_, err := db.Collect(ctx, &engine.CollectOptions{Keep: 2, Grace: time.Nanosecond, Yes: true})
		return err
	}
	var all model.Entry
	for _, set := range s.sets {
		all.Dels = append(all.Dels, set.Sorted()...)
	}
	tend(func(ctx context.Context, db *engine.DB) error { _, err := db.Revert(ctx, 1, nil); return err })
	s.sets[len(s.sets)-1], s.entries[len(s.entries)-1] = model.Set{}, all
	for i := range 2 {
		tend(collect)
		e := model.Entry{Adds: twoQuads[i : i+1]}
		tend(func(ctx context.Context, db *engine.DB) error {
			_, err := db.Write(ctx, nil, func(tx *engine.Tx) error { return change(ctx, tx, e) })
			return err
		})
		n := len(s.sets) - 1
		s.sets[n], s.entries[n-1], s.isWrite[n-1] = apply(s.sets[n-1], e), e, true
		tend(seal)
	}
	tend(collect)
	return s
}

// run makes the steps up to the first error and returns how many were acknowledged.
func (s *script) run(ctx context.Context, fsys vfs.FS) (done int, err error) {
	db, err := engine.Open(ctx, manifestName, s.options(fsys))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	for _, f := range s.steps {
		if err := f(ctx, db); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// check opens what a crash left, for reading and for writing, and expects one of
// some states.
func (s *script) check(t *testing.T, fsys vfs.FS, want []model.Set, label string) {
	t.Helper()
	reader, err := engine.Open(t.Context(), manifestName, &engine.Options{FS: fsys, ReadOnly: true})
	if err != nil {
		t.Fatalf("%s: reading: %v", label, err)
	}
	rs, err := reader.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("%s: reading: %v", label, err)
	}
	got := visible(t, rs)
	rs.Close()
	reader.Close()
	if !is(got, want) {
		t.Fatalf("%s: a reader sees %v\nwant %v", label, got, want)
	}
	q := model.Quad{"<http://ex/after>", "<http://ex/the>", "<http://ex/crash>", ""}
	db, err := engine.Open(t.Context(), manifestName, memOptions(fsys))
	if err != nil {
		t.Fatalf("%s: %v", label, err)
	}
	write(t, db, model.Entry{Adds: []model.Quad{q}})
	seal(t, db)
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", label, err)
	}
	after := visible(t, snap)
	snap.Close()
	closeDB(t, db)
	if i := slices.Index(after, q); i < 0 || !slices.Equal(slices.Delete(after, i, i+1), got) {
		t.Fatalf("%s: written and sealed after the crash: %v\nbefore: %v", label, after, got)
	}
}

// The machine stops before operation k, for every k, or each third. Whatever it lost, what was
// acknowledged is there, and nothing is there by half.
func TestWriteCrash(t *testing.T) {
	writes, seeds := longtest.Pick(3, 5), longtest.Pick[uint64](3, 6)
	runCrash(t, newScript(rand.New(rand.NewPCG(1, 9)), writes).tended(), seeds)
}

func runCrash(t *testing.T, s *script, seeds uint64) {
	for k := 1; ; k += longtest.Pick(3, 1) {
		m := vfs.NewMem()
		initDB(t, m).Close()
		m = m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
		cut := vfs.NewPowerCut(m, k, seeds)
		cut.Arm(true)
		done, err := s.run(t.Context(), cut.FS)
		if !cut.Arm(false) {
			if err != nil {
				t.Fatal(err)
			}
			if k < 100 {
				t.Errorf("only %d operations were tried", k)
			}
			return
		}
		for i, state := range cut.States {
			s.check(t, state, s.sets[done:min(done+1, len(s.steps))+1], fmt.Sprintf("k = %d, state %d, %d steps done", k, i, done))
		}
	}
}

// Operation k fails, for every k and in every way; the process goes on with the next
// step. A failed step is wholly there or not at all, what is acknowledged stays, and
// after a restart all is right. A write that says that it failed has not happened.
func TestWriteFaults(t *testing.T) {
	for name, injected := range map[string]error{
		"error": vfs.ErrInjected, "no space": vfs.ErrNoSpace,
		"short write":    vfs.ShortWrite{N: 30, Err: vfs.ErrNoSpace},
		"done, but lost": vfs.Done{Err: vfs.ErrInjected},
	} {
		t.Run(name, func(t *testing.T) {
			runFaults(t, injected, newScript(rand.New(rand.NewPCG(2, 9)), 3).tended())
		})
	}
}

func runFaults(t *testing.T, injected error, s *script) {
	for k := 1; ; k += longtest.Pick(11, 1) {
		m := vfs.NewMem()
		initDB(t, m).Close()
		fail, hit := vfs.FailAt(k, injected, func(c vfs.Call) bool { return c.Op != vfs.OpClose })
		possible, err := s.runOn(t, vfs.NewFault(m, fail))
		if !hit() {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		label := fmt.Sprintf("k = %d: %v", k, err)
		s.check(t, m.CrashClone(vfs.CrashOptions{}), possible, label+" (power lost)")
		s.check(t, m, possible, label)
	}
}

// runOn makes all steps, also after one that failed, and returns the sets that may
// be visible in the end.
func (s *script) runOn(t *testing.T, fsys vfs.FS) (possible []model.Set, first error) {
	t.Helper()
	ctx := t.Context()
	possible = s.sets[:1]
	db, err := engine.Open(ctx, manifestName, s.options(fsys))
	if err != nil {
		return possible, err
	}
	defer db.Close()
	for i, f := range s.steps {
		var after []model.Set
		for _, set := range possible {
			after = append(after, apply(set, s.entries[i]))
		}
		switch err := f(ctx, db); {
		case err == nil:
			possible = after
		case s.isWrite[i] && !errors.Is(err, engine.ErrUnknownOutcome):
			first = err // and nothing was changed
		default:
			first, possible = err, append(possible[:len(possible):len(possible)], after...)
		}
		// Whatever failed, readers see one of the states, or an error.
		if snap, err := db.Snapshot(ctx); err == nil {
			var got []model.Quad
			if err := quadtest.Each(snap.Quads(ctx, dataset.Pattern{}), collect(&got)); err == nil && !is(got, possible) {
				t.Fatalf("step %d, after %v: readers see %v, want %v", i, first, got, possible)
			}
			snap.Close()
		}
	}
	return possible, first
}

// is reports whether the quads are one of the sets.
func is(got []model.Quad, sets []model.Set) bool {
	return slices.ContainsFunc(sets, func(set model.Set) bool {
		if len(got) != len(set) {
			return false
		}
		for _, q := range got {
			if !set[q] {
				return false
			}
		}
		return true
	})
}
