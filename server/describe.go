package server

import (
	"context"
	"io"
	"net/http"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// contentPolicy lets the pages of this server load nothing and run nothing.
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const (
	sd      = "http://www.w3.org/ns/sparql-service-description#"
	formats = "http://www.w3.org/ns/formats/"
)

// formatIRIs are the names of formats in service descriptions.
var formatIRIs = struct{ results, input []string }{
	results: []string{"SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV",
		"Turtle", "N-Triples", "TriG", "N-Quads", "JSON-LD", "RDF_XML"},
	input: []string{"Turtle", "N-Triples", "TriG", "N-Quads", "RDF_XML"},
}

// describe answers a GET without a query.
func (x *exchange) describe(q *request) error {
	v, err := x.choose(q.format, graphVariants)
	if err != nil {
		return err
	}
	coding, err := x.chooseCoding()
	if err != nil {
		return err
	}
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.Header().Add("Vary", "Accept, Accept-Encoding, Authorization")
	if x.r.Method == http.MethodHead {
		x.w.Header().Set("Content-Type", v.content)
		x.w.WriteHeader(http.StatusOK)
		return nil
	}
	return x.answer(context.WithoutCancel(x.r.Context()), v.content, coding, func(w io.Writer) error {
		f, err := rdfio.ParseFormat(v.format.MediaType())
		if err != nil {
			return err
		}
		rw, err := rdfio.NewWriter(w, f, map[string]string{"sd": sd, "formats": formats})
		if err != nil {
			return err
		}
		return rdf.WriteAll(rw, x.description())
	})
}

// description returns the service description (SPARQL 1.1 Service Description).
func (x *exchange) description() []rdf.Quad {
	var (
		service = rdf.Blank("service")
		dataset = rdf.Blank("dataset")
		graph   = rdf.Blank("graph")
		a       = rdf.IRI(rdf.RDF + "type")
		out     []rdf.Quad
	)
	name := func(local string) rdf.Term { return rdf.IRI(sd + local) }
	add := func(s, p, o rdf.Term) { out = append(out, rdf.Quad{S: s, P: p, O: o}) }
	add(service, a, name("Service"))
	path := x.r.URL.EscapedPath()
	if path == "/" {
		path = "/sparql"
	}
	add(service, name("endpoint"), rdf.IRI(x.address+path))
	add(service, name("supportedLanguage"), name("SPARQL11Query"))
	if x.s.store.Writable() {
		add(service, name("supportedLanguage"), name("SPARQL11Update"))
	}
	if x.s.opt.UnionDefaultGraph {
		add(service, name("feature"), name("UnionDefaultGraph"))
	}
	if x.s.remote.any {
		add(service, name("feature"), name("BasicFederatedQuery"))
	}
	for _, f := range formatIRIs.results {
		add(service, name("resultFormat"), rdf.IRI(formats+f))
	}
	for _, f := range formatIRIs.input {
		add(service, name("inputFormat"), rdf.IRI(formats+f))
	}
	add(service, name("defaultDataset"), dataset)
	add(dataset, a, name("Dataset"))
	add(dataset, name("defaultGraph"), graph)
	add(graph, a, name("Graph"))
	return out
}
