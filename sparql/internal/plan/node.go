// Package plan turns the algebra of a query into a tree of physical operators:
// the order of joins, their methods, where filters stand, which columns are
// kept, and which ids go sideways.
//
// A [Node] delivers rows of ids, a column for each of its variables. Nodes are
// data; package exec runs them. A plan belongs to one dataset and one run, as
// it holds ids.
//
// # Sideways ids
//
// A join that runs its right side again for each stretch of its left side
// ([Join] with Apply) names the stretch by the number of an input. Leaves of
// the right side refer to it ([Ref]): they deliver only rows whose column is
// among the ids of that variable in the stretch. This only ever narrows: the
// join compares the keys itself.
package plan

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// ID is a term.
type ID = dataset.ID

// Node is a physical operator: a pointer to one of the structs of this package
// that embed [Info].
type Node interface{ Base() *Info }

// Info is what all nodes have.
type Info struct {
	Vars []Var   // the columns
	Sure Set     // those of them that are bound in every row
	Rows float64 // how many rows are expected
}

// Base returns the Info itself.
func (i *Info) Base() *Info { return i }

// Ref names the ids of a variable in the rows of an input.
type Ref struct {
	Input int
	Var   Var
}

// Values is a table of ids. Without variables it still has rows; a table of one
// row without variables is the unit.
type Values struct {
	Info
	N   int  // the rows
	IDs []ID // row by row
}

// Input delivers the rows of an input.
type Input struct {
	Info
	Input int
}

// Graph says where a leaf looks. If Param is not negative, it is one graph,
// that of the running [GraphLoop] with this number.
type Graph struct {
	dataset.Graphs
	Var   Var // bound to the graph; NoVar without
	Param int
}

// same reports whether two leaves look at the same.
func (g Graph) same(h Graph) bool {
	return g.Var == h.Var && g.Param == h.Param && g.Mode == h.Mode && g.NamedOnly == h.NamedOnly &&
		(g.Set == nil) == (h.Set == nil) && slices.Equal(g.Set, h.Set)
}

// Scan reads the rows of one pattern.
type Scan struct {
	Info
	Pattern    dataset.Pattern // constants; its G is that of Graph
	Cols       [4]Var          // the variables of the columns; NoVar where none
	Order      dataset.Order
	Graph      Graph
	Same       [][2]dataset.Col // columns that must be equal
	Within     [4]*Ref
	Extreme    *Extreme             // if not nil, only the first rows are wanted
	Values     []dataset.Interval   // with reads not 0: column O has a value in one of them
	reads      uint64               // how many literals may be read to make an index
	Ranges     [3][]dataset.IDRange // if not nil, the ids that S, P and O may have
	DictFilter *DictFilter          // if not nil, a test of the terms of a column
	Walked     bool                 // the leaf of a [TopByValue]
	Not        []ID                 // ids that column P must not have: a negated property set
	// All is how many rows are expected without what narrows the scan. Direct is
	// the number of the input, plus 1, whose join reads this scan and nothing
	// else as its right side: what its ids narrow may be left to the join.
	All    float64
	Direct int
	// Skip says that only distinct ids of the one column are wanted, which
	// leads the order behind the constants: the scan jumps over repeats where
	// that pays, and may leave some.
	Skip bool
}

// TopByValue delivers those rows of Input whose ids of column O of Leaf, from which all rows
// of Input come, are the first in the order of values; others may be among them. It
// runs Input for one stretch of the values after the other, until there are enough rows.
type TopByValue struct {
	Info
	Input Node
	Leaf  *Scan
	Extreme
	Of    float64 // the rows of the leaf
	Reads uint64  // how many literals may be read to make an index
}

// Path reads the pairs of a closure.
type Path struct {
	Info
	S, O   Arg
	Path   algebra.PathExpr
	Graph  Graph
	Within [2]*Ref // of S and O
}

// Arg is an end of a path: a variable, or an id if Var is NoVar.
type Arg struct {
	Var Var
	ID  ID
}

// Graphs lists the named graphs: those that have a quad, or all that the query
// names, Empty among them.
type Graphs struct {
	Info
	Var    Var
	Graph  dataset.Graphs
	Empty  []ID
	Within *Ref // of stored graphs alone
}

// JoinKind is what a join does with the rows that match.
type JoinKind uint8

const (
	Inner JoinKind = iota
	Left           // also the left rows without a match
	Semi           // the left rows with a match, once
	Anti           // the left rows without a match
	Mark           // the left rows, with the id of true or false in a column
)

// Join joins two nodes on equal ids.
type Join struct {
	Info
	Kind        JoinKind
	Left, Right Node
	Keys        []Var // bound in every row of both sides
	Loose       []Var // in both sides, and maybe unbound: compatible if equal or one is unbound
	// Overlap, of MINUS without keys, asks that a match has at least one of
	// Loose bound on both sides.
	Overlap bool
	// Apply runs Right again for each stretch of Left, which is input Input;
	// else Right runs once, or for the whole of a small Left ([Join.Narrowed]).
	Apply bool
	Input int
	// Cond, if not nil, filters the matches: it reads them as input CondInput
	// and hands on those that count.
	Cond      Node
	CondInput int
	RowVar    Var // column of the input with the number of the left row; set with Cond
	Mark      Var
	True      ID
	False     ID
}

// Filter keeps rows for which all expressions are true.
type Filter struct {
	Info
	Input Node
	Exprs []algebra.Expr
	// Counted says that the rows are counted that it drops: it sees all rows that
	// stand below it in the text, once.
	Counted bool
}

// Extend adds columns, one after the other. Those of one node are computed for
// one solution: BNODE("x") is one node in all of them.
type Extend struct {
	Info
	Input Node
	Added []Added
}

// Added is a column that is computed.
type Added struct {
	Var  Var
	Expr algebra.Expr
}

// ValueKey adds a column with a number for the value of another: equal numbers
// for values that may be equal in the sense of "=". With Drop, rows whose term is
// equal to nothing go.
type ValueKey struct {
	Info
	Input Node
	Of    Var
	Var   Var
	Drop  bool
}

// Unfold takes the triple terms of a column apart: it binds the variables of
// Args and drops rows that do not fit.
type Unfold struct {
	Info
	Input Node
	Var   Var
	Args  [3]Arg
}

// Union delivers the rows of all its arms.
type Union struct {
	Info
	Args []Node
}

// GraphLoop runs Body for each named graph, which it binds to Var. Var may be
// among Body's variables.
type GraphLoop struct {
	Info
	Var    Var
	Graphs Node // one column, Var
	Body   Node
	Param  int
}

// Group groups and aggregates.
type Group struct {
	Info
	Input Node
	Keys  []Var
	Aggs  []algebra.Aggregation
	Named Set // the variables that COUNT(DISTINCT *) looks at
}

// Count is the number of rows of a pattern, without reading them.
type Count struct {
	Info
	Scan *Scan
	Var  Var
}

// Distinct drops duplicates.
type Distinct struct {
	Info
	Input Node
}

// Order sorts; Limit, if not negative, is how many rows are wanted.
type Order struct {
	Info
	Input Node
	Keys  []algebra.OrderKey
	Limit int64
}

// Slice skips and limits; a negative Limit is none.
type Slice struct {
	Info
	Input         Node
	Offset, Limit int64
}

// Project keeps columns and puts them in order.
type Project struct {
	Info
	Input Node
}

// Service asks an endpoint: Name, or each one among the ids of Endpoints. With
// Keys, which are columns of one input, it asks only for the solutions that have
// the terms of a row there.
type Service struct {
	Info
	Name      Arg
	Endpoints *Ref
	Keys      []*Ref
	Must      Set // what each solution of an endpoint binds
	Silent    bool
	Group     *ast.Group
	Table     algebra.Vars
}

// Substitute is EXISTS that cannot be a join: for each distinct key of Input,
// the pattern is planned anew with the key put in.
type Substitute struct {
	Info
	Input Node
	Kind  JoinKind // Semi, Anti or Mark
	Keys  []Var
	Mark  Var
	True  ID
	False ID
	// Each says that equal keys are tested one by one: chance decides.
	Each bool
	// Plan plans the pattern for one key; ids of 0 are unbound.
	Plan func(ctx context.Context, key []ID) (Node, error)
}

// Lateral is LATERAL that cannot be a join: for each row of Input, the pattern is planned anew
// with the row put in.
type Lateral struct {
	Info
	Input Node
	Keys  []Var // that the pattern mentions
	// Each says that equal keys are evaluated one by one: chance decides.
	Each bool
	// Plan plans the pattern for one key; ids of 0 are unbound.
	Plan func(ctx context.Context, key []ID) (Node, error)
}

// Exchange delivers the rows of Input in their order. Where cores are idle, several
// goroutines run Input at the same time, each for other parts of the scan Leaf, from
// which all rows of Input come. With Distinct, repeats of a row may be dropped.
type Exchange struct {
	Info
	Input    Node
	Leaf     *Scan
	Parts    int // into which Leaf is cut
	Distinct bool
}
