package cache

import "context"

type sparingKey struct{}

// Sparing returns a context whose loads spare what others brought in: a value that
// [Get] loads with it is kept only where its shard has room for it in that
// share of its limit, and so never drops another one. A load that somebody without
// such a context waits for too is kept as his own. The share is above 0 and at
// most 1.
func Sparing(ctx context.Context, share float64) context.Context {
	return context.WithValue(ctx, sparingKey{}, share)
}

func shareOf(ctx context.Context) float64 {
	share, _ := ctx.Value(sparingKey{}).(float64)
	return share
}

// Room says what a sparing load of k would be good for: kept is that the value is
// there already, room that its shard has that number of bytes left of the share. It is no
// use of the value.
func Room(ctx context.Context, c *Cache, k Key, bytes int64) (kept, room bool) {
	s := c.shard(k)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.slots[k] != nil, s.bytes+bytes <= s.part(shareOf(ctx))
}

// part is a share of the limit, in bytes. s.mu is held.
func (s *shard) part(share float64) int64 { return int64(float64(s.limit) * share) }
