package ast

import "github.com/rete-go/rete/rdf"

// Update is an update request: operations that are run in order.
type Update struct {
	Span
	Version string // as [Query.Version]
	Base    string // as [Query.Base], at the end of the text
	Ops     []Operation
}

// Operation is one operation of an update: [*InsertData], [*DeleteData],
// [*DeleteWhere], [*Modify], [*Load], [*Clear], [*Drop], [*Create], [*Add],
// [*Move] or [*Copy].
type Operation interface {
	Range() Span
	operation()
}

// InsertData is INSERT DATA { … }: no variables.
type InsertData struct {
	Span
	Quads []Quad
}

// DeleteData is DELETE DATA { … }: no variables and no blank nodes.
type DeleteData struct {
	Span
	Quads []Quad
}

// DeleteWhere is DELETE WHERE { … }: the quads are pattern and template; no
// blank nodes.
type DeleteWhere struct {
	Span
	Quads []Quad
}

// Modify is DELETE { … } INSERT { … } WHERE { … } with at least one template.
type Modify struct {
	Span
	// Base is the base IRI at this place of the text, which the functions that
	// resolve use; empty without one.
	Base string
	// With is the IRI after WITH; the zero term without.
	With rdf.Term
	// HasDelete and HasInsert tell an empty template from none.
	HasDelete, HasInsert bool
	Delete, Insert       []Quad
	Using                []DatasetClause
	Where                *Group
}

// Load is LOAD source INTO GRAPH into; Into is the zero term without INTO.
type Load struct {
	Span
	Silent       bool
	Source, Into rdf.Term
}

// TargetKind says which graphs an operation is about.
type TargetKind uint8

const (
	TargetGraph   TargetKind = iota // the graph of that name
	TargetDefault                   // DEFAULT
	TargetNamed                     // NAMED: all named graphs
	TargetAll                       // ALL
)

// Target is the object of an operation on whole graphs. ADD, MOVE, COPY take
// TargetGraph and TargetDefault; CREATE takes TargetGraph.
type Target struct {
	Span
	Kind TargetKind
	IRI  rdf.Term // of TargetGraph
}

// Clear is CLEAR target.
type Clear struct {
	Span
	Silent bool
	Target Target
}

// Drop is DROP target.
type Drop struct {
	Span
	Silent bool
	Target Target
}

// Create is CREATE GRAPH iri.
type Create struct {
	Span
	Silent bool
	Target Target
}

// Add is ADD from TO to.
type Add struct {
	Span
	Silent   bool
	From, To Target
}

// Move is MOVE from TO to.
type Move struct {
	Span
	Silent   bool
	From, To Target
}

// Copy is COPY from TO to.
type Copy struct {
	Span
	Silent   bool
	From, To Target
}

func (*InsertData) operation()  {}
func (*DeleteData) operation()  {}
func (*DeleteWhere) operation() {}
func (*Modify) operation()      {}
func (*Load) operation()        {}
func (*Clear) operation()       {}
func (*Drop) operation()        {}
func (*Create) operation()      {}
func (*Add) operation()         {}
func (*Move) operation()        {}
func (*Copy) operation()        {}
