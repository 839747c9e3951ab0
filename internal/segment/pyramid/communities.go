package pyramid

import (
	"cmp"
	"slices"

	"github.com/rete-go/rete/internal/segment/format"
)

// Bounds of the communities that a file lists. They are part of the canonical form.
const (
	maxCommunities = 64  // the rest is one community, the last
	smallShare     = 256 // one with less than this part of the graph joins others of its class
)

// communities says where each vertex is counted.
type communities struct {
	vertices
	of []uint8 // by vertex
	n  int
}

// subject returns the community of a subject.
func (c *communities) subject(s uint32) uint8 { return c.of[c.vertices.subject(s)] }

// object returns the community of an object other than a literal.
func (c *communities) object(o uint32) uint8 { return c.of[c.vertices.object(o)] }

// lump is communities that are counted as one.
type lump struct {
	first  uint32 // the least vertex
	weight uint64
}

// gather makes few communities of what was clustered: of has the community of each vertex, out
// of n. Those that are small are counted together if most of their subjects have the same class,
// as records are that link to nothing. The largest come first; what is beyond maxCommunities is
// the last.
func gather(l *links, of []uint32, n int, classes []uint16) *communities {
	weight := make([]uint64, n)
	total := uint64(0)
	for v, c := range of {
		weight[c] += l.degrees[v] + 1
		total += l.degrees[v] + 1
	}
	classOf := majority(l, of, n, classes)
	lumps := make([]lump, 0, n)
	number := make([]uint32, n) // of the lump
	byClass := map[uint16]uint32{}
	for v, c := range of {
		if weight[c] == 0 {
			continue // seen
		}
		k := uint32(len(lumps))
		if weight[c] < total/smallShare {
			if have, ok := byClass[classOf[c]]; ok {
				k = have
			}
			byClass[classOf[c]] = k
		}
		if int(k) == len(lumps) {
			lumps = append(lumps, lump{first: uint32(v)})
		}
		lumps[k].weight += weight[c]
		number[c], weight[c] = k, 0
	}
	order := make([]uint32, len(lumps))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(lumps[y].weight, lumps[x].weight), cmp.Compare(lumps[x].first, lumps[y].first))
	})
	place := make([]uint8, len(lumps))
	for i, k := range order {
		place[k] = uint8(min(i, maxCommunities-1))
	}
	c := &communities{vertices: l.vertices, of: make([]uint8, len(of)), n: min(len(lumps), maxCommunities)}
	for v := range of {
		c.of[v] = place[number[of[v]]]
	}
	return c
}

// majority returns a class for each community: that of more than half of its subjects, if there
// is one, else one that is frequent (Boyer and Moore's vote).
func majority(l *links, of []uint32, n int, classes []uint16) []uint16 {
	class, votes := make([]uint16, n), make([]uint32, n)
	subjects := uint64(l.f.Counts.Size(format.Shared)) + uint64(l.f.Counts.Size(format.SubjectOnly))
	for s := uint64(1); s <= subjects && classes != nil; s++ {
		c := of[l.subject(uint32(s))]
		switch {
		case votes[c] == 0:
			class[c], votes[c] = classes[s], 1
		case class[c] == classes[s]:
			votes[c]++
		default:
			votes[c]--
		}
	}
	return class
}
