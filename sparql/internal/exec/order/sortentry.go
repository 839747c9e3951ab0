package order

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
)

// sortEntry is a row that is sorted: the first bytes of its key decide most comparisons
// without reading the rest.
type sortEntry struct {
	prefix uint64
	row    int32
}

const entryBytes = 16

// prefix returns the first bytes of a key as a number, with zeros after a short one:
// keys with unequal ones are in the order of these.
func prefix(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// sort sorts the numbers of the rows. When the query is cancelled, all rows are
// equal from then on, so that the sorting ends soon.
func (s *sorter) sort(ctx context.Context) error {
	n := s.rows.N
	s.order = slices.Grow(s.order[:0], n)[:n]
	err := cancel.Blocks(ctx, n, func(from, to int) {
		for row := from; row < to; row++ {
			s.order[row] = sortEntry{prefix(s.key(int32(row))), int32(row)}
		}
	})
	if err == nil {
		err = s.sortEntries(ctx)
	}
	if err != nil {
		return err
	}
	if s.limit >= 0 && int64(n) > s.limit {
		n = int(s.limit)
	}
	s.sorted = slices.Grow(s.sorted[:0], n)[:n]
	return cancel.Blocks(ctx, n, func(from, to int) {
		for i, e := range s.order[from:to] {
			s.sorted[from+i] = e.row
		}
	})
}

// compare compares the keys of rows, and then their places.
func (s *sorter) compare(a, b sortEntry) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	if c := bytes.Compare(s.key(a.row), s.key(b.row)); c != 0 {
		return c
	}
	return cmp.Compare(a.row, b.row)
}

// minSharedSort is how many rows are sorted by several goroutines.
const minSharedSort = 64 << 10

// sortEntries sorts the entries, on two goroutines if there are many.
func (s *sorter) sortEntries(ctx context.Context) error {
	list := s.order
	if len(list) < minSharedSort || !s.run.Parallel() {
		return cancel.Sort(ctx, list, s.compare)
	}
	at := s.split(list)
	if at < len(list)/16 || at > len(list)-len(list)/16 {
		return cancel.Sort(ctx, list, s.compare)
	}
	parts := [][]sortEntry{list[:at], list[at:]}
	return cores.Each(ctx, s.run.Cores, len(parts), func(ctx context.Context, part int) error {
		return cancel.Sort(ctx, parts[part], s.compare)
	})
}

// split moves the entries up to some middle one before the place that it returns, and
// the others after it.
func (s *sorter) split(list []sortEntry) int {
	var some [127]sortEntry
	for i := range some {
		some[i] = list[(len(list)-1)/(len(some)-1)*i]
	}
	slices.SortFunc(some[:], s.compare)
	middle := some[len(some)/2]
	i, k := 0, len(list)-1
	for {
		for i <= k && s.compare(list[i], middle) <= 0 {
			i++
		}
		for i <= k && s.compare(list[k], middle) > 0 {
			k--
		}
		if i >= k {
			return i
		}
		list[i], list[k] = list[k], list[i]
	}
}

// before reports whether the next row of s comes before that of t.
func (s *sorter) before(t *sorter) bool {
	a, b := s.sorted[s.at], t.sorted[t.at]
	if c := bytes.Compare(s.key(a), t.key(b)); c != 0 {
		return c < 0
	}
	last := len(s.rows.Col) - 1
	return s.rows.Col[last][a] < t.rows.Col[last][b]
}
