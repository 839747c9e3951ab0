package pyramid

import (
	"math"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/summary"
)

// Parse decodes a section of a file with preds predicates. A block of tag 4 or 5, which this
// program does not write, is skipped; what stands after the known blocks is ignored. The
// strings are copies. Errors match [damage.Err]; memory is bounded by the bytes.
func Parse(b []byte, preds uint32) (*Pyramid, error) {
	c := &cursor{format.Cursor{Part: format.KindPyramid.String(), B: b}}
	p := &Pyramid{Round: c.Uv()}
	n := c.Count(4)
	p.Edges = make([]Edge, 0, n)
	for range n {
		e := Edge{From: c.U32(), Predicate: c.U32(), To: c.U32(), Count: c.Uv()}
		if c.Err == nil && (e.Predicate == 0 || e.Predicate > preds) {
			c.Fail("an edge with predicate %d, there are %d", e.Predicate, preds)
		}
		p.Edges = append(p.Edges, e)
	}
	for range c.Count(3) {
		c.U32()
		c.Uv()
		c.Str()
	}
	for _, tag := range []byte{tagStats, tagSets, tagLabels} {
		if c.Err != nil || !c.tag(tag) {
			continue
		}
		block := c.Str()
		if tag == tagStats && c.Err == nil {
			p.Stats, c.Err = parseStats(block, preds)
		}
	}
	if c.Err == nil && c.tag(tagSchema) {
		p.Schema = c.schema()
	}
	if c.Err != nil {
		return nil, c.Err
	}
	return p, nil
}

func parseStats(b []byte, preds uint32) ([]Stat, error) {
	c := &cursor{format.Cursor{Part: "statistics of the pyramid", B: b}}
	n := c.Count(6)
	list := make([]Stat, 0, n)
	for range n {
		s := Stat{Predicate: c.U32(), Count: c.Uv(), Subjects: c.Uv(), Objects: c.Uv(), MaxObjects: c.Uv(), MaxSubjects: c.Uv()}
		if c.Err == nil && (s.Predicate == 0 || s.Predicate > preds) {
			c.Fail("predicate %d, there are %d", s.Predicate, preds)
		}
		list = append(list, s)
	}
	return list, c.Err
}

// cursor adds the strings of a schema block to a cursor.
type cursor struct{ format.Cursor }

// tag reports whether the next byte is the tag, and passes it.
func (c *cursor) tag(tag byte) bool {
	if c.P >= len(c.B) || c.B[c.P] != tag {
		return false
	}
	c.P++
	return true
}

// schema reads the fields that follow the tag.
func (c *cursor) schema() *Schema {
	n := c.Count(1)
	names := make([]string, 0, n)
	for range n {
		names = append(names, string(c.Str()))
	}
	s := new(Schema)
	s.Classes = list(c, 3, func() summary.Class {
		return summary.Class{Name: c.name(names), Parents: list(c, 1, func() string { return c.name(names) }), Depth: c.U32()}
	})
	s.Levels = list(c, 3, func() summary.Level {
		return summary.Level{Round: c.Uv(), Depth: c.U32(), Classes: c.counts(names), Links: []summary.Link{}}
	})
	for i := range c.Count(3) {
		l := summary.Level{Round: c.Uv(), Depth: c.U32()}
		l.Links = list(c, 4, func() summary.Link {
			return summary.Link{From: c.name(names), Predicate: c.name(names), To: c.name(names), Count: c.Uv()}
		})
		if c.Err == nil && (i >= len(s.Levels) || s.Levels[i].Depth != l.Depth) {
			c.Fail("links of level %d, depth %d, which has no classes", i, l.Depth)
			return nil
		}
		if c.Err == nil {
			s.Levels[i].Links = l.Links
		}
	}
	s.Communities = list(c, 5, func() summary.Community { return c.community(names) })
	if c.Err == nil && c.P < len(c.B) {
		s.Cycles = list(c, 1, func() []string { return list(c, 1, func() string { return c.name(names) }) })
		pair := func() [2]string { return [2]string{c.name(names), c.name(names)} }
		s.Disjoint = list(c, 2, pair)
		s.Equivalent = list(c, 2, pair)
	}
	return s
}

// list reads a count and as many things of at least size bytes.
func list[T any](c *cursor, size int, read func() T) []T {
	n := c.Count(size)
	out := make([]T, 0, n)
	for range n {
		if c.Err != nil {
			return nil
		}
		out = append(out, read())
	}
	return out
}

func (c *cursor) name(names []string) string {
	n := c.Uv()
	if c.Err == nil && n >= uint64(len(names)) {
		c.Fail("string %d of %d", n, len(names))
	}
	if c.Err != nil {
		return ""
	}
	return names[n]
}

func (c *cursor) counts(names []string) []summary.ClassCount {
	return list(c, 2, func() summary.ClassCount { return summary.ClassCount{Class: c.name(names), Count: c.Uv()} })
}

func (c *cursor) community(names []string) (m summary.Community) {
	m.Number = c.U32()
	if n := c.Uv(); n > uint64(len(names)) {
		c.Fail("string %d of %d", n-1, len(names))
	} else if n > 0 {
		m.Dominant = names[n-1]
	}
	m.Classes = c.counts(names)
	if c.flag() {
		m.Box = new([4]float64)
		for i := range m.Box {
			m.Box[i] = math.Float64frombits(c.U64())
		}
	}
	if c.flag() {
		m.Time = &[2]string{string(c.Str()), string(c.Str())}
	}
	return m
}

func (c *cursor) flag() bool {
	b := c.U8()
	if b > 1 {
		c.Fail("flag %d", b)
	}
	return b == 1
}
