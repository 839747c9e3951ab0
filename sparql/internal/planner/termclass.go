package planner

import (
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/regex"
	"github.com/rete-go/rete/sparql/internal/value"
)

// termClass says for which terms of a variable an expression can be true: those of
// some classes.
type termClass struct {
	v       plan.Var
	classes []dataset.Class
	exact   bool // it is true for all of them
}

// kinds are the functions that tell the kinds of terms apart, with all terms split
// into as many classes.
var kinds = map[ast.Func]dataset.ClassKind{
	ast.IsIRI: dataset.IRIs, ast.IsBlank: dataset.BlankNodes, ast.IsLiteral: dataset.Literals, ast.IsTriple: dataset.TripleTerms,
}

// classOf returns the terms for which an expression can be true; false if they are
// no classes that a dataset finds as ranges.
func (p *Planner) classOf(e algebra.Expr) (t termClass, ok bool) {
	found := memo(&p.known.classes, e, func() termClass {
		if t, ok := p.findClass(e); ok {
			return t
		}
		return termClass{v: plan.NoVar}
	})
	return found, found.v != plan.NoVar
}

func (p *Planner) findClass(e algebra.Expr) (t termClass, ok bool) {
	p.meter.Step(1)
	c, isCall := e.(*algebra.Call)
	if !isCall {
		return t, false
	}
	switch c.Func {
	case ast.IsIRI, ast.IsBlank, ast.IsLiteral, ast.IsTriple:
		v, ok := c.Args[0].(*algebra.VarExpr)
		if !ok {
			return t, false
		}
		return termClass{v.Var, []dataset.Class{{Kind: kinds[c.Func]}}, true}, true
	case ast.Not:
		return p.notClass(c.Args[0])
	case ast.StrStarts:
		if prefix, ok := plainText(c.Args[1]); ok {
			return textClass(c.Args[0], []string{prefix}, true)
		}
	case ast.StrEnds, ast.Contains:
		if _, ok := plainText(c.Args[1]); ok {
			return textClass(c.Args[0], []string{""}, false)
		}
	case ast.Regex:
		if re := p.patternOf(c); re != nil {
			list, whole := re.Prefixes()
			if list == nil {
				return textClass(c.Args[0], []string{""}, false)
			}
			return textClass(c.Args[0], list, whole)
		}
	case ast.Equal:
		x, y := c.Args[0], c.Args[1]
		if _, ok := x.(*algebra.Const); ok {
			x, y = y, x
		}
		text, ok := plainText(y)
		if v, _, isText := textOf(x); ok && isText && v != x {
			return textClass(x, []string{text}, false)
		}
		if v, isLang := langOf(x); ok && isLang {
			return termClass{v, []dataset.Class{{Kind: dataset.Literals}}, false}, true
		}
	case ast.LangMatches:
		if v, ok := langOf(c.Args[0]); ok {
			return termClass{v, []dataset.Class{{Kind: dataset.Literals}}, false}, true
		}
	case ast.And, ast.Or:
		return p.manyClass(c)
	}
	return t, false
}

// notClass is [classOf] of a negation: the other kinds, and of a test of text the
// terms that have text.
func (p *Planner) notClass(e algebra.Expr) (t termClass, ok bool) {
	if t, ok = p.classOf(e); !ok {
		return t, false
	}
	c := e.(*algebra.Call)
	if _, isKind := kinds[c.Func]; isKind {
		t.classes = nil
		for _, f := range [...]ast.Func{ast.IsIRI, ast.IsBlank, ast.IsLiteral, ast.IsTriple} {
			if f != c.Func {
				t.classes = append(t.classes, dataset.Class{Kind: kinds[f]})
			}
		}
		return t, true
	}
	switch c.Func {
	case ast.StrStarts, ast.StrEnds, ast.Contains, ast.Regex:
		t, ok = textClass(c.Args[0], []string{""}, false)
		return t, ok
	}
	return t, false
}

// manyClass is [classOf] of conjunctions and disjunctions.
func (p *Planner) manyClass(c *algebra.Call) (t termClass, ok bool) {
	for _, a := range c.Args {
		one, known := p.classOf(a)
		switch {
		case c.Func == ast.And:
			if known && (!ok || narrower(one.classes, t.classes)) {
				t, ok = one, true
			}
		case !known || ok && one.v != t.v:
			return t, false
		case !ok:
			t, ok = one, true
			t.classes = slices.Clip(t.classes) // those of one stay
		default:
			t.classes, t.exact = append(t.classes, one.classes...), t.exact && one.exact
		}
	}
	t.exact = t.exact && c.Func == ast.Or
	return t, ok
}

// narrower reports whether classes have a prefix that others lack.
func narrower(a, b []dataset.Class) bool { return a[0].Prefix != "" && b[0].Prefix == "" }

// textClass returns the terms whose text begins with one of some prefixes: literals,
// and if STR is asked for, IRIs too. Without STR only strings have text, of the
// literals that are found.
func textClass(x algebra.Expr, prefixes []string, whole bool) (t termClass, ok bool) {
	v, str, ok := textOf(x)
	if !ok {
		return t, false
	}
	plain, isVar := v.(*algebra.VarExpr)
	if !isVar {
		return t, false
	}
	if asIs := x == v || isStr(x); !asIs { // the text of another case
		prefixes, whole = []string{""}, false
	}
	t.v, t.exact = plain.Var, whole && str
	for _, prefix := range prefixes {
		if str && isIRIText(prefix) {
			t.classes = append(t.classes, dataset.Class{Kind: dataset.IRIPrefix, Prefix: prefix})
		}
		t.classes = append(t.classes, dataset.Class{Kind: dataset.LiteralText, Prefix: prefix})
	}
	return t, true
}

// isIRIText reports whether an IRI can begin with a text: that of IRIs ends before
// the bracket after it.
func isIRIText(text string) bool {
	for i := range len(text) {
		if text[i] == '<' || text[i] == '>' {
			return false
		}
	}
	return true
}

// textOf returns the variable in an expression that is its text, as it is or in one
// case, and whether the text is asked for by STR.
func textOf(e algebra.Expr) (v algebra.Expr, str, ok bool) {
	if _, ok := e.(*algebra.VarExpr); ok {
		return e, false, true
	}
	c, isCall := e.(*algebra.Call)
	if !isCall {
		return nil, false, false
	}
	switch c.Func {
	case ast.Str:
		_, ok := c.Args[0].(*algebra.VarExpr)
		return c.Args[0], true, ok
	case ast.LCase, ast.UCase:
		return textOf(c.Args[0])
	}
	return nil, false, false
}

func isStr(e algebra.Expr) bool {
	c, ok := e.(*algebra.Call)
	return ok && c.Func == ast.Str
}

// langOf returns the variable of which an expression is the language.
func langOf(e algebra.Expr) (plan.Var, bool) {
	c, ok := e.(*algebra.Call)
	if !ok || c.Func != ast.Lang {
		return plan.NoVar, false
	}
	v, ok := c.Args[0].(*algebra.VarExpr)
	if !ok {
		return plan.NoVar, false
	}
	return v.Var, true
}

// plainText returns the text of a constant that is a plain string.
func plainText(e algebra.Expr) (string, bool) {
	k, ok := e.(*algebra.Const)
	if !ok || k.Term.IsZero() {
		return "", false
	}
	v := value.FromTerm(k.Term)
	if v.Kind() != value.String {
		return "", false
	}
	return k.Term.Value(), true
}

// patternOf returns the pattern of a REGEX that is constant.
func (p *Planner) patternOf(c *algebra.Call) *regex.Pattern {
	return memo(&p.known.patterns, c, func() *regex.Pattern {
		var texts [2]string
		for i, a := range c.Args[1:] {
			text, ok := plainText(a)
			if !ok {
				return nil
			}
			texts[i] = text
		}
		if !p.meter.Step(patternSteps) {
			return nil
		}
		re, _ := regex.Compile(texts[0], texts[1])
		if re != nil {
			p.meter.Hold(re.Bytes())
		}
		return re
	})
}

// patternSteps is what the compilation of a regular expression counts: it may take some
// milliseconds.
const patternSteps = 4096
