// Package cache is the one store of decoded units (tiles, dictionary chunks)
// that all segments of a process share: bounded by bytes, sharded, with the
// CLOCK rule for what goes first and one flight per missing unit.
//
// A hit takes a shared lock on one of the shards and sets one bit; it allocates
// nothing. A unit that somebody still uses may be dropped at any time: the
// garbage collector keeps it until its last user is done, so values must not
// be changed once they are in.
package cache

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// Key names one unit: an object (see [NewObject]) and a number inside it that
// the object's reader chooses.
type Key struct{ Object, Unit uint64 }

// Load makes the value of a key. It gets a context of its own, which ends only
// when the cache is told so by [Cache.Close]; bytes is what the value costs.
type Load func(ctx context.Context) (value any, bytes int64, err error)

// Stats are counters since the cache was made, and two gauges.
type Stats struct {
	Hits, Misses uint64 // answered from memory; answered by a load, own or shared
	Loads        uint64 // loads begun
	LoadedBytes  uint64 // what the loads that ended well cost
	Evictions    uint64 // units dropped to make room
	TooBig       uint64 // units handed out but not kept, bigger than a shard
	Bytes        int64  // bytes kept now
	Entries      int64  // units kept now
}

// Cache holds values up to a number of bytes. Safe for concurrent use.
type Cache struct {
	shards []shard
	mask   uint64
	ctx    context.Context // of all loads
	cancel context.CancelFunc
	loads  sync.WaitGroup
	life   sync.RWMutex // guards closed, so that no load begins once Close waits
	closed bool
}

// minShard keeps shards of small caches large enough for several units.
const minShard = 1 << 20

// New returns a cache that keeps at most maxBytes; zero or less keeps nothing
// and still joins concurrent loads of one key.
func New(maxBytes int64) *Cache {
	n := 1 << bits.Len(uint(4*runtime.GOMAXPROCS(0)-1))
	for n > 1 && maxBytes/int64(n) < minShard {
		n /= 2
	}
	c := &Cache{shards: make([]shard, n), mask: uint64(n - 1)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	for i := range c.shards {
		c.shards[i].init(max(0, maxBytes/int64(n)))
	}
	return c
}

var lastObject atomic.Uint64

// NewObject returns a number for [Key] that no other object of this process
// has had.
func NewObject() uint64 { return lastObject.Add(1) }

func (c *Cache) shard(k Key) *shard {
	h := k.Object*0x9E3779B97F4A7C15 ^ k.Unit*0xD6E8FEB86659FD93
	return &c.shards[h>>40&c.mask]
}

// Peek returns the value of k if it is kept.
func Peek(c *Cache, k Key) (any, bool) { return c.shard(k).get(k) }

// Get returns the value of k, loading it if it is not kept. Callers that miss
// the same key at the same time share one load, which goes on when the caller
// that began it leaves: ctx ends only this caller's wait, with the cause of
// ctx. A load that fails hands its error to all that wait and is not
// remembered. A value bigger than a shard's share is handed out and not kept.
func Get(ctx context.Context, c *Cache, k Key, load Load) (any, error) {
	s := c.shard(k)
	if v, ok := s.get(k); ok {
		return v, nil
	}
	f, v, mine := s.join(k, shareOf(ctx))
	if f == nil {
		return v, nil // it came in between
	}
	if mine {
		c.begin(s, k, f, load)
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (c *Cache) begin(s *shard, k Key, f *flight, load Load) {
	c.life.RLock()
	defer c.life.RUnlock()
	if c.closed {
		s.land(k, f, nil, 0, context.Canceled)
		return
	}
	c.loads.Add(1)
	go c.fly(s, k, f, load)
}

// fly runs a load. A panic in it is a bug of ours and must not be swallowed,
// but those that wait are freed first.
func (c *Cache) fly(s *shard, k Key, f *flight, load Load) {
	defer c.loads.Done()
	landed := false
	defer func() {
		if !landed {
			s.land(k, f, nil, 0, context.Canceled)
		}
	}()
	v, n, err := load(c.ctx)
	landed = true
	s.land(k, f, v, n, err)
}

// Drop drops all units of an object. Loads under way still answer their
// callers.
func Drop(c *Cache, object uint64) {
	for i := range c.shards {
		c.shards[i].drop(object)
	}
}

// Close ends the loads under way, waits for them and drops everything.
// Later Gets fail with context.Canceled unless the value is kept.
func (c *Cache) Close() error {
	c.life.Lock()
	c.closed = true
	c.life.Unlock()
	c.cancel()
	c.loads.Wait()
	for i := range c.shards {
		c.shards[i].dropAll()
	}
	return nil
}

// StatsOf sums the counters of all shards.
func StatsOf(c *Cache) Stats {
	var t Stats
	for i := range c.shards {
		c.shards[i].addStats(&t)
	}
	return t
}

// KeepsNow reports whether a value of that many bytes would be kept for k while as much
// of the cache is lent as now.
func KeepsNow(c *Cache, k Key, bytes int64) bool {
	s := c.shard(k)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return bytes <= s.limit
}

// Keeps reports whether a value of that many bytes is kept at all.
func Keeps(c *Cache, bytes int64) bool { return bytes <= c.shards[0].most }
