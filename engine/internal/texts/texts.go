// Package texts is the text index of a view of many layers: that of the base's file, and above it
// levels of subjects whose statements were changed since, which have an index in memory. The
// highest level that knows a subject has all of its words.
package texts

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/textindex"
)

// ErrTooMany: a level would have more words than are held in memory.
var ErrTooMany = errors.New("engine: too many changed texts for an index in memory")

// mostWords is how many pairs of a word and a subject a level holds: 100 MB.
const mostWords = 8 << 20

// Level is the words of some subjects as a dataset has them.
type Level struct {
	subjects []dataset.ID // ascending: these have no other words
	tokens   []dataset.TextToken
}

// NewLevel reads the literals of subjects in the default graph.
func NewLevel(ctx context.Context, ds dataset.Dataset, subjects *dataset.IDSet) (*Level, error) {
	l := &Level{subjects: subjects.Append(nil)}
	if len(l.subjects) == 0 {
		return l, nil
	}
	numbers := map[string]int{}
	var split textindex.Splitter
	words := 0
	err := textsearch.Literals(ctx, ds, dataset.Graphs{}, subjects, func(_ dataset.ID, surface []byte, of []dataset.ID) error {
		split.Literal(surface, func(token []byte) {
			n, ok := numbers[string(token)]
			if !ok {
				n = len(l.tokens)
				name := string(token)
				numbers[name] = n
				l.tokens = append(l.tokens, dataset.TextToken{Token: name})
			}
			t := &l.tokens[n]
			if k := len(t.Subjects); k > 0 && len(of) == 1 && t.Subjects[k-1] == of[0] {
				return // the word once more
			}
			t.Subjects = append(t.Subjects, of...)
			words += len(of)
		})
		if words > mostWords {
			return ErrTooMany
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range l.tokens {
		list := &l.tokens[i].Subjects
		if err := cancel.Ordered(ctx, *list); err != nil {
			return nil, err
		}
		*list = slices.Clip(slices.Compact(*list))
	}
	err = cancel.Sort(ctx, l.tokens, func(a, b dataset.TextToken) int { return cmp.Compare(a.Token, b.Token) })
	return l, err
}

// Subjects returns the subjects of the level, ascending. They must not be changed.
func (l *Level) Subjects() []dataset.ID { return l.subjects }

// find returns the tokens that a word stands for.
func (l *Level) find(w dataset.TextWord) (list []dataset.TextToken) {
	if w.Suffix {
		word := textindex.Word(w)
		for _, t := range l.tokens {
			if word.Matches([]byte(t.Token)) {
				list = append(list, t)
			}
		}
		return list
	}
	from := sort.Search(len(l.tokens), func(i int) bool { return l.tokens[i].Token >= w.Text })
	to := from
	for to < len(l.tokens) && (l.tokens[to].Token == w.Text || w.Prefix && strings.HasPrefix(l.tokens[to].Token, w.Text)) {
		to++
	}
	return l.tokens[from:to]
}

// Find returns the tokens of each word, with the subjects that have them in the base or in a
// level, of which the last is the highest. base has the text index text.
func Find(ctx context.Context, base *idspace.Layer, text *segment.Text, levels []*Level, words []dataset.TextWord) ([][]dataset.TextToken, error) {
	found, lists := make([][]dataset.TextToken, len(words)), make([][]segment.TextToken, len(words))
	group, inner := errgroup.WithContext(ctx) // of a file far away all are asked for together
	for i, w := range words {
		group.Go(func() (err error) {
			lists[i], err = text.Find(inner, w.Text, w.Prefix, w.Suffix)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var err error
	for i, w := range words {
		list := lists[i]
		tokens := make([]dataset.TextToken, 0, len(list))
		for n, t := range list {
			if err := cancel.Check(ctx, n); err != nil {
				return nil, err
			}
			subjects := make([]dataset.ID, len(t.Subjects))
			for k, s := range t.Subjects {
				subjects[k] = base.ID(uint64(s)) // a subject is the node of its number
			}
			tokens = append(tokens, dataset.TextToken{Token: t.Token, Subjects: subjects})
		}
		for _, l := range levels {
			if tokens, err = l.over(ctx, tokens, w); err != nil {
				return nil, err
			}
		}
		found[i] = slices.DeleteFunc(tokens, func(t dataset.TextToken) bool { return len(t.Subjects) == 0 })
	}
	return found, nil
}

// over returns the tokens of a word where the level lies above others, whose tokens it may change.
func (l *Level) over(ctx context.Context, below []dataset.TextToken, w dataset.TextWord) ([]dataset.TextToken, error) {
	if len(l.subjects) == 0 {
		return below, nil
	}
	for i := range below {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		below[i].Subjects = without(below[i].Subjects, l.subjects)
	}
	own := l.find(w)
	if len(own) == 0 {
		return below, nil
	}
	out := make([]dataset.TextToken, 0, len(below)+len(own))
	for len(below) > 0 || len(own) > 0 {
		switch {
		case len(own) == 0 || len(below) > 0 && below[0].Token < own[0].Token:
			out, below = append(out, below[0]), below[1:]
		case len(below) == 0 || own[0].Token < below[0].Token:
			out, own = append(out, dataset.TextToken{Token: own[0].Token, Subjects: slices.Clone(own[0].Subjects)}), own[1:]
		default:
			out = append(out, dataset.TextToken{Token: own[0].Token, Subjects: merged(below[0].Subjects, own[0].Subjects)})
			below, own = below[1:], own[1:]
		}
	}
	return out, nil
}

// without takes ids out of a list, in its memory. Both ascend.
func without(list, out []dataset.ID) []dataset.ID {
	if len(list)*16 < len(out) {
		return slices.DeleteFunc(list, func(id dataset.ID) bool { _, ok := slices.BinarySearch(out, id); return ok })
	}
	kept, at := list[:0], 0
	for _, id := range list {
		for at < len(out) && out[at] < id {
			at++
		}
		if at == len(out) || out[at] != id {
			kept = append(kept, id)
		}
	}
	return kept
}

// merged returns the ids of two lists that have none in common.
func merged(a, b []dataset.ID) []dataset.ID {
	out := make([]dataset.ID, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Sorted returns the ranges of the subjects of a base, in which ids ascend as their terms do.
func Sorted(base *idspace.Layer) (list []dataset.IDRange) {
	shared, subjects := uint64(base.Sizes.Shared), uint64(base.Sizes.Subjects)
	if shared > 0 {
		list = append(list, dataset.IDRange{Lo: base.ID(1), Hi: base.ID(shared)})
	}
	if subjects > 0 {
		list = append(list, dataset.IDRange{Lo: base.ID(shared + 1), Hi: base.ID(shared + subjects)})
	}
	return list
}
