package compaction_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
)

// manyQuads are n quads in some graphs, most in the default graph.
func manyQuads(r *rand.Rand, n int) []quad {
	quads := make([]quad, n)
	for i := range quads {
		q := quad{
			fmt.Sprintf("<http://e/%d>", r.IntN(n/4)), fmt.Sprintf("<http://p/%d>", r.IntN(30)),
			fmt.Sprintf("<http://e/%d>", r.IntN(n/4)), "",
		}
		if r.IntN(2) == 0 {
			q[2] = fmt.Sprintf(`"%d"`, r.IntN(n))
		}
		if r.IntN(10) == 0 {
			q[3] = fmt.Sprintf("<http://g/%d>", r.IntN(3))
		}
		quads[i] = q
	}
	return quads
}

// largeLog is a log whose base has several tiles and chunks of rows.
func largeLog(t *testing.T, n int) []entry {
	r := rand.New(rand.NewPCG(31, 32))
	base := manyQuads(r, n)
	log := []entry{{adds: base}}
	for i := range 3 {
		e := entry{adds: manyQuads(r, n/10)}
		for range n / 8 {
			e.dels = append(e.dels, base[r.IntN(len(base))])
		}
		if i == 2 {
			e.adds = append(e.adds, base[:n/20]...)
		}
		log = append(log, e)
	}
	return log
}

func TestLarge(t *testing.T) {
	n := longtest.Pick(40_000, 150_000)
	log := largeLog(t, n)
	o := newOpener(t)
	run, closeRun := o.run(log, &segment.WriterOptions{Canonical: true})
	defer closeRun()
	mustEqual(t, o, "adds", addsOf, run, visible(log), segment.WriterOptions{TempDir: t.TempDir()})
	mustEqual(t, o, "dels", delsOf, run, composed(log).dels, segment.WriterOptions{TempDir: t.TempDir()})

	// Two logs with one visible set.
	other, closeOther := o.run([]entry{{adds: visible(log)[n/2:]}, {adds: visible(log)[:n/2]}}, nil)
	defer closeOther()
	var x, y bytes.Buffer
	if _, err := compaction.Adds(context.Background(), run, &x, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := compaction.Adds(context.Background(), other, &y, nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x.Bytes(), y.Bytes()) {
		t.Error("two logs with the same visible set give two files")
	}
}

// Sources with three orders: the groups of a predicate are larger than a chunk
// of rows.
func TestLargeThreeOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	var base, more []quad
	for _, q := range manyQuads(r, 60_000) {
		q[1] = fmt.Sprintf("<http://p/%d>", r.IntN(2))
		base = append(base, q)
		if r.IntN(20) == 0 {
			more = append(more, q)
		}
	}
	log := []entry{{adds: base}, {dels: more}, {adds: more[:len(more)/2]}}
	o := newOpener(t)
	run, closeRun := o.run(log, &segment.WriterOptions{Orders: 3, Canonical: true})
	defer closeRun()
	mustEqual(t, o, "adds", addsOf, run, visible(log), segment.WriterOptions{TempDir: t.TempDir()})
}

// Rows that do not fit the memory wait in files, which are gone at the end.
func TestSpill(t *testing.T) {
	log := largeLog(t, 60_000)
	o := newOpener(t)
	run, closeRun := o.run(log, nil)
	defer closeRun()
	dir := t.TempDir()
	opt := &compaction.Options{WriterOptions: segment.WriterOptions{Memory: 100_000, TempDir: dir}, Workers: 2}
	var out bytes.Buffer
	if _, err := compaction.Adds(context.Background(), run, &out, opt); err != nil {
		t.Fatal(err)
	}
	want, _ := segtest.Build(t, visible(log), &segment.WriterOptions{Canonical: true})
	if !bytes.Equal(out.Bytes(), want) {
		t.Error("other bytes")
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) > 0 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	t.Chdir(dir)
	opt.TempDir = "."
	opt.Progress = func(compaction.Progress) { _ = os.Chdir(filepath.Dir(dir)) } // t.Chdir goes back at the end
	out.Reset()
	if _, err := compaction.Adds(context.Background(), run, &out, opt); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("in a working directory that changes: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	opt.TempDir, opt.Progress = dir+"/missing", nil
	if _, err := compaction.Adds(context.Background(), run, &out, opt); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory for temporary files: error %v", err)
	}
}

func TestProgress(t *testing.T) {
	log := largeLog(t, 40_000)
	o := newOpener(t)
	run, closeRun := o.run(log, nil)
	defer closeRun()
	var stages []string
	opt := &compaction.Options{Progress: func(p compaction.Progress) {
		if len(stages) == 0 || stages[len(stages)-1] != p.Stage {
			stages = append(stages, p.Stage)
		}
		if p.Done < 0 || p.Total > 0 && p.Done > p.Total {
			t.Errorf("progress %+v", p)
		}
	}}
	var out bytes.Buffer
	if _, err := compaction.Adds(context.Background(), run, &out, opt); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(stages); got != "[terms mark write]" {
		t.Errorf("stages %s", got)
	}
}

func TestCancel(t *testing.T) {
	log := largeLog(t, 40_000)
	o := newOpener(t)
	run, closeRun := o.run(log, nil)
	defer closeRun()
	for _, stage := range []string{"terms", "mark", "write"} {
		ctx, cancel := context.WithCancel(t.Context())
		opt := &compaction.Options{Progress: func(p compaction.Progress) {
			if p.Stage == stage {
				cancel()
			}
		}}
		var out bytes.Buffer
		if _, err := compaction.Adds(ctx, run, &out, opt); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in stage %s: error %v", stage, err)
		}
		if out.Len() > 0 {
			t.Errorf("cancelled in stage %s: %d bytes were written", stage, out.Len())
		}
		cancel()
	}
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteError(t *testing.T) {
	o := newOpener(t)
	base, closeBase := o.source([]quad{{"<a>", "<p>", "<b>", ""}}, nil)
	defer closeBase()
	if _, err := compaction.Adds(context.Background(), []compaction.Entry{{Adds: base}}, broken{}, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
