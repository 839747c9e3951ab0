package sparql

import (
	"fmt"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/value"
)

// hint says what to do about the likely cause: in the smallest part of the condition that is
// an error, a pattern that cannot be used, the first variable whose term seldom has a value
// in an operator, or a constant that is no text where a function takes texts.
func (w *words) hint(d *run.Dropped, c *value.Context) string {
	row := sampleRow{values: make(map[algebra.Var]value.Value), context: c}
	for _, v := range d.Sample {
		if v.Surface != "" {
			row.values[v.Var] = value.DecodeString(v.Surface)
		}
	}
	part := row.blame(d.Expr)
	call, _ := part.(*algebra.Call)
	if call != nil && (call.Func == ast.Regex || call.Func == ast.Replace) {
		if reason := callFault(call, row.known); reason != "" {
			return call.Func.String() + ": " + reason
		}
	}
	var vars algebra.VarSet
	suspects := row.suspects(part)
	for _, e := range suspects {
		algebra.ExprVars(e, &vars)
	}
	for _, v := range d.Sample {
		if !vars.Has(v.Var) || w.hidden(v.Var) {
			continue
		}
		if hint := w.hintOf(v); hint != "" {
			return hint
		}
		if call != nil && takesText(call.Func) {
			return fmt.Sprintf("STR(%s) gives the text of a value", w.name(v.Var))
		}
	}
	for _, e := range suspects {
		if c, ok := e.(*algebra.Const); ok && call != nil && takesText(call.Func) && !value.FromTerm(c.Term).IsText() {
			return fmt.Sprintf("%s is not a text", algebra.ExprTextOf(c, w.name, shortTerm))
		}
	}
	return ""
}

// takesText reports whether all arguments of a function are texts, or nearly all.
func takesText(f ast.Func) bool { return f >= ast.StrLen && f <= ast.Replace && f != ast.Substr }

// suspects returns the arguments of a call that are not of the kind that it takes; those parts
// that it may be, if that is not known.
func (r *sampleRow) suspects(e algebra.Expr) []algebra.Expr {
	c, ok := e.(*algebra.Call)
	if !ok {
		return []algebra.Expr{e}
	}
	var fits func(value.Value) bool
	switch {
	case takesText(c.Func):
		fits = value.Value.IsText
	case c.Func >= ast.Addition && c.Func <= ast.UnaryMinus:
		fits = value.Value.IsNumeric
	default:
		return c.Args
	}
	var out []algebra.Expr
	for _, a := range c.Args {
		if !fits(r.known(a)) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return c.Args
	}
	return out
}

// hintOf is hint of one variable.
func (w *words) hintOf(v run.Sample) string {
	name := w.name(v.Var)
	if text, ok := w.unset[v.Var]; ok {
		return text
	}
	if _, ok := w.made[v.Var]; ok && v.Surface == "" {
		return name + " has no value in a group in which it is an error"
	}
	if v.Surface == "" {
		return fmt.Sprintf("BOUND(%s) or COALESCE(%s, …) takes care of rows without it", name, name)
	}
	switch x := value.DecodeString(v.Surface); x.Kind() {
	case value.IRI:
		return fmt.Sprintf("STR(%s) gives the text of an IRI", name)
	case value.IllTyped:
		return fmt.Sprintf("%s is not in the form of its datatype", name)
	case value.Blank, value.Triple, value.Other:
		return fmt.Sprintf("%s has no value that operators know", name)
	case value.String, value.Lang:
		text := rdf.FromSurface(v.Surface).Value()
		if n := value.FromTerm(rdf.Typed(text, rdf.XSDDouble)); n.IsNumeric() {
			return fmt.Sprintf("xsd:decimal(STR(%s)) reads the text as a number", name)
		}
		return fmt.Sprintf("%s is a text", name)
	}
	return ""
}

// sampleRow evaluates a condition for one row.
type sampleRow struct {
	values  map[algebra.Var]value.Value
	context *value.Context
	cause   algebra.Expr // the first expression that is an error and has no part that is one
}

// blame returns the smallest part of an expression that is an error, for an expression that
// is one.
func (r *sampleRow) blame(e algebra.Expr) algebra.Expr {
	if r.value(e); r.cause != nil {
		return r.cause
	}
	return e
}

// known returns the value of an expression, the zero Value if it is an error or not known.
func (r *sampleRow) known(e algebra.Expr) value.Value {
	v, _ := r.value(e)
	return v
}

// value returns the value of an expression; bad is set if it is an error. The zero Value
// without that is one that is not known here.
func (r *sampleRow) value(e algebra.Expr) (v value.Value, bad bool) {
	switch e := e.(type) {
	case *algebra.Const:
		return value.FromTerm(e.Term), false
	case *algebra.VarExpr:
		v, ok := r.values[e.Var]
		return v, r.failed(e, !ok)
	case *algebra.Call:
		return r.call(e)
	}
	return value.Value{}, false
}

func (r *sampleRow) call(c *algebra.Call) (v value.Value, bad bool) {
	f, ok := value.Lookup(c.Func.Key())
	if !ok && c.Func != ast.And && c.Func != ast.Or || ok && f.Volatile {
		return value.Value{}, false
	}
	args, unknown := make([]value.Value, len(c.Args)), false
	for i, a := range c.Args {
		if args[i], bad = r.value(a); bad {
			return value.Value{}, true
		}
		unknown = unknown || args[i].IsNone()
	}
	if unknown || !ok {
		return value.Value{}, false
	}
	v, ok = f.Call(r.context, args)
	return v, r.failed(c, !ok)
}

// failed keeps the first expression that is an error.
func (r *sampleRow) failed(e algebra.Expr, bad bool) bool {
	if bad && r.cause == nil {
		r.cause = e
	}
	return bad
}
