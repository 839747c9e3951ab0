package server

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/card"
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
	v, coding, err := x.chooseForm(q.format, graphVariants)
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
		known, c := map[string]string{"sd": sd, "formats": formats}, x.described()
		if c != nil {
			known["void"], known["dcterms"], known["xsd"] = card.VoID, card.DCT, rdf.XSD
		}
		rw, err := rdfio.NewWriter(w, f, known)
		if err != nil {
			return err
		}
		return rdf.WriteAll(rw, x.description(c))
	})
}

// description returns the service description (SPARQL 1.1 Service Description). With a card it has counts of the
// default graph, unless that is the union of all.
func (x *exchange) description(c *card.Card) []rdf.Quad {
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
	if c != nil {
		out = append(out, c.Described(dataset)...)
		if !x.s.opt.UnionDefaultGraph {
			out = append(out, c.Counts(graph)...)
		}
	}
	return out
}

// card returns the card of a dataset, in no more than a time.
func (x *exchange) card(ds dataset.Dataset, limit time.Duration) (*card.Card, error) {
	ctx, stop := context.WithTimeoutCause(x.r.Context(), min(limit, x.s.opt.QueryTime), errTime)
	defer stop()
	start := time.Now()
	defer func() { x.worked += time.Since(start) }()
	memory, hold := x.s.consoleMemory(), (func(context.Context) (func(), error))(nil)
	if pool := x.s.opt.Pool; pool != nil {
		hold = func(ctx context.Context) (func(), error) { return pool.Hold(ctx, "a description of the data", memory) }
	}
	c, err := x.s.card.Of(ctx, ds, memory, hold)
	if err != nil && x.r.Context().Err() == nil {
		return nil, problemOf(ctx, err)
	}
	return c, err
}

// describeTime is how long a service description waits for the card, without which it is sent then.
const describeTime = 5 * time.Second

// described returns the card for the service description, nil where there is none: the description is answered
// whatever state the data is in.
func (x *exchange) described() *card.Card {
	snap, err := x.s.store.Snapshot(x.r.Context())
	if err == nil {
		defer snap.Close()
		var c *card.Card
		if c, err = x.card(snap.Dataset(), describeTime); err == nil {
			return c
		}
	}
	x.s.opt.Logger.Warn("service description without counts", "query_id", x.id, "error", err)
	return nil
}

// wellKnown is where a server tells of its datasets, by the Vocabulary of Interlinked Datasets.
const wellKnown = "/.well-known/void"

// void answers with a description of the data in that vocabulary.
func (x *exchange) void() error {
	if done, err := x.methods(http.MethodGet, http.MethodHead); done {
		return err
	}
	if err := x.allow(ScopeRead); err != nil {
		return err
	}
	values, err := parseQuery(x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	p, err := parseParams(values)
	if err != nil {
		return err
	}
	v, coding, err := x.chooseForm(p.format, graphVariants)
	if err != nil {
		return err
	}
	snap, err := x.s.store.Snapshot(x.r.Context())
	if err != nil {
		return err
	}
	defer snap.Close()
	state := snap.Dataset().State()
	tag := etag("void", state, x.url(), v.content, coding.name)
	if x.notModified(tag) {
		x.cacheHeaders(state, tag)
		return nil
	}
	c, err := x.card(snap.Dataset(), x.limit(p))
	if err != nil {
		return err
	}
	if c == nil {
		return noSuch("the data has no summary to describe it by; rete compact makes one")
	}
	x.cacheHeaders(state, tag)
	if x.r.Method == http.MethodHead {
		x.headAlone(v)
		return nil
	}
	return x.answer(x.r.Context(), v.content, coding, func(w io.Writer) error {
		f, err := rdfio.ParseFormat(v.format.MediaType())
		if err != nil {
			return err
		}
		rw, err := rdfio.NewWriter(w, f, map[string]string{"void": card.VoID, "dcterms": card.DCT, "foaf": foaf, "xsd": rdf.XSD})
		if err != nil {
			return err
		}
		return rdf.WriteAll(rw, x.voidOf(c))
	})
}

const foaf = "http://xmlns.com/foaf/0.1/"

// voidOf is the description of a dataset. It is called what the data calls it, or by the address of this description.
func (x *exchange) voidOf(c *card.Card) []rdf.Quad {
	document := x.address + wellKnown
	set, a := rdf.IRI(c.Dataset), rdf.IRI(rdf.RDF+"type")
	if c.Dataset == "" {
		set = rdf.IRI(document + "#dataset")
	}
	out := []rdf.Quad{
		{S: rdf.IRI(document), P: a, O: rdf.IRI(card.VoID + "DatasetDescription")},
		{S: rdf.IRI(document), P: rdf.IRI(foaf + "primaryTopic"), O: set},
		{S: set, P: a, O: rdf.IRI(card.VoID + "Dataset")},
		{S: set, P: rdf.IRI(card.VoID + "sparqlEndpoint"), O: rdf.IRI(x.address + "/sparql")},
	}
	out = append(out, c.Described(set)...)
	out = append(out, c.Counts(set)...)
	return append(out, c.Partitions(set)...)
}
