package algebra

import (
	"github.com/rete-go/rete/sparql/internal/ast"
)

// Op is an operator of the algebra. All are pointers: [*BGP], [*Path], [*Join],
// [*LeftJoin], [*Lateral], [*Filter], [*Union], [*Graph], [*Extend], [*Minus], [*Group],
// [*Values], [*Search], [*Service], [*Project], [*Distinct], [*Reduced], [*OrderBy] and
// [*Slice].
type Op interface {
	op()
}

// BGP is a basic graph pattern. Without patterns it is the unit: one solution
// that binds nothing.
type BGP struct {
	Patterns []TriplePattern
}

// Path is a triple whose predicate is a path that is no join and no union:
// [*ZeroOrOne], [*ZeroOrMore], [*OneOrMore], or a [*Negated] with forward links
// only. Sequences, alternatives and inverses outside closures have become [Join],
// [Union] and swapped ends (section 18.2.2.4 of SPARQL 1.1; the nodes between
// the parts of a sequence are [Blank] variables), which keeps multiplicities.
type Path struct {
	ast.Span
	S    Arg
	Path PathExpr
	O    Arg
}

// Join is Join(Left, Right).
type Join struct {
	Left, Right Op
}

// LeftJoin is OPTIONAL. Expr is nil for true. It may use variables of both
// sides.
type LeftJoin struct {
	Left, Right Op
	Expr        Expr
}

// Lateral is LATERAL: for each solution of Left, the solutions of Right with that one put in, as
// [Exists] puts it in, each merged with it.
type Lateral struct {
	Left, Right Op
}

// Filter keeps the solutions for which every expression is true. The
// expressions are the FILTERs of one group, in the order of the text.
type Filter struct {
	Input Op
	Exprs []Expr
}

// Union is the bag union of two arms or more.
type Union struct {
	Args []Op
}

// Graph evaluates Input with Name as the active graph; for a variable, with
// each named graph of the dataset, and binds it. Input may be the unit.
type Graph struct {
	ast.Span
	Name  Arg
	Input Op
}

// Extend binds Var, which Input never does, to the value of Expr, and leaves it
// unbound where Expr is an error.
type Extend struct {
	ast.Span
	Input Op
	Var   Var
	Expr  Expr
}

// Minus is Minus(Left, Right).
type Minus struct {
	Left, Right Op
}

// Group groups by the values of Keys (an error or an unbound key is a value of
// its own) and binds the keys and the aggregates. Without keys, there is one
// group, also over no solutions.
type Group struct {
	Input Op
	Keys  []Var
	Aggs  []Aggregation
}

// Aggregation binds Var to the value of an aggregate over each group. A Var
// stays unbound where the aggregate is an error.
type Aggregation struct {
	ast.Span
	Var       Var
	Kind      ast.AggregateKind
	Distinct  bool
	Star      bool   // COUNT(*), of Distinct or all solutions of the group; Arg is nil
	Arg       Expr   // never has an aggregate in it
	Separator string // of GROUP_CONCAT
}

// Values is a table. In a row, the zero term is unbound. A table without
// variables still has rows.
type Values struct {
	ast.Span
	Vars []Var
	Rows ast.Rows
}

// Search binds the subjects of literals of the active graph that have all words, their scores and
// the literals: those of the one to three Vars, in this order. Limit is how many, the best ones;
// 0 is all.
type Search struct {
	ast.Span
	Vars  []Var
	Words string
	Limit int
}

// Service evaluates a pattern at an endpoint.
type Service struct {
	ast.Span
	Silent bool
	Name   Arg
	Input  Op
	// Pattern is the group to send; its String method prints it with absolute
	// IRIs.
	Pattern *ast.Group
	// Vars are the variables that the group may bind, by slot; the names in
	// the answer are those of the table of variables.
	Vars []Var
}

// Project keeps the listed variables. As every variable that a sub-select hides
// has a slot of its own, it changes no value; it is there for DISTINCT, for the
// columns of a result, and to tell that the others are not needed.
type Project struct {
	Input Op
	Vars  []Var
}

// Distinct drops duplicates.
type Distinct struct{ Input Op }

// Reduced may drop duplicates.
type Reduced struct{ Input Op }

// OrderBy sorts by Keys; equal solutions stay in their order.
type OrderBy struct {
	Input Op
	Keys  []OrderKey
}

// OrderKey is a key of ORDER BY.
type OrderKey struct {
	ast.Span
	Desc bool
	Expr Expr
}

// Slice is LIMIT and OFFSET.
type Slice struct {
	Input    Op
	Offset   uint64
	HasLimit bool
	Limit    uint64
}

func (*BGP) op()      {}
func (*Path) op()     {}
func (*Join) op()     {}
func (*LeftJoin) op() {}
func (*Lateral) op()  {}
func (*Filter) op()   {}
func (*Union) op()    {}
func (*Graph) op()    {}
func (*Extend) op()   {}
func (*Minus) op()    {}
func (*Group) op()    {}
func (*Values) op()   {}
func (*Search) op()   {}
func (*Service) op()  {}
func (*Project) op()  {}
func (*Distinct) op() {}
func (*Reduced) op()  {}
func (*OrderBy) op()  {}
func (*Slice) op()    {}

// unit returns the operator with one solution that binds nothing.
func unit() Op { return &BGP{} }

// IsUnit reports whether o is the unit.
func IsUnit(o Op) bool {
	b, ok := o.(*BGP)
	return ok && len(b.Patterns) == 0
}
