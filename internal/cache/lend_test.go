package cache

import (
	"context"
	"testing"
)

// TestLend lends memory of a full cache: units go, half of it stays, and what is
// given back can be used again.
func TestLend(t *testing.T) {
	c := New(8 << 20)
	object := NewObject()
	fill := func() int64 {
		for i := range uint64(200) {
			if _, err := Get(t.Context(), c, Key{object, i}, func(context.Context) (any, int64, error) { return i, 64 << 10, nil }); err != nil {
				t.Fatal(err)
			}
		}
		return StatsOf(c).Bytes
	}
	full := fill()
	if got := c.Lend(1 << 20); got < 1<<20 || got > 2<<20 {
		t.Errorf("lent %d bytes", got)
	}
	if now := StatsOf(c).Bytes; now > full-1<<20+1<<18 || fill() > 7<<20 {
		t.Errorf("%d bytes are kept of %d", now, full)
	}
	if lent := c.Lend(1<<30) + 1<<20; lent > 4<<20 || StatsOf(c).Bytes > 4<<20 || fill() < 3<<20 {
		t.Errorf("lent %d bytes, %d are kept", lent, StatsOf(c).Bytes)
	}
	if c.Lend(1) != 0 {
		t.Error("more than half was lent")
	}
	if k := (Key{object, 1}); !KeepsNow(c, k, c.shard(k).limit) || KeepsNow(c, k, c.shard(k).limit+1) || !Keeps(c, c.shard(k).limit+1) {
		t.Error("what is kept now does not depend on what is lent")
	}
	if !Keeps(c, 1<<18) {
		t.Error("what is kept depends on what is lent")
	}
	c.Return(1 << 30)
	if got := fill(); got != full {
		t.Errorf("%d bytes are kept after all was given back, %d before", got, full)
	}
}
