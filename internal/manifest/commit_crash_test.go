package manifest_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/vfs"
)

// The machine stops before operation k of a commit, or after the last one, for
// every k. Whatever it lost, the manifest is the old one or the new one, the
// commit is there if it was acknowledged, and the history goes on.
func TestCommitCrash(t *testing.T) {
	for k := 1; ; k++ {
		m := vfs.NewMem()
		cut := vfs.NewPowerCut(m, k, 16)
		f := initManifest(t, cut.FS)
		if _, err := f.Commit(t.Context(), nil, add(0)); err != nil {
			t.Fatal(err)
		}
		cut.Arm(true)
		_, err := f.Commit(t.Context(), nil, add(1))
		finished := !cut.Arm(false)
		states := cut.States
		if finished {
			if err != nil {
				t.Fatal(err)
			}
			states = vfs.Crashes(m, 16)
		}
		for i, state := range states {
			f := openFile(t, state)
			cur := manifesttest.CheckHistory(t, f)
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
			again := manifesttest.CheckHistory(t, openFile(t, state.CrashClone(vfs.CrashOptions{})))
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
				return vfs.ErrPowerOff
			}
			stop = "dead"
			return vfs.Done{Err: vfs.ErrPowerOff}
		}
		return nil
	})
	a := initManifest(t, faulty)
	stop = "armed"
	if _, err := a.Commit(t.Context(), nil, add(1)); !errors.Is(err, manifest.ErrUnknownOutcome) && !errors.Is(err, vfs.ErrPowerOff) {
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
				states = vfs.Crashes(undone, 16)
			}
			return vfs.ErrPowerOff
		}))
		_, err := b.Commit(t.Context(), nil, add(2))
		for i, state := range states {
			f := openFile(t, state)
			for range 3 {
				if _, err := f.Commit(t.Context(), nil, add(9)); err != nil {
					t.Fatalf("k = %d, state %d: %v", k, i, err)
				}
			}
			manifesttest.CheckHistory(t, f)
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
// reported with its true outcome, the manifest is the old one or the new one,
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
				cur := manifesttest.CheckHistory(t, f)
				unknown := errors.Is(err, manifest.ErrUnknownOutcome)
				if (err == nil) != (cur.Generation == 2) && !unknown {
					t.Errorf("k = %d: generation %d, the commit ended with %v", k, cur.Generation, err)
				}
				if unknown && cur.Generation == 2 {
					if id := new(manifest.CommitError); !errors.As(err, &id) || id.ID != cur.Commit {
						t.Errorf("k = %d: the error does not carry the id: %v", k, err)
					}
				}
				if err == nil {
					// Acknowledged is durable, whatever failed on the way.
					if after := manifesttest.CheckHistory(t, openFile(t, m.CrashClone(vfs.CrashOptions{}))); after.Generation != 2 {
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
		_, err := f.Init(t.Context(), nil, &manifest.Manifest{Name: "g"})
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
		case err != nil && rerr == nil && !errors.Is(err, manifest.ErrUnknownOutcome):
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
