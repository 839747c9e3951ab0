package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

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
	if IsUnit(n) {
		return Described{Op: "unit"}
	}
	return Described{Op: "values", Detail: fmt.Sprintf("%s (%d)", names.variables(n.Vars), n.N)}
}

// Unit is one row without columns.
func Unit() *Values { return &Values{Info: Info{Rows: 1}, N: 1} }

// Empty is no rows.
func Empty() *Values { return &Values{} }

func IsEmpty(n Node) bool {
	v, ok := n.(*Values)
	return ok && v.N == 0
}

func IsUnit(n Node) bool {
	v, ok := n.(*Values)
	return ok && len(v.Vars) == 0 && v.N == 1
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
	Pattern dataset.Pattern // constants; its G is that of Graph
	Cols    [4]Var          // the variables of the columns; NoVar where none
	Order   dataset.Order
	Graph   Graph
	Same    [][2]dataset.Col // columns that must be equal
	Within  [4]*Ref
	Extreme *Extreme    // if not nil, only the first rows are wanted
	Terms   [3]*TermSet // if not nil, the terms that S, P and O may have
	Walked  bool        // the leaf of a [TopByValue]
	Not     []ID        // ids that column P must not have: a negated property set
	// All is how many rows are expected without what narrows the scan. Direct is
	// the number of the input, plus 1, whose join reads this scan and nothing
	// else as its right side: what its ids narrow may be left to the join.
	All    float64
	Direct int
	// Skip says that only distinct ids of the one column are wanted, which
	// leads the order after the constants: the scan jumps over repeats where
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
	Within [3]*Ref // of S, O and the graph
}

func (n *Path) Inputs() []Node         { return nil }
func (n *Path) WithInputs([]Node) Node { return n }

func (n *Path) Describe(names *Names) Described {
	return Described{Op: "path", Detail: names.arg(n.S) + " " + algebra.PathText(n.Path, names.Const) + " " + names.arg(n.O) + names.graph(n.Graph)}
}

// Search finds literals by words: its variables are those of the subjects, of the scores and of
// the literals, as far as they are wanted.
type Search struct {
	Info
	Words string
	Limit int // hits at most, the best ones; 0: all
	Graph Graph
}

func (n *Search) Inputs() []Node         { return nil }
func (n *Search) WithInputs([]Node) Node { return n }

func (n *Search) Describe(names *Names) Described {
	d := Described{Op: "search", Detail: names.variables(n.Vars) + " " + strconv.Quote(n.Words)}
	if n.Limit > 0 {
		d.Detail += fmt.Sprintf(" (%d)", n.Limit)
	}
	d.Detail += names.graph(n.Graph)
	return d
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

// ErrEndpoint: the endpoint of a SERVICE without SILENT is no IRI.
var ErrEndpoint = errors.New("SERVICE has no endpoint")

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

// FixedIn returns the columns of a pattern that are constants.
func FixedIn(p *dataset.Pattern) dataset.Cols {
	var fixed dataset.Cols
	for c := dataset.S; c <= dataset.O; c++ {
		if p.At(c) != 0 {
			fixed |= c.Bit()
		}
	}
	return fixed
}

// BestOrder chooses one of the orders of a scan: constants lead, then the columns that
// are narrowed most.
func BestOrder(orders []dataset.Order, fixed dataset.Cols, within [4]*Ref) dataset.Order {
	best, bestLead := dataset.Order(0), -1
	narrow := dataset.Cols(0)
	for c := dataset.S; c <= dataset.O; c++ {
		if within[c] != nil {
			narrow |= c.Bit()
		}
	}
	for _, o := range orders {
		lead := 4*o.Leads(fixed) + o.Leads(fixed|narrow)
		if lead > bestLead {
			best, bestLead = o, lead
		}
	}
	return best
}
