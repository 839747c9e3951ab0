package updatemodel

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/rete-go/rete/rdf"
)

const base = "http://ex/"

var (
	things     = []rdf.Term{iri("a"), iri("b"), iri("c"), iri("g")}
	predicates = []rdf.Term{iri("p"), iri("q")}
	objects    = []rdf.Term{iri("a"), iri("b"), iri("p"), rdf.Integer(1), rdf.Integer(2), rdf.String("x")}
	graphs     = []rdf.Term{iri("g"), iri("h")}
	variables  = []string{"x", "y", "z"}
)

func iri(name string) rdf.Term { return rdf.IRI(base + name) }

// generator makes random operations.
type generator struct {
	r     *rand.Rand
	blank bool   // whether blank nodes are made
	label string // of this operation: no two operations may share one
}

// Random returns a random request of up to four operations over few terms, so that
// operations meet each other's quads. Without blank it makes no blank nodes, and
// stores can be compared as sets.
func Random(r *rand.Rand, blank bool) *Request {
	g := generator{r: r, blank: blank}
	req := &Request{id: r.Uint64()}
	var texts []string
	for i := range 1 + r.IntN(4) {
		g.label = "k" + strconv.Itoa(i)
		op := g.operation()
		req.ops = append(req.ops, op)
		texts = append(texts, op.text())
	}
	req.Text = "PREFIX : <" + base + ">\n" + strings.Join(texts, " ;\n")
	return req
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) operation() operation {
	switch n := g.r.IntN(20); {
	case n < 6:
		return &data{insert: true, quads: g.ground(1+g.r.IntN(4), true)}
	case n < 8:
		return &data{quads: g.ground(1+g.r.IntN(3), false)}
	case n < 10:
		return &modify{short: true, where: g.patterns(1 + g.r.IntN(2))}
	case n < 16:
		return g.modify()
	case n < 18:
		o := &graphOp{word: pick(g.r, []string{"CLEAR", "DROP", "CREATE"}), silent: g.chance(60), graph: pick(g.r, graphs)}
		if o.word != "CREATE" && g.chance(40) {
			o.target = pick(g.r, []string{"DEFAULT", "NAMED", "ALL"})
		}
		return o
	}
	ends := append(graphs, rdf.Term{})
	return &transfer{word: pick(g.r, []string{"ADD", "MOVE", "COPY"}), silent: g.chance(60), from: pick(g.r, ends), to: pick(g.r, ends)}
}

// ground makes quads without variables.
func (g *generator) ground(n int, blank bool) []pattern {
	var out []pattern
	for range n {
		p := pattern{s: node{term: pick(g.r, things)}, p: node{term: pick(g.r, predicates)}, o: node{term: pick(g.r, objects)}}
		if blank && g.blank && g.chance(15) {
			p.s = node{label: g.label}
		}
		if blank && g.blank && g.chance(15) {
			p.o = node{label: g.label}
		}
		if g.chance(40) {
			p.g = node{term: pick(g.r, graphs)}
		}
		out = append(out, p)
	}
	return out
}

// patterns makes quads with variables.
func (g *generator) patterns(n int) []pattern {
	out := g.ground(n, false)
	for i := range out {
		p := &out[i]
		for _, at := range []*node{&p.s, &p.p, &p.o} {
			if g.chance(50) {
				*at = node{variable: pick(g.r, variables)}
			}
		}
		if !p.g.none() && g.chance(40) {
			p.g = node{variable: pick(g.r, append(variables, "g"))}
		}
	}
	return out
}

func (g *generator) modify() operation {
	o := &modify{where: g.patterns(g.r.IntN(3))}
	if g.chance(30) {
		o.with = pick(g.r, graphs)
	}
	if g.chance(25) {
		o.using = append(o.using, pick(g.r, graphs))
	}
	if g.chance(15) {
		o.usingNamed = append(o.usingNamed, pick(g.r, graphs))
	}
	if g.chance(30) {
		o.optional = g.patterns(1)
	}
	if g.chance(30) {
		o.unequal = [2]node{{variable: pick(g.r, variables)}, {term: pick(g.r, objects)}}
	}
	if g.chance(60) {
		o.del = g.patterns(1 + g.r.IntN(2))
	}
	if o.del == nil || g.chance(60) {
		o.ins = g.patterns(1 + g.r.IntN(2))
		for i := range o.ins {
			if g.blank && g.chance(10) {
				o.ins[i].s = node{label: g.label}
			}
		}
	}
	return o
}
