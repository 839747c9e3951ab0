package view_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
)

// damageLog is a small log whose base has several graphs.
func damageLog() []model.Entry {
	return model.Log(rand.New(rand.NewPCG(11, 12)), model.Shape{Entries: 3, Terms: 30, Quads: 40, Big: 400, BigAt: 1})
}

// TestChangedBytesAreErrorsOrDoNoHarm changes bytes of one segment of a log: the
// view then gives all rows, or an error that names the segment.
func TestChangedBytesAreErrorsOrDoNoHarm(t *testing.T) {
	log := damageLog()
	want := model.Fold(log).Sorted()
	var files [][]byte
	var pins []*segment.Built
	for _, e := range log {
		list := make([][4]string, len(e.Adds))
		for i, q := range e.Adds {
			list[i] = q
		}
		data, built := segtest.Build(t, list, &segment.WriterOptions{Codec: segment.ZstdCodec})
		files, pins = append(files, data), append(pins, built)
	}
	dels := viewtest.SegLog(t, []model.Entry{{Dels: log[2].Dels}, {Dels: log[1].Dels}}, rand.New(rand.NewPCG(1, 1)), cache.New(1<<20))
	step := longtest.Pick(997, 97)
	failed, fine := 0, 0
	for file := range files {
		for at := 0; at < len(files[file]); at += step {
			bad := slices.Clone(files[file])
			bad[at] ^= 0x10
			name := fmt.Sprintf("file%d.rete", file)
			got, err := openAndRead(t, name, file, bad, files, pins, dels)
			switch {
			case err == nil && slices.Equal(got, want):
				fine++
			case err == nil:
				t.Fatalf("%s, byte %d changed: %d rows, want %d", name, at, len(got), len(want))
			case !errors.Is(err, engine.ErrDamaged) || !strings.Contains(err.Error(), name):
				var other *segment.UnsupportedError
				if !errors.As(err, &other) {
					t.Fatalf("%s, byte %d changed: the error is %v", name, at, err)
				}
			default:
				failed++
			}
		}
	}
	if failed == 0 {
		t.Errorf("no change was an error; %d did no harm", fine)
	}
}

// openAndRead opens the log with one file replaced.
func openAndRead(t *testing.T, name string, file int, bad []byte, files [][]byte, pins []*segment.Built, dels []layers.Entry) ([]model.Quad, error) {
	t.Helper()
	c := cache.New(1 << 20)
	log := make([]layers.Entry, len(files))
	for i, data := range files {
		obj := blob.Bytes(fmt.Sprintf("file%d.rete", i), data)
		if i == file {
			obj = blob.Bytes(name, bad)
		}
		seg, err := segment.Open(t.Context(), obj, &segment.Options{Pin: pins[i].Pin(), Cache: c})
		if err != nil {
			return nil, err
		}
		defer seg.Close()
		log[i].Adds = layers.FromSegment(seg)
	}
	log[2].Dels, log[1].Dels = dels[0].Dels, dels[1].Dels
	return viewtest.Outcome(t.Context(), view.NewView(log, nil))
}

// flaky fails one of its reads, counted over all objects that share the counter.
type flaky struct {
	blob.Object
	left *atomic.Int64
}

var errFlaky = errors.New("the disk is gone")

func (f flaky) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	if f.left.Add(-1) == 0 {
		return errFlaky
	}
	return f.Object.ReadRanges(ctx, rs, bufs)
}

// TestEveryFailedReadIsAnError fails the k-th read, for every k, while all rows are
// read: the result is all rows, or the error; and the same view is right afterwards.
func TestEveryFailedReadIsAnError(t *testing.T) {
	log := damageLog()
	want := model.Fold(log).Sorted()
	var left atomic.Int64
	layer := func(name string, quads []model.Quad) layers.Layer {
		list := make([][4]string, len(quads))
		for i, q := range quads {
			list[i] = q
		}
		data, built := segtest.Build(t, list, nil)
		obj := flaky{blob.Bytes(name, data), &left}
		// A cache too small for anything: every unit is read each time.
		return layers.FromSegment(segtest.OpenObject(t, obj, built, cache.New(1)))
	}
	entries := make([]layers.Entry, len(log))
	for i, e := range log {
		entries[i] = layers.Entry{Adds: layer(fmt.Sprintf("a%d", i), e.Adds), Dels: layer(fmt.Sprintf("d%d", i), e.Dels)}
	}
	for k := int64(1); ; k++ {
		v := view.NewView(entries, &view.ViewOptions{DeltaBytes: 1 - 2*(k%2)}) // with and without delta
		left.Store(k)
		got, err := viewtest.Outcome(t.Context(), v)
		if left.Load() > 0 {
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("no read failed: %d rows, %v", len(got), err)
			}
			t.Logf("%d reads", k-left.Load())
			return
		}
		if err == nil && !slices.Equal(got, want) || err != nil && !errors.Is(err, errFlaky) {
			t.Fatalf("read %d failed: %d rows, %v", k, len(got), err)
		}
		if got, err := viewtest.Outcome(t.Context(), v); err != nil || !slices.Equal(got, want) {
			t.Fatalf("after read %d failed: %d rows, %v", k, len(got), err)
		}
	}
}

// TestCancelledContexts cancels before everything.
func TestCancelledContexts(t *testing.T) {
	v := view.NewView(viewtest.MemLog(damageLog(), 5), nil)
	ctx, cancel := context.WithCancel(t.Context())
	c, err := v.Scan(ctx, dataset.Pattern{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := c.Next(ctx, new(dataset.Batch)); !errors.Is(err, context.Canceled) {
		t.Errorf("Next: %v", err)
	}
	if _, err := v.Count(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Merge}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Count: %v", err)
	}
}

// TestConcurrentReaders lets many goroutines use one new view at once.
func TestConcurrentReaders(t *testing.T) {
	log := damageLog()
	want := model.Fold(log).Sorted()
	layers := viewtest.SegLog(t, log, rand.New(rand.NewPCG(3, 3)), cache.New(1<<14))
	for _, cfg := range viewtest.Configs {
		v := view.NewView(layers, cfg.Opt)
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				if g%2 == 0 {
					got, err := viewtest.Outcome(context.Background(), v)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%s: %d rows, %v", cfg.Name, len(got), err)
					}
					return
				}
				r := rand.New(rand.NewPCG(uint64(g), 1))
				for range 20 {
					p := dataset.Pattern{G: dataset.Graphs{Mode: dataset.GraphMode(r.IntN(3))}}
					if _, err := v.Count(context.Background(), p); err != nil {
						t.Errorf("Count: %v", err)
					}
					if _, err := v.Estimate(context.Background(), p); err != nil {
						t.Errorf("Estimate: %v", err)
					}
				}
			})
		}
		wg.Wait()
	}
}
