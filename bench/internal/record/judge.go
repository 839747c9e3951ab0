package record

import (
	"maps"
	"slices"
)

const (
	last  = 10   // records that count
	slack = 0.15 // how much worse than their best is tolerated
	wide  = 0.3  // of its median: an interval that tells little
)

// Verdict is what a ratio is like beside those of earlier records.
type Verdict struct {
	Name  string
	Ratio Ratio
	Best  float64 // median of the records; 0: there is none
	Of    string  // the commit that has it
	Worse bool    // the whole interval lies under the best less the slack
}

// Floor is the ratio under which the whole interval must lie to be worse.
func (v *Verdict) Floor() float64 { return v.Best * (1 - slack) }

// Judge compares a record with the last ten of earlier that can be compared with it.
func Judge(r *Record, earlier []*Record) (list []Verdict) {
	earlier = slices.DeleteFunc(slices.Clone(earlier), func(o *Record) bool { return !r.Comparable(o) })
	earlier = earlier[max(0, len(earlier)-last):]
	for _, name := range slices.Sorted(maps.Keys(r.Ratios)) {
		v := Verdict{Name: name, Ratio: r.Ratios[name]}
		for _, o := range earlier {
			if was, ok := o.Ratios[name]; ok && was.At > v.Best {
				v.Best, v.Of = was.At, o.Short()
			}
		}
		v.Worse = v.Ratio.High < v.Floor()
		list = append(list, v)
	}
	return list
}

// Noisy reports whether the machine was too noisy to tell: a third of the ratios have intervals
// that are wide.
func Noisy(list []Verdict) bool {
	n := 0
	for _, v := range list {
		if v.Ratio.Width() > wide {
			n++
		}
	}
	return 3*n > len(list)
}
