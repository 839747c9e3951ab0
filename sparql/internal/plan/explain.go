package plan

import (
	"fmt"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Children returns the nodes whose rows n reads, in order. The plans that a
// [Substitute] makes while it runs are not among them.
func Children(n Node) []Node {
	switch n := n.(type) {
	case *Join:
		if n.Cond != nil {
			return []Node{n.Left, n.Right, n.Cond}
		}
		return []Node{n.Left, n.Right}
	case *Counts:
		return []Node{n.Rows}
	case *CountJoin:
		return n.Root.scans(nil)
	case *Merge:
		return n.Args
	case *Multiway:
		var list []Node
		for _, e := range n.Edges {
			list = append(list, e.Scan)
		}
		return list
	case *Filter:
		return []Node{n.Input}
	case *Extend:
		return []Node{n.Input}
	case *ValueKey:
		return []Node{n.Input}
	case *Unfold:
		return []Node{n.Input}
	case *Construct:
		return []Node{n.Input}
	case *Union:
		return n.Args
	case *GraphLoop:
		return []Node{n.Graphs, n.Body}
	case *Group:
		return []Node{n.Input}
	case *Distinct:
		return []Node{n.Input}
	case *Order:
		return []Node{n.Input}
	case *Slice:
		return []Node{n.Input}
	case *Project:
		return []Node{n.Input}
	case *Substitute:
		return []Node{n.Input}
	case *Lateral:
		return []Node{n.Input}
	case *Exchange:
		return []Node{n.Input}
	case *TopByValue:
		return []Node{n.Input}
	}
	return nil
}

// Names turns what a plan holds into text.
type Names struct {
	Vars algebra.Vars
	// Term returns the text of a stored or made term.
	Term func(ID) string
	// Const returns the text of a term of an expression.
	Const func(rdf.Term) string
}

// Described is what EXPLAIN says about a node beside its figures.
type Described struct {
	Op     string // what it is and how it does it
	Detail string // what it works on
	Order  string // of a scan
}

// Describe describes a node.
func Describe(n Node, names *Names) Described {
	switch n := n.(type) {
	case *Scan:
		return Described{"scan", names.scan(n), n.Order.String()}
	case *Count:
		return Described{"count", names.variable(n.Var) + " = " + names.scan(n.Scan), n.Scan.Order.String()}
	case *TopByValue:
		return Described{Op: "walk", Detail: fmt.Sprintf("%s by value, %d rows", names.variable(n.Leaf.Cols[dataset.O]), n.Limit)}
	case *Merge:
		return Described{Op: "merge " + joinKinds[n.Kind], Detail: "on " + names.variable(n.Key)}
	case *Multiway:
		return Described{Op: "leapfrog", Detail: names.variables(n.Order)}
	case *Counts:
		d := Described{Op: "counts", Detail: "by " + names.variable(n.Key)}
		if n.Distinct != NoVar {
			d.Detail += ", distinct " + names.variable(n.Distinct)
		}
		return d
	case *CountJoin:
		return Described{Op: "count of a join", Detail: "by " + names.variable(n.Root.Var)}
	case *Path:
		return Described{Op: "path", Detail: names.arg(n.S) + " " + algebra.PathText(n.Path, names.Const) + " " + names.arg(n.O) + names.graph(n.Graph)}
	case *Graphs:
		return Described{Op: "graphs", Detail: names.variable(n.Var)}
	case *Join:
		return names.join(n)
	case *Filter:
		return Described{Op: "filter", Detail: names.exprs(n.Exprs, " && ")}
	case *Extend:
		var list []string
		for _, a := range n.Added {
			list = append(list, names.variable(a.Var)+" = "+names.expr(a.Expr))
		}
		return Described{Op: "extend", Detail: strings.Join(list, ", ")}
	case *Group:
		return names.group(n)
	case *Order:
		return names.order(n)
	}
	return names.modifier(n)
}

// modifier describes the nodes that only pass rows on.
func (names *Names) modifier(n Node) Described {
	switch n := n.(type) {
	case *Values:
		if isUnit(n) {
			return Described{Op: "unit"}
		}
		return Described{Op: "values", Detail: fmt.Sprintf("%s (%d)", names.variables(n.Vars), n.N)}
	case *Input:
		return Described{Op: "input", Detail: names.variables(n.Vars)}
	case *ValueKey:
		return Described{Op: "value key", Detail: names.variable(n.Of)}
	case *Unfold:
		return Described{Op: "unfold", Detail: fmt.Sprintf("%s as <<( %s %s %s )>>", names.variable(n.Var), names.arg(n.Args[0]), names.arg(n.Args[1]), names.arg(n.Args[2]))}
	case *Construct:
		var list []string
		for _, t := range n.Triples {
			list = append(list, names.position(t.S)+" "+names.position(t.P)+" "+names.position(t.O))
		}
		return Described{Op: "construct", Detail: strings.Join(list, " . ")}
	case *Union:
		return Described{Op: "union", Detail: names.variables(n.Vars)}
	case *GraphLoop:
		return Described{Op: "each graph", Detail: names.variable(n.Var)}
	case *Exchange:
		return Described{Op: "gather", Detail: fmt.Sprintf("%d parts", n.Parts)}
	case *Distinct:
		return Described{Op: "distinct", Detail: names.variables(n.Vars)}
	case *Slice:
		d := Described{Op: "slice", Detail: fmt.Sprintf("offset %d", n.Offset)}
		if n.Limit >= 0 {
			d.Detail = fmt.Sprintf("limit %d", n.Limit)
			if n.Offset > 0 {
				d.Detail += fmt.Sprintf(" offset %d", n.Offset)
			}
		}
		return d
	case *Project:
		return Described{Op: "project", Detail: names.variables(n.Vars)}
	case *Service:
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
	case *Lateral:
		return Described{Op: "lateral, planned for each row", Detail: names.variables(n.Keys)}
	case *Substitute:
		op := map[JoinKind]string{Semi: "exists", Anti: "not exists", Mark: "exists as a value"}[n.Kind]
		return Described{Op: op + ", once a key", Detail: names.variables(n.Keys)}
	}
	return Described{Op: strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", n), "*plan."))}
}

var joinKinds = [...]string{Inner: "join", Left: "left join", Semi: "semi-join", Anti: "anti-join", Mark: "mark join"}

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

func (names *Names) join(n *Join) Described {
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

func (names *Names) group(n *Group) Described {
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

func (names *Names) order(n *Order) Described {
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

func (names *Names) scan(n *Scan) string {
	constants := [3]ID{n.Pattern.S, n.Pattern.P, n.Pattern.O}
	var parts [3]string
	for i, id := range constants {
		switch {
		case id != 0:
			parts[i] = names.Term(id)
		case n.Cols[i] != NoVar:
			parts[i] = names.variable(n.Cols[i])
		default:
			parts[i] = "_"
		}
	}
	for i, w := range n.Within[:3] {
		if w != nil {
			parts[i] += "…"
		}
	}
	text := strings.Join(parts[:], " ")
	if len(n.Not) > 0 {
		var list []string
		for _, id := range n.Not {
			list = append(list, names.Term(id))
		}
		text += " not " + strings.Join(list, " ")
	}
	switch {
	case n.Extreme != nil:
		text += fmt.Sprintf(" first %d by value", n.Extreme.Limit)
	case n.reads > 0:
		text += " by value"
	}
	for c, list := range n.Ranges {
		if list != nil && n.Cols[c] != NoVar {
			text += fmt.Sprintf(", %d ranges of %s", len(list), names.variable(n.Cols[c]))
		}
	}
	if n.DictFilter != nil {
		text += fmt.Sprintf(", terms of %s tested: %s", names.variable(n.DictFilter.Var), names.exprs(n.DictFilter.Exprs, " && "))
	}
	return text + names.graph(n.Graph)
}

// graph says where a leaf looks, if not in the default graph.
func (names *Names) graph(g Graph) string {
	switch {
	case g.Param >= 0:
		return " in the graph of the loop"
	case g.Var != NoVar:
		return " in " + names.variable(g.Var)
	case g.Mode == dataset.Unnamed:
		return ""
	case g.Mode == dataset.Each && len(g.Set) == 1:
		return " in " + names.Term(g.Set[0])
	case g.Set == nil:
		return " in all graphs"
	}
	return fmt.Sprintf(" in %d graphs", len(g.Set))
}

func (names *Names) arg(a Arg) string {
	if a.Var != NoVar {
		return names.variable(a.Var)
	}
	return names.Term(a.ID)
}

// position returns what stands in a position of a template.
func (names *Names) position(a algebra.Arg) string {
	switch {
	case a.Triple != nil:
		return "<<( " + names.position(a.Triple[0]) + " " + names.position(a.Triple[1]) + " " + names.position(a.Triple[2]) + " )>>"
	case a.IsVar():
		return names.variable(a.Variable())
	}
	return names.Const(a.Term)
}

func (names *Names) variable(v Var) string { return algebra.VarText(v, names.Vars) }

func (names *Names) variables(list []Var) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = names.variable(v)
	}
	return strings.Join(out, " ")
}

func (names *Names) expr(e algebra.Expr) string { return algebra.ExprText(e, names.Vars, names.Const) }

func (names *Names) exprs(list []algebra.Expr, between string) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = names.expr(e)
	}
	return strings.Join(out, between)
}
