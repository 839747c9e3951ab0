package sparql

import (
	"context"
	"iter"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Triples are the answer of a CONSTRUCT or DESCRIBE, which is read once: reading it
// again, or after Close, is [ErrClosed]. They belong to one goroutine, but for Close.
type Triples struct {
	answer once
	each   func(ctx context.Context, s *session, yield func(rdf.Quad) bool) error
}

// Close ends the query, unless [Triples.All] has. It may be called again, and concurrently with All
// by another goroutine: triples that are left are then [ErrClosed].
func (t *Triples) Close() error { return t.answer.Close() }

// All delivers the triples, each of them once, with the zero term for the graph.
// An error comes last; the end of the loop closes the triples.
func (t *Triples) All() iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		ctx, s, err := t.answer.begin()
		if err != nil {
			yield(rdf.Quad{}, err)
			return
		}
		defer t.answer.end()
		stopped := false
		err = t.each(ctx, s, func(q rdf.Quad) bool {
			stopped = !yield(q, nil)
			return !stopped && t.answer.over() == nil
		})
		if over := t.answer.over(); over != nil {
			err = over
		}
		s.span.Fail(err)
		if err != nil && !stopped {
			yield(rdf.Quad{}, cancel.Why(t.answer.ctx, err))
		}
	}
}

// Construct runs a CONSTRUCT query.
func Construct(ctx context.Context, ds dataset.Dataset, q *Query, opts ...Option) (*Triples, error) {
	if err := q.want(FormConstruct); err != nil {
		return nil, err
	}
	var need []algebra.Var
	for _, t := range q.q.Template {
		need = appendVars(need, q.q.Vars, t.S, t.P, t.O)
	}
	s, err := begin(ctx, ds, q, need, opts)
	if err != nil {
		return nil, err
	}
	return &Triples{answer: once{ctx: ctx, session: s}, each: func(ctx context.Context, s *session, yield func(rdf.Quad) bool) error { return s.construct(ctx, yield) }}, nil
}

// appendVars adds the variables of template positions, each once; blank nodes
// of a template are none.
func appendVars(list []algebra.Var, table algebra.Vars, args ...algebra.Arg) []algebra.Var {
	for _, a := range args {
		if a.Triple != nil {
			list = appendVars(list, table, a.Triple[:]...)
		}
		if !a.IsVar() || table[a.Variable()].Kind == algebra.Blank {
			continue
		}
		known := false
		for _, v := range list {
			known = known || v == a.Variable()
		}
		if !known {
			list = append(list, a.Variable())
		}
	}
	return list
}

// construct hands on the triples of the plan, but for those that are none in RDF.
func (s *session) construct(ctx context.Context, yield func(rdf.Quad) bool) error {
	var p page
	cols := []int{0, 1, 2}
	for {
		b, err := p.next(ctx, s, cols)
		if err != nil || b == nil {
			return err
		}
		for row := range b.N {
			q := rdf.Quad{S: p.term(0, row), P: p.term(1, row), O: p.term(2, row)}
			if legal(q.S, q.P, q.O) && !yield(q) {
				return nil
			}
		}
	}
}

// filler fills templates from a row.
type filler struct {
	session *session
	vars    []algebra.Var
	page    *page
	row     int
	blanks  map[algebra.Var]rdf.Term
	fresh   func(v algebra.Var) rdf.Term // makes a new node
}

// triple makes a triple; false if a variable is unbound or the triple is none.
func (f *filler) triple(t algebra.QuadTemplate) (rdf.Quad, bool) {
	q := rdf.Quad{S: f.term(t.S), P: f.term(t.P), O: f.term(t.O)}
	return q, legal(q.S, q.P, q.O)
}

// legal reports whether three terms are an RDF triple.
func legal(s, p, o rdf.Term) bool {
	return (s.Kind() == rdf.KindIRI || s.Kind() == rdf.KindBlank) && p.Kind() == rdf.KindIRI && !o.IsZero()
}

func (f *filler) term(a algebra.Arg) rdf.Term {
	switch {
	case a.Triple != nil:
		s, p, o := f.term(a.Triple[0]), f.term(a.Triple[1]), f.term(a.Triple[2])
		if !legal(s, p, o) {
			return rdf.Term{}
		}
		return rdf.TripleTerm(s, p, o)
	case !a.IsVar():
		return a.Term
	}
	v := a.Variable()
	if t, ok := f.session.bound[v]; ok {
		return t
	}
	if f.session.query.q.Vars[v].Kind == algebra.Blank {
		t, ok := f.blanks[v]
		if !ok {
			if f.blanks == nil {
				f.blanks = make(map[algebra.Var]rdf.Term)
			}
			t = f.fresh(v)
			f.blanks[v] = t
		}
		return t
	}
	for i, w := range f.vars {
		if w == v {
			return f.page.term(i, f.row)
		}
	}
	return rdf.Term{}
}
