package ast

import "github.com/rete-go/rete/rdf"

// Form is the form of a query.
type Form uint8

const (
	Select Form = iota
	Construct
	Describe
	Ask
)

// String returns the keyword of the form.
func (f Form) String() string {
	return [...]string{Select: "SELECT", Construct: "CONSTRUCT", Describe: "DESCRIBE", Ask: "ASK"}[f]
}

// Query is a query of any form, or a sub-select.
type Query struct {
	Span
	// Version is the last one announced by VERSION; empty without.
	Version string
	// Base is the base IRI at the end of the prologue; empty without.
	Base string
	Form Form
	// Distinct and Reduced belong to SELECT; at most one is set.
	Distinct, Reduced bool
	// Star is set for SELECT * and DESCRIBE *.
	Star bool
	// Items are what SELECT projects; empty with Star.
	Items []SelectItem
	// Targets are the variables and IRIs of DESCRIBE; empty with Star.
	Targets []Node
	// Template is what CONSTRUCT makes. In the short form (CONSTRUCT WHERE) it
	// holds the triples of Where.
	Template []Triple
	// Short is set for CONSTRUCT WHERE { … }.
	Short bool
	// Dataset holds the FROM clauses in their order.
	Dataset []DatasetClause
	// Where is nil only where DESCRIBE has none.
	Where *Group
	Modifiers
	// Grouped is set if there is a GROUP BY or an aggregate.
	Grouped bool
	// Values is the table after the query; nil without.
	Values *Values
}

// Modifiers are the solution modifiers.
type Modifiers struct {
	GroupBy []GroupKey
	Having  []Expr
	OrderBy []OrderKey
	// HasLimit tells LIMIT 0 from no LIMIT. A missing OFFSET is 0.
	HasLimit      bool
	Limit, Offset uint64
}

// SelectItem is a variable, or (Expr AS Var).
type SelectItem struct {
	Span
	Expr Expr // nil for a plain variable
	Var  Var
}

// GroupKey is a key of GROUP BY: an expression, with a name if Var.Name is not
// empty.
type GroupKey struct {
	Span
	Expr Expr
	Var  Var
}

// OrderKey is a key of ORDER BY.
type OrderKey struct {
	Span
	Desc bool
	Expr Expr
}

// DatasetClause is FROM iri, FROM NAMED iri, USING iri or USING NAMED iri.
type DatasetClause struct {
	Span
	Named bool
	IRI   rdf.Term
}
