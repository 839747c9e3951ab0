package datasettest

import (
	"math"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/valuekey"
)

// valued are literals with values, each a format of its text and its datatype.
var valued = [][2]string{
	{"%d.50", "decimal"}, {"-%de0", "double"}, {"NaN", "double"}, {"%d", "byte"}, {"-INF", "float"}, {"x%d", "integer"},
	{"2020-01-01T00:%02d:00", "dateTime"}, {"2020-01-01T00:%02d:00+14:00", "dateTime"}, {"20%02d-03-01", "date"}, {"20%02d", "gYear"},
}

// values checks the value index, if the dataset has one: intervals around every
// value have what they must, and walks in both directions meet all values.
func (k *kit) values() {
	v, ok := k.ds.(dataset.ValueIndex)
	if !ok {
		return
	}
	type entry struct {
		id  dataset.ID
		key valuekey.Key
	}
	var lines [valuekey.Classes][]entry
	for _, n := range k.ids {
		if c, key, ok := valuekey.Of([]byte(k.term[n])); ok {
			lines[c] = append(lines[c], entry{n, key})
		}
	}
	for c, line := range lines {
		c := valuekey.Class(c)
		if len(line) == 0 {
			continue
		}
		for range min(8, len(line)) {
			lo := line[k.r.IntN(len(line))]
			for range 4 {
				hi := line[k.r.IntN(len(line))]
				k.inside(v, dataset.Interval{Class: c, Lo: lo.key, Hi: hi.key}, func(i dataset.ID) bool {
					_, key, _ := valuekey.Of([]byte(k.term[i]))
					return lo.key <= key && key <= hi.key
				})
			}
			near, ok := valuekey.Near([]byte(k.term[lo.id]))
			if !ok || near.Empty() {
				continue
			}
			kind := dataset.TemporalRange
			if c == valuekey.Number {
				kind = dataset.NumericRange
			}
			class := dataset.Class{Kind: kind, From: k.term[lo.id], To: k.term[lo.id]}
			ranges, exact, err := k.ds.Ranges(k.ctx, class)
			in := false
			for _, r := range ranges {
				in = in || r.Lo <= lo.id && lo.id <= r.Hi
			}
			if err != nil || exact || !in {
				k.t.Errorf("Ranges(%v): exact %v, %v, holds it: %v", class, exact, err, in)
			}
		}
		for _, down := range []bool{false, true} {
			for _, n := range []uint64{uint64(1 + len(line)/16), 1000} {
				met := 0
				k.walk(v, c, n, down, func(i dataset.Interval) {
					for _, e := range line {
						if i.Lo <= e.key && e.key <= i.Hi {
							met++
						}
					}
				})
				if met != len(line) {
					k.t.Errorf("a walk by %d through the class %v, down %v, met %d of %d values", n, c, down, met, len(line))
				}
			}
		}
	}
}

// inside checks what an interval has.
func (k *kit) inside(v dataset.ValueIndex, i dataset.Interval, in func(dataset.ID) bool) {
	set, err := v.ValueIDs(k.ctx, i, math.MaxUint64)
	if err != nil {
		k.t.Fatal(err)
	}
	n, err := v.ValueCount(k.ctx, i, math.MaxUint64)
	if err != nil || n < set.Len() {
		k.t.Errorf("ValueCount(%v) is %d, %v, there are %d", i, n, err, set.Len())
	}
	for _, id := range k.ids {
		if c, _, ok := valuekey.Of([]byte(k.term[id])); ok && c == i.Class && in(id) && !set.Contains(id) {
			k.t.Errorf("ValueIDs(%v) has not %s", i, k.term[id])
		}
	}
}

// walk goes along the line of a class.
func (k *kit) walk(v dataset.ValueIndex, c valuekey.Class, n uint64, down bool, use func(dataset.Interval)) {
	from, end := valuekey.NaN, valuekey.Max
	if down {
		from, end = end, from
	}
	for {
		to, err := v.ValueStep(k.ctx, c, from, n, math.MaxUint64, down)
		if err != nil {
			k.t.Fatal(err)
		}
		if down && to > from || !down && to < from {
			k.t.Fatalf("a step of the class %v from %d to %d, down %v", c, from, to, down)
		}
		use(dataset.Interval{Class: c, Lo: min(from, to), Hi: max(from, to)})
		if to == end {
			return
		}
		if from = to + 1; down {
			from = to - 1
		}
	}
}
