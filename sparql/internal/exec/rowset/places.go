package rowset

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
)

// Places finds the place of an id, plus 1, in an ascending list: in an array
// where the ids are dense, else by hash.
type Places struct {
	first id
	dense []int32
	hash  *IDMap
}

// NewPlaces returns the places of ids that ascend.
func NewPlaces(ctx context.Context, keys []id) (Places, error) {
	if len(keys) > 0 {
		first, span := keys[0], uint64(keys[len(keys)-1]-keys[0])
		if span < 16*uint64(len(keys)) {
			p := Places{first: first, dense: make([]int32, span+1)}
			return p, cancel.Blocks(ctx, len(keys), func(from, to int) {
				for i := from; i < to; i++ {
					p.dense[keys[i]-first] = int32(i + 1)
				}
			})
		}
	}
	p := Places{hash: NewIDMap()}
	return p, cancel.Each(ctx, len(keys), func(from, to int) error {
		if err := p.hash.Reserve(ctx, to-from); err != nil {
			return err
		}
		for i := from; i < to; i++ {
			p.hash.Put(keys[i], id(i+1))
		}
		return nil
	})
}

// Find returns the place of an id, plus 1; 0 if it has none.
func (p *Places) Find(key id) int32 {
	if p.dense != nil {
		if off := uint64(key - p.first); off < uint64(len(p.dense)) {
			return p.dense[off]
		}
		return 0
	}
	slot, ok := p.hash.Slot(key)
	if !ok {
		return 0
	}
	return int32(p.hash.Vals[slot])
}

// Bytes returns the memory of the places.
func (p *Places) Bytes() int64 {
	n := int64(cap(p.dense)) * 4
	if p.hash != nil {
		n += int64(len(p.hash.keys)) * 16
	}
	return n
}
