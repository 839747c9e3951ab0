package isomorphic

import (
	"hash/fnv"

	"github.com/rete-go/rete/rdf"
)

// graph is a set of quads with its blank nodes numbered.
type graph struct {
	quads  []rdf.Quad
	blanks []rdf.Term
	number map[rdf.Term]int
	rows   []row // the quads that hold blank nodes
}

// row is a quad as a tree of parts: the surfaces without blank nodes hashed,
// the blank nodes in order with their places.
type row struct {
	fixed uint64
	nodes []int
}

func newGraph(quads []rdf.Quad) *graph {
	g := &graph{number: map[rdf.Term]int{}}
	seen := map[rdf.Quad]bool{}
	for _, q := range quads {
		if seen[q] {
			continue
		}
		seen[q] = true
		g.quads = append(g.quads, q)
		var r row
		h := fnv.New64a()
		for _, t := range []rdf.Term{q.S, q.P, q.O, q.G} {
			g.part(&r, h, t)
			h.Write([]byte{0})
		}
		if len(r.nodes) > 0 {
			r.fixed = h.Sum64()
			g.rows = append(g.rows, r)
		}
	}
	return g
}

type writer interface{ Write([]byte) (int, error) }

// part adds a term to a row: blank nodes as nodes, all else to the hash.
func (g *graph) part(r *row, h writer, t rdf.Term) {
	switch t.Kind() {
	case rdf.KindBlank:
		n, ok := g.number[t]
		if !ok {
			n = len(g.blanks)
			g.number[t] = n
			g.blanks = append(g.blanks, t)
		}
		r.nodes = append(r.nodes, n)
		h.Write([]byte{1})
	case rdf.KindTriple:
		s, p, o, _ := t.Triple()
		h.Write([]byte{2})
		g.part(r, h, s)
		h.Write([]byte{3})
		g.part(r, h, p)
		h.Write([]byte{4})
		g.part(r, h, o)
		h.Write([]byte{5})
	default:
		h.Write([]byte(t.Surface()))
	}
}

// refine gives nodes with different surroundings different colours, until that
// tells no more of them apart.
func (g *graph) refine(colours []uint64) []uint64 {
	count := len(classes(colours))
	for {
		next := make([]uint64, len(colours))
		for i, c := range colours {
			next[i] = mix(c, 1)
		}
		for _, r := range g.rows {
			h := r.fixed
			for _, n := range r.nodes {
				h = mix(h, colours[n])
			}
			for place, n := range r.nodes {
				next[n] += mix(h, uint64(place)+2) // a sum: rows are in no order
			}
		}
		colours = next
		now := len(classes(colours))
		if now == count || now == len(colours) {
			return colours
		}
		count = now
	}
}

func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 ^ b
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 29
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}
