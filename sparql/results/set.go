package results

import (
	"io"
	"slices"
	"strconv"

	"github.com/rete-go/rete/rdf"
)

// Set is a whole answer in memory: rows, or a boolean.
type Set struct {
	Vars    []string
	Rows    [][]rdf.Term // one term for each variable, the zero Term is unbound
	Boolean *bool        // the answer of an ASK
	Ordered bool         // the rows stand in an order that matters
}

// ReadAll reads an answer to its end.
func ReadAll(r Reader) (*Set, error) {
	s := &Set{Vars: r.Vars()}
	if b, is := r.Boolean(); is {
		s.Boolean = &b
		return s, nil
	}
	for {
		row := make([]rdf.Term, len(s.Vars))
		err := r.Read(row)
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		s.Rows = append(s.Rows, row)
	}
}

// WriteTo writes the answer to a [Writer] and closes it.
func (s *Set) WriteTo(w Writer) error {
	if s.Boolean != nil {
		if err := w.Boolean(*s.Boolean); err != nil {
			return err
		}
		return w.Close()
	}
	if err := w.Head(s.Vars); err != nil {
		return err
	}
	row := make([][]byte, len(s.Vars))
	for _, terms := range s.Rows {
		for i, t := range terms {
			row[i] = []byte(t.Surface())
		}
		if err := w.Row(row); err != nil {
			return err
		}
	}
	return w.Close()
}

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
		return nil, syntaxError("the graph has no rs:ResultSet")
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
	at, err := index(s.Vars)
	if err != nil {
		return nil, err
	}
	type indexed struct {
		index int
		row   []rdf.Term
	}
	var rows []indexed
	for _, solution := range g[root]["solution"] {
		r := indexed{row: make([]rdf.Term, len(s.Vars))}
		if i := g[solution]["index"]; len(i) == 1 {
			if r.index, err = strconv.Atoi(i[0].Value()); err != nil {
				return nil, syntaxError("the index %.40q", i[0].Value())
			}
			s.Ordered = true
		}
		for _, binding := range g[solution]["binding"] {
			name, value := g[binding]["variable"], g[binding]["value"]
			if len(name) != 1 || len(value) != 1 {
				return nil, syntaxError("a binding without one variable and one value")
			}
			i, ok := at[name[0].Value()]
			if !ok {
				return nil, syntaxError("the variable %.80q is not declared", name[0].Value())
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
