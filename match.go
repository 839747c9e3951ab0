package rete

import (
	"context"
	"io"
	"iter"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// Match delivers the quads of a pattern, whose zero terms stand for every term: the quads of the
// default graph first, then those of the named graphs in the order of their names. The graph
// [sparql.DefaultGraph] is the default graph alone, and [sparql.UnionGraph] is the triples of all
// named graphs, each once and without a graph.
//
//	for q, err := range snap.Match(ctx, rdf.IRI("http://ex/ann"), rdf.Term{}, rdf.Term{}, rdf.Term{}) {
//		if err != nil {
//			return err // comes last
//		}
//		…
//	}
//
// It reads what the pattern needs, as the loop goes on. Loops may be nested, and run again.
func (s *Snapshot) Match(ctx context.Context, subject, predicate, object, graph rdf.Term) iter.Seq2[rdf.Quad, error] {
	return match(ctx, func() (dataset.Dataset, error) { return s.engine, nil }, rdf.Quad{S: subject, P: predicate, O: object, G: graph})
}

// Match delivers the quads of a pattern as the transaction has them when the loop begins; see
// [Snapshot.Match]. The loop may change them.
func (tx *Tx) Match(ctx context.Context, subject, predicate, object, graph rdf.Term) iter.Seq2[rdf.Quad, error] {
	return match(ctx, func() (dataset.Dataset, error) { return tx.Dataset(ctx) }, rdf.Quad{S: subject, P: predicate, O: object, G: graph})
}

// ID returns the number that a term has in the snapshot, for its scans, cursors and counts; 0 if
// it is not in the data, which must be asked for: 0 in a [dataset.Pattern] is every term. Many terms take one call of Lookup.
func (s *Snapshot) ID(ctx context.Context, term rdf.Term) (dataset.ID, error) {
	var id [1]dataset.ID
	err := s.engine.Lookup(ctx, []rdf.Term{term}, id[:])
	return id[0], err
}

// Term returns the term of a number that the snapshot gave; the zero Term for 0. Another number
// is an error. Many numbers take one call of Decode.
func (s *Snapshot) Term(ctx context.Context, id dataset.ID) (rdf.Term, error) {
	if id == 0 {
		return rdf.Term{}, s.engine.Ended()
	}
	var t dataset.Terms
	if err := s.engine.Decode(ctx, []dataset.ID{id}, &t); err != nil {
		return rdf.Term{}, err
	}
	return rdf.FromSurface(string(t.At(0))), nil
}

func match(ctx context.Context, open func() (dataset.Dataset, error), q rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		ds, err := open()
		var patterns []dataset.Pattern
		if err == nil {
			patterns, err = patternsOf(ctx, ds, q)
		}
		more := true
		for i := 0; err == nil && more && i < len(patterns); i++ {
			more, err = matchOne(ctx, ds, patterns[i], yield)
		}
		if err != nil {
			yield(rdf.Quad{}, err)
		}
	}
}

// patternsOf returns what is scanned for a pattern of terms: nothing if the data lacks one.
func patternsOf(ctx context.Context, ds dataset.Dataset, q rdf.Quad) ([]dataset.Pattern, error) {
	graphs := []dataset.Graphs{{Mode: dataset.Unnamed}, {Mode: dataset.Each}}
	named := false
	switch q.G {
	case rdf.Term{}:
	case sparql.DefaultGraph:
		graphs = graphs[:1]
	case sparql.UnionGraph:
		graphs = []dataset.Graphs{{Mode: dataset.Merge, NamedOnly: true}}
	default:
		named = true
	}
	terms := []rdf.Term{q.S, q.P, q.O}
	if named {
		terms = append(terms, q.G)
	}
	list := make([]dataset.ID, len(terms))
	bound := slices.DeleteFunc(slices.Clone(terms), rdf.Term.IsZero)
	found := make([]dataset.ID, len(bound))
	if err := ds.Lookup(ctx, bound, found); err != nil {
		return nil, err
	}
	if slices.Contains(found, 0) {
		return nil, nil
	}
	for i, t := range terms {
		if !t.IsZero() {
			list[i], found = found[0], found[1:]
		}
	}
	if named {
		graphs = []dataset.Graphs{{Mode: dataset.Each, Set: list[3:]}}
	}
	patterns := make([]dataset.Pattern, len(graphs))
	for i, g := range graphs {
		patterns[i] = dataset.Pattern{S: list[0], P: list[1], O: list[2], G: g}
	}
	return patterns, nil
}

// matchOne delivers the quads of a pattern; false: the loop was left.
func matchOne(ctx context.Context, ds dataset.Dataset, p dataset.Pattern, yield func(rdf.Quad, error) bool) (more bool, err error) {
	cur, err := ds.Scan(ctx, p, ds.Orders(p)[0], nil)
	if err != nil {
		return true, err
	}
	defer cur.Close()
	var b dataset.Batch
	var decoded batchTerms
	for {
		if err := cur.Next(ctx, &b); err == io.EOF {
			return true, nil
		} else if err != nil {
			return true, err
		}
		if err := decoded.fill(ctx, ds, &b); err != nil {
			return true, err
		}
		for row := range b.N {
			at := func(col int) rdf.Term { return decoded.at(b.Col[col], row) }
			if !yield(rdf.Quad{S: at(0), P: at(1), O: at(2), G: at(3)}, nil) {
				return false, nil
			}
		}
	}
}

// batchTerms are the terms of a batch, each once.
type batchTerms struct {
	ids   []dataset.ID
	text  dataset.Terms
	terms []rdf.Term
}

func (t *batchTerms) fill(ctx context.Context, ds dataset.Dataset, b *dataset.Batch) error {
	t.ids = t.ids[:0]
	for _, col := range b.Col {
		t.ids = append(t.ids, col...)
	}
	slices.Sort(t.ids)
	t.ids = slices.Compact(t.ids)
	if len(t.ids) > 0 && t.ids[0] == 0 {
		t.ids = t.ids[1:]
	}
	t.text.Reset()
	if err := ds.Decode(ctx, t.ids, &t.text); err != nil {
		return err
	}
	t.terms = t.terms[:0]
	for i := range t.ids {
		t.terms = append(t.terms, rdf.FromSurface(string(t.text.At(i))))
	}
	return nil
}

// at returns the term of a row of a column; the zero Term where the column has none.
func (t *batchTerms) at(col []dataset.ID, row int) rdf.Term {
	if len(col) == 0 {
		return rdf.Term{}
	}
	i, found := slices.BinarySearch(t.ids, col[row])
	if !found {
		return rdf.Term{}
	}
	return t.terms[i]
}
