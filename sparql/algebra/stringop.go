package algebra

import (
	"strconv"
	"strings"
)

// op prints an operator at the end of a line; what is below it stands indented
// in lines of its own.
func (p *printer) op(o Op, depth int) {
	switch o := o.(type) {
	case *BGP:
		p.bgp(o, depth)
		return
	case *Path:
		p.text("(path ")
		p.arg(o.S)
		p.text(" ")
		p.path(o.Path)
		p.text(" ")
		p.arg(o.O)
	case *Join:
		p.text("(join")
	case *LeftJoin:
		p.text("(leftjoin")
	case *Minus:
		p.text("(minus")
	case *Union:
		p.text("(union")
	case *Filter:
		p.text("(filter")
	case *Graph:
		p.text("(graph ")
		p.arg(o.Name)
	case *Extend:
		p.text("(extend ")
		p.variable(o.Var)
		p.text(" ")
		p.expr(o.Expr)
	case *Group:
		p.group(o)
	case *Values:
		p.values(o, depth)
	case *Service:
		p.text("(service ")
		if o.Silent {
			p.text("silent ")
		}
		p.arg(o.Name)
	case *Project:
		p.text("(project")
		p.vars(o.Vars)
	case *Distinct:
		p.text("(distinct")
	case *Reduced:
		p.text("(reduced")
	case *OrderBy:
		p.order(o)
	case *Slice:
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
func (p *printer) below(o Op, depth int) {
	switch o := o.(type) {
	case *Filter:
		for _, e := range o.Exprs {
			p.text(" ")
			p.expr(e)
		}
	case *LeftJoin:
		if o.Expr != nil {
			p.text(" ")
			p.expr(o.Expr)
		}
	}
	for _, in := range Inputs(o) {
		p.line(depth + 1)
		p.op(in, depth+1)
	}
}

func (p *printer) bgp(o *BGP, depth int) {
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

func (p *printer) group(o *Group) {
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

func (p *printer) aggregate(a *Aggregation) {
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

// key returns a text that is equal for equal aggregates; empty where two calls
// need not give one value.
func (a *Aggregation) key() string {
	if a.Arg != nil && !pure(a.Arg) {
		return ""
	}
	p := &printer{}
	p.aggregate(a)
	return p.b.String()
}

func (p *printer) values(o *Values, depth int) {
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

func (p *printer) order(o *OrderBy) {
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
