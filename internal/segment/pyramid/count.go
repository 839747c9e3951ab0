package pyramid

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/internal/segment/sorted"
	"github.com/rete-go/rete/internal/summary"
	"github.com/rete-go/rete/tile"
)

// maxEdges bounds the edges between communities: with more, the smallest communities are counted
// as one, unless there is only one. It is part of the canonical form.
const maxEdges = 4096

// counter counts the triples in the order POS, a predicate at a time: between communities, and
// between classes.
type counter struct {
	f       *sorted.File
	voc     *vocabulary
	classes []uint16 // by subject
	comm    *communities
	stats   []Stat // by predicate - 1
	levels  []*level

	edges   []Edge
	members []map[uint16]uint64 // by community: triples that give a class to a subject of it

	// of the predicate at hand
	p       uint32
	between *grid  // communities of subject and object
	links   *grid  // classes of subject and object
	last    uint32 // object of the group that may go on
	group   uint64
}

// count reads the triples once.
func (c *counter) count(ctx context.Context) error {
	c.between, c.links = newGrid(c.comm.n), newGrid(len(c.voc.names)+1)
	c.members = make([]map[uint16]uint64, c.comm.n)
	for i := range c.members {
		c.members[i] = map[uint16]uint64{}
	}
	rows := c.f.Rows(tile.POS)
	for {
		t, err := rows.Next(ctx)
		if err == io.EOF {
			c.flush()
			c.sortEdges()
			return nil
		}
		if err != nil {
			return err
		}
		j, k := 0, uint32(0)
		for i, p := range t.A {
			if p != c.p {
				c.flush()
				c.p = p
			}
			for ; j < int(t.AEnd[i]); j++ {
				c.object(t.B[j], t.C[k:t.BEnd[j]])
				k = t.BEnd[j]
			}
		}
	}
}

// object takes the subjects of an object, or some of them.
func (c *counter) object(o uint32, subjects []uint32) {
	st := &c.stats[c.p-1]
	if o != c.last {
		c.last, c.group = o, 0
		st.Objects++
	}
	c.group += uint64(len(subjects))
	st.MaxSubjects = max(st.MaxSubjects, c.group)

	isLiteral := literal(c.f, o)
	to := uint8(0)
	if !isLiteral {
		to = c.comm.object(o)
	}
	for _, s := range subjects {
		from := c.comm.subject(s)
		if isLiteral {
			to = from
		}
		c.between.add(uint32(from), uint32(to))
	}
	if c.classes == nil {
		return
	}
	switch c.p {
	case c.voc.typeID:
		if r := c.voc.rank(c.f.Counts.ObjectNode(o)); r > 0 && !isLiteral {
			var n [maxCommunities]uint64
			for _, s := range subjects {
				n[c.comm.subject(s)]++
			}
			for i, m := range c.members {
				if n[i] > 0 {
					m[r] += n[i]
				}
			}
		}
	case c.voc.subclassID:
	default:
		class := c.literalClass()
		if !isLiteral {
			class = 0
			if o <= c.f.Counts.Shared {
				class = uint32(c.classes[o])
			}
		}
		for _, s := range subjects {
			c.links.add(uint32(c.classes[s]), class)
		}
	}
}

// literalClass stands for a literal where a class is counted: it comes after all ranks.
func (c *counter) literalClass() uint32 { return uint32(len(c.voc.names)) }

// flush ends a predicate.
func (c *counter) flush() {
	if c.p == 0 {
		return
	}
	c.between.take(func(x, y uint32, n uint64) { c.edges = append(c.edges, Edge{x, c.p, y, n}) })
	for _, l := range c.levels {
		clear(l.sum)
	}
	c.links.take(func(x, y uint32, n uint64) {
		for _, l := range c.levels {
			l.add(x, y, n)
		}
	})
	for _, l := range c.levels {
		l.end(c.p)
	}
	c.last = 0
}

// sortEdges puts the edges in order, of few enough communities.
func (c *counter) sortEdges() {
	for {
		slices.SortFunc(c.edges, func(x, y Edge) int {
			return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.Predicate, y.Predicate), cmp.Compare(x.To, y.To))
		})
		if len(c.edges) <= maxEdges || c.comm.n == 1 {
			return
		}
		n := (c.comm.n + 1) / 2
		c.comm.n = n
		sum := map[Edge]uint64{}
		for _, e := range c.edges {
			sum[Edge{min(e.From, uint32(n-1)), e.Predicate, min(e.To, uint32(n-1)), 0}] += e.Count
		}
		c.edges = c.edges[:0]
		for e, count := range sum {
			e.Count = count
			c.edges = append(c.edges, e)
		}
		for i := n; i < len(c.members); i++ {
			for r, count := range c.members[i] {
				c.members[n-1][r] += count
			}
		}
		c.members = c.members[:n]
	}
}

// level collects the links between classes, of which those below a depth are counted as their
// ancestor there: those with the most triples.
type level struct {
	voc   *vocabulary
	depth uint8
	found []link
	sum   map[[2]uint16]uint64 // of the predicate at hand
}

// link is a Link of ranks; that of a literal comes after those of the classes.
type link struct {
	from, to  uint16
	predicate uint32
	count     uint64
}

// add adds triples between two classes.
func (l *level) add(from, to uint32, n uint64) {
	k := [2]uint16{uint16(from), uint16(to)}
	for i, r := range k {
		if int(r) < len(l.voc.names) {
			k[i] = l.voc.At(r, l.depth)
		}
	}
	l.sum[k] += n
}

// end takes over what was added of a predicate.
func (l *level) end(p uint32) {
	for k, n := range l.sum {
		l.found = append(l.found, link{k[0], k[1], p, n})
	}
	if len(l.found) > 8*summary.MaxLinks {
		l.most()
	}
}

// most keeps the links with the most triples.
func (l *level) most() []link {
	slices.SortFunc(l.found, func(x, y link) int {
		return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.from, y.from), cmp.Compare(x.predicate, y.predicate), cmp.Compare(x.to, y.to))
	})
	l.found = l.found[:min(len(l.found), summary.MaxLinks)]
	return l.found
}
