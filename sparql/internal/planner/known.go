package planner

import (
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/regex"
)

// known is what a planner found out about operators and expressions by walking them, so that
// it walks none of them twice: patterns nest, and rows of them are high trees.
type known struct {
	mentions map[algebra.Op]plan.Set
	binding  map[algebra.Op]bool
	single   map[algebra.Op]bool
	chances  map[algebra.Op]bool
	exprs    map[algebra.Expr]*exprFacts
	classes  map[algebra.Expr]termClass
	patterns map[*algebra.Call]*regex.Pattern
}

// exprFacts are what an expression depends on.
type exprFacts struct {
	vars   plan.Set // that it reads, those that patterns of EXISTS mention included
	size   int      // the operators and operands in it
	exists bool     // there is an EXISTS in it
	chance bool     // it may have another value the next time: it is not moved
	text   bool     // it looks at text or language
	// builtIn says that it is made of built-in functions alone.
	builtIn bool
}

// memo returns what f says of a key, which it is asked once.
func memo[K comparable, V any](m *map[K]V, key K, f func() V) V {
	v, ok := (*m)[key]
	if !ok {
		v = f()
		if *m == nil {
			*m = make(map[K]V)
		}
		(*m)[key] = v
	}
	return v
}

// factsOf returns what an expression depends on.
func (p *Planner) factsOf(e algebra.Expr) *exprFacts {
	return memo(&p.known.exprs, e, func() *exprFacts {
		f := &exprFacts{builtIn: true}
		p.read(e, f)
		p.meter.Hold(setBytes + 8*len(f.vars))
		return f
	})
}

// setBytes is what a set that is remembered is counted for in addition to its words.
const setBytes = 64

// read adds what an expression depends on.
func (p *Planner) read(e algebra.Expr, f *exprFacts) {
	p.meter.Step(1)
	f.size++
	switch e := e.(type) {
	case *algebra.VarExpr:
		f.vars.Add(e.Var)
	case *algebra.Call:
		f.chance = f.chance || plan.ByChance(e.Func)
		f.text = f.text || readsText(e.Func)
		for _, a := range e.Args {
			p.read(a, f)
		}
	case *algebra.FunctionCall:
		f.builtIn = false
		for _, a := range e.Args {
			p.read(a, f)
		}
	case *algebra.Exists:
		f.exists, f.builtIn = true, false
		f.chance = f.chance || p.chancy(e.Pattern)
		f.vars.AddAll(p.mentioned(e.Pattern))
	}
}

// exprBytes is what an operator or operand of an expression takes once it is compiled.
const exprBytes = 128

// compiled counts an expression that stands in a node.
func (p *Planner) compiled(e algebra.Expr) { p.meter.Hold(exprBytes * p.factsOf(e).size) }

// exprVars returns the variables that an expression reads.
func (p *Planner) exprVars(e algebra.Expr) plan.Set { return p.factsOf(e).vars }

func (p *Planner) exprsVars(es []algebra.Expr) plan.Set {
	var s plan.Set
	for _, e := range es {
		s.AddAll(p.exprVars(e))
	}
	return s
}

// readIn returns the variables that expressions read in a graph: that of the graph too, if there is an
// EXISTS.
func (p *Planner) readIn(es []algebra.Expr, g *plan.Graph) plan.Set {
	s := p.exprsVars(es)
	if slices.ContainsFunc(es, p.hasExists) {
		s.AddAll(plan.SetOf(g.Var))
	}
	return s
}

// mentioned returns every variable that stands in an operator, in patterns and
// in expressions. What a sub-select hides has slots of its own.
func (p *Planner) mentioned(op algebra.Op) plan.Set {
	return memo(&p.known.mentions, op, func() plan.Set {
		s := ownVars(op)
		for _, e := range algebra.Exprs(op) {
			s.AddAll(p.exprVars(e))
		}
		for _, c := range children(op) {
			s.AddAll(p.mentioned(c))
		}
		p.meter.Step(1 + len(s)/64)
		p.meter.Hold(setBytes + 8*len(s))
		return s
	})
}

// once reports whether an operator must be evaluated once, over all its rows: rows are
// counted in it, or it has values that another run would not give again.
func (p *Planner) once(op algebra.Op) bool {
	return memo(&p.known.single, op, func() bool {
		p.meter.Step(1)
		switch op := op.(type) {
		case *algebra.Filter:
			if p.asWritten {
				return true
			}
		case *algebra.LeftJoin:
			if p.asWritten && op.Expr != nil {
				return true
			}
		}
		return slices.ContainsFunc(algebra.Exprs(op), p.volatile) || slices.ContainsFunc(algebra.Inputs(op), p.once)
	})
}

// volatile reports whether an expression may have another value the next time.
func (p *Planner) volatile(e algebra.Expr) bool { return p.factsOf(e).chance }

// hasExists reports whether EXISTS stands somewhere in e.
func (p *Planner) hasExists(e algebra.Expr) bool { return p.factsOf(e).exists }

// chancy reports whether a pattern has volatile expressions.
func (p *Planner) chancy(op algebra.Op) bool {
	return memo(&p.known.chances, op, func() bool {
		p.meter.Step(1)
		return slices.ContainsFunc(algebra.Exprs(op), p.volatile) || slices.ContainsFunc(algebra.Inputs(op), p.chancy)
	})
}
