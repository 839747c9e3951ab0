package tombstone

import (
	"context"
	"slices"

	"github.com/rete-go/rete/tile"
)

// Levels are runs of one graph, each a few times as large as the one after it. Of the
// rows of one quad the heaviest decides, whatever run it is in. They are immutable.
type Levels []Level

// Level is a run and the weights of its rows.
type Level struct {
	*Run
	Oldest, Newest uint32
}

const (
	// levelTail is the number of rows up to which two runs are merged at once: less
	// than what a run of its own costs each reader.
	levelTail = 256
	// levelRatio is how many times as large as the next one a run is at least, so that
	// there are few runs and a row is merged a few times.
	levelRatio = 4
)

// Apart reports whether two runs that follow each other, of so many rows, stay apart.
func Apart(a, b int) bool { return a+b > levelTail && a >= levelRatio*b }

// Push returns the levels with one more run after the others, and merges.
func (l Levels) Push(ctx context.Context, r *Run) (Levels, error) {
	if r.Len() == 0 {
		return l, nil
	}
	top := Level{Run: r, Oldest: r.spo[0].Weight}
	for i := range r.spo {
		top.Oldest = min(top.Oldest, r.spo[i].Weight)
		top.Newest = max(top.Newest, r.spo[i].Weight)
	}
	below := l
	for n := len(below); n > 0 && !Apart(below[n-1].Len(), top.Len()); n = len(below) {
		last := below[n-1]
		both, err := MergeRuns(ctx, last.Run, top.Run)
		if err != nil {
			return nil, err
		}
		top = Level{both, min(last.Oldest, top.Oldest), max(last.Newest, top.Newest)}
		below = below[:n-1]
	}
	return append(slices.Clip(below), top), nil
}

// Changes returns the number of rows of the runs that have rows from a weight on, a
// little more than there are.
func (l Levels) Changes(weight uint32) (n int) {
	for _, v := range l {
		if v.Newest >= weight {
			n += v.Len()
		}
	}
	return n
}

// Sources returns sources of the rows from lo (included) to hi (excluded) in an order,
// from a weight on, and their number, or a little more.
func (l Levels) Sources(ctx context.Context, o tile.Order, lo, hi Key, weight uint32) (srcs []Source, n int, err error) {
	for _, v := range l {
		if v.Newest < weight {
			continue
		}
		rows, err := v.In(ctx, o)
		if err != nil {
			return nil, 0, err
		}
		if rows = Range(rows, lo, hi); len(rows) == 0 {
			continue
		}
		n += len(rows)
		src := Slice(rows, false)
		if v.Oldest < weight {
			src = From(src, weight)
		}
		srcs = append(srcs, src)
	}
	return srcs, n, nil
}

// Forget drops the rows of an order other than SPO; see [Run.Forget].
func (l Levels) Forget(o tile.Order) {
	for _, v := range l {
		v.Run.Forget(o)
	}
}

// Ranked returns the levels with other predicate ranks; see [Run.Ranked].
func (l Levels) Ranked(ranks []uint32) Levels {
	out := slices.Clone(l)
	for i := range out {
		out[i].Run = out[i].Run.Ranked(ranks)
	}
	return out
}
