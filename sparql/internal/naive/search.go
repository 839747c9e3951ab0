package naive

import (
	"cmp"
	"math"
	"slices"

	"github.com/rete-go/rete/internal/textindex"
	"github.com/rete-go/rete/internal/xsdfloat"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// search takes every literal of the graph apart.
func (e *evaluator) search(o *algebra.Search, s scope) []Row {
	words := textindex.Words(o.Words)
	texts := map[[2]rdf.Term][]string{}
	subjects := map[string]map[rdf.Term]bool{}
	for _, t := range s.graph {
		k := [2]rdf.Term{t[0], t[2]}
		if texts[k] != nil {
			continue
		}
		new(textindex.Splitter).Literal([]byte(t[2].Surface()), func(token []byte) {
			texts[k] = append(texts[k], string(token))
			if subjects[string(token)] == nil {
				subjects[string(token)] = map[rdf.Term]bool{}
			}
			subjects[string(token)][t[0]] = true
		})
	}
	type hit struct {
		terms [2]rdf.Term
		score float64
	}
	var hits []hit
	for k, tokens := range texts {
		score, all := 0.0, true
		for _, w := range words {
			best := 0.0
			for _, token := range tokens {
				if w.Matches([]byte(token)) {
					best = max(best, 1/(1+math.Log2(float64(len(subjects[token])))))
				}
			}
			score, all = score+best, all && best > 0
		}
		if all {
			hits = append(hits, hit{k, score})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.terms[0].Surface(), b.terms[0].Surface()), cmp.Compare(a.terms[1].Surface(), b.terms[1].Surface()))
	})
	if o.Limit > 0 {
		hits = hits[:min(o.Limit, len(hits))]
	}
	var out []Row
	for _, h := range hits {
		r := e.empty()
		for i, t := range []rdf.Term{h.terms[0], rdf.Typed(string(xsdfloat.Append(nil, h.score, 64)), rdf.XSDDouble), h.terms[1]}[:len(o.Vars)] {
			r[o.Vars[i]] = t
		}
		out = append(out, r)
	}
	return s.rebind(out, o.Vars...)
}
