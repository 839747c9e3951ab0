package naive

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
)

// Answer is what a query returns.
type Answer struct {
	// Vars and Rows are those of SELECT; rows have a term, or the zero term, for
	// each variable, and are in the order of the solutions.
	Vars []string
	Rows [][]rdf.Term
	// Boolean tells whether there is a solution: the answer of ASK.
	Boolean bool
	// Graph is what CONSTRUCT and DESCRIBE return, each triple once.
	Graph []rdf.Quad
}

// Run parses a query and evaluates it over quads. base is the base IRI of the
// text; it may be empty.
func Run(quads []rdf.Quad, text, base string) (*Answer, error) {
	tree, err := ast.ParseQuery(text, &ast.Options{Base: base})
	if err != nil {
		return nil, err
	}
	q, err := algebra.Translate(tree)
	if err != nil {
		return nil, err
	}
	return RunQuery(quads, q), nil
}

// RunQuery evaluates a translated query over quads.
func RunQuery(quads []rdf.Quad, q *algebra.Query) *Answer {
	data := NewDataset(quads).For(q.Dataset)
	rows := solutions(q.Root, q.Vars, data, q.Base)
	a := &Answer{Boolean: len(rows) > 0}
	switch q.Form {
	case ast.Construct:
		a.Graph = construct(q, rows)
	case ast.Describe:
		a.Graph = describe(q, rows, data)
	}
	for _, v := range q.Columns {
		a.Vars = append(a.Vars, q.Vars.Name(v))
	}
	for _, r := range rows {
		out := make([]rdf.Term, len(q.Columns))
		for i, v := range q.Columns {
			out[i] = r[v]
		}
		a.Rows = append(a.Rows, out)
	}
	return a
}
