package algebra

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// Query is a translated query.
type Query struct {
	Form ast.Form
	// Vars is the table of all variables.
	Vars Vars
	// Root gives the solutions, modifiers included. For SELECT its outermost
	// operators are, from outside, Slice, Distinct or Reduced, Project, OrderBy,
	// each where needed; other forms have no Project.
	Root Op
	// Columns are what SELECT returns, in the order of the text (for SELECT *:
	// in the order of first appearance).
	Columns []Var
	// Template is what CONSTRUCT makes of each solution.
	Template []QuadTemplate
	// Describe are the terms and variables of DESCRIBE. For DESCRIBE *, all
	// variables of the pattern.
	Describe []Arg
	// Dataset is what FROM says; nil without.
	Dataset *Dataset
	// Base is the base IRI for the functions that resolve (IRI, URI).
	Base string
	// Uses tells what the query needs besides the data.
	Uses Uses
	// Patterns are the calls of REGEX and REPLACE that are evaluated here, not by the endpoint
	// of a SERVICE.
	Patterns []*Call
}

// Dataset is what FROM and FROM NAMED, or USING and USING NAMED, say: the
// default graph is the merge of Default (empty if there is none), the named
// graphs are Named.
type Dataset struct {
	Default, Named []rdf.Term
}

// Uses is a set of things that make a query more than a function of the data.
type Uses uint8

const (
	UsesNow       Uses = 1 << iota // NOW
	UsesRandom                     // RAND, UUID, STRUUID
	UsesBNode                      // BNODE
	UsesService                    // SERVICE
	UsesExtension                  // a function by IRI that is no cast of XML Schema
)

// Repeatable reports whether the same query over the same data has the same
// answer.
func (u Uses) Repeatable() bool { return u == 0 }
