// Package isomorphic tells whether two sets of quads are the same up to the
// labels of their blank nodes: [Equal].
//
// Blank nodes are told apart by what surrounds them (colour refinement); only
// those that look alike are tried in turn. Sets whose blank nodes differ by
// their surroundings, and sets with many equal parts, take polynomial time;
// highly regular graphs, made to be hard, may take exponential time.
package isomorphic

import (
	"github.com/rete-go/rete/rdf"
)

// Equal reports whether a bijection between the blank nodes of a and those of
// b makes them the same set of quads. Repeats in a slice do not count.
func Equal(a, b []rdf.Quad) bool {
	ga, gb := newGraph(a), newGraph(b)
	if len(ga.quads) != len(gb.quads) || len(ga.blanks) != len(gb.blanks) {
		return false
	}
	return match(ga, gb, make([]uint64, len(ga.blanks)), make([]uint64, len(gb.blanks)))
}

// match refines both colourings and, where a colour has several nodes, gives
// one of a's a colour of its own and tries it against each of b's.
func match(a, b *graph, ca, cb []uint64) bool {
	ca, cb = a.refine(ca), b.refine(cb)
	classesA, classesB := classes(ca), classes(cb)
	if len(classesA) != len(classesB) {
		return false
	}
	var pick []int // the smallest class with several nodes, the first of those
	for node, colour := range ca {
		class := classesA[colour]
		if len(class) != len(classesB[colour]) {
			return false
		}
		if len(class) > 1 && node == class[0] && (pick == nil || len(class) < len(pick)) {
			pick = class
		}
	}
	if pick == nil {
		return a.sameUnder(b, ca, classesB)
	}
	colour := ca[pick[0]]
	mark := mix(colour, 0x9e3779b97f4a7c15)
	ca[pick[0]] = mark
	for _, node := range classesB[colour] {
		next := append([]uint64(nil), cb...)
		next[node] = mark
		if match(a, b, append([]uint64(nil), ca...), next) {
			return true
		}
	}
	return false
}

// classes groups nodes by colour.
func classes(colours []uint64) map[uint64][]int {
	m := map[uint64][]int{}
	for node, c := range colours {
		m[c] = append(m[c], node)
	}
	return m
}

// sameUnder reports whether the mapping that equal colours give turns the
// quads of g into those of other.
func (g *graph) sameUnder(other *graph, colours []uint64, classes map[uint64][]int) bool {
	rename := map[rdf.Term]rdf.Term{}
	for node, colour := range colours {
		rename[g.blanks[node]] = other.blanks[classes[colour][0]]
	}
	set := map[rdf.Quad]bool{}
	for _, q := range other.quads {
		set[q] = true
	}
	for _, q := range g.quads {
		if !set[rdf.Quad{S: renamed(q.S, rename), P: renamed(q.P, rename), O: renamed(q.O, rename), G: renamed(q.G, rename)}] {
			return false
		}
	}
	return true
}

func renamed(t rdf.Term, rename map[rdf.Term]rdf.Term) rdf.Term {
	switch t.Kind() {
	case rdf.KindBlank:
		return rename[t]
	case rdf.KindTriple:
		s, p, o, _ := t.Triple()
		return rdf.TripleTerm(renamed(s, rename), renamed(p, rename), renamed(o, rename))
	}
	return t
}
