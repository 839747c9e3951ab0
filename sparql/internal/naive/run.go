package naive

import (
	"errors"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
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

// ErrWork says that a query takes more work than it was allowed.
var ErrWork = errors.New("naive: more work than allowed")

// meter counts the work of a query: rows made, and pairs of rows and triples that
// are compared. A nil meter has no bound.
type meter struct{ left int }

// spend counts work, and panics by ErrWork where there is too much of it.
func (m *meter) spend(n int) {
	if m == nil {
		return
	}
	if m.left -= n; m.left < 0 {
		panic(ErrWork)
	}
}

// RunWithin is Run for at most so much work: rows made and comparisons of rows. The
// error is ErrWork if it does not suffice.
func RunWithin(quads []rdf.Quad, text, base string, work int) (a *Answer, err error) {
	defer func() {
		switch r := recover(); r {
		case nil:
		case ErrWork:
			a, err = nil, ErrWork
		default:
			panic(r)
		}
	}()
	return run(quads, text, base, &meter{work})
}

// Run parses a query and evaluates it over quads. base is the base IRI of the
// text; it may be empty.
func Run(quads []rdf.Quad, text, base string) (*Answer, error) {
	return run(quads, text, base, nil)
}

func run(quads []rdf.Quad, text, base string, m *meter) (*Answer, error) {
	tree, err := parse.Query(text, &ast.Options{Base: base})
	if err != nil {
		return nil, err
	}
	q, err := algebra.Translate(tree)
	if err != nil {
		return nil, err
	}
	return answer(quads, q, m), nil
}

// answer evaluates a translated query over quads.
func answer(quads []rdf.Quad, q *algebra.Query, m *meter) *Answer {
	data := NewDataset(quads).over(q.Dataset)
	rows := solutions(q.Root, q.Vars, data, q.Base, m)
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
