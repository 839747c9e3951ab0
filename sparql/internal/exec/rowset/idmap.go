package rowset

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
)

// IDMap maps ids to ids by open addressing. The id 0 is a key like others.
type IDMap struct {
	keys  []id // id + 1; 0 is free
	Vals  []id
	N     int
	shift uint8
}

// NewIDMap returns an empty map.
func NewIDMap() *IDMap { return &IDMap{keys: make([]id, 256), Vals: make([]id, 256), shift: 56} }

// Slot returns the place of a key, and whether it is there.
func (m *IDMap) Slot(key id) (int, bool) {
	key++
	mask := len(m.keys) - 1
	for at := int(uint64(key) * golden >> m.shift); ; at = (at + 1) & mask {
		switch m.keys[at] {
		case key:
			return at, true
		case 0:
			return at, false
		}
	}
}

// Reserve makes room for the given number of keys more, with checks of the context. If that ends, the
// map is as it was.
func (m *IDMap) Reserve(ctx context.Context, keys int) error {
	if 2*(m.N+keys) < cancel.Block {
		return nil // it grows fast enough
	}
	return m.grow(ctx, keys)
}

func (m *IDMap) grow(ctx context.Context, keys int) error {
	size, shift := len(m.keys), m.shift
	for 2*(m.N+keys) > size {
		size, shift = 2*size, shift-1
	}
	if size == len(m.keys) {
		return nil
	}
	to := IDMap{keys: make([]id, size), Vals: make([]id, size), N: m.N, shift: shift}
	err := cancel.Blocks(ctx, len(m.keys), func(from, end int) {
		for at := from; at < end; at++ {
			if k := m.keys[at]; k != 0 {
				slot, _ := to.Slot(k - 1)
				to.keys[slot], to.Vals[slot] = k, m.Vals[at]
			}
		}
	})
	if err == nil {
		*m = to
	}
	return err
}

// Put adds a key that is not there.
func (m *IDMap) Put(key, val id) {
	if 2*m.N >= len(m.keys) {
		_ = m.grow(cancel.None, 1) // only a context ends it
	}
	slot, _ := m.Slot(key)
	m.keys[slot], m.Vals[slot] = key+1, val
	m.N++
}

// Bytes returns the memory of the map.
func (m *IDMap) Bytes() int64 { return int64(len(m.keys)) * 16 }
