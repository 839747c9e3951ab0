package textsearch

import (
	"context"
	"maps"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/textindex"
)

// tokens returns the tokens that each word stands for, with their subjects, and ranges in which
// ids ascend as their terms do.
func (s *search) tokens(ctx context.Context) (found [][]dataset.TextToken, sorted []dataset.IDRange, err error) {
	if x, ok := s.ds.(dataset.TextIndex); ok && s.graphs.Mode == dataset.Unnamed {
		words := make([]dataset.TextWord, len(s.words))
		for i, w := range s.words {
			words[i] = dataset.TextWord{Text: w.Text, Prefix: w.Prefix}
		}
		found, sorted, err = x.TextTokens(ctx, words)
		if found != nil || err != nil {
			return found, sorted, err
		}
	}
	found, err = s.read(ctx)
	return found, nil, err
}

// read finds the tokens by reading all literals.
func (s *search) read(ctx context.Context) ([][]dataset.TextToken, error) {
	matched := map[dataset.ID][][]string{} // by literal: the tokens of each word
	set := new(ids.Set)
	var split textindex.Splitter
	look := func(id dataset.ID, surface []byte) error {
		var tokens [][]string
		split.Literal(surface, func(token []byte) {
			for i := range s.words {
				if s.words[i].Matches(token) {
					if tokens == nil {
						tokens = make([][]string, len(s.words))
					}
					tokens[i] = append(tokens[i], string(token))
				}
			}
		})
		if tokens == nil {
			return nil
		}
		matched[id] = tokens
		set.Add(id)
		return s.holds(100)
	}
	if err := s.literals(ctx, look); err != nil || len(matched) == 0 {
		return nil, err
	}
	subjects := make([]map[string][]dataset.ID, len(s.words))
	for i := range subjects {
		subjects[i] = map[string][]dataset.ID{}
	}
	opt := &dataset.ScanOptions{Cols: dataset.S.Bit() | dataset.O.Bit()}
	opt.Within[dataset.O] = set
	err := scan(ctx, s.ds, s.graphs, dataset.OSP, opt, func(subject, o dataset.ID) error {
		for i, tokens := range matched[o] {
			for _, t := range tokens {
				subjects[i][t] = append(subjects[i][t], subject)
			}
		}
		return s.holds(8)
	})
	if err != nil {
		return nil, err
	}
	found := make([][]dataset.TextToken, len(s.words))
	for i, lists := range subjects {
		for _, t := range slices.Sorted(maps.Keys(lists)) {
			if err := cancel.Ordered(ctx, lists[t]); err != nil {
				return nil, err
			}
			found[i] = append(found[i], dataset.TextToken{Token: t, Subjects: slices.Compact(lists[t])})
		}
	}
	return found, nil
}

// literals calls use with all literals of the data, and maybe with other terms.
func (s *search) literals(ctx context.Context, use func(id dataset.ID, surface []byte) error) error {
	ranges, _, err := s.ds.Ranges(ctx, dataset.Class{Kind: dataset.Literals})
	if err != nil {
		return err
	}
	if d, ok := s.ds.(dataset.TermScan); ok {
		for _, r := range ranges {
			err := d.ScanTerms(ctx, r, func(first dataset.ID, t *dataset.Terms, lo, hi int) error {
				for k := lo; k < hi; k++ {
					if err := use(first+dataset.ID(k), t.At(k)); err != nil {
						return err
					}
				}
				return ctx.Err()
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	return Literals(ctx, s.ds, s.graphs, nil, func(id dataset.ID, surface []byte, _ []dataset.ID) error { return use(id, surface) })
}
