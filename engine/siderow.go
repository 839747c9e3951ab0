package engine

import (
	"context"
	"sort"

	"github.com/rete-go/rete/internal/look"
)

// key3 is a row by merge keys, in the columns of an order: node ids as they are,
// predicates by rank.
type key3 [3]uint64

func (k key3) compare(o key3) int {
	for i := range k {
		if k[i] != o[i] {
			if k[i] < o[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// maxKey is above every row.
var maxKey = key3{1<<64 - 1, 1<<64 - 1, 1<<64 - 1}

// sideRow is a row of a layer other than the base: the key, and the weight of the
// layer, whose lowest bit says whether it adds or deletes.
type sideRow struct {
	key    key3
	weight uint32
}

func (r *sideRow) adds() bool { return r.weight&1 == 1 }

// compareSide orders rows by key, of equal ones the heavier first.
func compareSide(a, b sideRow) int {
	if c := a.key.compare(b.key); c != 0 {
		return c
	}
	switch {
	case a.weight > b.weight:
		return -1
	case a.weight < b.weight:
		return 1
	}
	return 0
}

// netRows sorts rows and keeps the heaviest of equal keys. It works in place.
func netRows(ctx context.Context, rows []sideRow) ([]sideRow, error) {
	if err := look.Sort(ctx, rows, compareSide); err != nil {
		return nil, err
	}
	kept := 0
	err := look.Blocks(ctx, len(rows), func(from, to int) {
		for i := from; i < to; i++ {
			if kept == 0 || rows[kept-1].key != rows[i].key {
				rows[kept] = rows[i]
				kept++
			}
		}
	})
	return rows[:kept], err
}

// mergeSides merges two netted runs into one that is netted, with the spots that are known.
func mergeSides(ctx context.Context, a, b sideRows) (out sideRows, err error) {
	if len(a.rows) == 0 {
		return b, nil
	}
	if len(b.rows) == 0 {
		return a, nil
	}
	out.rows = make([]sideRow, 0, len(a.rows)+len(b.rows))
	if a.spots != nil || b.spots != nil {
		out.spots = make([]uint32, 0, cap(out.rows))
	}
	for step := 0; len(a.rows) > 0 && len(b.rows) > 0; step++ {
		if err := look.At(ctx, step); err != nil {
			return out, err
		}
		switch c := a.rows[0].key.compare(b.rows[0].key); {
		case c < 0:
			out.append(&a, 1)
		case c > 0:
			out.append(&b, 1)
		case a.rows[0].weight > b.rows[0].weight:
			out.append(&a, 1)
			b = b.drop(1)
		default:
			out.append(&b, 1)
			a = a.drop(1)
		}
	}
	for _, rest := range []*sideRows{&a, &b} {
		for len(rest.rows) > 0 {
			out.append(rest, min(len(rest.rows), look.Block))
			if err := ctx.Err(); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// sideRange returns the rows of a sorted run from lo (included) to hi (excluded).
func sideRange(rows []sideRow, lo, hi key3) []sideRow {
	rows = rows[sideSearch(rows, lo):]
	return rows[:sideSearch(rows, hi)]
}

// sideSearch returns the place of the first row of a sorted run that is not below k.
func sideSearch(rows []sideRow, k key3) int {
	return sort.Search(len(rows), func(i int) bool { return rows[i].key.compare(k) >= 0 })
}

// sideFrom returns the rows of a sorted run that are not below lo; it looks near
// the beginning first.
func sideFrom(rows []sideRow, lo key3) []sideRow {
	if len(rows) == 0 || rows[0].key.compare(lo) >= 0 {
		return rows
	}
	step := 1
	for step < len(rows) && rows[step].key.compare(lo) < 0 {
		step <<= 1
	}
	from := step >> 1 // below lo
	rest := rows[from:min(step, len(rows))]
	return rows[from+sort.Search(len(rest), func(i int) bool { return rest[i].key.compare(lo) >= 0 }):]
}
