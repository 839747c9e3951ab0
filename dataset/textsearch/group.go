package textsearch

import (
	"context"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/textindex"
	"github.com/rete-go/rete/rdf"
)

// How many subjects are looked at together, at first and at most.
const (
	firstSubjects = 16
	mostSubjects  = 1024
)

// group finds the hits of subjects, which ascend by id, none of which has more than a score. Of a
// search with a limit it reads them in the order of their terms until no hit can be better.
func (s *search) group(ctx context.Context, list []dataset.ID, most float64, sorted []dataset.IDRange) error {
	o := newOrdered(s.ds, list, sorted)
	size := mostSubjects
	if s.few() {
		size = min(max(firstSubjects, s.limit), mostSubjects)
	}
	for {
		batch, err := o.next(ctx, size)
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := s.verify(ctx, batch); err != nil {
			return err
		}
		if s.few() && len(s.hits) >= s.limit {
			if last := s.hits[s.limit-1]; last.Score > most || last.Score == most && last.Subject.Surface() <= batch[len(batch)-1].term {
				return nil
			}
		}
		size = min(2*size, mostSubjects)
	}
}

// verify reads the literals of subjects and keeps those that have all words.
func (s *search) verify(ctx context.Context, batch []subject) error {
	set := new(ids.Set)
	terms := make(map[dataset.ID]string, len(batch))
	for _, x := range batch {
		set.Add(x.id)
		terms[x.id] = x.term
	}
	var split textindex.Splitter
	scores := make([]float64, len(s.words))
	before := len(s.hits)
	err := Literals(ctx, s.ds, s.graphs, set, func(id dataset.ID, surface []byte, subjects []dataset.ID) error {
		clear(scores)
		split.Literal(surface, func(token []byte) {
			for i := range s.words {
				if s.words[i].Matches(token) {
					scores[i] = max(scores[i], s.weights[i][string(token)])
				}
			}
		})
		score := 0.0
		for _, x := range scores {
			if x == 0 {
				return nil
			}
			score += x
		}
		literal := rdf.FromSurface(string(surface))
		for _, k := range subjects {
			s.hits = append(s.hits, Hit{rdf.FromSurface(terms[k]), literal, score, [2]dataset.ID{k, id}})
		}
		return s.holds(int64(len(subjects))*80 + int64(len(surface)))
	})
	if err != nil || len(s.hits) == before || !s.few() {
		return err
	}
	slices.SortFunc(s.hits, compare)
	if len(s.hits) > s.limit {
		clear(s.hits[s.limit:])
		s.hits = s.hits[:s.limit]
	}
	return nil
}

// subject is a subject and its term.
type subject struct {
	id   dataset.ID
	term string
}

// ordered gives out subjects in the order of their terms.
type ordered struct {
	ds   dataset.Dataset
	runs []*run
}

// run is subjects whose ids ascend with their terms, or that were decoded and sorted.
type run struct {
	ids    []dataset.ID
	sorted bool
	head   []subject // decoded ones, before ids
}

// newOrdered takes ids, ascending, and ranges in which terms ascend with them.
func newOrdered(ds dataset.Dataset, list []dataset.ID, sorted []dataset.IDRange) *ordered {
	o := &ordered{ds: ds}
	rest := list
	var other []dataset.ID
	for _, r := range sorted {
		from, _ := slices.BinarySearch(rest, r.Lo)
		to, _ := slices.BinarySearch(rest, r.Hi+1)
		other = append(other, rest[:from]...)
		if from < to {
			o.runs = append(o.runs, &run{ids: rest[from:to], sorted: true})
		}
		rest = rest[to:]
	}
	if other = append(other, rest...); len(other) > 0 {
		o.runs = append(o.runs, &run{ids: other})
	}
	return o
}

// next returns the next n subjects, fewer at the end.
func (o *ordered) next(ctx context.Context, n int) (batch []subject, err error) {
	for _, r := range o.runs {
		if err := r.fill(ctx, o.ds, n); err != nil {
			return nil, err
		}
	}
	for len(batch) < n {
		var least *run
		for _, r := range o.runs {
			if len(r.head) > 0 && (least == nil || r.head[0].term < least.head[0].term) {
				least = r
			}
		}
		if least == nil {
			return batch, nil
		}
		batch = append(batch, least.head[0])
		least.head = least.head[1:]
	}
	return batch, nil
}

// fill makes sure that n subjects are decoded, or all of a run that is in no order.
func (r *run) fill(ctx context.Context, ds dataset.Dataset, n int) error {
	if !r.sorted {
		n = len(r.ids) + len(r.head)
	}
	if n = min(n-len(r.head), len(r.ids)); n <= 0 {
		return nil
	}
	var terms dataset.Terms
	if err := ds.Decode(ctx, r.ids[:n], &terms); err != nil {
		return err
	}
	for i, id := range r.ids[:n] {
		r.head = append(r.head, subject{id, string(terms.At(i))})
	}
	r.ids = r.ids[n:]
	if !r.sorted {
		slices.SortFunc(r.head, func(a, b subject) int { return strings.Compare(a.term, b.term) })
	}
	return nil
}
