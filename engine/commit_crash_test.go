package engine_test

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
)

var errCrashed = errors.New("the machine is off")

// crashes returns states that a crash now could leave.
func crashes(m *vfs.Mem, seeds uint64) []*vfs.Mem {
	out := []*vfs.Mem{
		m.CrashClone(vfs.CrashOptions{}),
		m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone}),
		m.CrashClone(vfs.CrashOptions{Data: vfs.LoseAll, Names: vfs.LoseNone}),
	}
	for seed := range seeds {
		out = append(out, m.CrashClone(vfs.CrashOptions{Data: vfs.LoseSome, Names: vfs.LoseSome, Seed: seed}))
	}
	return out
}

// powerCut lets the power go before the k-th operation that is made while it is
// armed, and keeps the states that the machine could find afterwards.
type powerCut struct {
	fs     *vfs.Fault
	mu     sync.Mutex // segments are read by several goroutines
	k, n   int
	armed  bool
	states []*vfs.Mem
}

func newPowerCut(m *vfs.Mem, k int, seeds uint64) *powerCut {
	p := &powerCut{k: k}
	p.fs = vfs.NewFault(m, func(vfs.Call) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.armed {
			return nil
		}
		if p.n++; p.n < k {
			return nil
		}
		if p.n == k {
			p.states = crashes(m, seeds)
		}
		return errCrashed
	})
	return p
}

// arm switches the power cut on or off; off, it tells whether it came to it.
func (p *powerCut) arm(on bool) (cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = on
	return p.n >= p.k
}

// The machine stops before operation k of a commit, or behind the last one, for
// every k. Whatever it lost, the manifest is that of before or of after, the
// commit is there if it was acknowledged, and the history goes on.
func TestCommitCrash(t *testing.T) {
	for k := 1; ; k++ {
		m := vfs.NewMem()
		cut := newPowerCut(m, k, 16)
		f := initManifest(t, cut.fs)
		if _, err := f.Commit(t.Context(), nil, add(0)); err != nil {
			t.Fatal(err)
		}
		cut.arm(true)
		_, err := f.Commit(t.Context(), nil, add(1))
		finished := !cut.arm(false)
		states := cut.states
		if finished {
			if err != nil {
				t.Fatal(err)
			}
			states = crashes(m, 16)
		}
		for i, state := range states {
			f := openFile(t, state)
			cur := checkHistory(t, f)
			got := sizes(cur)
			before, after := slices.Equal(got, []int64{0}), slices.Equal(got, []int64{0, 1})
			if !before && !after || err == nil && before {
				t.Fatalf("k = %d, state %d: got %v; the commit ended with %v", k, i, got, err)
			}
			// Life goes on, twice, so that archives are met again; and what is
			// acknowledged then survives the next crash too.
			for range 2 {
				if _, err := f.Commit(t.Context(), nil, add(9)); err != nil {
					t.Fatalf("k = %d, state %d: the next commit: %v", k, i, err)
				}
			}
			again := checkHistory(t, openFile(t, state.CrashClone(vfs.CrashOptions{})))
			if want := append(got, 9, 9); !slices.Equal(sizes(again), want) {
				t.Fatalf("k = %d, state %d: got %v, want %v", k, i, sizes(again), want)
			}
		}
		if finished {
			if k < 12 {
				t.Errorf("only %d operations were tried", k)
			}
			return
		}
	}
}

// Process A stops between its rename and the sync of the directory; process B
// builds on what A left; then the power goes. B's archive must not outlive A's
// manifest, or the place would hold two histories.
func TestCrashAfterCrash(t *testing.T) {
	m := vfs.NewMem()
	stop := ""
	faulty := vfs.NewFault(m, func(c vfs.Call) error {
		switch {
		case stop == "dead", c.To == manifestName && stop == "armed":
			if stop == "dead" {
				return errCrashed
			}
			stop = "dead"
			return vfs.Done{Err: errCrashed}
		}
		return nil
	})
	a := initManifest(t, faulty)
	stop = "armed"
	if _, err := a.Commit(t.Context(), nil, add(1)); !errors.Is(err, engine.ErrUnknownOutcome) && !errors.Is(err, errCrashed) {
		t.Fatalf("got %v, want a crash", err)
	}
	for k := 1; ; k++ {
		all := m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
		// The clone is durable, so make A's rename pending again.
		undone := pendingRename(t, all)
		var states []*vfs.Mem
		n := 0
		b := openFile(t, vfs.NewFault(undone, func(vfs.Call) error {
			if n++; n < k {
				return nil
			}
			if n == k {
				states = crashes(undone, 16)
			}
			return errCrashed
		}))
		_, err := b.Commit(t.Context(), nil, add(2))
		for i, state := range states {
			f := openFile(t, state)
			for range 3 {
				if _, err := f.Commit(t.Context(), nil, add(9)); err != nil {
					t.Fatalf("k = %d, state %d: %v", k, i, err)
				}
			}
			checkHistory(t, f)
		}
		if n < k {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}

// pendingRename replaces the durable manifest by its archive and renames the
// current one over it without a sync.
func pendingRename(t *testing.T, m *vfs.Mem) *vfs.Mem {
	t.Helper()
	cur, err := vfs.ReadFile(m, manifestName, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	old, err := vfs.ReadFile(m, manifestName+".g1", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vfs.WriteFile(m, manifestName, old, m.Rename); err != nil {
		t.Fatal(err)
	}
	w, err := m.Create("a.tmp")
	if err != nil {
		t.Fatal(err)
	}
	w.Write(cur)
	w.Sync()
	if err := m.SyncDir("."); err != nil {
		t.Fatal(err)
	}
	if err := m.Rename("a.tmp", manifestName); err != nil {
		t.Fatal(err)
	}
	return m
}

// Operation k of a commit fails, for every k and in every way. The error is
// reported with its true outcome, the manifest is that of before or of after,
// and the next commit works.
func TestCommitFaults(t *testing.T) {
	for name, injected := range map[string]error{
		"error": vfs.ErrInjected, "no space": vfs.ErrNoSpace,
		"short write":    vfs.ShortWrite{N: 10, Err: vfs.ErrNoSpace},
		"done, but lost": vfs.Done{Err: vfs.ErrInjected},
	} {
		t.Run(name, func(t *testing.T) {
			for k := 1; ; k++ {
				m := vfs.NewMem()
				armed := false
				fail, hit := vfs.FailAt(k, injected, func(vfs.Call) bool { return armed })
				f := initManifest(t, vfs.NewFault(m, fail))
				armed = true
				_, err := f.Commit(t.Context(), nil, add(1))
				armed = false
				if !hit() {
					if err != nil {
						t.Fatal(err)
					}
					return
				}
				cur := checkHistory(t, f)
				unknown := errors.Is(err, engine.ErrUnknownOutcome)
				if (err == nil) != (cur.Generation == 2) && !unknown {
					t.Errorf("k = %d: generation %d, the commit ended with %v", k, cur.Generation, err)
				}
				if unknown && cur.Generation == 2 {
					if id := new(engine.CommitError); !errors.As(err, &id) || id.ID != cur.Commit {
						t.Errorf("k = %d: the error does not carry the id: %v", k, err)
					}
				}
				if err == nil {
					// Acknowledged is durable, whatever failed on the way.
					if after := checkHistory(t, openFile(t, m.CrashClone(vfs.CrashOptions{}))); after.Generation != 2 {
						t.Errorf("k = %d: acknowledged, and lost in a crash", k)
					}
				}
				if _, err := f.Commit(t.Context(), nil, add(2)); err != nil {
					t.Errorf("k = %d: the next commit: %v", k, err)
				}
			}
		})
	}
}

func TestInitFaults(t *testing.T) {
	for k := 1; ; k++ {
		m := vfs.NewMem()
		fail, hit := vfs.FailAt(k, vfs.ErrInjected, nil)
		f := openFile(t, vfs.NewFault(m, fail))
		_, err := f.Init(t.Context(), nil, &engine.Manifest{Name: "g"})
		if !hit() {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		cur, rerr := openFile(t, m).Read(t.Context())
		switch {
		case err == nil && rerr != nil:
			t.Errorf("k = %d: acknowledged, but %v", k, rerr)
		case err != nil && rerr == nil && !errors.Is(err, engine.ErrUnknownOutcome):
			t.Errorf("k = %d: %+v is there, but %v", k, cur, err)
		case rerr != nil && !errors.Is(rerr, blob.ErrNotFound):
			t.Errorf("k = %d: %v", k, rerr)
		}
	}
}

func fileServer(dir string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"fixed"`)
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	})
}
