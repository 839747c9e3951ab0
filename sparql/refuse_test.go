package sparql_test

import (
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/sparql"
)

// refuser refuses memory at some requests, and notes which call asked.
type refuser struct {
	mu    sync.Mutex
	asked int
	at    int  // the request that is refused; 0: none
	after bool // and all after it

	ops   map[string]bool // that asked, in all runs
	sites map[string]bool // the functions and lines that asked, in all runs
	paths []uint64        // of each request of a run, the calls that led to it
	seed  maphash.Seed

	refusals, failures int // runs with a refusal; those that failed
}

func newRefuser() *refuser {
	return &refuser{ops: map[string]bool{}, sites: map[string]bool{}, seed: maphash.MakeSeed()}
}

func (r *refuser) begin(at int, after bool) {
	r.asked, r.at, r.after, r.paths = 0, at, after, r.paths[:0]
}

func (r *refuser) refuse(op string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	r.ops[op] = true
	if path := r.site(); r.at == 0 {
		r.paths = append(r.paths, path)
	}
	return r.asked == r.at || r.after && r.at > 0 && r.asked > r.at
}

// site notes which call asked, and returns the hash of the calls that led there.
func (r *refuser) site() uint64 {
	var pcs [64]uintptr
	n := runtime.Callers(3, pcs[:])
	var h maphash.Hash
	h.SetSeed(r.seed)
	frames := runtime.CallersFrames(pcs[:n])
	found := false
	for {
		f, more := frames.Next()
		inside := strings.Contains(f.File, "/exec/mem/") || strings.HasSuffix(f.File, "work/meter.go") || strings.HasSuffix(f.File, "export_test.go")
		if !inside && !found {
			found = true
			r.sites[fmt.Sprintf("%s:%d", f.Function[strings.LastIndexByte(f.Function, '/')+1:], f.Line)] = true
		}
		if strings.HasSuffix(f.File, "_test.go") && found {
			break
		}
		fmt.Fprintf(&h, "%s:%d\n", f.Function, f.Line)
		if !more {
			break
		}
	}
	return h.Sum64()
}

// moments returns the requests of the last run at which memory is refused: the first one of
// each path of calls, the first hundred in the long form.
func (r *refuser) moments() (out []int) {
	seen := map[uint64]int{}
	for i, p := range r.paths {
		if seen[p]++; seen[p] <= longtest.Pick(1, 100) {
			out = append(out, i+1)
		}
	}
	return append(out, len(r.paths)+1) // that many there are not
}

// refused runs f, which returns what it did as a text, with memory refused at every request,
// at it alone and from it on. Each time it does the same, in less memory, or it fails with
// the budget's error; no memory is held then, and no file and no goroutine is left.
func (r *refuser) refused(t *testing.T, name string, f func(dir string, opts ...sparql.Option) (string, error)) {
	t.Helper()
	dir := t.TempDir()
	pool := sparql.NewMemoryPool(1 << 30)
	run := func(at int, after bool, spill int64) (string, error) {
		r.begin(at, after)
		return f(dir, sparql.SharedMemory(pool), sparql.MemoryLimit(1<<30), sparql.Spill(dir, spill), sparql.RefuseMemory(r.refuse))
	}
	want, err := run(0, false, -1)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if len(r.paths) == 0 {
		t.Errorf("%s: it asks for no memory", name)
	}
	goroutines := runtime.NumGoroutine()
	for _, at := range r.moments() {
		for _, after := range []bool{false, true} {
			for _, spill := range []int64{-1, 0} {
				if after == (spill >= 0) && !longtest.On() {
					continue
				}
				r.refusals++
				label := fmt.Sprintf("%s: request %d refused, those after it: %v, files: %v", name, at, after, spill >= 0)
				got, err := run(at, after, spill)
				var memory *sparql.MemoryError
				switch {
				case err == nil && got != want:
					t.Errorf("%s: it says\n%s\nnot\n%s", label, cutText(got), cutText(want))
				case errors.As(err, &memory):
					r.failures++
				case err != nil:
					t.Errorf("%s: %v", label, err)
				}
				if n := pool.Used(); n != 0 {
					t.Fatalf("%s: %d bytes are held", label, n)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Fatalf("%s: left behind: %v, %v", label, left, err)
				}
				for i := 0; runtime.NumGoroutine() > goroutines; i++ {
					if time.Sleep(time.Millisecond); i > 20_000 {
						t.Fatalf("%s: %d goroutines are left", label, runtime.NumGoroutine()-goroutines)
					}
				}
			}
		}
	}
}
