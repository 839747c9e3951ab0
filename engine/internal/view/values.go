package view

import (
	"context"
	"math/bits"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/segment/valueindex"
)

// valueIndex is the value index of a layer: ids are local to [ObjectOnly], in the
// order of their keys, and places count from 0.
type valueIndex interface {
	Len(c valuekey.Class) uint64
	Find(ctx context.Context, i dataset.Interval) (from, to uint64, err error)
	Key(ctx context.Context, c valuekey.Class, place uint64) (valuekey.Key, error)
	IDs(ctx context.Context, c valuekey.Class, from, to uint64, use func([]uint32)) error
}

// valued is a layer that may have a value index. worth is how many literals may be
// read to make one. It returns nil without an index.
type valued interface {
	values(ctx context.Context, worth uint64) (valueIndex, error)
}

// always is how many literals are read for a value index whatever it is wanted for.
const always = 1 << 14

// values implements [valued]: the index of the file, or one that is made.
func (s *segmentLayer) values(ctx context.Context, worth uint64) (valueIndex, error) {
	stored, err := s.seg.Values(ctx)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return stored, nil
	}
	if ok, err := worthy(ctx, s, worth); err != nil || !ok {
		return nil, err
	}
	made, err := s.seg.MadeValues(ctx)
	if err != nil || made == nil {
		return nil, err
	}
	return made, nil
}

// values implements [valued]. The index of the file speaks of other spellings.
func (l *respelledLayer) values(context.Context, uint64) (valueIndex, error) { return nil, nil }

// values implements [valued].
func (m *MemLayer) values(ctx context.Context, worth uint64) (valueIndex, error) {
	if ok, err := worthy(ctx, m, worth); err != nil || !ok {
		return nil, err
	}
	m.valuesOnce.Do(func() {
		b := valueindex.NewBuilder(nil)
		for i, t := range m.terms[ObjectOnly] {
			if m.valuesErr = b.Add(uint32(i)+1, []byte(t)); m.valuesErr != nil {
				return
			}
		}
		m.made, m.valuesErr = valueindex.Make(context.WithoutCancel(ctx), b)
	})
	return m.made, m.valuesErr
}

// worthy reports whether an index of the literals of a layer may be made: they are
// few enough, and none of them is also a subject.
func worthy(ctx context.Context, l Layer, worth uint64) (bool, error) {
	n, err := literals(ctx, l, ObjectOnly)
	if err != nil || n > max(worth, always) {
		return false, err
	}
	for _, sec := range []Section{Shared, SubjectOnly} {
		if n, err := literals(ctx, l, sec); err != nil || n > 0 {
			return false, err
		}
	}
	return true, nil
}

// literals returns how many literals a section of a layer has.
func literals(ctx context.Context, l Layer, sec Section) (uint64, error) {
	counts := l.Counts()
	if counts.size(sec) == 0 {
		return 0, nil
	}
	lo, err := l.LowerBound(ctx, sec, []byte(`"`))
	if err != nil {
		return 0, err
	}
	hi, err := l.LowerBound(ctx, sec, []byte(`#`))
	return uint64(hi - lo), err
}

// valuesOf returns the value index of an adds layer, nil without one.
func (l *layer) valuesOf(ctx context.Context, worth uint64) (valueIndex, error) {
	v, ok := l.Layer.(valued)
	if !ok || len(l.alias) > 0 {
		return nil, nil
	}
	return v.values(ctx, worth)
}

// ValueCount is [View.ValueCount].
func (v *view) ValueCount(ctx context.Context, i dataset.Interval, worth uint64) (n uint64, err error) {
	for _, l := range v.adds {
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

// ValueIDs is [View.ValueIDs].
func (v *view) ValueIDs(ctx context.Context, i dataset.Interval, worth uint64) (*dataset.IDSet, error) {
	set := new(ids.Set)
	for _, l := range v.adds {
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
		sec, size := ObjectOnly, l.counts.Objects
		if t, ok := x.(topIndex); ok { // all in one section, in the order of arrival
			sec, size = Shared, uint32(t.n)
		}
		for _, r := range l.tail(x) {
			set.AddRange(r.Lo, r.Hi)
		}
		list, err := sortedValues(ctx, x, i.Class, from, to, size)
		if err != nil {
			return nil, err
		}
		base := l.id(l.counts.sectionBase(sec))
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
func sortedValues(ctx context.Context, x valueIndex, c valuekey.Class, from, to uint64, objects uint32) ([]ID, error) {
	list := make([]ID, 0, to-from)
	if (to-from)*256 < uint64(objects) {
		err := x.IDs(ctx, c, from, to, func(local []uint32) {
			for _, id := range local {
				list = append(list, ID(id))
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
				list = append(list, ID((from+k)*64+bits.TrailingZeros64(w)))
			}
		}
	})
	return list, err
}

// unvalued returns the ids of a layer without a value index that may have values.
func (l *layer) unvalued(ctx context.Context) (list []IDRange, err error) {
	if t, ok := l.Layer.(*topTerms); ok {
		if len(t.terms) > 0 {
			list = append(list, IDRange{Lo: l.id(1), Hi: l.id(uint64(len(t.terms)))})
		}
		return list, nil
	}
	if _, ok := l.Layer.(*respelledLayer); ok { // in the order of other spellings
		if n := l.counts.nodes(); n > 0 {
			list = append(list, IDRange{Lo: l.id(1), Hi: l.id(n)})
		}
		return list, nil
	}
	for sec := Shared; sec <= ObjectOnly; sec++ {
		if l.counts.size(sec) == 0 {
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
		if base := l.counts.sectionBase(sec); lo < hi {
			list = append(list, IDRange{Lo: l.id(base + uint64(lo)), Hi: l.id(base + uint64(hi) - 1)})
		}
	}
	return list, nil
}

// ValueStep is [View.ValueStep].
func (v *view) ValueStep(ctx context.Context, c dataset.ValueClass, from dataset.ValueKey, n, worth uint64, down bool) (dataset.ValueKey, error) {
	end := valuekey.Max
	if down {
		end = valuekey.NaN
	}
	for _, l := range v.adds {
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
