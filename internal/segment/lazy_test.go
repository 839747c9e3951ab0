package segment_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// TestLazy counts what is read: one request to open, and then the few units that
// a lookup needs.
func TestLazy(t *testing.T) {
	ctx := context.Background()
	qs := manyQuads(100_000)
	file, built := build(t, nil, qs)
	if len(file) < 8*(128<<10) {
		t.Fatalf("a file of %d bytes is too small for this test", len(file))
	}
	obj := blobtest.Counting(blob.Bytes("mem.rete", file))
	s, err := segment.Open(ctx, obj, &segment.Options{Pin: built.Pin()})
	if err != nil {
		t.Fatal(err)
	}
	if obj.Calls() != 1 || obj.BytesRead() > 129<<10 {
		t.Errorf("open: %d requests, %d bytes", obj.Calls(), obj.BytesRead())
	}
	calls, read := obj.Calls(), obj.BytesRead()
	step := func(what string, maxCalls, maxBytes int64) {
		t.Helper()
		if c, b := obj.Calls()-calls, obj.BytesRead()-read; c > maxCalls || b > maxBytes {
			t.Errorf("%s: %d requests, %d bytes; at most %d and %d are due", what, c, b, maxCalls, maxBytes)
		}
		calls, read = obj.Calls(), obj.BytesRead()
	}

	// A point query: three terms, one stretch of rows, one term back.
	pred := make([]uint32, 1)
	if err := s.Locate(ctx, segment.Predicates, [][]byte{[]byte("<http://example.org/p1>")}, pred); err != nil || pred[0] == 0 {
		t.Fatal(pred, err)
	}
	step("a predicate", 0, 0) // the map holds them
	id := make([]uint32, 1)
	if err := s.Locate(ctx, segment.Shared, [][]byte{[]byte("<http://example.org/node/7>")}, id); err != nil || id[0] == 0 {
		t.Fatal(id, err)
	}
	step("a term", 1, 64<<10)
	scan, err := s.Scan(ctx, 0, tile.SPO, id[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scan.Next(ctx); err != nil {
		t.Fatal(err)
	}
	step("a subject", 1, 128<<10)
	var out ids.Terms
	if err := s.Decode(ctx, segment.Shared, id, &out); err != nil || string(out.At(0)) != "<http://example.org/node/7>" {
		t.Fatal(err)
	}
	step("the same term", 0, 0)
	if n, err := s.Quads(ctx); err != nil || n != built.Quads {
		t.Errorf("%d quads, %v", n, err)
	}
	if n, err := s.Count(ctx, 0, tile.POS); err != nil || n == 0 {
		t.Errorf("%d rows, %v", n, err)
	}
	step("counts of whole graphs", 0, 0)
	if n, err := s.Count(ctx, 0, tile.POS, pred[0]); err != nil || n == 0 {
		t.Errorf("%d rows, %v", n, err)
	}
	step("count of a predicate", 2, 256<<10)
	names, err := s.GraphNames(ctx)
	if err != nil || len(names) != built.Graphs {
		t.Fatal(len(names), err)
	}
	if _, err := s.PredicateNodes(ctx); err != nil {
		t.Fatal(err)
	}
	step("names", 0, 0)
}

// TestJoinedReads: a scan from elsewhere asks for many tiles in one request.
func TestJoinedReads(t *testing.T) {
	ctx := context.Background()
	file, built := build(t, nil, manyQuads(100_000))
	obj := blobtest.Counting(blob.Bytes("https://example.org/a.rete", file))
	s, err := segment.Open(ctx, obj, &segment.Options{Pin: built.Pin()})
	if err != nil {
		t.Fatal(err)
	}
	calls := obj.Calls()
	entries, err := s.Entries(ctx, 0, tile.SPO)
	if err != nil {
		t.Fatal(err)
	}
	scan, err := s.Scan(ctx, 0, tile.SPO)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rowsOf(ctx, scan, tile.SPO); err != nil {
		t.Fatal(err)
	}
	if got := obj.Calls() - calls; got > int64(len(entries)/2+3) {
		t.Errorf("%d requests for %d tiles", got, len(entries))
	}
}

// TestSmallCache reads everything with a cache that holds a few units only.
func TestSmallCache(t *testing.T) {
	qs := manyQuads(20_000)
	file, built := build(t, nil, qs)
	c := cache.New(300 << 10)
	s := open(t, file, &segment.Options{Pin: built.Pin(), Cache: c})
	checkAll(t, s, qs)
	if st := cache.StatsOf(c); st.Bytes > 300<<10 || st.Evictions == 0 {
		t.Errorf("%+v", st)
	}
}

// TestConcurrent reads with several goroutines at once, some of which give up.
func TestConcurrent(t *testing.T) {
	qs := manyQuads(15_000)
	file, built := build(t, nil, qs)
	for name, s := range views(t, file, built) {
		var readers sync.WaitGroup
		for k := range 6 {
			readers.Go(func() {
				r := rand.New(rand.NewPCG(uint64(k), 1))
				for range 5 {
					ctx, cancel := context.WithCancel(context.Background())
					o := tile.Order(r.IntN(tile.NumOrders))
					if r.IntN(3) == 0 {
						cancel()
					}
					got, err := dump(ctx, s, o)
					switch {
					case errors.Is(err, context.Canceled) && ctx.Err() != nil:
					case err != nil:
						t.Errorf("%s: %v", name, err)
					case uint64(len(got)) != built.Quads:
						t.Errorf("%s: %d quads, want %d", name, len(got), built.Quads)
					}
					cancel()
				}
			})
		}
		readers.Wait()
		s.Close()
	}
}

// failing is an object whose reads fail from some call on.
type failing struct {
	blob.Object
	left int
	err  error
	mu   sync.Mutex
}

func (f *failing) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left < 0 {
		return f.err
	}
	return f.Object.ReadRanges(ctx, rs, bufs)
}

// TestReadErrors fails read k, for every k, and wants that error and not fewer
// rows; then the same segment answers once reads work again.
func TestReadErrors(t *testing.T) {
	ctx := context.Background()
	qs := manyQuads(6000)
	file, built := build(t, nil, qs)
	want := distinctQuads(qs)
	disk := errors.New("disk on fire")
	for _, pin := range []*segment.Pin{built.Pin(), nil} {
		for k := 0; ; k++ {
			obj := &failing{Object: blob.Bytes("mem.rete", file), left: k, err: disk}
			s, err := segment.Open(ctx, obj, &segment.Options{Pin: pin, Cache: cache.New(1 << 20)})
			if err == nil {
				var got []quad
				got, err = dump(ctx, s, tile.OSP)
				if err == nil {
					if len(got) != len(want) {
						t.Fatalf("read %d failed: %d quads, want %d, and no error", k, len(got), len(want))
					}
					s.Close()
					break
				}
				obj.mu.Lock()
				obj.left = 1 << 30
				obj.mu.Unlock()
				if got, again := dump(ctx, s, tile.OSP); again != nil || len(got) != len(want) {
					t.Fatalf("read %d failed; later: %d quads, %v", k, len(got), again)
				}
				s.Close()
			}
			if !errors.Is(err, disk) || errors.Is(err, damage.Err) {
				t.Fatalf("read %d failed: %v", k, err)
			}
		}
	}
}

func TestClosed(t *testing.T) {
	ctx := context.Background()
	file, built := build(t, nil, exampleQuads)
	s := open(t, file, &segment.Options{Pin: built.Pin()})
	scan, err := s.Scan(ctx, 0, tile.SPO)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := scan.Next(ctx); err == nil || err == io.EOF {
		t.Errorf("a scan of a closed segment: %v", err)
	}
}
