// Package plan has the trees of physical operators that queries become: which there are, how a
// tree is gone through and rebuilt, described, narrowed, and given other constants. Package
// planner makes them, package exec runs them.
//
// A [Node] delivers rows of ids, a column for each of its variables. Nodes are data. A plan
// belongs to one dataset, as it holds ids.
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
	"slices"

	"github.com/rete-go/rete/dataset"
)

// ID is a term.
type ID = dataset.ID

// Node is a physical operator: a pointer to one of the structs of this package
// that embed [Info]. A kind of node is a struct and these methods; what goes through plans
// ([Rewrite], EXPLAIN) knows no more of it.
type Node interface {
	Base() *Info
	// Inputs returns the nodes whose rows the node reads, in order; the list is only read.
	// What a [Substitute] or [Lateral] plans while it runs is not among them.
	Inputs() []Node
	// WithInputs returns a copy of the node that reads others, as many as Inputs returns and
	// scans in the places of scans. A node that reads none returns itself.
	WithInputs(in []Node) Node
	// Describe says what EXPLAIN shows of the node.
	Describe(names *Names) Described
}

// Rewrite returns a node with f(i, in) in the place of each input in, number i: a copy, or the
// node itself if all inputs stay.
func Rewrite(n Node, f func(i int, in Node) Node) Node {
	all := n.Inputs()
	var changed []Node
	for i, in := range all {
		to := f(i, in)
		if to != in && changed == nil {
			changed = slices.Clone(all)
		}
		if changed != nil {
			changed[i] = to
		}
	}
	if changed == nil {
		return n
	}
	return n.WithInputs(changed)
}

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

// Graph says where a leaf looks. If Param is not negative, it is one graph,
// that of the running [GraphLoop] with this number.
type Graph struct {
	dataset.Graphs
	Var   Var // bound to the graph; NoVar without
	Param int
}

// Same reports whether two leaves look at the Same.
func (g Graph) Same(h Graph) bool {
	return g.Var == h.Var && g.Param == h.Param && g.Mode == h.Mode && g.NamedOnly == h.NamedOnly &&
		(g.Set == nil) == (h.Set == nil) && slices.Equal(g.Set, h.Set)
}

// Arg is an end of a path: a variable, or an id if Var is NoVar.
type Arg struct {
	Var Var
	ID  ID
}

// RowsOf returns the node whose rows a node takes one after the other, each row it makes
// coming from one of them; nil if there is none.
func RowsOf(n Node) Node {
	switch n.(type) {
	case *Filter, *Extend, *Project, *Unfold, *Join, *Merge:
		return n.Inputs()[0]
	}
	return nil
}

// LeafOf returns the scan from whose rows all rows of a node come, each from one; nil
// if they come from elsewhere.
func LeafOf(n Node) *Scan {
	for n != nil {
		if s, ok := n.(*Scan); ok {
			return s
		}
		n = RowsOf(n)
	}
	return nil
}
