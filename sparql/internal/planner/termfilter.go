package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// A filter that tells terms apart by kind or by the beginning of their text can be
// true for ids of some ranges alone. The scan that binds the variable reads these.
// Where the ranges hold nothing else the filter goes, else it stays where it is: the
// prefix "a" of a text is also that of literals without a text of their own datatype,
// and `STR(?x) = "…/item1"` looks at `…/item10` too.

// TermRows is the least number of rows of a scan that is given ranges of ids. Tests lower it.
var TermRows = 256.0

// maxTermShare is the part of the rows above which ranges that are not exact are not
// worth to be looked at.
const maxTermShare = 0.9

// byTerms gives the scans of a group the ranges of ids that the filters let pass.
func (p *Planner) byTerms(ctx context.Context, g *group) error {
	if p.asWritten {
		return nil
	}
	var rest []algebra.Expr
	for i, e := range g.filters {
		t, ok := p.classOf(e)
		if ok {
			var gone bool
			var err error
			if gone, err = p.ranged(ctx, g, t); err != nil {
				return err
			}
			if gone && rest == nil {
				rest = slices.Clone(g.filters[:i])
			}
			if gone {
				continue
			}
		}
		if rest != nil {
			rest = append(rest, e)
		}
	}
	if rest != nil {
		g.filters = rest
	}
	return nil
}

// ranged gives the scans that bind the variable of a class its ranges; gone is true if
// nothing but terms of the class is left.
func (p *Planner) ranged(ctx context.Context, g *group, t termClass) (gone bool, err error) {
	var list []dataset.IDRange
	known, exact := false, t.exact
	for i := range g.parts {
		s := g.parts[i].spec
		if s == nil || s.none || s.rows < TermRows {
			continue
		}
		for _, c := range [...]dataset.Col{dataset.S, dataset.O} {
			if s.cols[c] != t.v {
				continue
			}
			if !known {
				var sure bool
				if list, sure, err = p.rangesOf(ctx, t.classes); err != nil {
					return false, err
				}
				known, exact = true, exact && sure
			}
			share, err := p.shareOf(ctx, s, c, list)
			if err != nil {
				return false, err
			}
			if share > maxTermShare && !exact {
				continue
			}
			s = s.within(c, list, share)
			s.none = len(s.terms[c].Ranges) == 0
			g.parts[i].spec, g.parts[i].facts = s, s.facts
			gone = gone || exact
			break
		}
	}
	return gone, nil
}

// rangesOf returns the ranges of classes, which may overlap.
func (p *Planner) rangesOf(ctx context.Context, classes []dataset.Class) (list []dataset.IDRange, exact bool, err error) {
	exact = true
	for _, c := range classes {
		some, sure, err := p.ds.Ranges(ctx, c)
		if err != nil {
			return nil, false, err
		}
		list, exact = append(list, some...), exact && sure
	}
	if len(classes) > 1 {
		slices.SortFunc(list, func(a, b dataset.IDRange) int {
			if a.Lo < b.Lo {
				return -1
			}
			return 1
		})
		out := list[:0]
		for _, r := range list {
			if n := len(out); n > 0 && r.Lo <= out[n-1].Hi+1 {
				out[n-1].Hi = max(out[n-1].Hi, r.Hi)
			} else {
				out = append(out, r)
			}
		}
		list = out
	}
	return list, exact, nil
}

// shareOf guesses the part of the rows of a pattern whose ids are in ranges.
func (p *Planner) shareOf(ctx context.Context, s *spec, c dataset.Col, list []dataset.IDRange) (float64, error) {
	if len(list) == 0 {
		return 0, nil
	}
	if d, ok := p.ds.(dataset.RangeShare); ok {
		share, ok, err := d.RangeShare(ctx, s.pattern, c, list)
		if err != nil || ok {
			return min(max(share, 0), 1), err
		}
	}
	return 0.5, nil
}

// within returns the spec with the ids of a column in ranges, which are a part of its
// rows.
func (s *spec) within(c dataset.Col, list []dataset.IDRange, share float64) *spec {
	return s.only(c, share, func(t *plan.TermSet) {
		if t.Ranges != nil {
			list = common(t.Ranges, list)
		}
		t.Ranges = append([]dataset.IDRange{}, list...)
	})
}

// common returns what is in one range of each list.
func common(a, b []dataset.IDRange) []dataset.IDRange {
	var out []dataset.IDRange
	for len(a) > 0 && len(b) > 0 {
		if lo, hi := max(a[0].Lo, b[0].Lo), min(a[0].Hi, b[0].Hi); lo <= hi {
			out = append(out, dataset.IDRange{Lo: lo, Hi: hi})
		}
		if a[0].Hi < b[0].Hi {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}
