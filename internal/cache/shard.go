package cache

import (
	"sync"
	"sync/atomic"
)

// shard is one part of the cache: a map from keys to slots of a ring, and the
// hand that goes round it. A slot that was used since the hand last passed is
// spared once (CLOCK, second chance).
type shard struct {
	mu      sync.RWMutex // guards everything below but the atomics
	limit   int64        // now: less than most while some is lent
	most    int64        // does not change
	bytes   int64
	slots   map[Key]*slot
	ring    []*slot
	hand    int
	flights map[Key]*flight

	hits, misses             atomic.Uint64
	loads, evictions, tooBig uint64
	loadedBytes              uint64
	_                        [64]byte // keeps neighbours out of this cache line
}

type slot struct {
	key   Key
	value any
	bytes int64
	at    int // place in the ring
	used  atomic.Bool
}

// flight is one load under way. value and err are set before done is closed.
type flight struct {
	done  chan struct{}
	value any
	err   error
	share float64 // see [Sparing]; 0 once a caller waits that is not sparing
}

func (s *shard) init(limit int64) {
	s.limit, s.most = limit, limit
	s.slots = make(map[Key]*slot)
	s.flights = make(map[Key]*flight)
}

func (s *shard) get(k Key) (any, bool) {
	s.mu.RLock()
	e := s.slots[k]
	s.mu.RUnlock()
	if e == nil {
		return nil, false
	}
	if !e.used.Load() { // a store only where it changes something: the line stays shared
		e.used.Store(true)
	}
	s.hits.Add(1)
	return e.value, true
}

// join returns the flight for k, new (mine) or under way; or, with a nil
// flight, the value that came in meanwhile. share is that of [Sparing], or 0.
func (s *shard) join(k Key, share float64) (f *flight, v any, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.slots[k]; e != nil {
		e.used.Store(true)
		s.hits.Add(1)
		return nil, e.value, false
	}
	s.misses.Add(1)
	if f := s.flights[k]; f != nil {
		if share == 0 {
			f.share = 0
		}
		return f, nil, false
	}
	f = &flight{done: make(chan struct{}), share: share}
	s.flights[k] = f
	s.loads++
	return f, nil, true
}

// land ends a flight and keeps its value if it fits.
func (s *shard) land(k Key, f *flight, v any, n int64, err error) {
	f.value, f.err = v, err
	s.mu.Lock()
	if s.flights[k] == f {
		delete(s.flights, k)
		if err == nil {
			s.loadedBytes += uint64(max(n, 0))
			if n = max(n, 1); f.share == 0 || s.bytes+n <= s.part(f.share) {
				s.keep(k, v, n)
			}
		}
	}
	s.mu.Unlock()
	close(f.done)
}

func (s *shard) keep(k Key, v any, n int64) {
	if n > s.limit {
		s.tooBig++
		return
	}
	for s.bytes+n > s.limit {
		s.evict()
	}
	e := &slot{key: k, value: v, bytes: n, at: len(s.ring)}
	s.slots[k] = e
	s.ring = append(s.ring, e)
	s.bytes += n
}

// evict drops the first unit from the hand on that was not used since the hand
// last passed. There is one: keep asks only while bytes are kept.
func (s *shard) evict() {
	for {
		if s.hand >= len(s.ring) {
			s.hand = 0
		}
		e := s.ring[s.hand]
		if !e.used.Load() {
			s.remove(e)
			s.evictions++
			return
		}
		e.used.Store(false)
		s.hand++
	}
}

// remove fills the gap in the ring with its last slot.
func (s *shard) remove(e *slot) {
	last := s.ring[len(s.ring)-1]
	s.ring[e.at], last.at = last, e.at
	s.ring[len(s.ring)-1] = nil
	s.ring = s.ring[:len(s.ring)-1]
	delete(s.slots, e.key)
	s.bytes -= e.bytes
}

func (s *shard) drop(object uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.ring) - 1; i >= 0; i-- {
		if e := s.ring[i]; e.key.Object == object {
			s.remove(e)
		}
	}
	for k := range s.flights {
		if k.Object == object {
			delete(s.flights, k) // it will answer its callers and not be kept
		}
	}
}

func (s *shard) dropAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.slots)
	s.ring, s.bytes, s.hand = nil, 0, 0
}

func (s *shard) addStats(t *Stats) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t.Hits += s.hits.Load()
	t.Misses += s.misses.Load()
	t.Loads += s.loads
	t.LoadedBytes += s.loadedBytes
	t.Evictions += s.evictions
	t.TooBig += s.tooBig
	t.Bytes += s.bytes
	t.Entries += int64(len(s.ring))
}
