package folds

import (
	"context"
	"slices"

	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// Levels are runs of one graph, each a few times as large as the one after it. Of the
// rows of one quad the heaviest decides, whatever run it is in. They are immutable.
type Levels []*Run

const (
	// levelTail is the number of rows up to which two runs are merged at once: less
	// than what a run of its own costs each reader.
	levelTail = 256
	// levelRatio is how many times as large as the next one a run is at least, so that
	// there are few runs and a row is merged a few times.
	levelRatio = 4
)

// Apart reports whether two successive runs, of a and of b rows, stay apart.
func Apart(a, b int) bool { return a+b > levelTail && a >= levelRatio*b }

// Push returns the levels with one more run after the others, and merges.
func (l Levels) Push(ctx context.Context, r *Run) (Levels, error) {
	if r.Len() == 0 {
		return l, nil
	}
	for n := len(l); n > 0 && !Apart(l[n-1].Len(), r.Len()); n = len(l) {
		var err error
		if r, err = MergeRuns(ctx, l[n-1], r); err != nil {
			return nil, err
		}
		l = l[:n-1]
	}
	return append(slices.Clip(l), r), nil
}

// Len returns the number of rows, a little more than there are quads.
func (l Levels) Len() (n int) {
	for _, r := range l {
		n += r.Len()
	}
	return n
}

// Sources appends sources of the rows from lo (included) to hi (excluded) in an order.
func (l Levels) Sources(ctx context.Context, o tile.Order, lo, hi tombstone.Key, to []Source) ([]Source, error) {
	for _, r := range l {
		rows, err := r.In(ctx, o)
		if err != nil {
			return nil, err
		}
		if rows = tombstone.Range(rows, lo, hi); len(rows) > 0 {
			to = append(to, Slice(rows, false))
		}
	}
	return to, nil
}

// Count returns the number of rows from lo (included) to hi (excluded) in an order, a
// little more than there are quads.
func (l Levels) Count(ctx context.Context, o tile.Order, lo, hi tombstone.Key) (n int, err error) {
	for _, r := range l {
		rows, err := r.In(ctx, o)
		if err != nil {
			return 0, err
		}
		n += len(tombstone.Range(rows, lo, hi))
	}
	return n, nil
}

// Drop drops the rows of an order other than SPO; see [Run.drop].
func (l Levels) Drop(o tile.Order) {
	for _, r := range l {
		r.drop(o)
	}
}

// Ranked returns the levels with other predicate ranks; see [Run.Ranked].
func (l Levels) Ranked(ranks []uint32) Levels {
	out := slices.Clone(l)
	for i := range out {
		out[i] = out[i].Ranked(ranks)
	}
	return out
}
