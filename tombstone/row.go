package tombstone

import (
	"context"
	"sort"

	"github.com/rete-go/rete/internal/cancel"
)

// Key is a triple by merge keys, in the columns of one order. Every layer of a view
// sorts its rows alike by these keys.
type Key [3]uint64

// MaxKey is above every row.
var MaxKey = Key{1<<64 - 1, 1<<64 - 1, 1<<64 - 1}

// Compare is -1, 0 or 1 as k is below, equal to or above o.
func (k Key) Compare(o Key) int {
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

// After returns the first key that does not begin with the first n parts of k.
func (k Key) After(n int) Key {
	k[n-1]++
	clear(k[n:])
	return k
}

// Row is what one entry says of a quad: that it adds it, or that it deletes it.
type Row struct {
	Key Key
	// Weight is twice the place of the entry in the log, and one more if it adds;
	// bit 1 is the caller's. Of two rows of one quad the heavier decides: the newer
	// entry, and inside one entry the add.
	Weight uint32
	// At is the row of the base's tile before which an insert comes (see [Placed]).
	At uint32
}

// Adds reports whether the row adds its quad.
func (r *Row) Adds() bool { return r.Weight&1 == 1 }

// Newest returns the weight that decides of two rows of one quad: that of the newer entry,
// and inside one entry that of the add.
func Newest(a, b uint32) uint32 { return max(a, b) }

// CompareRows orders rows by key, of equal keys the heavier first.
func CompareRows(a, b Row) int {
	if c := a.Key.Compare(b.Key); c != 0 {
		return c
	}
	switch {
	case a.Weight == b.Weight:
		return 0
	case Newest(a.Weight, b.Weight) == a.Weight:
		return -1
	}
	return 1
}

// Net sorts rows and keeps of each quad the row that decides. It works in place.
func Net(ctx context.Context, rows []Row) ([]Row, error) {
	if err := cancel.Sort(ctx, rows, CompareRows); err != nil {
		return nil, err
	}
	kept := 0
	err := cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i := from; i < to; i++ {
			if kept == 0 || rows[kept-1].Key != rows[i].Key {
				rows[kept] = rows[i]
				kept++
			}
		}
	})
	return rows[:kept], err
}

// Range returns the rows of a sorted list from lo (included) to hi (excluded).
func Range(rows []Row, lo, hi Key) []Row {
	rows = rows[Search(rows, lo):]
	return rows[:Search(rows, hi)]
}

// Search returns the index of the first row of a sorted list that is not below k.
func Search(rows []Row, k Key) int {
	return sort.Search(len(rows), func(i int) bool { return rows[i].Key.Compare(k) >= 0 })
}

// Gallop is [Search] for a key that is expected near the beginning.
func Gallop(rows []Row, k Key) int {
	if len(rows) == 0 || rows[0].Key.Compare(k) >= 0 {
		return 0
	}
	step := 1
	for step < len(rows) && rows[step].Key.Compare(k) < 0 {
		step <<= 1
	}
	from := step >> 1 // below k
	return from + Search(rows[from:min(step, len(rows))], k)
}
