package plan

import (
	"fmt"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Names turns what a plan holds into text.
type Names struct {
	Vars algebra.Vars
	// Term returns the text of a stored or made term.
	Term func(ID) string
	// Const returns the text of a term of an expression.
	Const func(rdf.Term) string
}

// Described is what EXPLAIN says about a node in addition to its figures.
type Described struct {
	Op     string // what it is and how it does it
	Detail string // what it works on
	Order  string // of a scan
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
	if n.Extreme != nil {
		text += fmt.Sprintf(" first %d by value", n.Extreme.Limit)
	}
	if n.Terms[dataset.O].ByValue() {
		text += " by value"
	}
	for c, t := range n.Terms {
		v := names.variable(n.Cols[c])
		if t != nil && t.Ranges != nil && n.Cols[c] != NoVar {
			text += fmt.Sprintf(", %d ranges of %s", len(t.Ranges), v)
		}
		if t.Tested() {
			how := "tested"
			if len(t.Words) > 0 {
				how = "by word"
			}
			text += fmt.Sprintf(", terms of %s %s: %s", v, how, names.exprs(t.Exprs, " && "))
		}
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
