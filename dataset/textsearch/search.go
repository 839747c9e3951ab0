// Package textsearch finds literals by the words of their text: [Search] yields a [Hit] for each, in
// every Dataset.
//
// Words are the tokens of docs/text-index.md. A *hit* is a subject and a literal of it that has
// all words of a query, in one literal. Its *score* tells how rare they are: each word counts
// 1/(1 + log2 n), where n is the number of subjects that have it, and a prefix counts as the
// rarest of the words of the literal that begin with it. Hits come by score, the best first, and
// then in the order of their terms, so that equal data gives equal answers, however it is stored.
//
// A Dataset that is a [dataset.TextIndex] is asked for the subjects of words; of another one all
// literals are read.
package textsearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/textindex"
	"github.com/rete-go/rete/rdf"
)

// ErrNoWords is a query without a word.
var ErrNoWords = errors.New("no word of two letters or digits, nor a beginning such as a*")

// Hit is a subject and a literal of it, with the ids that they have in the Dataset.
type Hit struct {
	Subject, Literal rdf.Term
	Score            float64
	IDs              [2]dataset.ID
}

// compare orders hits: the better one first.
func compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score),
		cmp.Compare(a.Subject.Surface(), b.Subject.Surface()), cmp.Compare(a.Literal.Surface(), b.Literal.Surface()))
}

// Search yields the best limit hits of the words of a query, all of them if limit is not above
// 0, in the graphs g, which are taken for one. A star after a word makes it a prefix. hold, if not
// nil, is told how many more bytes are held, and ends the search with its error.
func Search(ctx context.Context, ds dataset.Dataset, g dataset.Graphs, query string, limit int, hold func(bytes int64) error) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		s := &search{ds: ds, graphs: g, words: textindex.Words(query), limit: limit, hold: hold}
		if g.Mode == dataset.Each {
			s.graphs.Mode, s.graphs.NamedOnly = dataset.Merge, true
		}
		if len(s.words) == 0 {
			yield(Hit{}, fmt.Errorf("search: %w in %q", ErrNoWords, query))
			return
		}
		hits, err := s.run(ctx)
		if err != nil {
			yield(Hit{}, err)
			return
		}
		for _, h := range hits {
			if !yield(h, nil) {
				return
			}
		}
	}
}

// search is one search.
type search struct {
	ds     dataset.Dataset
	graphs dataset.Graphs
	words  []textindex.Word
	limit  int
	hold   func(bytes int64) error

	weights []map[string]float64 // by word, of its tokens
	hits    []Hit
}

// holds notes bytes that are held.
func (s *search) holds(n int64) error {
	if s.hold == nil {
		return nil
	}
	return s.hold(n)
}

// weight is how much a word counts that n subjects have.
func weight(n int) float64 { return 1 / (1 + math.Log2(float64(n))) }

func (s *search) run(ctx context.Context) ([]Hit, error) {
	tokens, sorted, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	subjects, err := s.candidates(ctx, tokens)
	if err != nil {
		return nil, err
	}
	// Subjects with the best words first; their literals tell whether they have them in one.
	for len(subjects) > 0 {
		n := 1
		for n < len(subjects) && subjects[n].most == subjects[0].most {
			n++
		}
		if s.few() && len(s.hits) >= s.limit && s.hits[s.limit-1].Score > subjects[0].most {
			break
		}
		group := make([]dataset.ID, n)
		for i := range group {
			group[i] = subjects[i].id
		}
		if err := s.group(ctx, group, subjects[0].most, sorted); err != nil {
			return nil, err
		}
		subjects = subjects[n:]
	}
	if err := cancel.Sort(ctx, s.hits, compare); err != nil {
		return nil, err
	}
	if s.limit > 0 && len(s.hits) > s.limit {
		s.hits = s.hits[:s.limit]
	}
	return s.hits, nil
}

// manyHits is how many hits are wanted at least for which all are found and then sorted.
const manyHits = 4096

// few reports whether the hits are kept sorted, so that the search ends once it has the best.
func (s *search) few() bool { return s.limit > 0 && s.limit < manyHits }

// candidate is a subject that has all words, maybe in several literals.
type candidate struct {
	id   dataset.ID
	most float64 // the score of a literal with the rarest of its words
}

// subjectsOf is the subjects of a word, ascending, with the weight of the rarest of its tokens
// that each has.
type subjectsOf struct {
	ids     []dataset.ID
	weights []float64 // nil: all of them have weight
	weight  float64
}

// candidates returns the subjects that have all words, those of the highest scores first, of one
// score by id.
func (s *search) candidates(ctx context.Context, tokens [][]dataset.TextToken) ([]candidate, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	words := make([]subjectsOf, len(tokens))
	for i, list := range tokens {
		var err error
		if words[i], err = s.subjects(ctx, list); err != nil || len(words[i].ids) == 0 {
			return nil, err
		}
	}
	rarest := slices.Clone(words)
	slices.SortStableFunc(rarest, func(a, b subjectsOf) int { return cmp.Compare(len(a.ids), len(b.ids)) })
	kept := slices.Clone(rarest[0].ids)
	for _, w := range rarest[1:] {
		kept = both(kept, w.ids)
	}
	all := make([]candidate, len(kept))
	mixed := false
	for _, w := range words { // in this order: sums of floats depend on it
		mixed = mixed || w.weights != nil
		at := 0
		for k, id := range kept {
			all[k].id = id
			if w.weights == nil {
				all[k].most += w.weight
				continue
			}
			at = from(w.ids, at, id)
			all[k].most += w.weights[at]
		}
	}
	if mixed {
		slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.id, b.id)) })
	}
	return all, s.holds(int64(len(all)) * 16)
}

// subjects returns the subjects of a word, and remembers the weights of its tokens.
func (s *search) subjects(ctx context.Context, list []dataset.TextToken) (subjectsOf, error) {
	weights := make(map[string]float64, len(list))
	s.weights = append(s.weights, weights)
	size := 0
	for _, t := range list {
		weights[t.Token] = weight(len(t.Subjects))
		size += len(t.Subjects)
	}
	if len(list) == 1 {
		return subjectsOf{ids: list[0].Subjects, weight: weights[list[0].Token]}, nil
	}
	if err := s.holds(int64(size) * 32); err != nil {
		return subjectsOf{}, err
	}
	all := make([]candidate, 0, size)
	for i, t := range list {
		for _, id := range t.Subjects {
			all = append(all, candidate{id, weights[t.Token]})
		}
		if err := cancel.Check(ctx, i); err != nil {
			return subjectsOf{}, err
		}
	}
	err := cancel.Sort(ctx, all, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(b.most, a.most)) })
	if err != nil {
		return subjectsOf{}, err
	}
	all = slices.CompactFunc(all, func(a, b candidate) bool { return a.id == b.id })
	out := subjectsOf{ids: make([]dataset.ID, len(all)), weights: make([]float64, len(all))}
	for i, c := range all {
		out.ids[i], out.weights[i] = c.id, c.most
	}
	return out, nil
}

// both keeps what is in b of a list, in its memory. Both ascend.
func both(a, b []dataset.ID) []dataset.ID {
	out, at := a[:0], 0
	for _, id := range a {
		if at = from(b, at, id); at == len(b) {
			break
		}
		if b[at] == id {
			out = append(out, id)
		}
	}
	return out
}

// from returns the place of the first id that is not below one, at or after a place.
func from(list []dataset.ID, at int, id dataset.ID) int {
	step := 1
	for at+step < len(list) && list[at+step] < id {
		at, step = at+step, 2*step
	}
	k, _ := slices.BinarySearch(list[at:min(at+step+1, len(list))], id)
	return at + k
}
