package exec

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
)

// placeOf finds the place of an id, plus 1, in an ascending list: in an array
// where the ids are dense, else by hash.
type placeOf struct {
	first id
	dense []int32
	hash  *idMap
}

func newPlaceOf(ctx context.Context, keys []id) (placeOf, error) {
	if len(keys) > 0 {
		first, span := keys[0], uint64(keys[len(keys)-1]-keys[0])
		if span < 16*uint64(len(keys)) {
			p := placeOf{first: first, dense: make([]int32, span+1)}
			return p, cancel.Blocks(ctx, len(keys), func(from, to int) {
				for i := from; i < to; i++ {
					p.dense[keys[i]-first] = int32(i + 1)
				}
			})
		}
	}
	p := placeOf{hash: newIDMap()}
	return p, cancel.Each(ctx, len(keys), func(from, to int) error {
		if err := p.hash.reserve(ctx, to-from); err != nil {
			return err
		}
		for i := from; i < to; i++ {
			p.hash.put(keys[i], id(i+1))
		}
		return nil
	})
}

func (p *placeOf) find(key id) int32 {
	if p.dense != nil {
		if off := uint64(key - p.first); off < uint64(len(p.dense)) {
			return p.dense[off]
		}
		return 0
	}
	slot, ok := p.hash.slot(key)
	if !ok {
		return 0
	}
	return int32(p.hash.vals[slot])
}

func (p *placeOf) bytes() int64 {
	n := int64(cap(p.dense)) * 4
	if p.hash != nil {
		n += int64(len(p.hash.keys)) * 16
	}
	return n
}
