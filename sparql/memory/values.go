package memory

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/valuekey"
)

var _ dataset.ValueIndex = (*store)(nil)

// valued is a literal that has a value.
type valued struct {
	key valuekey.Key
	id  id
}

// line returns the literals of a class in the order of their keys.
func (d *store) line(c valuekey.Class) []valued {
	d.linesOnce.Do(func() {
		for n, s := range d.surfaces {
			if c, k, ok := valuekey.Of([]byte(s)); ok {
				d.lines[c] = append(d.lines[c], valued{k, idOf(n)})
			}
		}
		for _, l := range d.lines {
			slices.SortFunc(l, func(a, b valued) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) })
		}
	})
	return d.lines[c]
}

// in returns the literals of an interval.
func (d *store) in(i dataset.Interval) []valued {
	l := d.line(i.Class)
	from := sort.Search(len(l), func(k int) bool { return l[k].key >= i.Lo })
	to := sort.Search(len(l), func(k int) bool { return l[k].key > i.Hi })
	return l[from:max(from, to)]
}

// ValueCount implements [dataset.ValueIndex].
func (d *store) ValueCount(_ context.Context, i dataset.Interval, _ uint64) (uint64, error) {
	return uint64(len(d.in(i))), nil
}

// ValueIDs implements [dataset.ValueIndex].
func (d *store) ValueIDs(_ context.Context, i dataset.Interval, _ uint64) (*dataset.IDSet, error) {
	set := new(dataset.IDSet)
	for _, v := range d.in(i) {
		set.Add(v.id)
	}
	return set, nil
}

// ValueStep implements [dataset.ValueIndex].
func (d *store) ValueStep(_ context.Context, c valuekey.Class, from valuekey.Key, n, _ uint64, down bool) (valuekey.Key, error) {
	if down {
		l := d.in(dataset.Interval{Class: c, Lo: valuekey.NaN, Hi: from})
		if uint64(len(l)) <= n {
			return valuekey.NaN, nil
		}
		return l[uint64(len(l))-max(n, 1)].key, nil
	}
	l := d.in(dataset.Interval{Class: c, Lo: from, Hi: valuekey.Max})
	if uint64(len(l)) <= n {
		return valuekey.Max, nil
	}
	return l[max(n, 1)-1].key, nil
}
