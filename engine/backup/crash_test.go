package backup_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/vfs"
)

var errCrashed = errors.New("the machine is off")

// crashes are states that a crash now could leave.
func crashes(m *vfs.Mem, seed uint64) []*vfs.Mem {
	out := []*vfs.Mem{
		m.CrashClone(vfs.CrashOptions{}),
		m.CrashClone(vfs.CrashOptions{Data: vfs.LoseAll, Names: vfs.LoseNone}),
	}
	seeds := uint64(longtest.Pick(1, 16))
	for i := range seeds {
		out = append(out, m.CrashClone(vfs.CrashOptions{Data: vfs.LoseSome, Names: vfs.LoseSome, Seed: seed*seeds + i}))
	}
	return out
}

// untilPowerCut passes operations on until the k-th one, and keeps what the machine could
// find afterwards. It is for one goroutine.
func untilPowerCut(m *vfs.Mem, k int) (fsys vfs.FS, states func() []*vfs.Mem) {
	n := 0
	var out []*vfs.Mem
	fsys = vfs.NewFault(m, func(vfs.Call) error {
		if n++; n < k {
			return nil
		}
		if n == k {
			out = crashes(m, uint64(k))
		}
		return errCrashed
	})
	return fsys, func() []*vfs.Mem { return out }
}

// smallGraph has two generations, a segment in each, and a journal.
func smallGraph(t *testing.T) (m *vfs.Mem, want []string) {
	t.Helper()
	m = vfs.NewMem()
	db := newGraph(t, m, graphName)
	must(t, write(t.Context(), db, []int{1, 2, 3}, nil))
	seal(t, db)
	must(t, write(t.Context(), db, []int{4}, []int{1}))
	want = linesNow(t, db)
	must(t, db.Close())
	return m, want
}

// copyOf is a file system with all that another one has.
func copyOf(m *vfs.Mem) *vfs.Mem {
	return m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
}

// backUpOn makes a backup on one file system of the graph that lies on another.
func backUpOn(t *testing.T, fsys vfs.FS, m *vfs.Mem) (*backup.Result, error) {
	t.Helper()
	db, err := engine.Open(t.Context(), graphName, &engine.Options{FS: m, ReadOnly: true})
	must(t, err)
	defer db.Close()
	return place(t, fsys).Backup(t.Context(), db, &backup.Options{Generations: -1})
}

func restoreOn(t *testing.T, fsys vfs.FS) error {
	t.Helper()
	_, err := place(t, fsys).Restore(t.Context(), "new/m.rete-manifest.json", nil, options(fsys))
	return err
}

// checkRestored compares the restored graph, and its history.
func checkRestored(t *testing.T, fsys vfs.FS, want []string) {
	t.Helper()
	db, err := engine.Open(t.Context(), "new/m.rete-manifest.json", options(fsys))
	must(t, err)
	defer db.Close()
	if got := linesNow(t, db); !slices.Equal(got, want) {
		t.Fatalf("restored\n%q\nwant\n%q", got, want)
	}
	if list, err := db.Log(t.Context(), 0); err != nil || len(list) != 2 {
		t.Fatalf("the history is %+v, %v", list, err)
	}
}

// The machine stops before operation k of a backup, for every k. What it finds then is
// no backup or a whole one, and the next backup completes what was begun.
func TestBackupCrash(t *testing.T) {
	graph, want := smallGraph(t)
	for k := 1; ; k++ {
		m := copyOf(graph)
		cut, states := untilPowerCut(m, k)
		_, err := backUpOn(t, cut, m)
		all := states()
		if all == nil {
			must(t, err)
			if k < 40 {
				t.Errorf("only %d operations were tried", k)
			}
			return
		}
		for i, state := range all {
			list, lerr := place(t, state).List(t.Context())
			if lerr != nil || err == nil && len(list) == 0 || len(list) > 1 {
				t.Fatalf("k = %d, state %d: the backup ended with %v; there are %d, %v", k, i, err, len(list), lerr)
			}
			if len(list) == 1 {
				again := copyOf(state)
				must(t, restoreOn(t, again))
				checkRestored(t, again, want)
			}
			if _, err := backUpOn(t, state, state); err != nil {
				t.Fatalf("k = %d, state %d: the next backup: %v", k, i, err)
			}
			durable := state.CrashClone(vfs.CrashOptions{})
			must(t, restoreOn(t, durable))
			checkRestored(t, durable, want)
			if left := temporary(t, durable, placeName, placeName+"/files"); len(left) > 0 && !strings.Contains(left[0], "rete-backup") {
				t.Fatalf("k = %d, state %d: left behind: %v", k, i, left)
			}
		}
	}
}

// The machine stops before operation k of a restore, for every k. The graph is not there
// or whole, and the same restore completes it.
func TestRestoreCrash(t *testing.T) {
	backedUp, want := smallGraph(t)
	if _, err := backUpOn(t, backedUp, backedUp); err != nil {
		t.Fatal(err)
	}
	for k := 1; ; k++ {
		m := copyOf(backedUp)
		cut, states := untilPowerCut(m, k)
		err := restoreOn(t, cut)
		all := states()
		if all == nil {
			must(t, err)
			if k < 60 {
				t.Errorf("only %d operations were tried", k)
			}
			return
		}
		for i, state := range all {
			if _, serr := state.Stat("new/m.rete-manifest.json"); serr == nil {
				checkRestored(t, state, want)
			}
			rerr := restoreOn(t, state)
			if rerr != nil && !errors.Is(rerr, blob.ErrExists) {
				t.Fatalf("k = %d, state %d: the next restore: %v", k, i, rerr)
			}
			durable := state.CrashClone(vfs.CrashOptions{})
			checkRestored(t, durable, want)
			if _, err := durable.Stat("new/m.rete-manifest.json.restoring"); err == nil && rerr == nil {
				t.Fatalf("k = %d, state %d: the mark is left", k, i)
			}
			if left := temporary(t, durable, "new"); rerr == nil && len(left) > 0 {
				t.Fatalf("k = %d, state %d: left half written: %v", k, i, left)
			}
		}
	}
}

// Operation k fails, for every k and several kinds of failure: a full disk, a short write, a
// reply that is lost. What is acknowledged is whole; what is not is completed by the next
// call, and nothing temporary is left.
func TestFaults(t *testing.T) {
	graph, want := smallGraph(t)
	for kind, fault := range map[string]error{
		"fault": vfs.ErrInjected, "lost reply": vfs.Done{Err: vfs.ErrInjected}, "short write": vfs.ShortWrite{N: 3, Err: vfs.ErrNoSpace},
	} {
		t.Run(kind, func(t *testing.T) {
			try := func(m *vfs.Mem, do func(fsys vfs.FS) error) bool {
				for k := 1; ; k++ {
					m := copyOf(m)
					fail, hit := vfs.FailAt(k, fault, func(c vfs.Call) bool {
						_, short := fault.(vfs.ShortWrite)
						return c.Op != vfs.OpRemove && (!short || c.Op == vfs.OpWrite)
					})
					err := do(vfs.NewFault(m, fail))
					if !hit() {
						must(t, err)
						return true
					}
					if err != nil {
						if err := do(m); err != nil && !errors.Is(err, blob.ErrExists) {
							t.Fatalf("k = %d: after the failure: %v", k, err)
						}
					}
					if _, err := m.Stat("new/m.rete-manifest.json"); err != nil {
						must(t, restoreOn(t, m))
					}
					checkRestored(t, m, want)
					dirs := []string{placeName, placeName + "/files", "new"}
					if kind == "lost reply" { // of making the file that is left
						dirs = dirs[:2]
					}
					if left := temporary(t, m, dirs...); err != nil && len(left) > 0 {
						t.Fatalf("k = %d: left behind: %v", k, left)
					}
				}
			}
			try(graph, func(fsys vfs.FS) error {
				_, err := backUpOn(t, fsys, graph)
				return err
			})
			m := copyOf(graph)
			if _, err := backUpOn(t, m, m); err != nil {
				t.Fatal(err)
			}
			try(m, func(fsys vfs.FS) error { return restoreOn(t, fsys) })
		})
	}
}

// A disk that is full from one write on: the error says so, and with space the backup and
// the restore go on where they were.
func TestDiskFull(t *testing.T) {
	graph, want := smallGraph(t)
	for _, what := range []string{"backup", "restore"} {
		for k := 0; ; k++ {
			m, writes, full := copyOf(graph), 0, false
			if what == "restore" {
				if _, err := backUpOn(t, m, m); err != nil {
					t.Fatal(err)
				}
			}
			fsys := vfs.NewFault(m, func(c vfs.Call) error {
				if c.Op == vfs.OpWrite {
					if writes++; writes > k {
						full = true
						return vfs.ErrNoSpace
					}
				}
				return nil
			})
			do := func(fsys vfs.FS) error {
				if what == "restore" {
					return restoreOn(t, fsys)
				}
				_, err := backUpOn(t, fsys, m)
				return err
			}
			err := do(fsys)
			if !full {
				must(t, err)
				break
			}
			if !errors.Is(err, vfs.ErrNoSpace) {
				t.Fatalf("%s, write %d: %v", what, k, err)
			}
			if list, _ := place(t, m).List(t.Context()); what == "backup" && len(list) > 0 {
				t.Fatalf("write %d: a backup is there", k)
			}
			must(t, do(m))
			if what == "backup" {
				must(t, restoreOn(t, m))
			}
			checkRestored(t, m, want)
		}
	}
}

// temporary lists the temporary files of folders.
func temporary(t *testing.T, fsys vfs.FS, dirs ...string) (out []string) {
	t.Helper()
	for _, dir := range dirs {
		if _, err := fsys.Stat(dir); err != nil {
			continue
		}
		for _, name := range names(t, fsys, dir) {
			if vfs.IsTemp(name) {
				out = append(out, fmt.Sprint(name))
			}
		}
	}
	return out
}
