package terms

import "github.com/rete-go/rete/sparql/internal/value"

// The values that a query keeps: bounds of their number and of their bytes. When there are
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
	chunks []*[chunk]value.Value // never moved when there are more; made when they are needed
	n      int
	shift  uint8
	bytes  int64
}

// chunk is the number of values that are allocated together.
const chunk = 256

func newCache() cache {
	c := cache{n: 1}
	c.resize(4)
	return c
}

// at returns the value in a slot.
func (c *cache) at(slot int32) *value.Value {
	if slot == 0 {
		return &none
	}
	return &c.chunks[slot/chunk][slot%chunk]
}

// none is the value of slot 0. Nobody changes it.
var none value.Value

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
	if c.n*2 > len(c.keys) {
		c.resize(64 - c.shift + 1)
	}
	if c.n >= len(c.chunks)*chunk {
		c.chunks = append(c.chunks, new([chunk]value.Value))
	}
	c.put(i, int32(c.n))
	*c.at(int32(c.n)) = v
	c.n++
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

// full reports whether a cache of at most `most` bytes is to begin anew.
func (c *cache) full(most int64) bool {
	if most == 0 {
		most = maxBytes
	}
	return c.n > maxCached || c.bytes > min(most, maxBytes)
}
