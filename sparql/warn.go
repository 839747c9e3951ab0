package sparql

import (
	"fmt"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/exec/run"
)

// Warning says that a FILTER or HAVING dropped rows because its condition was an
// error in them, not false: a type error, or an unbound variable.
type Warning struct {
	Filter string `json:"filter"`           // the condition
	Having bool   `json:"having,omitempty"` // it is one of HAVING
	Rows   int64  `json:"rows"`             // that were dropped by it
	Sample string `json:"sample,omitempty"` // the variables of the first of them
	Hint   string `json:"hint,omitempty"`
}

// String writes the warning as one line.
func (w Warning) String() string {
	word, rows, first := "FILTER", "1 row", ""
	if w.Having {
		word = "HAVING"
	}
	if w.Rows != 1 {
		rows, first = thousands(float64(w.Rows))+" rows", ", first"
	}
	s := fmt.Sprintf("%s(%s) dropped %s by an error", word, w.Filter, rows)
	if w.Sample != "" {
		s += first + ": " + w.Sample
	}
	if w.Hint != "" {
		s += "; " + w.Hint
	}
	return s
}

// WithWarnings calls f, when the query ends, for each condition of a FILTER or
// HAVING that dropped rows by an error. A row counts if none of the conditions of its
// group is false: the first that is an error in it has dropped it. The answer is the
// same with and without it, but the query may take longer, since filters stay where
// the text has them, over all rows there. A query that needs only a part of its rows,
// as with LIMIT or in EXISTS, counts those that it came to.
func WithWarnings(f func(Warning)) Option { return func(c *config) { c.warn = f } }

// warn reports what filters dropped.
func (s *session) warn() {
	if s.run.Warnings == nil {
		return
	}
	words := s.words()
	for _, d := range s.run.Warnings.List {
		if d.Rows == 0 {
			continue
		}
		w := Warning{Filter: algebra.ExprTextOf(d.Expr, words.name, shortTerm), Having: words.having[d.Expr.Range()], Rows: d.Rows}
		var sample []string
		for _, v := range d.Sample {
			if words.hidden(v.Var) {
				continue
			}
			sample = append(sample, words.name(v.Var)+" = "+sampleText(v))
		}
		w.Sample, w.Hint = strings.Join(sample, ", "), words.hint(d, s.run.Values)
		s.warnings(w)
	}
	s.run.Warnings = nil
}

// words are what the parts of a query are called in its text.
type words struct {
	vars   algebra.Vars
	made   map[algebra.Var]string // aggregates, and keys that are expressions
	having map[ast.Span]bool
	unset  map[algebra.Var]string // names that have no value yet where they stand
}

func (s *session) words() *words {
	w := &words{vars: s.run.Vars, made: make(map[algebra.Var]string), having: make(map[ast.Span]bool), unset: make(map[algebra.Var]string)}
	algebra.Walk(s.query.q.Root, func(o algebra.Op) {
		switch o := o.(type) {
		case *algebra.Filter:
			if _, ok := o.Input.(*algebra.Group); ok {
				for _, e := range o.Exprs {
					w.having[e.Range()] = true
				}
			}
		case *algebra.Group:
			for i := range o.Aggs {
				a := &o.Aggs[i]
				w.made[a.Var] = algebra.AggregateText(a, w.vars, shortTerm)
				if x, ok := a.Arg.(*algebra.VarExpr); ok && a.Kind == ast.Sample && !a.Distinct && !algebra.Possible(o.Input).Has(x.Var) {
					w.made[a.Var] = algebra.VarText(x.Var, w.vars)
					w.unset[a.Var] = w.made[a.Var] + " is not in the groups: what SELECT computes is not known to HAVING"
				}
			}
		case *algebra.Extend:
			if w.vars[o.Var].Kind == algebra.Generated {
				w.made[o.Var] = algebra.ExprText(o.Expr, w.vars, shortTerm)
			}
		}
	})
	return w
}

// name returns what the text has for a variable.
func (w *words) name(v algebra.Var) string {
	if text, ok := w.made[v]; ok {
		return text
	}
	if w.hidden(v) {
		return "EXISTS {…}"
	}
	return algebra.VarText(v, w.vars)
}

// hidden reports whether a variable stands for an EXISTS.
func (w *words) hidden(v algebra.Var) bool {
	_, made := w.made[v]
	return !made && w.vars[v].Kind == algebra.Generated
}

func sampleText(v run.Sample) string {
	if v.Surface == "" {
		return "unbound"
	}
	return shortTerm(rdf.FromSurface(v.Surface))
}
