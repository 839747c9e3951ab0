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
			if _, err := c.Get(t.Context(), Key{object, i}, func(context.Context) (any, int64, error) { return i, 64 << 10, nil }); err != nil {
				t.Fatal(err)
			}
		}
		return c.Stats().Bytes
	}
	full := fill()
	if got := c.Lend(1 << 20); got < 1<<20 || got > 2<<20 {
		t.Errorf("lent %d bytes", got)
	}
	if now := c.Stats().Bytes; now > full-1<<20+1<<18 || fill() > 7<<20 {
		t.Errorf("%d bytes are kept of %d", now, full)
	}
	if lent := c.Lend(1<<30) + 1<<20; lent > 4<<20 || c.Stats().Bytes > 4<<20 || fill() < 3<<20 {
		t.Errorf("lent %d bytes, %d are kept", lent, c.Stats().Bytes)
	}
	if c.Lend(1) != 0 {
		t.Error("more than half was lent")
	}
	if k := (Key{object, 1}); !c.KeepsNow(k, c.shard(k).limit) || c.KeepsNow(k, c.shard(k).limit+1) || !c.Keeps(c.shard(k).limit+1) {
		t.Error("what is kept now does not depend on what is lent")
	}
	if !c.Keeps(1 << 18) {
		t.Error("what is kept depends on what is lent")
	}
	c.Return(1 << 30)
	if got := fill(); got != full {
		t.Errorf("%d bytes are kept after all was given back, %d before", got, full)
	}
}
