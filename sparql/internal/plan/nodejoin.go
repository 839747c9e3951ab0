package plan

import (
	"context"
	"slices"
	"strings"
)

// JoinKind is what a join does with the rows that match.
type JoinKind uint8

const (
	Inner JoinKind = iota
	Left           // also the left rows without a match
	Semi           // the left rows with a match, once
	Anti           // the left rows without a match
	Mark           // the left rows, with the id of true or false in a column
)

var joinKinds = [...]string{Inner: "join", Left: "left join", Semi: "semi-join", Anti: "anti-join", Mark: "mark join"}

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

func (n *Join) Inputs() []Node {
	if n.Cond != nil {
		return []Node{n.Left, n.Right, n.Cond}
	}
	return []Node{n.Left, n.Right}
}

func (n *Join) WithInputs(in []Node) Node {
	c := *n
	c.Left, c.Right = in[0], in[1]
	if n.Cond != nil {
		c.Cond = in[2]
	}
	return &c
}

func (n *Join) Describe(names *Names) Described {
	d := Described{Op: HashJoin(n)}
	if n.Apply {
		d.Op = ProbeJoin(n)
	}
	var parts []string
	if len(n.Keys) > 0 {
		parts = append(parts, "on "+names.variables(n.Keys))
	}
	if len(n.Loose) > 0 {
		parts = append(parts, "maybe "+names.variables(n.Loose))
	}
	d.Detail = strings.Join(parts, ", ")
	return d
}

// HashJoin names the method of a join of which one side is stored and the other one
// streams past.
func HashJoin(n *Join) string {
	if len(n.Keys) > 0 {
		return joinKinds[n.Kind] + " by hash"
	}
	return joinKinds[n.Kind]
}

// ProbeJoin names the method of a join whose right side is narrowed by rows of the left.
func ProbeJoin(n *Join) string { return joinKinds[n.Kind] + " by probes" }

// Merge joins operands on one variable, in whose order each of them delivers its rows.
// All are moved forward to the ids of the others, so that nothing is read of stretches
// in which one of them has no row.
//
// Of kinds other than Inner there are two operands, a left one and a right one, and Key is
// bound in every row of both. No rows are left out on the left then, but of Semi.
type Merge struct {
	Info
	Kind JoinKind // not Mark
	Key  Var
	// Graph, unless it is NoVar, is the variable of the graph of all arguments, which deliver graph
	// after graph in one order, each in that of Key: rows of one graph are joined.
	Graph Var
	Args  []Node // each a scan that Key leads, or a filter over one or over a Merge, or a Merge
}

func (n *Merge) Inputs() []Node            { return n.Args }
func (n *Merge) WithInputs(in []Node) Node { c := *n; c.Args = in; return &c }

func (n *Merge) Describe(names *Names) Described {
	d := Described{Op: "merge " + joinKinds[n.Kind], Detail: "on " + names.variable(n.Key)}
	if n.Graph != NoVar {
		d.Detail += " in each " + names.variable(n.Graph)
	}
	return d
}

// Multiway joins the patterns of a cycle variable by variable (leapfrog): it
// never makes more rows than the answer can have, where joins of two patterns
// may.
type Multiway struct {
	Info
	Order []Var // the variables, in the order in which they are bound
	Edges []Edge
}

// Edge is a pattern with two variables; From is bound before To. The scan
// delivers both, sorted by From and then To if it can.
type Edge struct {
	Scan     *Scan
	From, To Var
}

func (n *Multiway) Inputs() []Node {
	list := make([]Node, len(n.Edges))
	for i, e := range n.Edges {
		list[i] = e.Scan
	}
	return list
}

func (n *Multiway) WithInputs(in []Node) Node {
	c := *n
	c.Edges = slices.Clone(n.Edges)
	for i, s := range in {
		c.Edges[i].Scan = s.(*Scan)
	}
	return &c
}
func (n *Multiway) Describe(names *Names) Described {
	return Described{Op: "leapfrog", Detail: names.variables(n.Order)}
}

// Same reports whether two edges have the same rows in the same order of columns.
func (e Edge) Same(o Edge) bool {
	a, b := e.Scan, o.Scan
	p, q := a.Pattern, b.Pattern
	plain := func(s *Scan) bool { return s.Terms == [3]*TermSet{} }
	g, h := a.Graph, b.Graph
	return p.S == q.S && p.P == q.P && p.O == q.O && a.Order == b.Order && plain(a) && plain(b) &&
		a.Column(e.From) == b.Column(o.From) && a.Column(e.To) == b.Column(o.To) &&
		g.Mode == h.Mode && g.NamedOnly == h.NamedOnly && (g.Set == nil) == (h.Set == nil) && slices.Equal(g.Set, h.Set) && g.Param == h.Param
}

// Union delivers the rows of all its arms.
type Union struct {
	Info
	Args []Node
}

func (n *Union) Inputs() []Node            { return n.Args }
func (n *Union) WithInputs(in []Node) Node { c := *n; c.Args = in; return &c }
func (n *Union) Describe(names *Names) Described {
	return Described{Op: "union", Detail: names.variables(n.Vars)}
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

func (n *GraphLoop) Inputs() []Node            { return []Node{n.Graphs, n.Body} }
func (n *GraphLoop) WithInputs(in []Node) Node { c := *n; c.Graphs, c.Body = in[0], in[1]; return &c }
func (n *GraphLoop) Describe(names *Names) Described {
	return Described{Op: "each graph", Detail: names.variable(n.Var)}
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

func (n *Substitute) Inputs() []Node            { return []Node{n.Input} }
func (n *Substitute) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

func (n *Substitute) Describe(names *Names) Described {
	op := map[JoinKind]string{Semi: "exists", Anti: "not exists", Mark: "exists as a value"}[n.Kind]
	return Described{Op: op + ", once a key", Detail: names.variables(n.Keys)}
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

func (n *Lateral) Inputs() []Node            { return []Node{n.Input} }
func (n *Lateral) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

func (n *Lateral) Describe(names *Names) Described {
	return Described{Op: "lateral, planned for each row", Detail: names.variables(n.Keys)}
}
