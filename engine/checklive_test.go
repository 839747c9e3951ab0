package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/storetest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// liveWriter is a database in memory that is written, sealed, compacted and collected
// while others read it.
type liveWriter struct {
	t   *testing.T
	mem *vfs.Mem
	mu  sync.Mutex // one move at a time
	db  *engine.DB
	n   int
}

// newLiveWriter makes one with a history, entries, and unsealed changes. fsys is the
// writer's way to the files in mem.
func newLiveWriter(t *testing.T, mem *vfs.Mem, fsys vfs.FS) *liveWriter {
	db, err := engine.Init(t.Context(), manifestName, nil, memOptions(fsys))
	if err != nil {
		t.Fatal(err)
	}
	w := &liveWriter{t: t, mem: mem, db: db}
	w.move("write seal write seal write")
	return w
}

// move makes steps of a writer.
func (w *liveWriter) move(steps string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, step := range strings.Fields(steps) {
		var err error
		switch step {
		case "write":
			w.n++
			write(w.t, w.db, model.Entry{Adds: []model.Quad{{"<http://ex/s>", "<http://ex/p>", fmt.Sprintf("\"%d\"", w.n), ""}}})
		case "seal":
			seal(w.t, w.db)
		case "compact":
			_, err = w.db.Compact(w.t.Context(), nil)
		case "collect":
			_, err = w.db.Collect(w.t.Context(), &engine.CollectOptions{Keep: 1, Grace: time.Nanosecond, Yes: true})
		case "reopen":
			closeDB(w.t, w.db)
			if w.db, err = engine.Open(w.t.Context(), manifestName, &engine.Options{FS: w.mem, CacheBytes: 4 << 20, Writer: true}); err != nil {
				w.t.Fatal(err)
			}
		default:
			w.t.Fatalf("there is no step %q", step)
		}
		if err != nil && !errors.Is(err, engine.ErrCompact) {
			w.t.Fatalf("%s: %v", step, err)
		}
	}
}

// liveMoves are what a writer does in the midst of a reader. In the last, all that the
// reader may have begun with is gone.
var liveMoves = []string{
	"write",
	"write seal",
	"compact write",
	"reopen write",
	"write seal compact collect write seal collect write seal collect write",
}

// besideWriter calls read, with files of its own that a writer moves before the k-th
// operation, for every third k, or in the long form every k, and each kind of move, and
// before each of the first operations at once.
func besideWriter(t *testing.T, read func(t *testing.T, what string, w *liveWriter, fsys vfs.FS)) {
	step := longtest.Pick(int64(3), 1)
	for i, steps := range liveMoves {
		for k := 1 + int64(i)%step; ; k += step {
			mem := vfs.NewMem()
			w := newLiveWriter(t, mem, mem)
			var n atomic.Int64
			read(t, fmt.Sprintf("%q before operation %d", steps, k), w, vfs.NewFault(mem, func(vfs.Call) error {
				if n.Add(1) == k {
					w.move(steps)
				}
				return nil
			}))
			closeDB(t, w.db)
			storetest.Check(t, manifestName, memOptions(mem))
			if n.Load() < k {
				break
			}
		}
	}
	mem := vfs.NewMem()
	w := newLiveWriter(t, mem, mem)
	var n atomic.Int64
	read(t, "before each operation", w, vfs.NewFault(mem, func(vfs.Call) error {
		if i := n.Add(1); i < 60 {
			w.move(liveMoves[i%int64(len(liveMoves))])
		}
		return nil
	}))
	closeDB(t, w.db)
	storetest.Check(t, manifestName, memOptions(mem))
}

func besideOptions(fsys vfs.FS) *engine.Options {
	return &engine.Options{FS: fsys, CacheBytes: 1 << 20, ReadOnly: true}
}

// alarms are the findings of a check that are worse than a note.
func alarms(r *engine.CheckReport) (out []engine.Finding) {
	for _, f := range r.Findings {
		if f.Severity != engine.SeverityNote {
			out = append(out, f)
		}
	}
	return out
}

// TestCheckBesideWriter checks while a writer goes on: nothing is wrong.
func TestCheckBesideWriter(t *testing.T) {
	checks := 0
	besideWriter(t, func(t *testing.T, what string, _ *liveWriter, fsys vfs.FS) {
		r, err := engine.Check(t.Context(), manifestName, nil, besideOptions(fsys))
		if err != nil || !r.OK || len(alarms(r)) > 0 {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		checks++
	})
	t.Logf("%d checks", checks)
}

// TestCheckAmidWriter checks before every operation of a writer.
func TestCheckAmidWriter(t *testing.T) {
	mem := vfs.NewMem()
	var armed atomic.Bool
	checks := 0
	w := newLiveWriter(t, mem, vfs.NewFault(mem, func(c vfs.Call) error {
		if !c.Mutates() || !armed.CompareAndSwap(true, false) {
			return nil
		}
		r, err := engine.Check(context.Background(), manifestName, nil, besideOptions(mem))
		if err != nil || !r.OK || len(alarms(r)) > 0 {
			t.Errorf("before %s: %+v, %v", c, r, err)
		}
		checks++
		armed.Store(true)
		return nil
	}))
	armed.Store(true)
	w.move("write write seal write seal compact collect write seal collect write seal collect write compact write")
	armed.Store(false)
	closeDB(t, w.db)
	storetest.Check(t, manifestName, memOptions(mem))
	if checks < 50 {
		t.Errorf("only %d checks", checks)
	}
	t.Logf("%d checks", checks)
}

// flip changes a byte of a file that its owner has open: in the middle, or in the first
// change of a journal.
func flip(t *testing.T, mem *vfs.Mem, name string) {
	t.Helper()
	f, err := mem.OpenWrite(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := vfs.ReadFile(mem, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	at := len(b) / 2
	if i := bytes.Index(b, []byte("ex/s")); i > 0 {
		at = i
	}
	if _, err := f.WriteAt([]byte{b[at] ^ 1}, int64(at)); err != nil {
		t.Fatal(err)
	}
}

// TestCheckFindsBesideWriter damages a file for good: a writer that goes on hides nothing.
func TestCheckFindsBesideWriter(t *testing.T) {
	for name, file := range map[string]func(*vfs.Mem) string{
		"segment": segmentIn,
		"archive": func(*vfs.Mem) string { return manifestName + ".g1" },
		"journal": func(*vfs.Mem) string { return journalName },
	} {
		for _, gone := range []bool{false, true} {
			if gone && name != "segment" {
				continue // the history ends there, or the owner writes it again
			}
			for _, steps := range []string{"write", "write seal"} {
				if name == "journal" && steps != "write" {
					continue // a seal writes what the owner knows
				}
				for k := int64(1); ; k += longtest.Pick(int64(5), 1) {
					mem := vfs.NewMem()
					w := newLiveWriter(t, mem, mem)
					w.move("write")
					bad := file(mem)
					if gone {
						if err := mem.Remove(bad); err != nil {
							t.Fatal(err)
						}
					} else {
						flip(t, mem, bad)
					}
					var n atomic.Int64
					r, err := engine.Check(t.Context(), manifestName, nil, besideOptions(vfs.NewFault(mem, func(vfs.Call) error {
						if n.Add(1) == k {
							w.move(steps)
						}
						return nil
					})))
					if err != nil || r.OK || len(r.Findings) != 1 || r.Findings[0].Object != bad {
						t.Errorf("%s, gone: %v, %q before operation %d: %+v, %v", name, gone, steps, k, r, err)
					}
					closeDB(t, w.db)
					if n.Load() < k {
						break
					}
				}
			}
		}
	}
}

// TestStatusBesideWriter: a status of moving files is that of one generation, and good.
func TestStatusBesideWriter(t *testing.T) {
	besideWriter(t, func(t *testing.T, what string, _ *liveWriter, fsys vfs.FS) {
		db, err := engine.Open(t.Context(), manifestName, besideOptions(fsys))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		defer db.Close()
		s, err := db.Status(t.Context(), &engine.StatusOptions{Count: true})
		if err != nil || !s.Verified || s.VisibleQuads == nil {
			t.Errorf("%s: %+v, %v", what, s, err)
		}
	})
}

// TestHistoryBesideWriter reads the log, and compares the oldest generation that it has
// with now: a generation may expire meanwhile, and nothing else is wrong.
func TestHistoryBesideWriter(t *testing.T) {
	besideWriter(t, func(t *testing.T, what string, w *liveWriter, fsys vfs.FS) {
		db, err := engine.Open(t.Context(), manifestName, besideOptions(fsys))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		defer db.Close()
		list, err := db.Log(t.Context(), 0)
		if err != nil || len(list) == 0 {
			t.Errorf("%s: log: %v, %v", what, list, err)
			return
		}
		for i := 1; i < len(list); i++ {
			if list[i].Generation != list[i-1].Generation-1 {
				t.Errorf("%s: log: %v", what, list)
			}
		}
		rows := 0
		err = eachChange(db.Diff(t.Context(), list[len(list)-1].Generation, engine.Now), func(added bool, _ *rdf.RawQuad) error {
			if added {
				rows++
			} else {
				t.Errorf("%s: a quad went", what)
			}
			return nil
		})
		if errors.Is(err, engine.ErrExpired) || errors.Is(err, engine.ErrNoGeneration) {
			return
		}
		if err != nil || rows > w.n {
			t.Errorf("%s: %d rows of %d, %v", what, rows, w.n, err)
		}
	})
}
