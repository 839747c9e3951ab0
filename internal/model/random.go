package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Shape is what random logs are made of. The zero value works.
type Shape struct {
	Terms   int // size of the vocabulary, default 12
	Entries int // number of entries, default 5
	Quads   int // most quads in adds or dels, default 12
	Graphs  int // named graphs, default 3
	Big     int // quads in the adds of entry BigAt; 0: none is big
	BigAt   int
}

// Vocabulary returns n terms of every kind. The first two thirds are IRIs, which
// may stand in any position.
func Vocabulary(n int) []string {
	out := make([]string, n)
	for i := range out {
		switch {
		case i < n*2/3 || n < 4:
			out[i] = fmt.Sprintf("<http://ex/t%d>", i)
		case i%4 == 0:
			out[i] = fmt.Sprintf("_:b%d", i)
		case i%4 == 1:
			out[i] = fmt.Sprintf("<<<http://ex/t0> <http://ex/t1> \"%d\">>", i)
		default:
			out[i] = fmt.Sprintf("\"text %d\"@en", i)
		}
	}
	return out
}

// Respell returns another spelling of a term of a [Vocabulary], or the
// term itself.
func Respell(r *rand.Rand, s string) string {
	if r.IntN(3) > 0 {
		return s
	}
	switch {
	case strings.HasSuffix(s, "@en"):
		return s[:len(s)-2] + "EN"
	case strings.HasPrefix(s, "<http://ex/t"):
		return strings.Replace(s, "/t", `/\u0074`, 1)
	case strings.HasPrefix(s, "<<") && strings.HasSuffix(s, `">>`):
		return s[:len(s)-2] + "^^<http://www.w3.org/2001/XMLSchema#string>>>"
	}
	return s
}

// Log draws a log. Terms take changing roles: a predicate of one entry is a
// subject or a graph name of another.
func Log(r *rand.Rand, shape Shape) []Entry {
	if shape.Terms == 0 {
		shape.Terms = 12
	}
	if shape.Entries == 0 {
		shape.Entries = 5
	}
	if shape.Quads == 0 {
		shape.Quads = 12
	}
	if shape.Graphs == 0 {
		shape.Graphs = 3
	}
	words := Vocabulary(shape.Terms)
	iris := words[:max(1, shape.Terms*2/3)]
	var nodes []string // that may be subjects
	for _, w := range words {
		if !strings.HasPrefix(w, `"`) && !strings.HasPrefix(w, "<<") {
			nodes = append(nodes, w)
		}
	}
	quad := func() Quad {
		q := Quad{nodes[r.IntN(len(nodes))], iris[r.IntN(len(iris))], words[r.IntN(len(words))]}
		if r.IntN(2) == 0 {
			q[3] = iris[r.IntN(min(len(iris), shape.Graphs))]
		}
		return q
	}
	log := make([]Entry, shape.Entries)
	var seen []Quad
	draw := func(n int) []Quad {
		var out []Quad
		for range n {
			if len(seen) > 0 && r.IntN(2) == 0 {
				out = append(out, seen[r.IntN(len(seen))])
				continue
			}
			q := quad()
			out = append(out, q)
			seen = append(seen, q)
		}
		return out
	}
	for i := range log {
		adds, dels := r.IntN(shape.Quads+1), r.IntN(shape.Quads+1)
		if shape.Big > 0 && i == shape.BigAt {
			adds = shape.Big
		}
		log[i].Dels = draw(dels)
		log[i].Adds = draw(adds)
		if r.IntN(3) == 0 && len(log[i].Adds) > 0 { // the same quad on both sides
			log[i].Dels = append(log[i].Dels, log[i].Adds[r.IntN(len(log[i].Adds))])
		}
	}
	return log
}
