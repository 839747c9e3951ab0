// Package kmerge merges sorted sources: the one merge of the project, of rows, terms and
// keys, in memory and from files.
package kmerge

// Heap holds the sources of a merge, each of them at its next item, that with the least
// item at place 0. A caller that moves a source on calls Fix or Drop with its place. Where one
// source has long stretches of least items, that costs two comparisons an item, however
// many sources there are.
type Heap[T any] struct {
	list []T
	less func(a, b *T) bool
}

// New returns a heap of sources, none of which may be at its end. It keeps and reorders
// the list. less compares the next items of two sources.
func New[T any](list []T, less func(a, b *T) bool) Heap[T] {
	h := Heap[T]{list, less}
	for i := len(list)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	return h
}

// Len returns the number of sources that are left.
func (h *Heap[T]) Len() int { return len(h.list) }

// At returns the source at a place. It is valid until the next call of Fix or Drop.
func (h *Heap[T]) At(i int) *T { return &h.list[i] }

// All returns the sources that are left, in no order.
func (h *Heap[T]) All() []T { return h.list }

// Second returns the place of the source with the least item except that at place 0, -1
// without one.
func (h *Heap[T]) Second() int {
	switch {
	case len(h.list) < 2:
		return -1
	case len(h.list) > 2 && h.less(&h.list[2], &h.list[1]):
		return 2
	}
	return 1
}

// Fix puts the source at a place, whose next item is another one, where it belongs.
func (h *Heap[T]) Fix(i int) {
	if h.down(i) || i == 0 {
		return
	}
	for up := (i - 1) / 2; h.less(&h.list[i], &h.list[up]); up = (i - 1) / 2 {
		h.list[i], h.list[up] = h.list[up], h.list[i]
		if i = up; i == 0 {
			return
		}
	}
}

// Drop takes the source at a place out: it is at its end.
func (h *Heap[T]) Drop(i int) {
	last := len(h.list) - 1
	h.list[i] = h.list[last]
	clear(h.list[last:])
	if h.list = h.list[:last]; i < last {
		h.Fix(i)
	}
}

// down moves a source down to where it belongs. It reports whether it moved.
func (h *Heap[T]) down(i int) (moved bool) {
	for {
		c := 2*i + 1
		if c >= len(h.list) {
			return moved
		}
		if c+1 < len(h.list) && h.less(&h.list[c+1], &h.list[c]) {
			c++
		}
		if !h.less(&h.list[c], &h.list[i]) {
			return moved
		}
		h.list[i], h.list[c] = h.list[c], h.list[i]
		i, moved = c, true
	}
}
