// Package memory is a [dataset.Dataset] in memory: every graph as six sorted
// lists. It is made for tests, for small graphs and for the answers of other
// queries; it is simple before it is fast.
//
//	var b memory.Builder
//	b.Add(rdf.Quad{S: s, P: p, O: o})
//	ds := b.Build()
//
// A Dataset never changes and may be used by several goroutines.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/rdf"
)

type (
	id  = dataset.ID
	row = [3]id // in the columns of its order
)

// Dataset is a set of quads in memory, with all that a query can use of a dataset. Build of a
// [Builder] makes one.
type Dataset interface {
	dataset.Dataset
	dataset.GraphPlacer
	dataset.ValueIndex
	dataset.TermScan
	dataset.RangeShare
	// Begin returns a transaction over the quads, with a name that no other transaction should
	// have. The Dataset stays as it is.
	Begin(id string) Tx
	// Quads returns all quads, graph by graph.
	Quads() []rdf.Quad
}

// Tx is a transaction over a [Dataset].
type Tx interface {
	dataset.Tx
	dataset.Clearer
	// Commit returns the dataset of all quads as they are now.
	Commit() Dataset
}

// store is a set of quads in memory, a [Dataset].
type store struct {
	surfaces []string
	index    map[string]id
	graphs   []*graph // the default graph, then the named ones by surface
	byName   map[id]*graph
	state    string

	linesOnce sync.Once // guards lines
	lines     [valuekey.Classes][]valued
}

// graph is one graph; rows[o] is sorted by the columns of o.
type graph struct {
	name  id // 0 is the default graph
	place int
	rows  [dataset.Orders][]row
}

var _ Dataset = (*store)(nil)

// layers is the number of blocks that ids are dealt to, as those of a log of
// segments are, so that users of this package meet ids that are not dense.
const layers = 3

// idOf and numberOf map the number of a term, from 0, to its id and back.
func idOf(n int) id     { return id(n%layers)<<40 | id(n/layers+1) }
func numberOf(i id) int { return int(i&(1<<40-1)-1)*layers + int(i>>40) }
func valid(i id) bool   { return i&(1<<40-1) != 0 && i>>40 < layers }
func (d *store) at(i id) (string, error) {
	if n := numberOf(i); valid(i) && n < len(d.surfaces) {
		return d.surfaces[n], nil
	}
	return "", fmt.Errorf("memory: no term has the id %#x", uint64(i))
}

// Builder collects quads. The zero value is empty and ready.
type Builder struct {
	surfaces []string
	index    map[string]id
	graphs   map[id][]row
}

// Add adds one quad; adding it again changes nothing.
func (b *Builder) Add(q rdf.Quad) {
	b.add(q.S.Surface(), q.P.Surface(), q.O.Surface(), q.G.Surface())
}

// AddReader adds all quads of r.
func (b *Builder) AddReader(r rdf.Reader) error {
	var q rdf.RawQuad
	for {
		if err := r.Read(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		b.add(string(q.S), string(q.P), string(q.O), string(q.G))
	}
}

func (b *Builder) add(s, p, o, g string) {
	if b.index == nil {
		b.index = make(map[string]id)
		b.graphs = make(map[id][]row)
	}
	var name id
	if g != "" {
		name = b.intern(g)
	}
	b.graphs[name] = append(b.graphs[name], row{b.intern(s), b.intern(p), b.intern(o)})
}

func (b *Builder) intern(s string) id {
	if i, ok := b.index[s]; ok {
		return i
	}
	i := idOf(len(b.surfaces))
	b.surfaces = append(b.surfaces, s)
	b.index[s] = i
	return i
}

// Build returns the dataset of all quads so far and empties the builder.
func (b *Builder) Build() Dataset { return b.build() }

func (b *Builder) build() *store {
	d := &store{surfaces: b.surfaces, index: b.index, byName: make(map[id]*graph)}
	for name, rows := range b.graphs {
		g := &graph{name: name}
		for o := range g.rows {
			g.rows[o] = sorted(rows, dataset.Order(o))
		}
		d.graphs = append(d.graphs, g)
		d.byName[name] = g
	}
	slices.SortFunc(d.graphs, func(a, b *graph) int {
		if a.name == 0 || b.name == 0 {
			return cmp.Compare(a.name, b.name)
		}
		return cmp.Compare(d.surfaces[numberOf(a.name)], d.surfaces[numberOf(b.name)])
	})
	for i, g := range d.graphs {
		g.place = i + 1
	}
	d.state = d.digest()
	*b = Builder{}
	return d
}

// digest sums the hashes of the quads, so that it does not depend on order.
func (d *store) digest() string {
	var sum uint64
	var text []byte
	for _, g := range d.graphs {
		for _, r := range g.rows[dataset.SPO] {
			text = text[:0]
			for _, i := range r {
				text = append(append(text, d.surfaces[numberOf(i)]...), ' ')
			}
			if g.name != 0 {
				text = append(text, d.surfaces[numberOf(g.name)]...)
			}
			sum += xxhash.Sum64(text)
		}
	}
	return fmt.Sprintf("%016x", sum)
}

func sorted(spo []row, o dataset.Order) []row {
	cols := o.Columns()
	out := make([]row, len(spo))
	for i, r := range spo {
		out[i] = row{r[cols[0]], r[cols[1]], r[cols[2]]}
	}
	slices.SortFunc(out, compare)
	return slices.Compact(out)
}

func compare(a, b row) int {
	for i := range a {
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return 0
}

// State implements [dataset.Dataset].
func (d *store) State() string { return d.state }

// Lookup implements [dataset.Dataset].
func (d *store) Lookup(_ context.Context, terms []rdf.Term, ids []id) error {
	for i, t := range terms {
		ids[i] = d.index[t.Surface()]
	}
	return nil
}

// Decode implements [dataset.Dataset].
func (d *store) Decode(_ context.Context, ids []id, out *dataset.Terms) error {
	for _, i := range ids {
		s, err := d.at(i)
		if err != nil {
			return err
		}
		out.Append([]byte(s))
	}
	return nil
}

// Values implements [dataset.Dataset].

// Trie implements [dataset.Dataset]; there is none.
func (d *store) Trie(context.Context, dataset.Pattern, dataset.Order) (dataset.Trie, error) {
	return nil, dataset.ErrNoTrie
}
