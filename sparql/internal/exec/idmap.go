package exec

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
)

// idMap maps ids to ids by open addressing. The id 0 is a key like others.
type idMap struct {
	keys  []id // id + 1; 0 is free
	vals  []id
	n     int
	shift uint8
}

func newIDMap() *idMap { return &idMap{keys: make([]id, 256), vals: make([]id, 256), shift: 56} }

// slot returns the place of a key, and whether it is there.
func (m *idMap) slot(key id) (int, bool) {
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

// reserve makes room for so many keys more, with checks of the context. If that ends, the
// map is as it was.
func (m *idMap) reserve(ctx context.Context, keys int) error {
	if 2*(m.n+keys) < cancel.Block {
		return nil // it grows fast enough
	}
	return m.grow(ctx, keys)
}

func (m *idMap) grow(ctx context.Context, keys int) error {
	size, shift := len(m.keys), m.shift
	for 2*(m.n+keys) > size {
		size, shift = 2*size, shift-1
	}
	if size == len(m.keys) {
		return nil
	}
	to := idMap{keys: make([]id, size), vals: make([]id, size), n: m.n, shift: shift}
	err := cancel.Blocks(ctx, len(m.keys), func(from, end int) {
		for at := from; at < end; at++ {
			if k := m.keys[at]; k != 0 {
				slot, _ := to.slot(k - 1)
				to.keys[slot], to.vals[slot] = k, m.vals[at]
			}
		}
	})
	if err == nil {
		*m = to
	}
	return err
}

// put adds a key that is not there.
func (m *idMap) put(key, val id) {
	if 2*m.n >= len(m.keys) {
		_ = m.grow(cancel.None, 1) // only a context ends it
	}
	slot, _ := m.slot(key)
	m.keys[slot], m.vals[slot] = key+1, val
	m.n++
}

func (m *idMap) bytes() int64 { return int64(len(m.keys)) * 16 }
