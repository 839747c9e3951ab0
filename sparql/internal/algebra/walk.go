package algebra

// Inputs returns the operators that o takes its solutions from, in order. The
// patterns of [Exists] in its expressions are not among them.
func Inputs(o Op) []Op {
	switch o := o.(type) {
	case *Join:
		return []Op{o.Left, o.Right}
	case *LeftJoin:
		return []Op{o.Left, o.Right}
	case *Lateral:
		return []Op{o.Left, o.Right}
	case *Minus:
		return []Op{o.Left, o.Right}
	case *Union:
		return o.Args
	case *Graph:
		return []Op{o.Input}
	case *Extend:
		return []Op{o.Input}
	case *Group:
		return []Op{o.Input}
	case *Service:
		return []Op{o.Input}
	case *Project:
		return []Op{o.Input}
	}
	if in := input(o); in != nil {
		return []Op{in}
	}
	return nil
}

// Exprs returns the expressions of o itself.
func Exprs(o Op) []Expr {
	switch o := o.(type) {
	case *Filter:
		return o.Exprs
	case *LeftJoin:
		if o.Expr != nil {
			return []Expr{o.Expr}
		}
	case *Extend:
		return []Expr{o.Expr}
	case *Group:
		var list []Expr
		for _, a := range o.Aggs {
			if a.Arg != nil {
				list = append(list, a.Arg)
			}
		}
		return list
	case *OrderBy:
		list := make([]Expr, len(o.Keys))
		for i, k := range o.Keys {
			list[i] = k.Expr
		}
		return list
	}
	return nil
}

// Walk calls visit for o and everything below it, outer operators first. It does
// not go into the patterns of [Exists].
func Walk(o Op, visit func(Op)) {
	visit(o)
	for _, in := range Inputs(o) {
		Walk(in, visit)
	}
}

// Calls calls visit for the calls of functions with IRIs in o and below it, also in the patterns of
// [Exists]; not for those that a [Service] makes.
func Calls(o Op, visit func(*FunctionCall)) {
	if _, ok := o.(*Service); ok {
		return
	}
	callsIn(Exprs(o), visit)
	for _, in := range Inputs(o) {
		Calls(in, visit)
	}
}

func callsIn(list []Expr, visit func(*FunctionCall)) {
	for _, e := range list {
		switch e := e.(type) {
		case *FunctionCall:
			visit(e)
			callsIn(e.Args, visit)
		case *Call:
			callsIn(e.Args, visit)
		case *Exists:
			Calls(e.Pattern, visit)
		}
	}
}
