// Package card makes the card of a graph: what it is called, whose it is, how much is in it, by
// which vocabulary, and queries to begin with. Programs write it as JSON, as RDF in the Vocabulary of
// Interlinked Datasets, and as JSON-LD for web pages and for tools that read Croissant.
package card

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// Card describes a graph. What it lists is of the default graph; IRIs have no brackets.
type Card struct {
	About

	Quads      uint64 `json:"quads"`
	Graphs     int    `json:"named_graphs"`
	Triples    uint64 `json:"triples"` // of the default graph
	Predicates int    `json:"predicates"`
	Classes    int    `json:"classes"` // that have instances
	// MoreClasses says that there are more classes than Classes, which the summary does not list.
	MoreClasses bool `json:"more_classes,omitempty"`
	// Vocabulary is the namespaces of predicates, those with the most triples first.
	Vocabulary []Namespace `json:"vocabulary"`
	// Labels, Times and Places are predicates: of names for people, of dates and times, of
	// positions on the earth. Those with the most triples come first, known labels before others.
	Labels []string `json:"label_predicates,omitempty"`
	Times  []string `json:"time_predicates,omitempty"`
	Places []string `json:"geo_predicates,omitempty"`
	// Queries were run, and each gave rows.
	Queries []Query `json:"queries,omitempty"`

	classes    []segment.ClassCount // the most frequent ones
	predicates []segment.SummaryPredicate
	links      []segment.SummaryLink
}

// Namespace is a namespace with the triples of its predicates.
type Namespace struct {
	IRI     string `json:"namespace"`
	Triples uint64 `json:"triples"`
}

// Options are the choices of a card.
type Options struct {
	// Dataset is the IRI of the dataset that the data describes, if it describes several; without it
	// the data is asked for the only one.
	Dataset string
	// Scan is how many triples a query to begin with may read. Those that sort or count more are
	// left out.
	Scan uint64
}

// Counted returns the card of a dataset and its summary without what takes queries of the data, but
// for those about the dataset itself: without Labels, Times, Places and Queries.
func Counted(ctx context.Context, ds dataset.Dataset, s *segment.Summary, opt Options) (*Card, error) {
	c := OfSummary(s)
	c.Quads = c.Triples
	if lister, ok := ds.(dataset.GraphLister); ok {
		graphs, err := lister.NamedGraphs(ctx)
		if err != nil {
			return nil, err
		}
		if c.Graphs = len(graphs); c.Graphs > 0 {
			n, err := ds.Count(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each}})
			if err != nil {
				return nil, err
			}
			c.Quads += n
		}
	}
	data, err := described(ctx, ds, opt.Dataset)
	if err != nil {
		return nil, err
	}
	c.About = c.Or(data)
	return c, nil
}

// OfSummary returns what a summary alone says: counts of the default graph, vocabulary, and what the
// metadata of its file tells.
func OfSummary(s *segment.Summary) *Card {
	c := &Card{About: ParseMetadata(s.Metadata), Triples: s.Triples, Predicates: len(s.Predicates), Vocabulary: namespaces(s.Predicates)}
	c.predicates = slices.Clone(s.Predicates)
	slices.SortStableFunc(c.predicates, func(x, y segment.SummaryPredicate) int { return cmp.Compare(y.Triples, x.Triples) })
	if len(s.Levels) > 0 {
		finest := s.Levels[len(s.Levels)-1]
		c.classes, c.links = finest.Classes, finest.Links
	}
	c.Classes = len(c.classes)
	var listed uint64
	for _, k := range c.classes {
		listed += k.Count
	}
	at := slices.IndexFunc(s.Predicates, func(p segment.SummaryPredicate) bool { return p.Name == rdf.IRI(rdf.RDF+"type").Surface() })
	c.MoreClasses = at >= 0 && s.Predicates[at].Triples != listed
	return c
}

// Of returns the whole card of a dataset and its summary. In addition to what [Counted] reads it reads
// a few values of each of the most frequent predicates, and runs the queries.
func Of(ctx context.Context, ds dataset.Dataset, s *segment.Summary, opt Options) (*Card, error) {
	c, err := Counted(ctx, ds, s, opt)
	if err != nil {
		return nil, err
	}
	if err := c.detect(ctx, ds); err != nil {
		return nil, err
	}
	return c, c.run(ctx, ds, opt.Scan)
}

// namespaces sums the triples of predicates by namespace.
func namespaces(list []segment.SummaryPredicate) []Namespace {
	sums := map[string]uint64{}
	for _, p := range list {
		if iri, ok := iriOf(p.Name); ok && namespace(iri) != "" {
			sums[namespace(iri)] += p.Triples
		}
	}
	out := make([]Namespace, 0, len(sums))
	for ns, n := range sums {
		out = append(out, Namespace{ns, n})
	}
	slices.SortFunc(out, func(x, y Namespace) int {
		return cmp.Or(cmp.Compare(y.Triples, x.Triples), cmp.Compare(x.IRI, y.IRI))
	})
	return out
}

// iriOf returns the IRI of a surface, if it is one that a query can name.
func iriOf(surface string) (string, bool) {
	t := rdf.FromSurface(surface)
	if t.Kind() != rdf.KindIRI || !t.Valid() {
		return "", false
	}
	return t.Value(), true
}

// namespace is the part of an IRI up to its local name.
func namespace(iri string) string { return iri[:strings.LastIndexAny(iri, "#/:")+1] }

// local is the rest.
func local(iri string) string { return iri[len(namespace(iri)):] }
