package server_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// described is data that says what it is.
const described = `PREFIX void: <http://rdfs.org/ns/void#> PREFIX dcterms: <http://purl.org/dc/terms/> PREFIX : <http://ex/>
INSERT DATA { :data a void:Dataset ; dcterms:title "Shops" ; dcterms:license <http://ex/licence> . :ann a :Person ; :name "Ann" }`

const wellKnown = `@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix void: <http://rdfs.org/ns/void#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<http://data.example/.well-known/void> a void:DatasetDescription ;
    foaf:primaryTopic <http://ex/data> .
<http://ex/data> a void:Dataset ;
    void:sparqlEndpoint <http://data.example/sparql> ;
    dcterms:title "Shops" ;
    dcterms:license <http://ex/licence> ;
    void:triples 5 ;
    void:properties 4 ;
    void:classes 2 ;
    void:vocabulary dcterms: , <http://www.w3.org/1999/02/22-rdf-syntax-ns#> , <http://ex/> ;
    void:classPartition _:c0 , _:c1 ;
    void:propertyPartition _:p0 , _:p1 , _:p2 , _:p3 .
_:c0 void:class <http://ex/Person> ;
    void:entities 1 .
_:c1 void:class void:Dataset ;
    void:entities 1 .
_:p0 void:property <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ;
    void:triples 2 .
_:p1 void:property <http://ex/name> ;
    void:triples 1 .
_:p2 void:property dcterms:license ;
    void:triples 1 .
_:p3 void:property dcterms:title ;
    void:triples 1 .
`

// TestCards: the service description and /.well-known/void tell what is in the data now.
func TestCards(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), &server.Options{PublicURL: "http://data.example"})
	if a := ask(t, "GET", srv.URL+"/sparql", ""); a.status != 200 || !strings.Contains(a.body, "void:triples 0") {
		t.Errorf("of no data: %d\n%s", a.status, a.body)
	}
	if _, err := db.Update(t.Context(), described); err != nil {
		t.Fatal(err)
	}
	a := ask(t, "GET", srv.URL+"/.well-known/void", "")
	if a.status != 200 || a.body != wellKnown {
		t.Errorf("%d\n%s", a.status, a.body)
	}
	tag := a.header.Get("ETag")
	if b := ask(t, "GET", srv.URL+"/.well-known/void", "", "If-None-Match", tag); b.status != 304 || tag == "" {
		t.Errorf("%d, %q", b.status, tag)
	}
	if b := ask(t, "HEAD", srv.URL+"/.well-known/void", ""); b.status != 200 || b.body != "" || b.header.Get("ETag") != tag {
		t.Errorf("HEAD: %d %v", b.status, b.header)
	}
	if b := ask(t, "GET", srv.URL+"/.well-known/void?format=jsonld", ""); b.status != 200 || !strings.Contains(b.body, `"Shops"`) {
		t.Errorf("%d\n%s", b.status, b.body)
	}
	if b := ask(t, "POST", srv.URL+"/.well-known/void", "x"); b.status != 405 {
		t.Errorf("POST: %d", b.status)
	}
	a = ask(t, "GET", srv.URL+"/sparql", "")
	for _, want := range []string{`dcterms:title "Shops" ;`, "dcterms:license <http://ex/licence>", "void:triples 5 ;"} {
		if a.status != 200 || !strings.Contains(a.body, want) {
			t.Errorf("%d, without %s\n%s", a.status, want, a.body)
		}
	}
	if _, err := db.Update(t.Context(), `INSERT DATA { <http://ex/bob> <http://ex/name> "Bob" }`); err != nil {
		t.Fatal(err)
	}
	if b := ask(t, "GET", srv.URL+"/.well-known/void", "", "If-None-Match", tag); b.status != 200 || !strings.Contains(b.body, "void:triples 6") {
		t.Errorf("after a write: %d\n%s", b.status, b.body)
	}
}

// TestCardsOfUnion: counts of the default graph are not said of the union of all.
func TestCardsOfUnion(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), &server.Options{UnionDefaultGraph: true})
	if a := ask(t, "GET", srv.URL+"/sparql", ""); a.status != 200 || strings.Contains(a.body, "void:triples") {
		t.Errorf("%d\n%s", a.status, a.body)
	}
}

// TestNoCards: data without a summary has no description, and a store that fails has one of the service alone.
func TestNoCards(t *testing.T) {
	srv, store := startFake(t, people, nil)
	if a := ask(t, "GET", srv.URL+"/.well-known/void", ""); a.status != 404 || !strings.Contains(a.body, "no summary") {
		t.Errorf("%d\n%s", a.status, a.body)
	}
	store.failing = errors.New("gone")
	if a := ask(t, "GET", srv.URL+"/sparql", ""); a.status != 200 || !strings.Contains(a.body, "sd:endpoint") {
		t.Errorf("%d\n%s", a.status, a.body)
	}
	if a := ask(t, "GET", srv.URL+"/.well-known/void", ""); a.status != 500 {
		t.Errorf("%d\n%s", a.status, a.body)
	}
	tokens := start(t, &fakeStore{data: readText(t, people)}, &server.Options{Anonymous: server.ScopeNone, Tokens: new(server.Tokens)})
	if a := ask(t, "GET", tokens.URL+"/.well-known/void", ""); a.status != 401 {
		t.Errorf("without a token: %d\n%s", a.status, a.body)
	}
}
