package limits

import (
	"cmp"
	"slices"
	"sort"
)

// Edges are the pairs of one predicate over nodes 0..n-1, sorted and without duplicates.
type Edges struct {
	from, to []uint32
	start    []uint32 // of each node in from, and the end
}

// Graph is rows by predicate, with nodes that are numbered from 0.
type Graph struct {
	number map[uint64]uint32
	pairs  map[uint64][][2]uint32
}

// NewGraph numbers the subjects and objects of rows.
func NewGraph(rows []Row) *Graph {
	var nodes []uint64
	for _, r := range rows {
		nodes = append(nodes, r[0], r[2])
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	g := &Graph{number: make(map[uint64]uint32, len(nodes)), pairs: make(map[uint64][][2]uint32)}
	for i, id := range nodes {
		g.number[id] = uint32(i)
	}
	for _, r := range rows {
		g.pairs[r[1]] = append(g.pairs[r[1]], [2]uint32{g.number[r[0]], g.number[r[2]]})
	}
	return g
}

// Node is the number of a node that occurs.
func (g *Graph) Node(id uint64) uint32 { return g.number[id] }

// Edges returns those of a predicate from subject to object, or, inverted, from object to subject.
func (g *Graph) Edges(predicate uint64, inverted bool) *Edges {
	pairs := slices.Clone(g.pairs[predicate])
	if inverted {
		for i, p := range pairs {
			pairs[i] = [2]uint32{p[1], p[0]}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]uint32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	e := &Edges{start: make([]uint32, len(g.number)+1)}
	for _, p := range pairs {
		e.from, e.to = append(e.from, p[0]), append(e.to, p[1])
		e.start[p[0]+1]++
	}
	for i := range len(g.number) {
		e.start[i+1] += e.start[i]
	}
	return e
}

// of returns the ends of the edges of a node.
func (e *Edges) of(node uint32) []uint32 { return e.to[e.start[node]:e.start[node+1]] }

// find is of by a binary search.
func (e *Edges) find(node uint32) []uint32 {
	at := sort.Search(len(e.from), func(i int) bool { return e.from[i] >= node })
	end := at
	for end < len(e.from) && e.from[end] == node {
		end++
	}
	return e.to[at:end]
}
