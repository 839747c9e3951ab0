package scan

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// A scan of which a column must have ids of some ranges reads these one after the
// other where the column follows the constants in the order of one graph; other
// columns are compared row by row.

// Admits reports whether a scan may have an id in a column, S or O.
func Admits(n *plan.Scan, c dataset.Col, i id) bool {
	list := n.Ranges(c)
	return list == nil || rowset.InRanges(list, i)
}

// ranged applies the ranges of the scan to its options.
func (o *scanOp) ranged(opt *dataset.ScanOptions, p *dataset.Pattern) {
	o.spans, o.compare = nil, 0
	lead := o.leading(p)
	for c := dataset.S; c <= dataset.O; c++ {
		list := o.node.Ranges(c)
		if list == nil {
			continue
		}
		if c == lead && opt.From == nil && opt.Within[c] == nil {
			o.spans = list
			continue
		}
		o.compare |= c.Bit()
		opt.Cols |= c.Bit()
	}
}

// leading returns the column after the constants in the order of the scan, if that
// holds in all of its rows; G otherwise.
func (o *scanOp) leading(p *dataset.Pattern) dataset.Col {
	if p.G.Mode == dataset.Each && len(p.G.Set) != 1 {
		return dataset.G
	}
	for _, c := range o.node.Order.Columns() {
		if p.At(c) == 0 {
			return c
		}
	}
	return dataset.G
}

// span narrows the options to the next range; false if there is none.
func (o *scanOp) span(opt *dataset.ScanOptions, p *dataset.Pattern) bool {
	if len(o.spans) == 0 {
		return false
	}
	r := o.spans[0]
	o.spans = o.spans[1:]
	opt.From, opt.To = opt.From[:0:0], opt.To[:0:0]
	for _, c := range o.node.Order.Columns() {
		v := p.At(c)
		if v == 0 {
			break
		}
		opt.From, opt.To = append(opt.From, v), append(opt.To, v)
	}
	opt.From, opt.To = append(opt.From, r.Lo), append(opt.To, r.Hi+1)
	return true
}

// keep drops the rows of a batch that have an id outside of the ranges of a column.
func (o *scanOp) keep() {
	for c := dataset.S; c <= dataset.O; c++ {
		if !o.compare.Has(c) {
			continue
		}
		list, kept := o.node.Ranges(c), 0
		for r := range o.in.N {
			if !rowset.InRanges(list, o.in.Col[c][r]) {
				continue
			}
			if kept != r {
				for k := range o.in.Col {
					if len(o.in.Col[k]) > r {
						o.in.Col[k][kept] = o.in.Col[k][r]
					}
				}
			}
			kept++
		}
		o.in.N, o.out.N = kept, kept
	}
}
