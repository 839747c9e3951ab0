package sparql

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/value"
)

// WithNotes calls f with remarks about the answer, each a line of text, as soon as they are
// known:
//
//   - before the first row, of variables that are asked for and that no solution binds, and of
//     functions that are called and that are not there;
//   - in the place of the first row, if there is none, why there may be none: the default graph
//     is empty and the named graphs are not, or the other way round; a graph, or a term of a
//     pattern, or all terms with a prefix, are not in the data;
//   - at the end, of a regular expression that could not be used, which was made while the
//     query ran (one that stands in the query is an error of the query).
//
// The answer is the same. One with rows takes no more work; without any, the terms of the
// query are looked up.
func WithNotes(f func(note string)) Option { return func(c *config) { c.note = f } }

// maxNotes is how many remarks there are about one answer.
const maxNotes = 8

// notes hands remarks on, each once.
type notes struct {
	to   func(note string)
	seen map[string]bool
}

func (n *notes) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(n.seen) >= maxNotes || n.seen[text] {
		return
	}
	if n.seen == nil {
		n.seen = make(map[string]bool)
	}
	n.seen[text] = true
	n.to(text)
}

// noteFaults tells of a regular expression that could not be used.
func (s *session) noteFaults() {
	if s.notes == nil {
		return
	}
	if f, ok := value.FaultOf(s.run.Values); ok {
		found := quoted(f.Pattern)
		if f.Flags != "" {
			found += " with the flags " + quoted(f.Flags)
		}
		s.notes.add("a regular expression has no result: %s; found %s", f.Reason, found)
	}
}

// maxQuoted is how many bytes of a text a note shows.
const maxQuoted = 200

// cut returns the beginning of a text that is long.
func cut(s string) (text, rest string) {
	if len(s) <= maxQuoted {
		return s, ""
	}
	end := maxQuoted
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end], "…"
}

// quoted returns a text between quotation marks, in one line, cut if it is long.
func quoted(s string) string {
	s, rest := cut(s)
	return strconv.Quote(s) + rest
}

// noted returns a term as a note shows it: in one line, cut if it is long.
func noted(t rdf.Term) string {
	s, rest := cut(t.String())
	return s + rest
}

// noteUnbound tells of variables that are asked for and that the pattern never binds.
func (s *session) noteUnbound(asked []algebra.Var, c *config) {
	if s.notes == nil || len(asked) == 0 {
		return
	}
	root := s.query.q.Root // of a query of the same shape at least
	bound := bindable(root)
	for _, v := range asked {
		name := s.query.q.Vars.Name(v)
		if _, given := c.bound[name]; given || bound.Has(v) {
			continue
		}
		if !algebra.Mentioned(unprojected(root)).Has(v) {
			s.notes.add("?%s occurs nowhere in the pattern, so it has no value", name)
			continue
		}
		s.notes.add("?%s has no value: the pattern has it only where it is not bound, such as FILTER, MINUS or a sub-select that hides it", name)
	}
}

// noteFunctions tells of functions that are called and that nobody has: each call is an error of
// its expression.
func (s *session) noteFunctions() {
	if s.notes == nil {
		return
	}
	algebra.Calls(s.query.q.Root, func(call *algebra.FunctionCall) {
		name := call.IRI.Value()
		if s.run.Functions[name] != nil {
			return
		}
		if _, ok := value.Named(name, len(call.Args)); ok {
			return
		}
		if _, ok := value.Lookup(name); ok {
			s.notes.add("the function %s is called with a number of arguments that it does not take, which is an error in every row", noted(call.IRI))
			return
		}
		s.notes.add("there is no function %s, so that its call is an error in every row", noted(call.IRI))
	})
}

// unprojected returns what a query projects from.
func unprojected(o algebra.Op) algebra.Op {
	for {
		switch in := o.(type) {
		case *algebra.Slice:
			o = in.Input
		case *algebra.Distinct:
			o = in.Input
		case *algebra.Reduced:
			o = in.Input
		case *algebra.Project:
			return in.Input
		default:
			return o
		}
	}
}

// bindable returns the variables that solutions may bind: [algebra.Possible], but for keys of
// groups that nothing binds.
func bindable(o algebra.Op) algebra.VarSet {
	switch o := o.(type) {
	case *algebra.Project:
		return bindable(o.Input).And(algebra.SetOf(o.Vars...))
	case *algebra.Filter:
		return bindable(o.Input)
	case *algebra.Distinct:
		return bindable(o.Input)
	case *algebra.Reduced:
		return bindable(o.Input)
	case *algebra.OrderBy:
		return bindable(o.Input)
	case *algebra.Slice:
		return bindable(o.Input)
	case *algebra.Extend:
		return bindable(o.Input).Or(algebra.SetOf(o.Var))
	case *algebra.Join: // with the table after a query
		return bindable(o.Left).Or(bindable(o.Right))
	case *algebra.Group:
		out := algebra.Possible(o.Input).And(algebra.SetOf(o.Keys...))
		for _, a := range o.Aggs {
			out = out.Or(algebra.SetOf(a.Var))
		}
		return out
	}
	return algebra.Possible(o)
}
