package terms

import "github.com/rete-go/rete/sparql/value"

// The values that a query keeps: so many, with so many bytes. When there are
// more, it begins anew.
const (
	maxCached = 1 << 17
	maxBytes  = 32 << 20
)

// cache maps ids to values by open addressing. Slot 0 is no value, the value of
// id 0.
type cache struct {
	keys   []id // 0 is free
	slots  []int32
	values []value.Value
	shift  uint8
	bytes  int64
}

func newCache() cache {
	c := cache{values: make([]value.Value, 1, 64)}
	c.resize(7)
	return c
}

// find returns the slot of i, and whether it is known; the slot of 0 is 0.
func (c *cache) find(i id) (int32, bool) {
	if i == 0 {
		return 0, true
	}
	mask := uint64(len(c.keys) - 1)
	for at := uint64(i) * 0x9e3779b97f4a7c15 >> c.shift; ; at = (at + 1) & mask {
		switch c.keys[at] {
		case i:
			return c.slots[at], true
		case 0:
			return 0, false
		}
	}
}

// add puts a value in that is not there.
func (c *cache) add(i id, v value.Value) {
	if len(c.values)*2 > len(c.keys) {
		c.resize(64 - c.shift + 1)
	}
	c.put(i, int32(len(c.values)))
	c.values = append(c.values, v)
	c.bytes += int64(v.Bytes()) + 96
}

func (c *cache) put(i id, slot int32) {
	mask := uint64(len(c.keys) - 1)
	at := uint64(i) * 0x9e3779b97f4a7c15 >> c.shift
	for c.keys[at] != 0 {
		at = (at + 1) & mask
	}
	c.keys[at], c.slots[at] = i, slot
}

func (c *cache) resize(bits uint8) {
	keys, slots := c.keys, c.slots
	c.keys, c.slots, c.shift = make([]id, 1<<bits), make([]int32, 1<<bits), 64-bits
	for at, i := range keys {
		if i != 0 {
			c.put(i, slots[at])
		}
	}
}

// full reports whether the cache is to begin anew.
func (c *cache) full() bool { return len(c.values) > maxCached || c.bytes > maxBytes }
