package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/rete-go/rete/internal/cache"
)

func value(v any, bytes int64) cache.Load {
	return func(context.Context) (any, int64, error) { return v, bytes, nil }
}

func never(t *testing.T) cache.Load {
	return func(context.Context) (any, int64, error) {
		t.Error("loaded although it is kept")
		return nil, 0, errors.New("loaded")
	}
}

func TestGet(t *testing.T) {
	c := cache.New(1 << 20)
	defer c.Close()
	k := cache.Key{Object: cache.NewObject(), Unit: 7}
	if _, ok := cache.Peek(c, k); ok {
		t.Error("Peek found what was never loaded")
	}
	for _, load := range []cache.Load{value("x", 10), never(t)} {
		v, err := cache.Get(t.Context(), c, k, load)
		if v != "x" || err != nil {
			t.Errorf("got %v, %v, want x", v, err)
		}
	}
	if v, ok := cache.Peek(c, k); v != "x" || !ok {
		t.Errorf("Peek: got %v, %v, want x", v, ok)
	}
	got := cache.StatsOf(c)
	want := cache.Stats{Hits: 2, Misses: 1, Loads: 1, LoadedBytes: 10, Bytes: 10, Entries: 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if a, b := cache.NewObject(), cache.NewObject(); a == b {
		t.Error("one number for two objects")
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	c := cache.New(1 << 20)
	defer c.Close()
	k := cache.Key{Object: 1}
	boom := errors.New("boom")
	if _, err := cache.Get(t.Context(), c, k, func(context.Context) (any, int64, error) { return nil, 0, boom }); err != boom {
		t.Errorf("got %v, want boom", err)
	}
	if v, err := cache.Get(t.Context(), c, k, value(1, 1)); v != 1 || err != nil {
		t.Errorf("after the error: got %v, %v, want 1", v, err)
	}
}

func TestTooBig(t *testing.T) {
	c := cache.New(100)
	defer c.Close()
	k := cache.Key{Object: 1}
	for range 2 {
		if v, err := cache.Get(t.Context(), c, k, value(1, 101)); v != 1 || err != nil {
			t.Errorf("got %v, %v, want 1", v, err)
		}
	}
	if s := cache.StatsOf(c); s.TooBig != 2 || s.Loads != 2 || s.Bytes != 0 {
		t.Errorf("got %+v, want two loads and nothing kept", s)
	}
}

func TestNothingKept(t *testing.T) {
	c := cache.New(0)
	defer c.Close()
	for range 2 {
		if v, err := cache.Get(t.Context(), c, cache.Key{}, value(1, 0)); v != 1 || err != nil {
			t.Errorf("got %v, %v, want 1", v, err)
		}
	}
	if s := cache.StatsOf(c); s.Entries != 0 {
		t.Errorf("got %+v, want nothing kept", s)
	}
}

func TestBound(t *testing.T) {
	const limit = 1000
	c := cache.New(limit) // one shard
	defer c.Close()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		u := uint64(rnd.IntN(300))
		size := int64(u%40 + 1)
		v, err := cache.Get(t.Context(), c, cache.Key{Object: u % 3, Unit: u}, value(u, size))
		if err != nil || v != u {
			t.Fatalf("got %v, %v, want %d", v, err, u)
		}
		if rnd.IntN(500) == 0 {
			cache.Drop(c, u%3)
			if _, ok := cache.Peek(c, cache.Key{Object: u % 3, Unit: u}); ok {
				t.Fatal("kept after Drop")
			}
		}
		if s := cache.StatsOf(c); s.Bytes > limit || s.Bytes < 0 || (s.Entries == 0) != (s.Bytes == 0) {
			t.Fatalf("bound of %d broken: %+v", limit, s)
		}
	}
	if s := cache.StatsOf(c); s.Evictions == 0 || s.Hits == 0 {
		t.Errorf("got %+v, want hits and evictions", s)
	}
}

// What is used again and again survives a long scan.
func TestSecondChance(t *testing.T) {
	c := cache.New(100)
	defer c.Close()
	hot := cache.Key{Object: 1}
	loads := 0
	for i := range 1000 {
		cache.Get(t.Context(), c, hot, func(context.Context) (any, int64, error) { loads++; return 0, 1, nil })
		cache.Get(t.Context(), c, cache.Key{Object: 2, Unit: uint64(i)}, value(i, 1))
	}
	if loads != 1 {
		t.Errorf("the hot unit was loaded %d times, want once", loads)
	}
}

func TestSingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(1 << 20)
		defer c.Close()
		release := make(chan struct{})
		loads := 0
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				v, err := cache.Get(t.Context(), c, cache.Key{}, func(context.Context) (any, int64, error) {
					loads++
					<-release
					return "x", 1, nil
				})
				if v != "x" || err != nil {
					t.Errorf("got %v, %v, want x", v, err)
				}
			})
		}
		synctest.Wait()
		close(release)
		wg.Wait()
		if loads != 1 {
			t.Errorf("%d loads, want one", loads)
		}
		if s := cache.StatsOf(c); s.Misses != 10 || s.Loads != 1 {
			t.Errorf("got %+v, want ten misses and one load", s)
		}
	})
}

func TestLoadOutlivesItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(1 << 20)
		defer c.Close()
		release := make(chan struct{})
		load := func(ctx context.Context) (any, int64, error) {
			select {
			case <-release:
				return "x", 1, nil
			case <-ctx.Done():
				return nil, 0, ctx.Err()
			}
		}
		first, cancel := context.WithCancelCause(t.Context())
		var firstErr error
		var second any
		var wg sync.WaitGroup
		wg.Go(func() { _, firstErr = cache.Get(first, c, cache.Key{}, load) })
		synctest.Wait()
		wg.Go(func() { second, _ = cache.Get(t.Context(), c, cache.Key{}, never(t)) })
		synctest.Wait()
		gone := errors.New("gone")
		cancel(gone)
		synctest.Wait()
		if firstErr != gone {
			t.Errorf("first caller: got %v, want its own cause", firstErr)
		}
		close(release)
		wg.Wait()
		if second != "x" {
			t.Errorf("second caller: got %v, want x", second)
		}
		if v, ok := cache.Peek(c, cache.Key{}); !ok || v != "x" {
			t.Errorf("not kept: %v, %v", v, ok)
		}
	})
}

func TestDropDuringLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(1 << 20)
		defer c.Close()
		release := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			v, err := cache.Get(t.Context(), c, cache.Key{Object: 1}, func(context.Context) (any, int64, error) {
				<-release
				return "old", 1, nil
			})
			if v != "old" || err != nil {
				t.Errorf("got %v, %v, want old", v, err)
			}
		})
		synctest.Wait()
		cache.Drop(c, 1)
		close(release)
		wg.Wait()
		if _, ok := cache.Peek(c, cache.Key{Object: 1}); ok {
			t.Error("kept although its object was dropped")
		}
	})
}

func TestClose(t *testing.T) {
	c := cache.New(1 << 20)
	started := make(chan struct{})
	done := make(chan error)
	go func() {
		_, err := cache.Get(context.Background(), c, cache.Key{}, func(ctx context.Context) (any, int64, error) {
			close(started)
			<-ctx.Done()
			return nil, 0, ctx.Err()
		})
		done <- err
	}()
	<-started
	c.Close()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("load under way: got %v, want canceled", err)
	}
	if _, err := cache.Get(t.Context(), c, cache.Key{}, never(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("Get after Close: got %v, want canceled", err)
	}
}

func TestConcurrent(t *testing.T) {
	c := cache.New(64 << 10)
	defer c.Close()
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(g), 0))
			for range 3000 {
				u := uint64(rnd.IntN(2000))
				v, err := cache.Get(t.Context(), c, cache.Key{Object: u % 5, Unit: u}, value(u, 64))
				if err != nil || v != u {
					wrong.Add(1)
				}
				if rnd.IntN(1000) == 0 {
					cache.Drop(c, u%5)
				}
			}
		})
	}
	wg.Wait()
	if wrong.Load() != 0 {
		t.Errorf("%d wrong answers", wrong.Load())
	}
	if s := cache.StatsOf(c); s.Bytes > 64<<10 {
		t.Errorf("too much kept: %+v", s)
	}
}

func TestHitAllocatesNothing(t *testing.T) {
	c := cache.New(1 << 20)
	defer c.Close()
	k := cache.Key{Object: 1}
	load := value(new(int), 1)
	cache.Get(t.Context(), c, k, load)
	if n := testing.AllocsPerRun(100, func() { cache.Get(t.Context(), c, k, load) }); n != 0 {
		t.Errorf("%v allocations a hit, want none", n)
	}
}

func BenchmarkHit(b *testing.B) {
	for _, units := range []uint64{1, 1000, 100000} {
		b.Run(fmt.Sprint(units), func(b *testing.B) {
			c := cache.New(1 << 30)
			defer c.Close()
			load := value(new(int), 100)
			for u := range units {
				cache.Get(b.Context(), c, cache.Key{Object: 1, Unit: u}, load)
			}
			ctx := b.Context()
			b.ReportAllocs()
			u := uint64(0)
			for b.Loop() {
				cache.Get(ctx, c, cache.Key{Object: 1, Unit: u % units}, load)
				u++
			}
		})
	}
}

func BenchmarkHitParallel(b *testing.B) {
	c := cache.New(1 << 30)
	defer c.Close()
	load := value(new(int), 100)
	for u := range uint64(1000) {
		cache.Get(b.Context(), c, cache.Key{Object: 1, Unit: u}, load)
	}
	ctx := b.Context()
	b.RunParallel(func(pb *testing.PB) {
		for u := uint64(0); pb.Next(); u++ {
			cache.Get(ctx, c, cache.Key{Object: 1, Unit: u % 1000}, load)
		}
	})
}

func BenchmarkMiss(b *testing.B) {
	c := cache.New(1 << 20)
	defer c.Close()
	load := value(new(int), 1000)
	b.ReportAllocs()
	u := uint64(0)
	for b.Loop() {
		cache.Get(b.Context(), c, cache.Key{Object: 1, Unit: u}, load)
		u++
	}
}
