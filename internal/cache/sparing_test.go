package cache_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/rete-go/rete/internal/cache"
)

// Sparing loads fill their share and stop: what others brought in stays.
func TestSparing(t *testing.T) {
	const unit, limit = 10 << 10, 1 << 20
	c := cache.New(limit) // one shard
	defer c.Close()
	get := func(ctx context.Context, object, n uint64) {
		t.Helper()
		v, err := cache.Get(ctx, c, cache.Key{Object: object, Unit: n}, value(n, unit))
		if v != n || err != nil {
			t.Fatalf("unit %d: got %v, %v", n, v, err)
		}
	}
	for n := range uint64(20) {
		get(t.Context(), 1, n)
	}
	sparing := cache.Sparing(t.Context(), 0.5)
	for n := range uint64(200) {
		get(sparing, 2, n) // also without room the value is handed out
	}
	s := cache.StatsOf(c)
	if s.Evictions != 0 || s.Bytes > limit/2 || s.Bytes+unit <= limit/2 {
		t.Errorf("%d evictions, %d bytes kept; want none, and the last of %d that fit", s.Evictions, s.Bytes, limit/2)
	}
	for n := range uint64(20) {
		if kept, room := cache.Room(sparing, c, cache.Key{Object: 1, Unit: n}, unit); !kept || room {
			t.Errorf("unit %d of the others: kept %v, room %v", n, kept, room)
		}
	}
	if kept, _ := cache.Room(sparing, c, cache.Key{Object: 2, Unit: 199}, 1); kept {
		t.Error("the last one is kept, though there was no room")
	}

	// A caller that is not sparing drops what nobody has used: first of all what was only
	// brought in ahead.
	for n := range uint64(20) {
		cache.Peek(c, cache.Key{Object: 1, Unit: n})
	}
	for n := range uint64(80) {
		get(t.Context(), 3, n)
	}
	for n := range uint64(20) {
		if _, ok := cache.Peek(c, cache.Key{Object: 1, Unit: n}); !ok {
			t.Errorf("unit %d, which was used, went before those that were not", n)
		}
	}
}

// A query that waits for a sparing load makes it its own.
func TestSparingJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(1 << 20)
		defer c.Close()
		if _, err := cache.Get(t.Context(), c, cache.Key{Object: 1}, value("full", 900<<10)); err != nil {
			t.Fatal(err)
		}
		k := cache.Key{Object: 2}
		start := make(chan struct{})
		load := func(context.Context) (any, int64, error) {
			<-start
			return "x", 10 << 10, nil
		}
		for _, ctx := range []context.Context{cache.Sparing(t.Context(), 0.5), t.Context()} {
			go func() {
				if v, err := cache.Get(ctx, c, k, load); v != "x" || err != nil {
					t.Errorf("got %v, %v", v, err)
				}
			}()
			synctest.Wait()
		}
		close(start)
		synctest.Wait()
		if _, ok := cache.Peek(c, k); !ok {
			t.Error("the value that a query waited for is not kept")
		}
	})
}
