package cache

// One part in keptShare of a cache is never lent.
const keptShare = 2

// Lend makes the cache smaller by up to the given bytes, dropping units, until they
// are given back by [Cache.Return], and returns by how many. Half of the cache is
// not lent.
func (c *Cache) Lend(bytes int64) int64 {
	n := int64(len(c.shards))
	each := (bytes + n - 1) / n
	lent := int64(0)
	for i := range c.shards {
		lent += c.shards[i].lend(each)
	}
	return lent
}

// Return gives back bytes that were lent, or more than those: it never makes the
// cache larger than it was made.
func (c *Cache) Return(bytes int64) {
	n := int64(len(c.shards))
	each := (bytes + n - 1) / n
	for i := range c.shards {
		c.shards[i].giveBack(each)
	}
}

func (s *shard) lend(bytes int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	bytes = max(0, min(bytes, s.limit-s.most/keptShare))
	s.limit -= bytes
	for s.bytes > s.limit {
		s.evict()
	}
	return bytes
}

func (s *shard) giveBack(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = min(s.limit+bytes, s.most)
}
