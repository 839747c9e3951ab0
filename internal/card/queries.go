package card

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// Query is a query that was run and gave rows.
type Query struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Rows  int    `json:"rows"`
}

// starters are queries to begin with, made of what the summary names. Those that count or sort more than
// scan triples are not among them.
func (c *Card) starters(scan uint64) (list []Query) {
	add := func(title, text string, args ...any) {
		list = append(list, Query{Title: title, Text: fmt.Sprintf(text, args...)})
	}
	triples := map[string]uint64{}
	for _, p := range c.predicates {
		triples[p.Name] = p.Triples
	}
	of := func(iri string) uint64 { return triples[rdf.IRI(iri).Surface()] }
	if len(c.classes) > 0 && of(rdf.RDF+"type") <= scan {
		add("How many instances each class has", "SELECT ?class (COUNT(*) AS ?instances) { ?s a ?class } GROUP BY ?class ORDER BY DESC(?instances) LIMIT 20")
	}
	for _, class := range c.classes {
		iri, ok := iriOf(class.Class)
		if !ok {
			continue
		}
		for _, label := range c.Labels {
			add("Some instances of the largest class", "SELECT ?s ?name { ?s a <%s> ; <%s> ?name } LIMIT 10", iri, label)
		}
		add("Some instances of the largest class", "SELECT ?s { ?s a <%s> } LIMIT 10", iri)
		break
	}
	for _, k := range c.links {
		from, classed := iriOf(k.From)
		predicate, named := iriOf(k.Predicate)
		if to, ok := iriOf(k.To); ok && classed && named {
			add("Links between the classes that have the most", "SELECT ?a ?b { ?a a <%s> ; <%s> ?b . ?b a <%s> } LIMIT 10", from, predicate, to)
			break
		}
	}
	if len(c.Times) > 0 && of(c.Times[0]) <= scan {
		add("The latest first", "SELECT ?s ?time { ?s <%s> ?time } ORDER BY DESC(?time) LIMIT 10", c.Times[0])
	}
	if len(c.Places) > 0 {
		add("Where things are", "SELECT ?s ?place { ?s <%s> ?place } LIMIT 10", c.Places[0])
	}
	add("Any triples", "SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 10")
	if c.Graphs > 0 {
		add("The named graphs", "SELECT ?graph { GRAPH ?graph {} } LIMIT 20")
		add("Any triples of named graphs", "SELECT ?graph ?s ?p ?o { GRAPH ?graph { ?s ?p ?o } } LIMIT 10")
	}
	return list
}

// run keeps the queries that give rows, the first of each title.
func (c *Card) run(ctx context.Context, ds dataset.Dataset, scan uint64) error {
	seen := map[string]bool{}
	for _, q := range c.starters(scan) {
		if seen[q.Title] {
			continue
		}
		var syntax *sparql.SyntaxError
		err := each(ctx, ds, q.Text, func(sparql.Row) { q.Rows++ })
		if errors.As(err, &syntax) {
			continue // it names what SPARQL cannot, such as a relative IRI
		}
		if err != nil {
			return err
		}
		if q.Rows > 0 {
			seen[q.Title] = true
			c.Queries = append(c.Queries, q)
		}
	}
	return nil
}
