package ast

// Element is a member of a group: [*Triples], [*Group], [*Optional], [*Lateral],
// [*Minus], [*Union], [*GraphPattern], [*Service], [*Filter], [*Bind], [*Values],
// [*Search] or [*SubSelect].
type Element interface {
	Range() Span
	element()
}

// Group is a group graph pattern: { … }. A sub-select is a group of one
// [*SubSelect].
type Group struct {
	Span
	Elements []Element
}

// Triples is a run of triples without anything between them. A FILTER between
// two runs does not end the basic graph pattern, all other elements do.
type Triples struct {
	Span
	Triples []Triple
}

// Optional is OPTIONAL { … }.
type Optional struct {
	Span
	Group *Group
}

// Lateral is LATERAL { … } (SEP-0006 of the SPARQL community): for each solution of what stands
// before it in its group, the pattern with the solution put in.
type Lateral struct {
	Span
	Group *Group
}

// Minus is MINUS { … }.
type Minus struct {
	Span
	Group *Group
}

// Union is { … } UNION { … } UNION …, two groups or more.
type Union struct {
	Span
	Groups []*Group
}

// GraphPattern is GRAPH name { … }; the name is a variable or an IRI.
type GraphPattern struct {
	Span
	Name  Node
	Group *Group
}

// Service is SERVICE name { … }; the name is a variable or an IRI.
type Service struct {
	Span
	Silent bool
	Name   Node
	Group  *Group
}

// Filter is FILTER expression.
type Filter struct {
	Span
	Expr Expr
}

// Bind is BIND(expression AS variable).
type Bind struct {
	Span
	Expr Expr
	Var  Var
}

// Values is a table of terms. In Rows, the zero term is UNDEF; every row has a
// term for every variable. There may be no variable and still rows.
type Values struct {
	Span
	Vars []Var
	Rows Rows
}

// SearchIRI is the predicate of a [Search].
const SearchIRI = "urn:x-rete:search"

// Search binds the subjects of literals that have words, their scores and the literals:
// ( ?subject ?score ?literal ) <urn:x-rete:search> ( "words" 10 ). There are one to three Vars, in
// this order. A Limit of 0 is none.
type Search struct {
	Span
	Vars  []Var
	Words string
	Limit int
}

// SubSelect is a SELECT in a pattern. Query has neither a prologue nor dataset
// clauses.
type SubSelect struct {
	Span
	Query *Query
}

func (*Group) element()        {}
func (*Triples) element()      {}
func (*Optional) element()     {}
func (*Lateral) element()      {}
func (*Minus) element()        {}
func (*Union) element()        {}
func (*GraphPattern) element() {}
func (*Service) element()      {}
func (*Filter) element()       {}
func (*Bind) element()         {}
func (*Values) element()       {}
func (*Search) element()       {}
func (*SubSelect) element()    {}
