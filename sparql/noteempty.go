package sparql

import (
	"context"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
	"github.com/rete-go/rete/sparql/internal/exec"
)

// chooses keeps in which graphs the query is run.
func (s *session) chooses(c *config) {
	d := s.query.q.Dataset
	if c.graphs {
		d = &algebra.Dataset{Default: c.defaultGraph, Named: c.namedGraphs}
	}
	if s.plain = d == nil && !c.union && c.with.IsZero(); d != nil {
		s.from = slices.Concat(d.Default, d.Named)
	}
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
	case *algebra.Join: // with the table behind a query
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

// noteFirst looks at the first batch of an answer, which is nil if the answer is empty.
func (s *session) noteFirst(ctx context.Context, b *exec.Batch) {
	if s.notes == nil || s.begun {
		return
	}
	s.begun = true
	if b != nil && !s.zero(ctx, b) {
		return
	}
	// The answer is what it is also if that cannot be explained.
	_ = s.noteEmpty(ctx)
}

// zero reports whether an answer is the one row of a grouping without keys over nothing: counts
// of zero.
func (s *session) zero(ctx context.Context, b *exec.Batch) bool {
	if b.N != 1 || len(s.query.q.Columns) == 0 || !wholeGroup(s.query.q.Root) {
		return false
	}
	counted := false
	for _, at := range s.columns(s.query.q.Columns) {
		if at < 0 || b.Col[at][0] == 0 {
			continue
		}
		surface, err := s.terms.SurfaceOf(ctx, b.Col[at][0])
		if err != nil || surface != rdf.Integer(0).Surface() {
			return false
		}
		counted = true
	}
	return counted
}

// wholeGroup reports whether a query groups all solutions as one.
func wholeGroup(o algebra.Op) bool {
	for {
		switch in := o.(type) {
		case *algebra.Group:
			return len(in.Keys) == 0
		case *algebra.Project:
			o = in.Input
		case *algebra.Extend:
			o = in.Input
		case *algebra.Slice:
			o = in.Input
		case *algebra.OrderBy:
			o = in.Input
		default:
			return false
		}
	}
}

// noteEmpty tells why an answer may be empty.
func (s *session) noteEmpty(ctx context.Context) error {
	root, err := s.query.root()
	if err != nil {
		return err
	}
	u := usesOf(root)
	told, err := s.noteGraphs(ctx, u)
	if err != nil {
		return err
	}
	spaces, err := s.notePrefixes(ctx)
	if err != nil {
		return err
	}
	constants := s.query.Constants()
	terms := make([]rdf.Term, len(constants))
	for i, c := range constants {
		terms[i] = c.Term
	}
	ids := make([]dataset.ID, len(terms))
	if err := s.terms.Dataset().Lookup(ctx, terms, ids); err != nil {
		return err
	}
	for i, c := range constants {
		switch inSpace := slices.ContainsFunc(spaces, func(space string) bool { return strings.HasPrefix(c.Term.Value(), space) }); {
		case ids[i] == 0 && (!inSpace || c.Term.Kind() != rdf.KindIRI):
			s.notes.add("%s is not in the data", noted(c.Term))
		case ids[i] != 0 && c.Predicate && !told && s.plain && u.unnamed:
			if err := s.notePredicate(ctx, c.Term, ids[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// useOfGraphs is in which graphs a query has patterns.
type useOfGraphs struct {
	unnamed bool       // in the default graph
	any     bool       // in graphs that a variable names
	names   []rdf.Term // of the graphs that it names
}

func usesOf(root algebra.Op) *useOfGraphs {
	u := new(useOfGraphs)
	u.add(root)
	return u
}

func (u *useOfGraphs) add(o algebra.Op) {
	switch o := o.(type) {
	case *algebra.BGP:
		u.unnamed = u.unnamed || len(o.Patterns) > 0
	case *algebra.Path:
		u.unnamed = true
	case *algebra.Service:
		return
	case *algebra.Graph:
		if o.Name.IsVar() {
			u.any = true
		} else if o.Name.Term != UnionGraph && o.Name.Term != DefaultGraph {
			u.names = append(u.names, o.Name.Term)
		}
		return
	}
	for _, in := range algebra.Inputs(o) {
		u.add(in)
	}
}

// noteGraphs tells of graphs that are empty, and reports whether the default graph is.
func (s *session) noteGraphs(ctx context.Context, u *useOfGraphs) (empty bool, err error) {
	ds := s.terms.Dataset()
	for _, name := range append(slices.Clone(s.from), u.names...) {
		if name == UnionGraph || name == DefaultGraph {
			continue
		}
		id := make([]dataset.ID, 1)
		if err := ds.Lookup(ctx, []rdf.Term{name}, id); err != nil {
			return false, err
		}
		n := uint64(0)
		if id[0] != 0 {
			if n, err = ds.Count(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each, Set: id}}); err != nil {
				return false, err
			}
		}
		if n == 0 {
			s.notes.add("there is no graph %s", noted(name))
		}
	}
	if !s.plain || !u.unnamed && !u.any {
		return false, nil
	}
	unnamed, err := ds.Count(ctx, dataset.Pattern{})
	if err != nil {
		return false, err
	}
	named, err := ds.Count(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each}})
	switch {
	case err != nil:
		return false, err
	case unnamed == 0 && named == 0:
		s.notes.add("there is no data")
	case unnamed == 0 && u.unnamed:
		s.notes.add("the default graph is empty, the named graphs are not; use GRAPH ?g { … } or --union-default-graph")
		return true, nil
	case named == 0 && u.any:
		s.notes.add("there are no named graphs, all triples are in the default graph: leave GRAPH out")
	}
	return unnamed == 0, nil
}

// notePredicate tells of a predicate that occurs in named graphs only.
func (s *session) notePredicate(ctx context.Context, t rdf.Term, id dataset.ID) error {
	ds := s.terms.Dataset()
	unnamed, err := ds.Count(ctx, dataset.Pattern{P: id})
	if err != nil || unnamed > 0 {
		return err
	}
	named, err := ds.Count(ctx, dataset.Pattern{P: id, G: dataset.Graphs{Mode: dataset.Each}})
	if err == nil && named > 0 {
		s.notes.add("the predicate %s occurs in named graphs only; use GRAPH ?g { … } or --union-default-graph", noted(t))
	}
	return err
}

// notePrefixes tells of prefixes that are used and whose namespaces no term has, and returns
// these.
func (s *session) notePrefixes(ctx context.Context) (spaces []string, err error) {
	for _, p := range ast.UsedPrefixes(s.query.text, &s.query.opt) {
		list, _, err := s.terms.Dataset().Ranges(ctx, dataset.Class{Kind: dataset.IRIPrefix, Prefix: p.IRI})
		if err != nil {
			return nil, err
		}
		if p.IRI == "" || len(list) > 0 {
			continue
		}
		spaces = append(spaces, p.IRI)
		s.notes.add("nothing in the data begins with %s, the namespace of the prefix %s:", noted(rdf.IRI(p.IRI)), p.Name)
	}
	return spaces, nil
}
