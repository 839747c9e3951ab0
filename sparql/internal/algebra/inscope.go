package algebra

import "slices"

// visible returns the variables of the text that are in scope in o (SPARQL 1.1, section
// 18.2.1), in ascending order. It sees no more than o and what nested sub-selects project,
// and takes no memory for other variables of the query: there may be many sub-selects.
func (t *translator) visible(o Op) []Var {
	var out []Var
	eachInScope(o, func(v Var) {
		if t.meter.Step(1) && v >= 0 && t.vars[v].Kind == Named {
			out = append(out, v)
		}
	})
	slices.Sort(out)
	out = slices.Compact(out)
	t.meter.Hold(4 * len(out))
	return out
}

// eachInScope calls add for the in-scope variables of o and the blank nodes of its patterns,
// for some of them more than once, and with [NoVar] for what is no variable.
func eachInScope(o Op, add func(Var)) {
	switch o := o.(type) {
	case *BGP:
		for i := range o.Patterns {
			eachOfArg(o.Patterns[i].S, add)
			eachOfArg(o.Patterns[i].P, add)
			eachOfArg(o.Patterns[i].O, add)
		}
	case *Path:
		eachOfArg(o.S, add)
		eachOfArg(o.O, add)
	case *Values:
		each(o.Vars, add)
	case *Search:
		each(o.Vars, add)
	case *Minus:
		eachInScope(o.Left, add)
	case *Group:
		each(o.Keys, add)
		for i := range o.Aggs {
			add(o.Aggs[i].Var)
		}
	case *Project:
		each(o.Vars, add)
	case *Graph:
		eachOfArg(o.Name, add)
		eachInScope(o.Input, add)
	case *Service:
		eachOfArg(o.Name, add)
		eachInScope(o.Input, add)
	case *Extend:
		add(o.Var)
		eachInScope(o.Input, add)
	default:
		for _, in := range Inputs(o) {
			eachInScope(in, add)
		}
	}
}

func each(vars []Var, add func(Var)) {
	for _, v := range vars {
		add(v)
	}
}

// eachOfArg calls add for the variables at a position.
func eachOfArg(a Arg, add func(Var)) {
	if a.Triple != nil {
		for _, part := range a.Triple {
			eachOfArg(part, add)
		}
		return
	}
	add(a.Variable())
}
