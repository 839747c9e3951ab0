package view

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/pattern"
	"github.com/rete-go/rete/engine/internal/texts"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
)

// The words of a graph are those of its base, which has an index of them in its file, and of the
// subjects that were changed since. What the log above the base has changed is read once for all
// views of the log. What the journal has changed is read once too, and then what each write
// changes: levels of subjects, each smaller than the one below.

// mostChanged is how many rows may lie above the base for the index to be used: more of them
// take longer to read than all literals.
const mostChanged = 1 << 19

// textLevels are the words of what changed, the latest changes last; none where that is too much.
type textLevels struct{ list []*texts.Level }

// TextTokens is [View.TextTokens].
func (v *view) TextTokens(ctx context.Context, words []dataset.TextWord) ([][]dataset.TextToken, []dataset.IDRange, error) {
	text, err := v.baseText(ctx)
	if err != nil || text == nil {
		return nil, nil, err
	}
	core := v.core()
	low, err := core.text.Get(ctx, core.changedTexts)
	if err != nil || low.list == nil {
		return nil, nil, err
	}
	levels := low.list
	if v != core {
		high, err := v.text.Get(ctx, v.changedTexts)
		if err != nil || high.list == nil {
			return nil, nil, err
		}
		levels = slices.Concat(levels, high.list)
	}
	found, err := texts.Find(ctx, v.Base, text, levels, words)
	return found, texts.Sorted(v.Base), err
}

// baseText returns the text index of the base's file, nil without one.
func (v *view) baseText(ctx context.Context) (*segment.Text, error) {
	if v.Base == nil || len(v.Base.Alias) > 0 {
		return nil, nil
	}
	s, ok := v.Base.Layer.(*layers.Segment)
	if !ok {
		return nil, nil
	}
	return s.Seg.Text(ctx)
}

// changedTexts reads the literals of the subjects that the top has changed, or the log above its
// base where there is no top.
func (v *view) changedTexts(ctx context.Context) (*textLevels, error) {
	var below []*texts.Level
	subjects := new(ids.Set)
	var err error
	switch {
	case v.since != nil:
		below = v.since.under(subjects)
	case v.top == nil:
		subjects, err = v.changedSubjects(ctx)
	default:
		subjects = v.top.changedSubjects()
	}
	if err != nil || subjects == nil {
		return &textLevels{}, err
	}
	l, err := texts.NewLevel(ctx, v.Until(nil), subjects)
	if errors.Is(err, texts.ErrTooMany) {
		return &textLevels{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &textLevels{append(slices.Clip(below), l)}, nil
}

// textSince is what is known of the words of a view with fewer changes, and the subjects of the
// changes since.
type textSince struct {
	levels   []*texts.Level
	subjects []dataset.ID
}

// mostSince is how many changes are noted, for a view that may never be searched.
const mostSince = 4096

// textAfter returns what is known of the words after changes of the view, nil for nothing.
func (v *view) textAfter(changes []Change) *textSince {
	next := &textSince{}
	if known := v.text.Done.Load(); known != nil && known.list != nil {
		next.levels = known.list
	} else if v.since != nil {
		next.levels, next.subjects = v.since.levels, slices.Clip(v.since.subjects)
	} else {
		return nil
	}
	if len(next.subjects)+len(changes) > mostSince {
		return nil
	}
	for i := range changes {
		if changes[i].G == 0 {
			next.subjects = append(next.subjects, changes[i].S)
		}
	}
	return next
}

// under adds the subjects of the next level to a set, with those of levels that are not much
// larger, and returns the others.
func (s *textSince) under(subjects *ids.Set) []*texts.Level {
	for _, id := range s.subjects {
		subjects.Add(id)
	}
	levels := s.levels
	for len(levels) > 0 {
		last := levels[len(levels)-1].Subjects()
		if uint64(len(last)) > 2*subjects.Len() {
			break
		}
		subjects.AddSorted(last)
		levels = levels[:len(levels)-1]
	}
	return levels
}

// changedSubjects returns the subjects of the changes in the default graph, nil where there are
// too many.
func (t *top) changedSubjects() *ids.Set {
	subjects, rows := new(ids.Set), 0
	for _, r := range t.runs {
		if rows += r.rows; rows > mostChanged {
			return nil
		}
		if g := r.graph(0); g != nil {
			var list []dataset.ID
			for _, row := range g.SPO() {
				list = append(list, dataset.ID(row.Key[colS]))
			}
			subjects.AddSorted(list)
		}
	}
	return subjects
}

// changedSubjects returns the subjects of all rows of the default graph in other layers than the
// base, nil where there are too many.
func (v *view) changedSubjects(ctx context.Context) (*ids.Set, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, err
	}
	var above []*idspace.Layer
	rows := uint64(0)
	for _, l := range v.Layers {
		if l != v.Base {
			above, rows = append(above, l), rows+l.Sizes.Quads
		}
	}
	if rows > mostChanged {
		return nil, nil
	}
	if len(above) >= idspace.TranslateMany {
		if err := v.TranslateAll(ctx, &n.Names, above); err != nil {
			return nil, err
		}
	}
	subjects := new(ids.Set)
	for _, l := range above {
		rows, err := v.loadGraph(ctx, n, l, 0, mostChanged)
		if errors.Is(err, pattern.ErrTooLarge) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		list := make([]dataset.ID, 0, len(rows))
		for _, r := range rows {
			list = append(list, dataset.ID(r.Key[colS]))
		}
		subjects.AddSorted(list)
	}
	return subjects, nil
}

// TextTokens returns, for each word, the tokens that it stands for in the visible literals of the
// default graph, with their subjects; nil where the base's file has no text index, or too much was
// changed since.
func (v *View) TextTokens(ctx context.Context, words []dataset.TextWord) (found [][]dataset.TextToken, sorted []dataset.IDRange, err error) {
	if err = v.end.Over(); err == nil {
		found, sorted, err = v.core.TextTokens(ctx, words)
	}
	return found, sorted, v.end.Late(ctx, err)
}

// Search yields the best limit subjects and literals of the default graph that have all words of
// a query, all of them if limit is not above 0; see package textsearch. A star after a word makes
// it a prefix.
func (v *View) Search(ctx context.Context, words string, limit int) iter.Seq2[textsearch.Hit, error] {
	return textsearch.Search(ctx, v, dataset.Graphs{}, words, limit, nil)
}
