package naive

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Triple is a triple of a graph.
type Triple [3]rdf.Term

// Dataset is a default graph and named graphs; each is a set.
type Dataset struct {
	Default []Triple
	Named   map[rdf.Term][]Triple

	sorted []rdf.Term // see names
	all    []Triple   // see union
}

// Names that graphs have only in queries.
var (
	unionGraph   = rdf.IRI("urn:x-arq:UnionGraph")
	defaultGraph = rdf.IRI("urn:x-arq:DefaultGraph")
)

// NewDataset returns the dataset of a list of quads, in which quads may repeat.
// A graph that holds nothing is not there.
func NewDataset(quads []rdf.Quad) *Dataset {
	d := &Dataset{Named: make(map[rdf.Term][]Triple)}
	seen := make(map[rdf.Quad]bool)
	for _, q := range quads {
		if seen[q] {
			continue
		}
		seen[q] = true
		t := Triple{q.S, q.P, q.O}
		if q.G.IsZero() {
			d.Default = append(d.Default, t)
		} else {
			d.Named[q.G] = append(d.Named[q.G], t)
		}
	}
	return d
}

// over returns the dataset that FROM and FROM NAMED select from d; d itself for
// nil.
func (d *Dataset) over(from *algebra.Dataset) *Dataset {
	if from == nil {
		return d
	}
	out := &Dataset{Named: make(map[rdf.Term][]Triple)}
	var list [][]Triple
	for _, g := range from.Default {
		switch g {
		case unionGraph:
			list = append(list, d.union())
		case defaultGraph:
			list = append(list, d.Default)
		default:
			list = append(list, d.Named[g])
		}
	}
	out.Default = merged(list)
	for _, g := range from.Named {
		if g != unionGraph && g != defaultGraph {
			out.Named[g] = d.Named[g]
		}
	}
	return out
}

// union returns the triples of all named graphs.
func (d *Dataset) union() []Triple {
	if d.all == nil {
		var list [][]Triple
		for _, g := range d.names() {
			list = append(list, d.Named[g])
		}
		d.all = merged(list)
	}
	return d.all
}

// merged returns the triples of graphs, each once.
func merged(list [][]Triple) (out []Triple) {
	seen := make(map[Triple]bool)
	for _, graph := range list {
		for _, t := range graph {
			if !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

// names returns the names of the named graphs, sorted.
func (d *Dataset) names() []rdf.Term {
	if d.sorted == nil {
		d.sorted = slices.SortedFunc(maps.Keys(d.Named), func(a, b rdf.Term) int { return cmp.Compare(a.Surface(), b.Surface()) })
	}
	return d.sorted
}
