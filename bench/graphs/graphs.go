// Package graphs generates many small named graphs: 30 quads each, or as many as asked for, about one thing and
// its parts, with links into other graphs and a few triples that are in many.
package graphs

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/workload"
)

// prefix is the namespace of every name.
const prefix = "http://graphs.example/"

// QuadsPerGraph is the size of a graph.
const QuadsPerGraph = 30

// parts of a thing; each has three quads, the thing itself the rest
const parts = 8

// Generate writes the given number of graphs and returns the number of quads.
func Generate(w io.Writer, graphs int, seed uint64) (int, error) {
	return GenerateParts(w, graphs, parts, seed)
}

// GenerateParts is [Generate] of things with another number of parts than 8: a graph has three quads for
// each, and six more.
func GenerateParts(w io.Writer, graphs, parts int, seed uint64) (int, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	for g := range graphs {
		s := gen.NewStream(seed, 1, uint64(g), 0)
		line := func(subject, predicate, object string) {
			fmt.Fprintf(out, "<%s%s> <%s%s> %s <%sg%d> .\n", prefix, subject, prefix, predicate, object, prefix, g)
		}
		iri := func(name string) string { return "<" + prefix + name + ">" }
		thing := "thing" + strconv.Itoa(g)
		line(thing, "kind", iri("kind"+strconv.Itoa(s.Zipf(20))))
		line(thing, "name", strconv.Quote(thing))
		line(thing, "refers", iri("thing"+strconv.Itoa(s.Below(g+1))))
		line("kinds", "version", `"1"`) // the same in every graph
		line("kinds", "level", `"`+strconv.Itoa(s.Below(5))+`"`)
		line(thing, "first", iri(thing+"_0"))
		for k := range parts {
			part := thing + "_" + strconv.Itoa(k)
			line(part, "value", `"`+strconv.Itoa(s.Below(1000))+`"^^<http://www.w3.org/2001/XMLSchema#integer>`)
			line(part, "next", iri(thing+"_"+strconv.Itoa((k+1)%parts)))
			line(part, "of", iri(thing))
		}
	}
	return graphs * (6 + 3*parts), out.Flush()
}

// Set returns the data set with about the given number of statements, and its queries. The union
// of all graphs is asked for by a name that rete and Jena know.
func Set(statements int) *workload.Set {
	graphs := max(2, statements/QuadsPerGraph)
	return &workload.Set{
		Name:     "graphs",
		Quads:    true,
		Prologue: "PREFIX : <" + prefix + ">\n",
		Queries:  queries,
		Write:    func(w io.Writer) (int, error) { return Generate(w, graphs, 0) },
		Draw:     func(s *gen.Stream, kind string) string { return ":" + kind + strconv.Itoa(s.Below(graphs)) },
	}
}

// queries are the queries over them.
var queries = []workload.Query{
	{Name: "list", Text: "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }"},
	{Name: "count-each", Text: "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"},
	{Name: "one", Text: "SELECT * { GRAPH {{g :g1}} { ?s ?p ?o } }"},
	{Name: "find", Text: "SELECT * { GRAPH ?g { {{thing :thing1}} ?p ?o } }"},
	{Name: "referring", Text: "SELECT * { GRAPH ?g { ?s :refers {{thing :thing0}} } }"},
	{Name: "within", Text: "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?a :next ?b . ?b :value ?v FILTER(?v > 900) } }"},
	{Name: "across", Text: "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?a :refers ?b } GRAPH ?h { ?b :kind :kind3 } }"},
	{Name: "from-two", Text: "SELECT * FROM {{g :g0}} FROM {{g :g1}} { ?s ?p ?o }"},
	{Name: "from-named", Text: "SELECT * FROM NAMED {{g :g0}} FROM NAMED {{g :g1}} { GRAPH ?g { ?s :value ?o } }"},
	{Name: "level", Text: "SELECT ?l (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { :kinds :level ?l } } GROUP BY ?l"},
	{Name: "union-count", Text: "SELECT (COUNT(*) AS ?n) FROM <urn:x-arq:UnionGraph> { ?s ?p ?o }"},
	{Name: "union-join", Text: "SELECT (COUNT(*) AS ?n) FROM <urn:x-arq:UnionGraph> { ?a :refers ?b . ?b :kind ?k . :kinds :version ?v }"},
}
