package sparql

import (
	"context"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/parse"
)

// noteFirst looks at the first batch of an answer, which is nil if the answer is empty.
func (s *session) noteFirst(ctx context.Context, b *rowset.Batch) {
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
func (s *session) zero(ctx context.Context, b *rowset.Batch) bool {
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
	u := usesOf(s.query.q.Root)
	u.unnamed = u.unnamed || len(s.query.q.Describe) > 0
	told, err := s.noteGraphs(ctx, u)
	if err != nil {
		return err
	}
	var spaces []string
	near := !isDistant(s.terms.Dataset()) // else only what was read is worth a remark
	if near {
		if spaces, err = s.notePrefixes(ctx); err != nil {
			return err
		}
	}
	constants := s.query.Constants()
	for _, a := range s.query.q.Describe {
		if t := a.Term; !a.IsVar() && !slices.ContainsFunc(constants, func(c Constant) bool { return c.Term == t }) {
			constants = append(constants, Constant{Term: t})
		}
	}
	terms := make([]rdf.Term, len(constants))
	for i, c := range constants {
		terms[i] = c.Term
	}
	ids := make([]dataset.ID, len(terms))
	if err := s.terms.Dataset().Lookup(ctx, terms, ids); err != nil {
		return err
	}
	for i, c := range constants {
		switch {
		case ids[i] == 0 && c.Term.Kind() == rdf.KindIRI && slices.ContainsFunc(spaces, func(space string) bool { return strings.HasPrefix(c.Term.Value(), space) }):
		case ids[i] == 0:
			s.notes.add("%s is not in the data", noted(c.Term))
		case ids[i] != 0 && c.Predicate && near && !told && s.plain && u.unnamed:
			if err := s.notePredicate(ctx, c.Term, ids[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// notePrefixes tells of prefixes that are used and whose namespaces no term has, and returns
// these.
func (s *session) notePrefixes(ctx context.Context) (spaces []string, err error) {
	for _, p := range parse.UsedPrefixes(s.query.text, &s.query.opt) {
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
