package naive

import (
	"slices"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// start returns the row that a leaf begins with: what was put in for its variables.
func (e *evaluator) start(s scope, o algebra.Op) Row {
	r := e.empty()
	if s.put != nil {
		for _, v := range algebra.Possible(o).List() {
			r[v] = s.put[v]
		}
	}
	return r
}

// bgp matches triple by triple.
func (e *evaluator) bgp(o *algebra.BGP, s scope) []Row {
	rows := []Row{e.start(s, o)}
	m := e.empty()
	for _, p := range o.Patterns {
		var next []Row
		for _, r := range rows {
			e.meter.spend(len(s.graph))
			for _, t := range s.graph {
				copy(m, r)
				if match(m, p.S, t[0]) && match(m, p.P, t[1]) && match(m, p.O, t[2]) {
					next = append(next, slices.Clone(m))
				}
			}
		}
		rows = next
	}
	return rows
}

// match binds the variables of a position so that it is the term t.
func match(r Row, a algebra.Arg, t rdf.Term) bool {
	switch {
	case a.IsVar():
		v := a.Variable()
		if r[v].IsZero() {
			r[v] = t
		}
		return r[v] == t
	case a.Triple != nil:
		s, p, o, ok := t.Triple()
		return ok && match(r, a.Triple[0], s) && match(r, a.Triple[1], p) && match(r, a.Triple[2], o)
	}
	return a.Term == t
}

// path evaluates a path by sections 18.4 and 18.5: pairs of terms.
func (e *evaluator) path(o *algebra.Path, s scope) []Row {
	start := e.start(s, o)
	g := &pathGraph{triples: s.graph, meter: e.meter}
	g.addNode(end(start, o.S))
	g.addNode(end(start, o.O))
	for _, t := range s.graph {
		g.addNode(t[0])
		g.addNode(t[2])
	}
	var out []Row
	for _, pair := range g.pairs(o.Path) {
		m := slices.Clone(start)
		if match(m, o.S, pair[0]) && match(m, o.O, pair[1]) {
			out = append(out, m)
		}
	}
	return out
}

// end returns the term at an end of a path, the zero term where it is free.
func end(r Row, a algebra.Arg) rdf.Term {
	switch {
	case a.IsVar():
		return r[a.Variable()]
	case a.Triple != nil:
		s, p, o := end(r, a.Triple[0]), end(r, a.Triple[1]), end(r, a.Triple[2])
		if s.IsZero() || p.IsZero() || o.IsZero() {
			return rdf.Term{}
		}
		return rdf.TripleTerm(s, p, o)
	}
	return a.Term
}

type pathGraph struct {
	triples []Triple
	nodes   []rdf.Term // those of the graph, and the ends of the path that are terms
	meter   *meter
}

func (g *pathGraph) addNode(t rdf.Term) {
	if !t.IsZero() && !slices.Contains(g.nodes, t) {
		g.nodes = append(g.nodes, t)
	}
}

type pair = [2]rdf.Term

// pairs returns what a path connects; links and their combinations keep
// multiplicities, closures are sets.
func (g *pathGraph) pairs(p algebra.PathExpr) []pair {
	switch p := p.(type) {
	case *algebra.Link:
		return g.steps(func(t Triple) bool { return t[1] == p.IRI }, false)
	case *algebra.Inverse:
		return g.steps(func(t Triple) bool { return t[1] == p.IRI }, true)
	case *algebra.Negated:
		var out []pair
		if p.HasForward {
			out = g.steps(func(t Triple) bool { return !slices.Contains(p.Forward, t[1]) }, false)
		}
		if p.HasBackward {
			out = append(out, g.steps(func(t Triple) bool { return !slices.Contains(p.Backward, t[1]) }, true)...)
		}
		return out
	case *algebra.Seq:
		out := g.pairs(p.Args[0])
		for _, a := range p.Args[1:] {
			var next []pair
			right := g.pairs(a)
			for _, l := range out {
				g.meter.spend(len(right))
				for _, r := range right {
					if l[1] == r[0] {
						next = append(next, pair{l[0], r[1]})
					}
				}
			}
			out = next
		}
		return out
	case *algebra.Alt:
		var out []pair
		for _, a := range p.Args {
			out = append(out, g.pairs(a)...)
		}
		return out
	case *algebra.ZeroOrOne:
		return set(append(g.zero(), g.pairs(p.Path)...))
	case *algebra.ZeroOrMore:
		return set(append(g.zero(), g.closure(p.Path)...))
	case *algebra.OneOrMore:
		return g.closure(p.Path)
	}
	panic("naive: unknown path")
}

func (g *pathGraph) steps(ok func(Triple) bool, back bool) []pair {
	var out []pair
	for _, t := range g.triples {
		switch {
		case !ok(t):
		case back:
			out = append(out, pair{t[2], t[0]})
		default:
			out = append(out, pair{t[0], t[2]})
		}
	}
	return out
}

func (g *pathGraph) zero() []pair {
	var out []pair
	for _, n := range g.nodes {
		out = append(out, pair{n, n})
	}
	return out
}

func set(pairs []pair) []pair {
	seen := make(map[pair]bool)
	return slices.DeleteFunc(pairs, func(p pair) bool {
		was := seen[p]
		seen[p] = true
		return was
	})
}

// closure joins pairs until there are no new ones.
func (g *pathGraph) closure(p algebra.PathExpr) []pair {
	step := set(g.pairs(p))
	out := slices.Clone(step)
	for {
		next := slices.Clone(out)
		for _, l := range out {
			g.meter.spend(len(step))
			for _, r := range step {
				if l[1] == r[0] {
					next = append(next, pair{l[0], r[1]})
				}
			}
		}
		if next = set(next); len(next) == len(out) {
			return out
		}
		out = next
	}
}
