package scan

import (
	"bytes"
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/value"
)

// Share of the terms of a dictionary up to which the literals of candidates are read one by one: a sweep costs
// less for each, above all if a needle spares the tests.
const (
	needleShare = 64
	testedShare = 8
)

// CandidateShare scales both. Tests raise it.
var CandidateShare = 1.0

// byWords tests the literals of the subjects that have all words, by the index; false if that is not there, or
// the words have too many subjects.
func (s *dictFilter) byWords(ctx context.Context) (bool, error) {
	index, ok := s.run.Terms.Dataset().(dataset.TextIndex)
	if len(s.terms.Words) == 0 || !ok {
		return false, nil
	}
	found, _, err := index.TextTokens(ctx, s.terms.Words)
	if found == nil || err != nil {
		return false, err
	}
	total := uint64(0)
	for _, r := range s.terms.Ranges {
		total += uint64(r.Hi-r.Lo) + 1
	}
	share := uint64(testedShare)
	if len(s.needle) > 0 {
		share = needleShare
	}
	subjects, err := candidates(ctx, found, int(float64(total/share)*CandidateShare))
	if subjects == nil || err != nil {
		return false, err
	}
	var surfaces [][]byte
	flush := func() error {
		s.values = s.values[:0]
		for _, b := range surfaces {
			s.values = append(s.values, value.Decode(b))
		}
		surfaces = surfaces[:0]
		return s.test(ctx)
	}
	s.ids = s.ids[:0]
	last := id(0)
	err = textsearch.Literals(ctx, s.run.Terms.Dataset(), dataset.Graphs{}, subjects, func(literal dataset.ID, surface []byte, _ []dataset.ID) error {
		if len(s.needle) > 0 && !bytes.Contains(surface, s.needle) || !inRanges(s.terms.Ranges, literal) {
			return nil
		}
		if len(s.ids) == dataset.MaxBatch || literal <= last {
			if err := flush(); err != nil {
				return err
			}
			s.ids = s.ids[:0]
		}
		last = literal
		s.ids, surfaces = append(s.ids, literal), append(surfaces, bytes.Clone(surface))
		return nil
	})
	if err != nil {
		return false, err
	}
	return true, flush()
}

// candidates returns the subjects that have all words, of which the one with the fewest subjects may have most of
// them; nil if it has more. Words with more than that are left out.
func candidates(ctx context.Context, found [][]dataset.TextToken, most int) (*dataset.IDSet, error) {
	var all *dataset.IDSet
	for _, tokens := range found {
		n := 0
		for _, t := range tokens {
			n += len(t.Subjects)
		}
		if n > most {
			continue
		}
		list := make([]id, 0, n)
		for _, t := range tokens {
			list = append(list, t.Subjects...)
		}
		if err := cancel.Ordered(ctx, list); err != nil {
			return nil, err
		}
		some := new(dataset.IDSet)
		some.AddSorted(slices.Compact(list))
		if all == nil {
			all = some
		} else {
			all = all.And(some)
		}
	}
	return all, nil
}

// inRanges reports whether an id is in one of the ranges, which ascend.
func inRanges(ranges []dataset.IDRange, i id) bool {
	return slices.ContainsFunc(ranges, func(r dataset.IDRange) bool { return r.Lo <= i && i <= r.Hi })
}
