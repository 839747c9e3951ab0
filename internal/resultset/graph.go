package resultset

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rete-go/rete/rdf"
)

// The vocabulary in which the older suites describe results as a graph.
const rsNS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"

// FromGraph reads an answer from a graph in the result-set vocabulary. With
// rs:index the rows are ordered.
func FromGraph(quads []rdf.Quad) (*Set, error) {
	g := make(map[rdf.Term]map[string][]rdf.Term)
	var root rdf.Term
	for _, q := range quads {
		p := q.P.Value()
		if p == rdf.RDF+"type" && q.O == rdf.IRI(rsNS+"ResultSet") {
			root = q.S
		}
		if len(p) > len(rsNS) && p[:len(rsNS)] == rsNS {
			if g[q.S] == nil {
				g[q.S] = make(map[string][]rdf.Term)
			}
			g[q.S][p[len(rsNS):]] = append(g[q.S][p[len(rsNS):]], q.O)
		}
	}
	if root.IsZero() {
		return nil, fmt.Errorf("result set: the graph has no rs:ResultSet")
	}
	s := &Set{}
	if b := g[root]["boolean"]; len(b) == 1 {
		answer := b[0].Value() == "true" || b[0].Value() == "1"
		s.Boolean = &answer
		return s, nil
	}
	for _, v := range g[root]["resultVariable"] {
		s.Vars = append(s.Vars, v.Value())
	}
	slices.Sort(s.Vars)
	at := make(map[string]int, len(s.Vars))
	for i, v := range s.Vars {
		at[v] = i
	}
	type indexed struct {
		index int
		row   []rdf.Term
	}
	var rows []indexed
	for _, solution := range g[root]["solution"] {
		r := indexed{row: make([]rdf.Term, len(s.Vars))}
		if i := g[solution]["index"]; len(i) == 1 {
			var err error
			if r.index, err = strconv.Atoi(i[0].Value()); err != nil {
				return nil, fmt.Errorf("result set: the index %.40q", i[0].Value())
			}
			s.Ordered = true
		}
		for _, binding := range g[solution]["binding"] {
			name, value := g[binding]["variable"], g[binding]["value"]
			if len(name) != 1 || len(value) != 1 {
				return nil, fmt.Errorf("result set: a binding without one variable and one value")
			}
			i, ok := at[name[0].Value()]
			if !ok {
				return nil, fmt.Errorf("result set: the variable %.80q is not declared", name[0].Value())
			}
			r.row[i] = value[0]
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b indexed) int { return a.index - b.index })
	for _, r := range rows {
		s.Rows = append(s.Rows, r.row)
	}
	return s, nil
}
