// Package extsort sorts rows of ids that may not fit into memory: parts of them are sorted
// and put into temporary files, and merged.
//
// A row is a graph and three ids. It is one number, its key: the columns side by side, each
// as wide as its largest id, so that keys sort as rows do. In most data a key has up to 64
// bits; else it has two words.
package extsort

import (
	"cmp"
	"math/bits"
	"slices"
)

// columns is the number of columns of a row; 0 is the graph.
const columns = 4

// Layout says where the columns of a row lie in its key.
type Layout struct {
	limits [columns]uint32
	shift  [columns]uint8 // in its word
	wide   bool           // two words: graph and first id, second and third
}

// NewLayout returns the layout of rows whose columns have these largest ids.
func NewLayout(limits [columns]uint32) Layout {
	l := Layout{limits: limits}
	sum := 0
	for c := columns - 1; c >= 0; c-- {
		l.shift[c] = uint8(sum)
		sum += l.width(c)
	}
	if l.wide = sum > 64; l.wide {
		l.shift = [columns]uint8{32, 0, 32, 0}
	}
	return l
}

func (l *Layout) width(c int) int { return bits.Len32(l.limits[c]) }

// Words returns the number of words of a key.
func (l *Layout) Words() int {
	if l.wide {
		return 2
	}
	return 1
}

// Reorder returns the layout of rows with other columns: column i is cols[i].
func (l *Layout) Reorder(cols [columns]int) Layout {
	var limits [columns]uint32
	for i, c := range cols {
		limits[i] = l.limits[c]
	}
	return NewLayout(limits)
}

// key is a key of one or two words; of one, hi is 0.
type key struct{ hi, lo uint64 }

func (k key) less(x key) bool { return k.hi < x.hi || k.hi == x.hi && k.lo < x.lo }

// word returns the word of a key that holds a column.
func (l *Layout) word(k List, c int) []uint64 {
	if l.wide && c < 2 {
		return k.Hi
	}
	return k.Lo
}

// Set makes row i of a list.
func (l *Layout) Set(k List, i int, row [columns]uint32) {
	if !l.wide {
		k.Lo[i] = uint64(row[0])<<l.shift[0] | uint64(row[1])<<l.shift[1] | uint64(row[2])<<l.shift[2] | uint64(row[3])<<l.shift[3]
		return
	}
	k.Hi[i] = uint64(row[0])<<32 | uint64(row[1])
	k.Lo[i] = uint64(row[2])<<32 | uint64(row[3])
}

// Column puts a column of all rows into out, which is as long.
func (l *Layout) Column(k List, c int, out []uint32) {
	shift, mask := l.shift[c], uint32(1)<<l.width(c)-1
	for i, w := range l.word(k, c) {
		out[i] = uint32(w>>shift) & mask
	}
}

// At returns a column of row i.
func (l *Layout) At(k List, c, i int) uint32 {
	return uint32(l.word(k, c)[i]>>l.shift[c]) & (uint32(1)<<l.width(c) - 1)
}

// List is keys. Hi is nil where they have one word.
type List struct{ Lo, Hi []uint64 }

// Len returns the number of keys.
func (k List) Len() int { return len(k.Lo) }

// Slice returns the keys from i to j.
func (k List) Slice(i, j int) List {
	k.Lo = k.Lo[i:j]
	if k.Hi != nil {
		k.Hi = k.Hi[i:j]
	}
	return k
}

// Copy makes the keys those of src, which is as long.
func (k List) Copy(src List) {
	copy(k.Lo, src.Lo)
	copy(k.Hi, src.Hi)
}

func (k List) at(i int) key {
	if k.Hi == nil {
		return key{lo: k.Lo[i]}
	}
	return key{k.Hi[i], k.Lo[i]}
}

func (k List) set(i int, x key) {
	k.Lo[i] = x.lo
	if k.Hi != nil {
		k.Hi[i] = x.hi
	}
}

// Split divides words into n lists of one size, as large as they can be.
func (l *Layout) Split(words []uint64, n int) []List {
	size := len(words) / n / l.Words()
	lists := make([]List, n)
	take := func() []uint64 {
		part := words[:size:size]
		words = words[size:]
		return part
	}
	for i := range lists {
		lists[i].Lo = take()
		if l.wide {
			lists[i].Hi = take()
		}
	}
	return lists
}

// Translate makes the rows of src in another layout, whose column i is cols[i] of this one.
func (l *Layout) Translate(to *Layout, dst, src List, cols [columns]int) {
	for i := range src.Lo {
		var row [columns]uint32
		for c := range row {
			row[c] = l.At(src, cols[c], i)
		}
		to.Set(dst, i, row)
	}
}

// distinct drops repeats of sorted keys.
func distinct(k List) List {
	if k.Hi == nil {
		return List{Lo: slices.Compact(k.Lo)}
	}
	n := 0
	for i := range k.Lo {
		if x := k.at(i); n == 0 || k.at(n-1) != x {
			k.set(n, x)
			n++
		}
	}
	return k.Slice(0, n)
}

func compareKeys(x, y key) int {
	if c := cmp.Compare(x.hi, y.hi); c != 0 {
		return c
	}
	return cmp.Compare(x.lo, y.lo)
}
