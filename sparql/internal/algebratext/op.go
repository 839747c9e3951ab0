package algebratext

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/sparql/internal/algebra"
)

// op prints an operator at the end of a line; what is below it stands indented
// in lines of its own.
func (p *printer) op(o algebra.Op, depth int) {
	switch o := o.(type) {
	case *algebra.BGP:
		p.bgp(o, depth)
		return
	case *algebra.Path:
		p.text("(path ")
		p.arg(o.S)
		p.text(" ")
		p.path(o.Path)
		p.text(" ")
		p.arg(o.O)
	case *algebra.Join:
		p.text("(join")
	case *algebra.LeftJoin:
		p.text("(leftjoin")
	case *algebra.Lateral:
		p.text("(lateral")
	case *algebra.Minus:
		p.text("(minus")
	case *algebra.Union:
		p.text("(union")
	case *algebra.Filter:
		p.text("(filter")
	case *algebra.Graph:
		p.text("(graph ")
		p.arg(o.Name)
	case *algebra.Extend:
		p.text("(extend ")
		p.variable(o.Var)
		p.text(" ")
		p.expr(o.Expr)
	case *algebra.Group:
		p.group(o)
	case *algebra.Values:
		p.values(o, depth)
	case *algebra.Search:
		p.text("(search")
		p.vars(o.Vars)
		p.text(" " + strconv.Quote(o.Words) + " " + strconv.Itoa(o.Limit))
	case *algebra.Service:
		p.text("(service ")
		if o.Silent {
			p.text("silent ")
		}
		p.arg(o.Name)
	case *algebra.Project:
		p.text("(project")
		p.vars(o.Vars)
	case *algebra.Distinct:
		p.text("(distinct")
	case *algebra.Reduced:
		p.text("(reduced")
	case *algebra.OrderBy:
		p.order(o)
	case *algebra.Slice:
		p.text("(slice " + strconv.FormatUint(o.Offset, 10) + " ")
		if o.HasLimit {
			p.text(strconv.FormatUint(o.Limit, 10))
		} else {
			p.text("_")
		}
	}
	p.below(o, depth)
	p.text(")")
}

// below prints the expressions of filters and of left joins, and the inputs.
func (p *printer) below(o algebra.Op, depth int) {
	switch o := o.(type) {
	case *algebra.Filter:
		for _, e := range o.Exprs {
			p.text(" ")
			p.expr(e)
		}
	case *algebra.LeftJoin:
		if o.Expr != nil {
			p.text(" ")
			p.expr(o.Expr)
		}
	}
	for _, in := range algebra.Inputs(o) {
		p.line(depth + 1)
		p.op(in, depth+1)
	}
}

func (p *printer) bgp(o *algebra.BGP, depth int) {
	if len(o.Patterns) == 0 {
		p.text("(unit)")
		return
	}
	p.text("(bgp")
	for _, t := range o.Patterns {
		p.line(depth + 1)
		p.text("(")
		p.arg(t.S)
		p.text(" ")
		p.arg(t.P)
		p.text(" ")
		p.arg(t.O)
		p.text(")")
	}
	p.text(")")
}

func (p *printer) group(o *algebra.Group) {
	p.text("(group")
	p.vars(o.Keys)
	for _, a := range o.Aggs {
		p.text(" (")
		p.variable(a.Var)
		p.text(" ")
		p.aggregate(&a)
		p.text(")")
	}
}

func (p *printer) aggregate(a *algebra.Aggregation) {
	p.text("(" + strings.ToLower(a.Kind.String()))
	if a.Distinct {
		p.text(" distinct")
	}
	if a.Star {
		p.text(" *")
	}
	if a.Arg != nil {
		p.text(" ")
		p.expr(a.Arg)
	}
	if a.Separator != "" {
		p.text(" " + strconv.Quote(a.Separator))
	}
	p.text(")")
}

func (p *printer) values(o *algebra.Values, depth int) {
	p.text("(values")
	p.vars(o.Vars)
	for row := range o.Rows.All() {
		p.line(depth + 1)
		p.text("(")
		for i, t := range row {
			p.sep(i)
			p.term(t)
		}
		p.text(")")
	}
}

func (p *printer) order(o *algebra.OrderBy) {
	p.text("(order (")
	for i, k := range o.Keys {
		p.sep(i)
		if k.Desc {
			p.text("(desc ")
			p.expr(k.Expr)
			p.text(")")
			continue
		}
		p.expr(k.Expr)
	}
	p.text(")")
}
