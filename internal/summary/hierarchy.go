package summary

import "slices"

// maxDepth bounds how far the hierarchy of classes is followed.
const maxDepth = 64

// maxLevels bounds the levels of a pyramid.
const maxLevels = 6

// Hierarchy is the classes by rdfs:subClassOf. A class goes by its rank, its place among all
// classes by surface, from 1. It has any number of parents, and is counted below the first of them.
type Hierarchy struct {
	Parents [][]uint16 // by rank, ascending, without the class itself
	Depth   []uint8    // by rank: of the chain of first parents
	Deepest uint8
	Cycles  [][]uint16 // classes that are below each other, or one that is below itself
}

// NewHierarchy makes the hierarchy of n ranks from pairs of class and parent, which ascend.
func NewHierarchy(n int, pairs [][2]uint16) Hierarchy {
	h := Hierarchy{Parents: make([][]uint16, n), Depth: make([]uint8, n)}
	for _, p := range pairs {
		if p[0] == p[1] {
			h.Cycles = append(h.Cycles, []uint16{p[0]})
		} else {
			h.Parents[p[0]] = append(h.Parents[p[0]], p[1])
		}
	}
	for c := range h.Parents {
		h.Depth[c] = h.depthOf(uint16(c))
		h.Deepest = max(h.Deepest, h.Depth[c])
	}
	h.Cycles = append(h.Cycles, h.components()...)
	slices.SortFunc(h.Cycles, slices.Compare[[]uint16])
	return h
}

// first returns the parent that a class is counted below, 0 if it has none.
func (h *Hierarchy) first(c uint16) uint16 {
	if len(h.Parents[c]) == 0 {
		return 0
	}
	return h.Parents[c][0]
}

// depthOf is the number of first parents above a class; a chain ends where it comes to a class
// that it has.
func (h *Hierarchy) depthOf(c uint16) uint8 {
	chain := []uint16{c}
	for c = h.first(c); c != 0 && len(chain) <= maxDepth && !slices.Contains(chain, c); c = h.first(c) {
		chain = append(chain, c)
	}
	return uint8(len(chain) - 1)
}

// At returns the class that c is counted as where classes below a depth are not told apart. A
// class of a cycle is counted as itself.
func (h *Hierarchy) At(c uint16, depth uint8) uint16 {
	up := c
	for n := 0; h.Depth[up] > depth; n++ {
		next := h.first(up)
		if next == 0 || next == c || n == maxDepth {
			return c
		}
		up = next
	}
	return up
}

// Levels returns the depths of the levels of a pyramid: the first tells only the roots apart, the
// last all classes.
func (h *Hierarchy) Levels() (depths []uint8) {
	n := min(int(h.Deepest)+1, maxLevels)
	for i := range n {
		depth := uint8(0)
		if n > 1 {
			depth = uint8(i * int(h.Deepest) / (n - 1))
		}
		depths = append(depths, depth)
	}
	return depths
}

// components returns the strongly connected components of more than one class, each ascending
// (Tarjan's algorithm, with a stack of its own).
func (h *Hierarchy) components() (found [][]uint16) {
	const none = 0
	index, low := make([]int, len(h.Parents)), make([]int, len(h.Parents))
	on := make([]bool, len(h.Parents))
	var stack []uint16
	type frame struct {
		c    uint16
		next int // of its parents
	}
	count := 0
	enter := func(c uint16) frame {
		count++
		index[c], low[c] = count, count
		stack, on[c] = append(stack, c), true
		return frame{c: c}
	}
	for c := range h.Parents {
		if index[c] != none {
			continue
		}
		calls := []frame{enter(uint16(c))}
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if f.next < len(h.Parents[f.c]) {
				p := h.Parents[f.c][f.next]
				f.next++
				if index[p] == none {
					calls = append(calls, enter(p))
				} else if on[p] {
					low[f.c] = min(low[f.c], index[p])
				}
				continue
			}
			if low[f.c] == index[f.c] {
				from := len(stack) - 1
				for stack[from] != f.c {
					from--
				}
				if part := slices.Clone(stack[from:]); len(part) > 1 {
					slices.Sort(part)
					found = append(found, part)
				}
				for _, d := range stack[from:] {
					on[d] = false
				}
				stack = stack[:from]
			}
			done := f.c
			if calls = calls[:len(calls)-1]; len(calls) > 0 {
				f := &calls[len(calls)-1]
				low[f.c] = min(low[f.c], low[done])
			}
		}
	}
	return found
}
