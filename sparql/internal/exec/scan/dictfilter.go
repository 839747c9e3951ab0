package scan

import (
	"bytes"
	"context"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

// dictFilter tests the terms of stretches of the dictionary: those that hold the needle,
// without a term being made of the bytes.
type dictFilter struct {
	run    *run.Run
	terms  *plan.TermSet
	needle []byte
	c      *eval.Compiler
	tests  []eval.Truth
	ids    []id          // of a stretch, to be tested
	values []value.Value // of ids
	set    *dataset.IDSet
}

// tested returns the ids of a set whose terms are tested.
func tested(ctx context.Context, r *run.Run, t *plan.TermSet) (*dataset.IDSet, error) {
	s := &dictFilter{run: r, terms: t, needle: []byte(t.Needle), set: new(dataset.IDSet)}
	if err := s.compile(ctx); err != nil {
		return nil, err
	}
	if done, err := s.byWords(ctx); done || err != nil {
		return s.set, err
	}
	ds := r.Terms.Dataset().(dataset.TermScan)
	for _, l := range t.Ranges {
		if err := ds.ScanTerms(ctx, l, func(first id, t *dataset.Terms, lo, hi int) error { return s.use(ctx, first, t, lo, hi) }); err != nil {
			return nil, err
		}
	}
	return s.set, nil
}

func (s *dictFilter) compile(ctx context.Context) error {
	if err := eval.Know(ctx, s.run, s.terms.Exprs); err != nil {
		return err
	}
	s.c = eval.NewOnce(s.run, s.terms.Var)
	for _, e := range s.terms.Exprs {
		t, err := s.c.Truth(e)
		if err != nil {
			return err
		}
		s.tests = append(s.tests, t)
	}
	return nil
}

// use tests the terms of one stretch.
func (s *dictFilter) use(ctx context.Context, first id, t *dataset.Terms, lo, hi int) error {
	s.ids, s.values = s.ids[:0], s.values[:0]
	if len(s.needle) == 0 {
		for k := lo; k < hi; k++ {
			s.add(first, t, k)
		}
	} else if lo < hi {
		s.search(first, t, lo, hi)
	}
	return s.test(ctx)
}

// test keeps those of ids that pass, in the set.
func (s *dictFilter) test(ctx context.Context) error {
	if len(s.ids) == 0 {
		return nil
	}
	s.c.Load(s.ids, s.values)
	kept := s.ids[:0]
terms:
	for row, i := range s.ids {
		for _, test := range s.tests {
			is := test(row)
			if err := s.run.RowErr(); err != nil {
				return err
			}
			if is != value.TriTrue {
				continue terms
			}
		}
		kept = append(kept, i)
	}
	s.set.AddSorted(kept)
	if err := s.run.Budget.Take(ctx, "terms by text", 4*int64(len(kept))); err != nil {
		return err
	}
	return s.run.ValueErr()
}

// search adds the terms of a stretch that hold the needle.
func (s *dictFilter) search(first id, t *dataset.Terms, lo, hi int) {
	at := 0
	if lo > 0 {
		at = int(t.Ends[lo-1])
	}
	end := int(t.Ends[hi-1])
	for k := lo; ; {
		i := bytes.Index(t.Slab[at:end], s.needle)
		if i < 0 {
			return
		}
		at += i
		k += sort.Search(hi-k, func(j int) bool { return int(t.Ends[k+j]) > at })
		if at+len(s.needle) > int(t.Ends[k]) { // it begins in one term and ends in the next
			at++
			continue
		}
		s.add(first, t, k)
		at = int(t.Ends[k])
	}
}

func (s *dictFilter) add(first id, t *dataset.Terms, k int) {
	s.ids = append(s.ids, first+id(k))
	s.values = append(s.values, value.Decode(t.At(k)))
}
