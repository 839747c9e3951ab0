package idspace

import (
	"context"
	"math/bits"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/internal/valuekey"
)

// valuesOf returns the value index of an adds layer, nil without one.
func (l *Layer) valuesOf(ctx context.Context, worth uint64) (layers.ValueIndex, error) {
	v, ok := l.Layer.(layers.Valued)
	if !ok || len(l.Alias) > 0 {
		return nil, nil
	}
	return v.Values(ctx, worth)
}

// ValueCount implements [dataset.ValueIndex].
func (v *IDs) ValueCount(ctx context.Context, i dataset.Interval, worth uint64) (n uint64, err error) {
	for _, l := range v.Adds {
		x, err := l.valuesOf(ctx, worth)
		if err != nil {
			return 0, err
		}
		if x == nil {
			some, err := l.unvalued(ctx)
			if err != nil {
				return 0, err
			}
			for _, r := range some {
				n += uint64(r.Hi-r.Lo) + 1
			}
			continue
		}
		from, to, err := x.Find(ctx, i)
		if err != nil {
			return 0, err
		}
		n += to - from
		for _, r := range l.tail(x) {
			n += uint64(r.Hi-r.Lo) + 1
		}
	}
	return n, nil
}

// ValueIDs implements [dataset.ValueIndex].
func (v *IDs) ValueIDs(ctx context.Context, i dataset.Interval, worth uint64) (*dataset.IDSet, error) {
	set := new(ids.Set)
	for _, l := range v.Adds {
		x, err := l.valuesOf(ctx, worth)
		if err != nil {
			return nil, err
		}
		if x == nil {
			some, err := l.unvalued(ctx)
			if err != nil {
				return nil, err
			}
			for _, r := range some {
				set.AddRange(r.Lo, r.Hi)
			}
			continue
		}
		from, to, err := x.Find(ctx, i)
		if err != nil {
			return nil, err
		}
		sec, size := layers.ObjectOnly, l.Sizes.Objects
		if t, ok := x.(layers.JournalIndex); ok { // all in one section, in the order of arrival
			sec, size = layers.Shared, uint32(t.N)
		}
		for _, r := range l.tail(x) {
			set.AddRange(r.Lo, r.Hi)
		}
		list, err := sortedValues(ctx, x, i.Class, from, to, size)
		if err != nil {
			return nil, err
		}
		base := l.ID(l.Sizes.SectionBase(sec))
		err = cancel.Blocks(ctx, len(list), func(from, to int) {
			for k := from; k < to; k++ {
				list[k] += base
			}
			set.AddSorted(list[from:to])
		})
		if err != nil {
			return nil, err
		}
	}
	return set, nil
}

// sortedValues returns the local ids of a stretch of a value index in ascending order;
// many of them are sorted as bits.
func sortedValues(ctx context.Context, x layers.ValueIndex, c valuekey.Class, from, to uint64, objects uint32) ([]dataset.ID, error) {
	list := make([]dataset.ID, 0, to-from)
	if (to-from)*256 < uint64(objects) {
		err := x.IDs(ctx, c, from, to, func(local []uint32) {
			for _, id := range local {
				list = append(list, dataset.ID(id))
			}
		})
		if err == nil {
			err = cancel.Ordered(ctx, list)
		}
		return list, err
	}
	set := make([]uint64, uint64(objects)/64+1)
	err := x.IDs(ctx, c, from, to, func(local []uint32) {
		for _, id := range local {
			set[id/64] |= 1 << (id % 64)
		}
	})
	if err != nil {
		return nil, err
	}
	err = cancel.Blocks(ctx, len(set), func(from, to int) {
		for k, w := range set[from:to] {
			for ; w != 0; w &= w - 1 {
				list = append(list, dataset.ID((from+k)*64+bits.TrailingZeros64(w)))
			}
		}
	})
	return list, err
}

// unvalued returns the ids of a layer without a value index that may have values.
func (l *Layer) unvalued(ctx context.Context) (list []dataset.IDRange, err error) {
	if t, ok := l.Layer.(*layers.JournalTerms); ok {
		if len(t.Terms) > 0 {
			list = append(list, dataset.IDRange{Lo: l.ID(1), Hi: l.ID(uint64(len(t.Terms)))})
		}
		return list, nil
	}
	if _, ok := l.Layer.(*layers.Respelled); ok { // in the order of other spellings
		if n := l.Sizes.Nodes(); n > 0 {
			list = append(list, dataset.IDRange{Lo: l.ID(1), Hi: l.ID(n)})
		}
		return list, nil
	}
	for sec := layers.Shared; sec <= layers.ObjectOnly; sec++ {
		if l.Sizes.Size(sec) == 0 {
			continue
		}
		lo, err := l.LowerBound(ctx, sec, []byte(`"`))
		if err != nil {
			return nil, err
		}
		hi, err := l.LowerBound(ctx, sec, []byte(`#`))
		if err != nil {
			return nil, err
		}
		if base := l.Sizes.SectionBase(sec); lo < hi {
			list = append(list, dataset.IDRange{Lo: l.ID(base + uint64(lo)), Hi: l.ID(base + uint64(hi) - 1)})
		}
	}
	return list, nil
}

// ValueStep implements [dataset.ValueIndex].
func (v *IDs) ValueStep(ctx context.Context, c dataset.ValueClass, from dataset.ValueKey, n, worth uint64, down bool) (dataset.ValueKey, error) {
	end := valuekey.Max
	if down {
		end = valuekey.NaN
	}
	for _, l := range v.Adds {
		x, err := l.valuesOf(ctx, worth)
		if err != nil {
			return 0, err
		}
		if x == nil || x.Len(c) == 0 {
			continue
		}
		var place uint64
		if down {
			_, to, err := x.Find(ctx, valuekey.Interval{Class: c, Lo: valuekey.NaN, Hi: from})
			if err != nil {
				return 0, err
			}
			if to <= n {
				continue
			}
			place = (to - n) / valueindex.Block * valueindex.Block // the next key that is known
		} else {
			at, _, err := x.Find(ctx, valuekey.Interval{Class: c, Lo: from, Hi: valuekey.Max})
			if err != nil {
				return 0, err
			}
			if place = (at + n + valueindex.Block - 1) / valueindex.Block * valueindex.Block; place >= x.Len(c) {
				continue
			}
		}
		k, err := x.Key(ctx, c, place)
		if err != nil {
			return 0, err
		}
		if down {
			end = max(end, min(k, from))
		} else {
			end = min(end, max(k, from))
		}
	}
	return end, nil
}

// tail returns the ids of the terms of a journal that its index does not have; none of
// other layers.
func (l *Layer) tail(x layers.ValueIndex) (list []dataset.IDRange) {
	if t, ok := x.(layers.JournalIndex); ok && uint64(t.N) < l.Sizes.Nodes() {
		list = append(list, dataset.IDRange{Lo: l.ID(uint64(t.N) + 1), Hi: l.ID(l.Sizes.Nodes())})
	}
	return list
}
