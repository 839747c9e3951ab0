package plan

import (
	"fmt"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// Values is a table of ids. Without variables it still has rows; a table of one
// row without variables is the unit.
type Values struct {
	Info
	N   int  // the rows
	IDs []ID // row by row
}

func (n *Values) Inputs() []Node         { return nil }
func (n *Values) WithInputs([]Node) Node { return n }

func (n *Values) Describe(names *Names) Described {
	if isUnit(n) {
		return Described{Op: "unit"}
	}
	return Described{Op: "values", Detail: fmt.Sprintf("%s (%d)", names.variables(n.Vars), n.N)}
}

// Input delivers the rows of an input.
type Input struct {
	Info
	Input int
}

func (n *Input) Inputs() []Node         { return nil }
func (n *Input) WithInputs([]Node) Node { return n }
func (n *Input) Describe(names *Names) Described {
	return Described{Op: "input", Detail: names.variables(n.Vars)}
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

func (n *Scan) Inputs() []Node         { return nil }
func (n *Scan) WithInputs([]Node) Node { return n }
func (n *Scan) Describe(names *Names) Described {
	return Described{"scan", names.scan(n), n.Order.String()}
}

// Path reads the pairs of a closure.
type Path struct {
	Info
	S, O   Arg
	Path   algebra.PathExpr
	Graph  Graph
	Within [2]*Ref // of S and O
}

func (n *Path) Inputs() []Node         { return nil }
func (n *Path) WithInputs([]Node) Node { return n }

func (n *Path) Describe(names *Names) Described {
	return Described{Op: "path", Detail: names.arg(n.S) + " " + algebra.PathText(n.Path, names.Const) + " " + names.arg(n.O) + names.graph(n.Graph)}
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

func (n *Graphs) Inputs() []Node         { return nil }
func (n *Graphs) WithInputs([]Node) Node { return n }
func (n *Graphs) Describe(names *Names) Described {
	return Described{Op: "graphs", Detail: names.variable(n.Var)}
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

func (n *Service) Inputs() []Node         { return nil }
func (n *Service) WithInputs([]Node) Node { return n }

func (n *Service) Describe(names *Names) Described {
	d := Described{Op: "service", Detail: names.arg(n.Name)}
	for i, k := range n.Keys {
		if i == 0 {
			d.Detail += " by"
		}
		d.Detail += " " + names.variables([]Var{k.Var})
	}
	if n.Silent {
		d.Op = "service silent"
	}
	return d
}

// Column returns the column of a variable of the scan.
func (s *Scan) Column(v Var) dataset.Col { return dataset.Col(slices.Index(s.Cols[:], v)) }
