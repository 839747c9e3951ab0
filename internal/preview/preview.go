// Package preview keeps what a write that is only tried would change, in little memory, in the
// form in which the server and the commands tell it.
package preview

import "github.com/rete-go/rete/rdf"

// most is how many quads of each kind a [Changes] lists, and maxBytes how many bytes of them in all.
const (
	most     = 100
	maxBytes = 1 << 20
)

// Quad is a quad whose terms are spelled as in N-Quads; Graph is nil in the default graph.
type Quad struct {
	Subject   string  `json:"subject"`
	Predicate string  `json:"predicate"`
	Object    string  `json:"object"`
	Graph     *string `json:"graph"`
}

// Of spells a quad.
func Of(q *rdf.RawQuad) Quad {
	term := func(surface []byte) string { return string(rdf.AppendNTriples(nil, surface)) }
	out := Quad{Subject: term(q.S), Predicate: term(q.P), Object: term(q.O)}
	if len(q.G) > 0 {
		graph := term(q.G)
		out.Graph = &graph
	}
	return out
}

// Changes counts the quads that would appear and disappear, and lists the first of each. [New]
// makes one.
type Changes struct {
	Added   int64 `json:"added"`
	Removed int64 `json:"removed"`
	// FirstAdded and FirstRemoved are fewer than there are where these are many or long.
	FirstAdded   []Quad `json:"first_added"`
	FirstRemoved []Quad `json:"first_removed"`

	bytes int
}

// New returns Changes of none.
func New() *Changes { return &Changes{FirstAdded: []Quad{}, FirstRemoved: []Quad{}} }

// Add notes a quad.
func (c *Changes) Add(added bool, q *rdf.RawQuad) {
	n, list := &c.Removed, &c.FirstRemoved
	if added {
		n, list = &c.Added, &c.FirstAdded
	}
	*n++
	// Those after one that was too long are not listed: the list has the first ones.
	if *n > int64(len(*list))+1 || len(*list) == most {
		return
	}
	size := len(q.S) + len(q.P) + len(q.O) + len(q.G)
	if c.bytes+size > maxBytes {
		return
	}
	c.bytes += size
	*list = append(*list, Of(q))
}
