package valueindex

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/valuekey"
)

// Made is a value index in memory, for terms whose file has none.
type Made struct {
	lists [valuekey.Classes]List
}

// Make returns the index of the terms that a builder has, which is of no use any more.
func Make(ctx context.Context, b *Builder) (*Made, error) {
	lists, err := b.lists(ctx)
	return &Made{lists}, err
}

// MadeBytes is about what the index of n terms takes in memory.
func MadeBytes(n uint64) int64 { return int64(n)*4 + int64(n)/Block*8 }

// Bytes returns what the index takes in memory.
func (m *Made) Bytes() (n int64) {
	for i := range m.lists {
		n += m.lists[i].Bytes()
	}
	return n
}

// Len returns how many literals of a class there are.
func (m *Made) Len(c valuekey.Class) uint64 { return uint64(len(m.lists[c].IDs)) }

// Find returns the places of a stretch that has every literal with a key in the
// interval, and fewer than 128 others.
func (m *Made) Find(_ context.Context, i valuekey.Interval) (from, to uint64, err error) {
	a, b := m.lists[i.Class].Find(i.Lo, i.Hi)
	return uint64(a), uint64(b), nil
}

// Key returns the key of a place at or before place: that of its block.
func (m *Made) Key(_ context.Context, c valuekey.Class, place uint64) (valuekey.Key, error) {
	return m.lists[c].Keys[place/Block], nil
}

// IDs calls use with the ids of the places from (included) to (excluded).
func (m *Made) IDs(ctx context.Context, c valuekey.Class, from, to uint64, use func([]uint32)) error {
	list := m.lists[c].IDs[from:to]
	return cancel.Blocks(ctx, len(list), func(from, to int) { use(list[from:to]) })
}
