package engine_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/vfs"
)

var (
	allDepth  = flag.Int("sequences", 0, "length of the sequences of TestSequences; 0: 2, in the long form 3")
	coreDepth = flag.Int("core", 0, "length of those of core steps alone; 0: 4, in the long form 5")
)

// sequences goes through the sequences of steps of up to a length. Sequences that lead to
// the same world, as [world.key] tells, go on as one.
type sequences struct {
	ctx   context.Context
	cache *engine.Cache

	mu    sync.Mutex
	met   map[string]bool
	edges int64
	seals int64
	steps []step
}

func (s *sequences) options(fsys vfs.FS) *engine.Options {
	return &engine.Options{FS: fsys, Cache: s.cache}
}

// begin makes the world that all sequences begin with.
func (s *sequences) begin() (*world, error) {
	w := &world{fs: vfs.NewMem(), journal: map[model.Quad]bool{}, sets: []model.Set{{}}}
	db, err := engine.Init(s.ctx, manifestName, nil, s.options(w.fs))
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return w, w.open(s)
}

// shown is the quads that a database shows.
func (s *sequences) shown(db *engine.DB) ([]model.Quad, *engine.Snapshot, error) {
	snap, err := db.Snapshot(s.ctx)
	if err != nil {
		return nil, nil, err
	}
	got, err := s.quads(snap)
	return got, snap, err
}

func (s *sequences) quads(snap *engine.Snapshot) ([]model.Quad, error) {
	var list []model.Quad
	err := quadtest.Each(snap.SortedQuads(s.ctx), collect(&list))
	if n, lerr := snap.Len(s.ctx); err == nil && (lerr != nil || n != uint64(len(list))) {
		err = fmt.Errorf("counted %d quads, %w; there are %v", n, lerr, list)
	}
	return list, err
}

// fresh is what a process sees that opens the manifest to read it.
func (s *sequences) fresh(fsys vfs.FS) ([]model.Quad, error) {
	opt := s.options(fsys)
	opt.ReadOnly = true
	db, err := engine.Open(s.ctx, manifestName, opt)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	got, snap, err := s.shown(db)
	if snap != nil {
		snap.Close()
	}
	return got, err
}

// dumped is a dump by the writer, "" if it does not know the newest manifest, and
// one by another process.
func (s *sequences) dumped(w *world) (out [2]string, err error) {
	if !w.behind && (w.owned || !w.stale) {
		got, snap, err := s.shown(w.a)
		if err != nil {
			return out, err
		}
		snap.Close()
		out[0] = nquadsOf(got)
	}
	got, err := s.fresh(w.fs)
	out[1] = nquadsOf(got)
	return out, err
}

func nquadsOf(list []model.Quad) string {
	b := strings.Builder{}
	for _, q := range list {
		fmt.Fprintln(&b, strings.TrimSpace(strings.Join(q[:], " ")), ".")
	}
	return "# dump\n" + b.String()
}

// sameDump compares a dump before a seal with those after it, and after a restart
// that has only what is on disk.
func (s *sequences) sameDump(w *world, before [2]string) error {
	after, err := s.dumped(w)
	if err != nil {
		return err
	}
	got, err := s.fresh(w.fs.CrashClone(vfs.CrashOptions{}))
	if err != nil {
		return err
	}
	if restarted := nquadsOf(got); after[0] != after[1] || before[1] != after[1] || before[1] != restarted || before[0] != "" && before[0] != after[0] {
		return fmt.Errorf("dumps before a seal %q, after it %q, and after a restart %q", before, after, restarted)
	}
	s.mu.Lock()
	s.seals++
	s.mu.Unlock()
	return nil
}

// check compares a world with its model.
func (s *sequences) check(w *world) error {
	m, err := manifestIn(w.fs)
	if err != nil {
		return err
	}
	if len(m.Log) != len(w.log) || m.Generation != int64(len(w.sets)) {
		return fmt.Errorf("generation %d has %d entries, want generation %d with %d", m.Generation, len(m.Log), len(w.sets), len(w.log))
	}
	want := w.visible().Sorted()
	for name, fsys := range map[string]vfs.FS{"another process": w.fs, "a process after a crash": w.fs.CrashClone(vfs.CrashOptions{})} {
		got, err := s.fresh(fsys)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("%s sees %v, want %v", name, got, want)
		}
	}
	if !w.owned && (w.stale || w.behind) {
		return nil // it shows what it knew, until it looks again
	}
	got, snap, err := s.shown(w.a)
	if err != nil {
		return err
	}
	defer snap.Close()
	if want := apply(w.seen, w.entry()).Sorted(); !slices.Equal(got, want) || (snap.Unsealed() > 0) != (len(w.journal) > 0) {
		return fmt.Errorf("the writer sees %v, want %v; %d unsealed, %v", got, want, snap.Unsealed(), w.journal)
	}
	return nil
}

// run makes a sequence of steps; what is checked is the last one.
func (s *sequences) run(list []byte) (w *world, err error) {
	if w, err = s.begin(); err != nil {
		return nil, err
	}
	last := len(list) - 1
	for _, i := range list[:last] {
		if err := s.steps[i].do(w, s); err != nil {
			w.a.Close()
			return nil, err
		}
	}
	before, snap, err := s.shown(w.a)
	if err == nil {
		err = s.steps[list[last]].do(w, s)
	}
	if err == nil {
		err = s.check(w)
	}
	if snap != nil { // a reader keeps what it has
		got, rerr := s.quads(snap)
		if rerr == nil && !slices.Equal(got, before) {
			rerr = fmt.Errorf("a reader saw %v, and now %v", before, got)
		}
		snap.Close()
		err = errors.Join(err, rerr)
	}
	if err != nil {
		w.a.Close()
		return nil, err
	}
	return w, nil
}

// level makes each step after each sequence, and returns the sequences that lead to
// worlds that were not met before.
func (s *sequences) level(t *testing.T, before [][]byte) (next [][]byte) {
	var wg sync.WaitGroup
	var at, failed atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for failed.Load() == 0 && s.ctx.Err() == nil {
				n := int(at.Add(1)) - 1
				if n >= len(before)*len(s.steps) {
					return
				}
				list := append(slices.Clone(before[n/len(s.steps)]), byte(n%len(s.steps)))
				w, err := s.run(list)
				key := ""
				if err == nil {
					key, err = w.key()
					err = errors.Join(err, w.a.Close())
				}
				if err != nil {
					failed.Add(1)
					t.Errorf("%s: %v", s.named(list), err)
					return
				}
				s.mu.Lock()
				if s.edges++; !s.met[key] {
					s.met[key] = true
					next = append(next, list)
				}
				s.mu.Unlock()
			}
		})
	}
	wg.Wait()
	return next
}

func (s *sequences) named(list []byte) string {
	var names []string
	for _, i := range list {
		names = append(names, s.steps[i].name)
	}
	return strings.Join(names, ", ")
}

// All sequences of up to n steps of a writer, the shells next to it, a second
// writer, restarts and crashes, on two quads: the final state is the one that the
// order of acknowledgements allows, for the writer, for a process that comes, and
// after a crash. The flags -sequences and -core give other lengths, such as 7.
func TestSequences(t *testing.T) {
	for _, c := range []struct {
		name  string
		depth int
		core  bool
	}{
		{"all", cmp.Or(*allDepth, longtest.Pick(2, 3)), false},
		{"core", cmp.Or(*coreDepth, longtest.Pick(3, 5)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &sequences{ctx: t.Context(), cache: engine.NewCache(64 << 20), met: map[string]bool{}}
			defer s.cache.Close()
			for _, step := range steps {
				if step.core || !c.core {
					s.steps = append(s.steps, step)
				}
			}
			covered, power := new(big.Int), big.NewInt(1)
			list := [][]byte{nil}
			for range c.depth {
				power.Mul(power, big.NewInt(int64(len(s.steps))))
				covered.Add(covered, power)
				if list = s.level(t, list); t.Failed() {
					return
				}
				slices.SortFunc(list, slices.Compare) // whichever of equal ones came first
				t.Logf("%v sequences of %d kinds of steps: %d steps made, %d of them seals that kept the dump; %d worlds",
					covered, len(s.steps), s.edges, s.seals, len(s.met))
			}
		})
	}
}

// Long random sequences, in which worlds that look equal do not go on as one.
func TestLongSequences(t *testing.T) {
	number := longtest.Pick(50, 300)
	s := &sequences{ctx: t.Context(), cache: engine.NewCache(64 << 20), steps: steps}
	defer s.cache.Close()
	r := rand.New(rand.NewPCG(4, 4))
	for range number {
		list := make([]byte, 12)
		for i := range list {
			list[i] = byte(r.IntN(len(s.steps)))
		}
		w, err := s.begin()
		for n := 0; err == nil && n < len(list); n++ {
			if err = s.steps[list[n]].do(w, s); err == nil {
				err = s.check(w)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", s.named(list[:n+1]), err)
			}
		}
		if err == nil {
			err = w.a.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
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
	if err := quadtest.Each(snapshot(t, db).SortedQuads(t.Context()), collect(&list)); err != nil {
		t.Fatal(err)
	}
	return nquadsOf(list)
}
