package planner

import (
	"context"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Costs of a dictionary filter in nanoseconds for each term: of going through the dictionary, and
// of a test, which a needle spares most of the terms.
const (
	costSwept = 20
	costTest  = 250
)

// DictFilterCost scales the cost of dictionary filters. Tests lower it.
var DictFilterCost = 1.0

// minSwept is the least number of rows for which a dictionary filter is weighed.
const minSwept = 256

// byDictFilter tests the terms of a variable once, where that is cheaper than to test them
// row by row after the scans or joins that bind it.
func (p *Planner) byDictFilter(ctx context.Context, g *group, sc scope) error {
	if _, ok := p.ds.(dataset.TermScan); !ok || p.asWritten {
		return nil
	}
	for at := range g.parts {
		s := g.parts[at].spec
		if s == nil || s.none || s.rows < minSwept*min(1, DictFilterCost) || s.tested() {
			continue
		}
		for _, c := range [...]dataset.Col{dataset.O, dataset.S} {
			if s.cols[c] == plan.NoVar {
				continue
			}
			swept, rest, err := p.dictFilter(ctx, s, c, g.filters)
			if err != nil {
				return err
			}
			if swept == nil {
				continue
			}
			other := &group{parts: slices.Clone(g.parts), filters: rest}
			other.parts[at].spec, other.parts[at].facts = swept, swept.facts
			if p.costOf(other, sc)+filterCost(swept.terms[c]) < p.costOf(g, sc) {
				*g = *other
				break
			}
		}
	}
	if len(g.parts) == 1 && g.parts[0].spec != nil && sc.few > 0 {
		p.inTextOrder(&g.parts[0], g.filters)
	}
	return nil
}

// inTextOrder lets the one scan of a group, of which few rows are wanted, follow the column
// whose text its filters read: the first rows then need the first chunks of the
// dictionary, and not one each.
func (p *Planner) inTextOrder(pt *part, filters []algebra.Expr) {
	s := *pt.spec
	for _, c := range [...]dataset.Col{dataset.S, dataset.O} {
		v := s.cols[c]
		if v != plan.NoVar && slices.ContainsFunc(filters, func(e algebra.Expr) bool { return p.testsText(e, v) }) {
			s.text |= c.Bit()
		}
	}
	pt.spec = &s
}

// costOf is the cost of a group as it would be planned.
func (p *Planner) costOf(g *group, sc scope) float64 {
	o := p.operandsOf(g, sc)
	t := o.order()
	return t.cost * o.share
}

// filterCost is the expected cost of a dictionary filter.
func filterCost(s *plan.TermSet) float64 {
	n := 0.0
	for _, r := range s.Ranges {
		n += float64(r.Hi-r.Lo) + 1
	}
	each := float64(costSwept)
	if s.Needle == "" && len(s.Words) == 0 {
		each += costTest * float64(len(s.Exprs))
	}
	return n * each * DictFilterCost
}

// dictFilter returns the spec with the filters of a column's text as a dictionary filter, and the other
// filters; nil if there are none of these.
func (p *Planner) dictFilter(ctx context.Context, s *spec, c dataset.Col, filters []algebra.Expr) (*spec, []algebra.Expr, error) {
	v := s.cols[c]
	set := &plan.TermSet{Var: v}
	if have := s.terms[c]; have != nil {
		set.Ranges = have.Ranges
	}
	var rest []algebra.Expr
	part := 1.0
	for _, e := range filters {
		t, ok := p.classOf(e)
		if !ok || t.v != v || !p.testsText(e, v) {
			rest = append(rest, e)
			continue
		}
		list, _, err := p.rangesOf(ctx, t.classes)
		if err != nil {
			return nil, nil, err
		}
		if set.Ranges != nil {
			list = common(set.Ranges, list)
		}
		set.Ranges, set.Exprs = list, append(set.Exprs, e)
		if n := p.needleOf(e); len(n) > len(set.Needle) {
			set.Needle = n
		}
		if c == dataset.O && s.pattern.G.Mode == dataset.Unnamed && s.graph.Param < 0 {
			set.Words = append(set.Words, p.wordsOf(e)...)
		}
		part *= selectivity(e)
	}
	if len(set.Exprs) == 0 || len(set.Ranges) == 0 {
		return nil, nil, nil
	}
	if len(set.Words) > 0 {
		usable, err := p.hasWords(ctx, set.Ranges)
		if err != nil {
			return nil, nil, err
		}
		if !usable {
			set.Words = nil
		}
	}
	// Each term is tested once whatever the rows are: in many rows of few terms
	// the filter costs little.
	if once := s.of(v)*costFilter*float64(len(set.Exprs)) + s.rows*costRow; filterCost(set) > once {
		return nil, nil, nil
	}
	w := s.only(c, part, func(t *plan.TermSet) {
		t.Ranges, t.Var, t.Exprs, t.Needle, t.Words = set.Ranges, v, set.Exprs, set.Needle, set.Words
	})
	return w, rest, nil
}

// testsText reports whether an expression looks at text or language, and is a function of one
// variable, made of built-in functions alone.
func (p *Planner) testsText(e algebra.Expr, v plan.Var) bool {
	f := p.factsOf(e)
	return f.text && f.builtIn && !f.chance && f.vars.Within(plan.SetOf(v))
}

// readsText reports whether a function looks at text or language.
func readsText(f ast.Func) bool {
	switch f {
	case ast.StrStarts, ast.StrEnds, ast.Contains, ast.Regex, ast.LangMatches, ast.Lang, ast.Str:
		return true
	}
	return false
}

// needleOf returns what the surface of every term holds for which an expression is
// true; "" if that is not known.
func (p *Planner) needleOf(e algebra.Expr) string {
	c, ok := e.(*algebra.Call)
	if !ok {
		return ""
	}
	switch c.Func {
	case ast.StrStarts, ast.StrEnds, ast.Contains:
		if text, ok := plainText(c.Args[1]); ok && isPlainText(c.Args[0]) {
			return escaped(text)
		}
	case ast.Regex:
		if re := p.patternOf(c); re != nil && isPlainText(c.Args[0]) {
			return escaped(re.Needle())
		}
	case ast.Equal, ast.LangMatches:
		x, y := c.Args[0], c.Args[1]
		if _, ok := x.(*algebra.Const); ok {
			x, y = y, x
		}
		text, ok := plainText(y)
		if !ok {
			return ""
		}
		if _, isLang := langOf(x); isLang && text != "" && text != "*" {
			return `"@` + strings.ToLower(text)
		}
		if c.Func == ast.Equal && isStr(x) {
			return escaped(text)
		}
	case ast.And:
		best := ""
		for _, a := range c.Args {
			if n := p.needleOf(a); len(n) > len(best) {
				best = n
			}
		}
		return best
	}
	return ""
}

// isPlainText reports whether an expression is the text of a variable as it is.
func isPlainText(e algebra.Expr) bool {
	v, _, ok := textOf(e)
	return ok && (v == e || isStr(e))
}

// escaped returns text as it stands in the surfaces of literals. That of IRIs is the
// same: what is escaped no IRI holds.
func escaped(text string) string {
	surface := rdf.String(text).Surface()
	return surface[1 : len(surface)-1]
}
