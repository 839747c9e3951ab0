package memory

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
)

var _ dataset.RangeShare = (*store)(nil)

// RangeShare implements [dataset.RangeShare] by looking at all rows.
func (d *store) RangeShare(_ context.Context, p dataset.Pattern, c dataset.Col, list []dataset.IDRange) (float64, bool, error) {
	all, in := 0, 0
	o := d.Orders(p)[0]
	cols := o.Columns()
	at := slices.Index(cols[:], c)
	if at < 0 {
		return 0, false, nil
	}
	for _, s := range d.stretches(&p, o) {
		for _, r := range s.rows {
			all++
			if slices.ContainsFunc(list, func(x dataset.IDRange) bool { return x.Lo <= r[at] && r[at] <= x.Hi }) {
				in++
			}
		}
	}
	if all == 0 {
		return 0, false, nil
	}
	return float64(in) / float64(all), true, nil
}
