// Package stats tells what is in a dataset: how many quads and graphs, the classes and
// predicates, the datatypes and languages of literals, and the subjects with the most quads.
// [Collect] counts them, and [Stats] has a [List] of each.
//
//	s, err := stats.Collect(ctx, snap, nil)
//
// All counts are exact, over quads: one that stands in two graphs counts twice. Quads, graphs,
// predicates and classes are counted by directories, a few tiles for each. Datatypes, languages
// and subjects take two scans of one column, see [Options.Quick].
package stats

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// ErrMemory is wrapped by the error of statistics that take more than [Options.Memory].
var ErrMemory = errors.New("not enough memory for the statistics")

// Options are the choices of [Collect]; nil stands for the zero value.
type Options struct {
	// Top is how many entries each list has at most, those with the largest counts, and some of
	// those with equal ones; 0 is all, but for subjects, of which there are 20 then.
	Top int
	// Quick leaves out what needs scans: Literals and Subjects.
	Quick bool
	// Memory is how many bytes are held at most, in addition to the cache of the dataset; 0 stands for
	// 256 MiB. A list that does not fit is [ErrMemory]; scans are done in more passes.
	Memory int64
	// Workers is how many goroutines scan; 0 stands for GOMAXPROCS.
	Workers int
}

const (
	defaultMemory = 256 << 20
	topSubjects   = 20
)

// Stats is what is in a dataset.
type Stats struct {
	State   string // of the dataset
	Quads   uint64 // in all graphs
	Default uint64 // of them in the default graph
	// Graphs are the named graphs with their quads, Predicates and Classes the quads that have
	// them, the latter as objects of rdf:type.
	Graphs, Predicates, Classes List
	// Literals and Subjects are nil if they were left out.
	Literals *Literals
	Subjects *Subjects
}

// Literals are the literals in the place of the object.
type Literals struct {
	Distinct uint64 // literals
	Quads    uint64 // that have one
	// Datatypes and Languages have the quads of each, and the number of its literals. Literals with a
	// language are of rdf:langString, or rdf:dirLangString. A language is a plain literal.
	Datatypes, Languages List
}

// Subjects are the subjects of quads, with those that have most.
type Subjects struct{ List }

// List is terms with their counts, the largest first, equal ones by their surfaces.
type List struct {
	Distinct uint64  // terms, those that are left out included
	Entries  []Entry // the first ones
}

// Entry is a term with its count.
type Entry struct {
	Term  rdf.Term
	Quads uint64
	Terms uint64 // of a datatype or language: different literals; else 0
}

// Collect counts what is in a dataset.
func Collect(ctx context.Context, ds dataset.Dataset, opt *Options) (*Stats, error) {
	c := &collector{ds: ds}
	if opt != nil {
		c.opt = *opt
	}
	if c.opt.Memory <= 0 {
		c.opt.Memory = defaultMemory
	}
	if c.opt.Workers <= 0 {
		c.opt.Workers = runtime.GOMAXPROCS(0)
	}
	s := &Stats{State: ds.State()}
	if err := c.graphs(ctx, s); err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.opt.Workers)
	for _, step := range []func(context.Context, *Stats) error{c.literals, c.subjects, c.predicates, c.classes} {
		group.Go(func() error { return step(ctx, s) }) // each fills fields of its own
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return s, nil
}

// collector is a run of [Collect].
type collector struct {
	ds    dataset.Dataset
	opt   Options
	named int          // graphs
	held  atomic.Int64 // by lists
}

// modes are the patterns of graphs that hold every quad once.
func (c *collector) modes() []dataset.Graphs {
	if c.named == 0 {
		return []dataset.Graphs{{Mode: dataset.Unnamed}}
	}
	return []dataset.Graphs{{Mode: dataset.Unnamed}, {Mode: dataset.Each}}
}

// graphs counts all quads, and those of each graph.
func (c *collector) graphs(ctx context.Context, s *Stats) (err error) {
	if s.Default, err = c.ds.Count(ctx, dataset.Pattern{}); err != nil {
		return err
	}
	s.Quads = s.Default
	lister, ok := c.ds.(dataset.GraphLister)
	if !ok {
		return errors.New("stats: the dataset does not list its graphs")
	}
	taken := int64(0) // until the lists are made
	graphs, counts, err := lister.GraphCounts(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each}}, func(bytes int64) error {
		more := bytes - taken
		taken = bytes
		return c.hold(more)
	})
	if err != nil {
		return err
	}
	defer c.held.Add(-taken)
	c.named = len(graphs)
	top := c.top(c.opt.Top)
	for i, g := range graphs {
		s.Quads += counts[i]
		if err := top.add(g, counts[i]); err != nil {
			return err
		}
	}
	s.Graphs, err = top.list(ctx)
	return err
}

// predicates counts the quads of each predicate.
func (c *collector) predicates(ctx context.Context, s *Stats) (err error) {
	s.Predicates, err = c.counts(ctx, dataset.Pattern{}, dataset.POS, dataset.P)
	return err
}

// classes counts the quads of each class.
func (c *collector) classes(ctx context.Context, s *Stats) (err error) {
	id := make([]dataset.ID, 1)
	if err := c.ds.Lookup(ctx, []rdf.Term{rdf.IRI(rdf.RDF + "type")}, id); err != nil || id[0] == 0 {
		return err
	}
	s.Classes, err = c.counts(ctx, dataset.Pattern{P: id[0]}, dataset.POS, dataset.O)
	return err
}
