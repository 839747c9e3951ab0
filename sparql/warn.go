package sparql

import (
	"fmt"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/internal/exec"
	"github.com/rete-go/rete/sparql/value"
)

// Warning says that a FILTER dropped rows because its condition was an error in
// them, not false: a type error, or an unbound variable.
type Warning struct {
	Filter string `json:"filter"` // the condition, or the part of it that failed
	Rows   int64  `json:"rows"`   // that reached this part and were dropped by it
	Sample string `json:"sample"` // the variables of the first of them
	Hint   string `json:"hint,omitempty"`
}

// String writes the warning as one line.
func (w Warning) String() string {
	s := fmt.Sprintf("FILTER(%s) dropped %s rows by an error, first: %s", w.Filter, thousands(float64(w.Rows)), w.Sample)
	if w.Rows == 1 {
		s = fmt.Sprintf("FILTER(%s) dropped 1 row by an error: %s", w.Filter, w.Sample)
	}
	if w.Hint != "" {
		s += "; " + w.Hint
	}
	return s
}

// WithWarnings calls f, when the query ends, for each condition of a FILTER that
// dropped rows by an error. The answer is the same with and without it, but the
// query may take longer, since filters stay where the text has them. A query that
// needs only a part of its rows, as with LIMIT, counts those that it came to.
func WithWarnings(f func(Warning)) Option { return func(c *config) { c.warn = f } }

// warn reports what filters dropped.
func (s *session) warn() {
	if s.run.Warnings == nil {
		return
	}
	for _, d := range s.run.Warnings.List {
		if d.Rows == 0 {
			continue
		}
		w := Warning{Filter: algebra.ExprText(d.Expr, s.run.Vars, shortTerm), Rows: d.Rows}
		var sample []string
		for _, v := range d.Sample {
			sample = append(sample, algebra.VarText(v.Var, s.run.Vars)+" = "+sampleText(v))
		}
		w.Sample, w.Hint = strings.Join(sample, ", "), s.hint(d)
		s.warnings(w)
	}
	s.run.Warnings = nil
}

func sampleText(v exec.Sample) string {
	if v.Surface == "" {
		return "unbound"
	}
	return shortTerm(rdf.FromSurface(v.Surface))
}

// hint says what to do about the likely cause: the first variable whose term
// seldom has a value in an operator.
func (s *session) hint(d *exec.Dropped) string {
	for _, v := range d.Sample {
		name := algebra.VarText(v.Var, s.run.Vars)
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
		}
	}
	return ""
}
