package sparql

import (
	"slices"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
)

// ParseOptions are the circumstances of parsing; nil stands for the defaults.
type ParseOptions = ast.Options

// SyntaxError says where a text stops being SPARQL, and why.
type SyntaxError = ast.SyntaxError

// Form is the form of a query.
type Form = ast.Form

// The forms.
const (
	FormSelect    = ast.Select
	FormConstruct = ast.Construct
	FormDescribe  = ast.Describe
	FormAsk       = ast.Ask
)

// Query is a parsed query. It does not change and may be used by several
// goroutines, over several datasets.
type Query struct {
	text string
	tree *ast.Query
	q    *algebra.Query // its pattern is that of root

	opt   ParseOptions // that the text was read with
	shape *shape       // nil if there is none, or none was looked for
	terms []rdf.Term   // of the spots of the shape
	late  *reading     // if not nil, q is the algebra of another query of the shape
}

// Parse reads a query. Its errors are [*SyntaxError].
func Parse(text string, opt *ParseOptions) (*Query, error) {
	tree, err := ast.ParseQuery(text, opt)
	if err != nil {
		return nil, err
	}
	q, err := algebra.Translate(tree)
	if err != nil {
		return nil, err
	}
	out := &Query{text: text, tree: tree, q: q}
	if opt != nil {
		out.opt = *opt
	}
	return out, nil
}

// MustParse is [Parse] for queries that are known to be right; it panics if
// one is not.
func MustParse(text string) *Query {
	q, err := Parse(text, nil)
	if err != nil {
		panic(err)
	}
	return q
}

// Form returns the form of the query.
func (q *Query) Form() Form { return q.q.Form }

// Text returns the text of the query.
func (q *Query) Text() string { return q.text }

// Base returns the base IRI at the end of the prologue; empty without one.
func (q *Query) Base() string { return q.q.Base }

// Vars returns the variables of the columns of a SELECT, without their marks.
func (q *Query) Vars() []string {
	out := make([]string, len(q.q.Columns))
	for i, v := range q.q.Columns {
		out[i] = q.q.Vars.Name(v)
	}
	return out
}

// Repeatable reports whether the query has the same answer each time over the
// same data: whether it uses none of NOW, RAND, UUID, STRUUID, BNODE, SERVICE
// and extension functions.
func (q *Query) Repeatable() bool { return q.q.Uses.Repeatable() }

// FromClauses returns the graphs that the query names in FROM and FROM NAMED.
func (q *Query) FromClauses() []rdf.Term {
	d := q.q.Dataset
	if d == nil {
		return nil
	}
	return slices.Concat(d.Default, d.Named)
}
