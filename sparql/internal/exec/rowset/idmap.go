package rowset

import (
	"context"
	"slices"
)

// IDMap maps ids to ids. The id 0 is a key like others.
type IDMap struct {
	keys *Set
	Vals []id // by the number of the key
	at   []int32
	new  []id
}

// NewIDMap returns an empty map.
func NewIDMap() *IDMap { return &IDMap{keys: NewSet(1)} }

// Len returns how many keys there are.
func (m *IDMap) Len() int { return m.keys.Rows.N }

// Find returns the place of a key in Vals; below zero if it is not there.
func (m *IDMap) Find(key id) int { return m.keys.Find1(key) }

// Add returns the place of a key in Vals, and whether it is new: its value is 0 then.
func (m *IDMap) Add(key id) (int, bool) {
	at, fresh := m.keys.Add1(key)
	if fresh {
		m.Vals = append(m.Vals, 0)
	}
	return at, fresh
}

// AddAll adds the keys of a column. It returns the place of each in Vals, and those that are new,
// ascending; both hold until the next call.
func (m *IDMap) AddAll(ctx context.Context, col []id) (at []int32, fresh []id, err error) {
	if err := m.Reserve(ctx, len(col)); err != nil {
		return nil, nil, err
	}
	m.at, m.new = Sized(m.at, len(col)), m.new[:0]
	last, place := id(0), -1
	for row, key := range col {
		if key != last || place < 0 {
			if last, place = key, m.Find(key); place < 0 {
				place, _ = m.Add(key)
				m.new = append(m.new, key)
			}
		}
		m.at[row] = int32(place)
	}
	slices.Sort(m.new)
	return m.at, m.new, nil
}

// Reserve makes room for the given number of keys more, with checks of the context. If that ends, the
// map is as it was.
func (m *IDMap) Reserve(ctx context.Context, keys int) error {
	if err := m.keys.Reserve(ctx, keys); err != nil {
		return err
	}
	vals, err := ExtendChecking(ctx, m.Vals, keys)
	if err == nil {
		m.Vals = vals
	}
	return err
}

// Bytes returns the memory of the map.
func (m *IDMap) Bytes() int64 { return m.keys.Bytes() + int64(cap(m.Vals))*8 }
