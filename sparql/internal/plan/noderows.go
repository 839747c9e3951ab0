package plan

import (
	"fmt"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Filter keeps rows for which all expressions are true.
type Filter struct {
	Info
	Input Node
	Exprs []algebra.Expr
	// Counted says that the rows are counted that it drops: it sees all rows that
	// stand below it in the text, once.
	Counted bool
}

func (n *Filter) Inputs() []Node            { return []Node{n.Input} }
func (n *Filter) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }
func (n *Filter) Describe(names *Names) Described {
	return Described{Op: "filter", Detail: names.exprs(n.Exprs, " && ")}
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

func (n *Extend) Inputs() []Node            { return []Node{n.Input} }
func (n *Extend) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

func (n *Extend) Describe(names *Names) Described {
	var list []string
	for _, a := range n.Added {
		list = append(list, names.variable(a.Var)+" = "+names.expr(a.Expr))
	}
	return Described{Op: "extend", Detail: strings.Join(list, ", ")}
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

func (n *ValueKey) Inputs() []Node            { return []Node{n.Input} }
func (n *ValueKey) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }
func (n *ValueKey) Describe(names *Names) Described {
	return Described{Op: "value key", Detail: names.variable(n.Of)}
}

// Unfold takes the triple terms of a column apart: it binds the variables of
// Args and drops rows that do not fit.
type Unfold struct {
	Info
	Input Node
	Var   Var
	Args  [3]Arg
}

func (n *Unfold) Inputs() []Node            { return []Node{n.Input} }
func (n *Unfold) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

func (n *Unfold) Describe(names *Names) Described {
	return Described{Op: "unfold", Detail: fmt.Sprintf("%s as <<( %s %s %s )>>", names.variable(n.Var), names.arg(n.Args[0]), names.arg(n.Args[1]), names.arg(n.Args[2]))}
}

// Project keeps columns and puts them in order.
type Project struct {
	Info
	Input Node
}

func (n *Project) Inputs() []Node            { return []Node{n.Input} }
func (n *Project) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }
func (n *Project) Describe(names *Names) Described {
	return Described{Op: "project", Detail: names.variables(n.Vars)}
}

// Distinct drops duplicates.
type Distinct struct {
	Info
	Input Node
}

func (n *Distinct) Inputs() []Node            { return []Node{n.Input} }
func (n *Distinct) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }
func (n *Distinct) Describe(names *Names) Described {
	return Described{Op: "distinct", Detail: names.variables(n.Vars)}
}

// Order sorts; Limit, if not negative, is how many rows are wanted.
type Order struct {
	Info
	Input Node
	Keys  []algebra.OrderKey
	Limit int64
}

func (n *Order) Inputs() []Node            { return []Node{n.Input} }
func (n *Order) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

func (n *Order) Describe(names *Names) Described {
	var list []string
	for _, k := range n.Keys {
		text := names.expr(k.Expr)
		if k.Desc {
			text = "DESC(" + text + ")"
		}
		list = append(list, text)
	}
	d := Described{Op: "sort", Detail: strings.Join(list, " ")}
	if n.Limit >= 0 {
		d.Op = fmt.Sprintf("top %d", n.Limit)
	}
	return d
}

// Slice skips and limits; a negative Limit is none.
type Slice struct {
	Info
	Input         Node
	Offset, Limit int64
}

func (n *Slice) Inputs() []Node            { return []Node{n.Input} }
func (n *Slice) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

func (n *Slice) Describe(names *Names) Described {
	d := Described{Op: "slice", Detail: fmt.Sprintf("offset %d", n.Offset)}
	if n.Limit >= 0 {
		d.Detail = fmt.Sprintf("limit %d", n.Limit)
		if n.Offset > 0 {
			d.Detail += fmt.Sprintf(" offset %d", n.Offset)
		}
	}
	return d
}

// Group groups and aggregates.
type Group struct {
	Info
	Input Node
	Keys  []Var
	Aggs  []algebra.Aggregation
	Named Set // the variables that COUNT(DISTINCT *) looks at
}

func (n *Group) Inputs() []Node            { return []Node{n.Input} }
func (n *Group) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

func (n *Group) Describe(names *Names) Described {
	var list []string
	for i := range n.Aggs {
		a := &n.Aggs[i]
		list = append(list, names.variable(a.Var)+" = "+algebra.AggregateText(a, names.Vars, names.Const))
	}
	d := Described{Op: "group", Detail: strings.Join(list, ", ")}
	if len(n.Keys) > 0 {
		d.Detail = strings.TrimSuffix("by "+names.variables(n.Keys)+": "+d.Detail, ": ")
	}
	return d
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

func (n *Exchange) Inputs() []Node { return []Node{n.Input} }
func (n *Exchange) WithInputs(in []Node) Node {
	c := *n
	c.Input, c.Leaf = in[0], LeafOf(in[0])
	return &c
}
func (n *Exchange) Describe(names *Names) Described {
	return Described{Op: "gather", Detail: fmt.Sprintf("%d parts", n.Parts)}
}

// TopByValue delivers those rows of Input whose ids of column O of Leaf, from which all rows
// of Input come, are the first in the order of values; others may be among them. It
// runs Input for one stretch of the values after the other, until there are enough rows.
type TopByValue struct {
	Info
	Input Node
	Leaf  *Scan
	Extreme
	Of float64 // the rows of the leaf
}

func (n *TopByValue) Inputs() []Node { return []Node{n.Input} }
func (n *TopByValue) WithInputs(in []Node) Node {
	c := *n
	c.Input, c.Leaf = in[0], LeafOf(in[0])
	return &c
}

func (n *TopByValue) Describe(names *Names) Described {
	return Described{Op: "top by value", Detail: fmt.Sprintf("%s, %d rows", names.variable(n.Leaf.Cols[dataset.O]), n.Limit)}
}

// Extreme says that of the rows of a scan only those are wanted whose column O comes
// first in the order of ORDER BY. The scan may leave out a row if Limit other rows
// are before it, in each direction that is asked for; rows that are equal by value
// are in or out together.
type Extreme struct {
	Limit    int64
	Up, Down bool   // from the least, from the greatest
	Reads    uint64 // how many literals may be read to make an index of values
}

// Construct makes the triples of a CONSTRUCT: each row gives one row of three columns for
// each triple of the template whose variables it binds. That a subject is no literal and
// a predicate an IRI is not looked at outside of triple terms.
type Construct struct {
	Info
	Input   Node
	Triples []algebra.QuadTemplate
}

func (n *Construct) Inputs() []Node            { return []Node{n.Input} }
func (n *Construct) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

func (n *Construct) Describe(names *Names) Described {
	var list []string
	for _, t := range n.Triples {
		list = append(list, names.position(t.S)+" "+names.position(t.P)+" "+names.position(t.O))
	}
	return Described{Op: "construct", Detail: strings.Join(list, " . ")}
}
