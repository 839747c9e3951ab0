package algebra

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// Update is a translated update request: operations that are run in order, all
// or none.
type Update struct {
	Base string
	Ops  []Operation
	// Patterns is what [Query.Patterns] is, of all operations.
	Patterns []*Call
}

// Operation is [*InsertData], [*DeleteData], [*Modify], [*Load], [*Clear],
// [*Create] or [*Transfer].
type Operation interface {
	Range() ast.Span
	operation()
}

// InsertData inserts quads without variables. Equal blank nodes for which [IsNew]
// holds are one new node.
type InsertData struct {
	ast.Span
	Quads []rdf.Quad
}

// DeleteData deletes quads.
type DeleteData struct {
	ast.Span
	Quads []rdf.Quad
}

// Modify deletes and inserts what the templates make of the solutions of Root;
// deletions come first. DELETE WHERE is a Modify.
type Modify struct {
	ast.Span
	Vars Vars
	Base string // as [ast.Modify.Base]
	// With is the graph that replaces the default graph in templates, and in
	// Root unless Dataset is set; zero without WITH.
	With    rdf.Term
	Dataset *Dataset // of USING; nil without
	Root    Op
	Delete  []QuadTemplate
	Insert  []QuadTemplate
	Uses    Uses
}

// Load is LOAD. Into is zero for the default graph.
type Load struct {
	ast.Span
	Silent       bool
	Source, Into rdf.Term
}

// Clear is CLEAR, or DROP with Drop set.
type Clear struct {
	ast.Span
	Drop, Silent bool
	Target       ast.Target
}

// Create is CREATE GRAPH.
type Create struct {
	ast.Span
	Silent bool
	Graph  rdf.Term
}

// TransferKind is ADD, MOVE or COPY.
type TransferKind uint8

const (
	AddGraph TransferKind = iota
	MoveGraph
	CopyGraph
)

// Transfer is ADD, MOVE or COPY. A zero graph is the default graph.
type Transfer struct {
	ast.Span
	Kind     TransferKind
	Silent   bool
	From, To rdf.Term
}

func (*InsertData) operation() {}
func (*DeleteData) operation() {}
func (*Modify) operation()     {}
func (*Load) operation()       {}
func (*Clear) operation()      {}
func (*Create) operation()     {}
func (*Transfer) operation()   {}
