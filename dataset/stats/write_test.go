package stats_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// described are statistics of a few quads.
func described(t *testing.T) *stats.Stats {
	t.Helper()
	db := open(t, &engine.InitOptions{})
	a, b := rdf.IRI(ex+"a"), rdf.IRI(ex+"b")
	change(t, db, []rdf.Quad{
		{S: a, P: rdf.IRI(rdf.RDF + "type"), O: rdf.IRI(ex + "C")},
		{S: a, P: rdf.IRI(ex + "name"), O: rdf.LangString("A", "en")},
		{S: b, P: rdf.IRI(ex + "name"), O: rdf.String("B")},
		{S: b, P: rdf.IRI(ex + "knows"), O: a, G: rdf.IRI(ex + "g")},
	}, nil)
	return collect(t, db, nil)
}

func TestVoID(t *testing.T) {
	var out bytes.Buffer
	if err := described(t).WriteVoID(&out, ex+"data"); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	blanks := map[string]string{} // what a blank node is about, by its label
	read := func(f func(s, p, o string)) {
		doc, err := rdfio.Open("void.ttl", strings.NewReader(out.String()), rdfio.Turtle, rdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for {
			var q rdf.RawQuad
			if err := doc.Read(&q); err == io.EOF {
				return
			} else if err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			f(string(q.S), strings.TrimPrefix(strings.TrimPrefix(strings.Trim(string(q.P), "<>"), "http://rdfs.org/ns/void#"), "http://ldf.fi/void-ext#"), string(q.O))
		}
	}
	read(func(s, p, o string) {
		switch p {
		case "class", "property", "datatype", "language":
			blanks[s] = p + " " + o
		}
	})
	read(func(s, p, o string) {
		if about, ok := blanks[s]; ok {
			s = about
		}
		got[s+" "+p+" "+strings.TrimSuffix(o, "^^<"+rdf.XSDInteger+">")] = true
	})
	for _, want := range []string{
		`<http://example.org/data> triples "4"`,
		`<http://example.org/data> properties "3"`,
		`<http://example.org/data> classes "1"`,
		`<http://example.org/data> distinctSubjects "2"`,
		`<http://example.org/data> subset <http://example.org/g>`,
		`<http://example.org/g> triples "1"`,
		`class <http://example.org/C> entities "1"`,
		`property <http://example.org/name> triples "2"`,
		`datatype <` + rdf.LangStringIRI + `> triples "1"`,
		`language "en" triples "1"`,
	} {
		if !got[want] {
			t.Errorf("%s is not in\n%s", want, &out)
		}
	}
}

func TestJSON(t *testing.T) {
	s := described(t)
	s.State = "x"
	text, err := json.Marshal(s)
	want := `{"state":"x","quads":4,"default_graph":3,"named_graphs":{"distinct":1,"list":[{"graph":"http://example.org/g","quads":1}]},` +
		`"classes":{"distinct":1,"list":[{"class":"http://example.org/C","quads":1}]},` +
		`"predicates":{"distinct":3,"list":[{"predicate":"http://example.org/name","quads":2},{"predicate":"http://example.org/knows","quads":1},` +
		`{"predicate":"http://www.w3.org/1999/02/22-rdf-syntax-ns#type","quads":1}]},` +
		`"literals":{"distinct":2,"quads":2,"datatypes":{"distinct":2,"list":[` +
		`{"datatype":"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString","literals":1,"quads":1},` +
		`{"datatype":"http://www.w3.org/2001/XMLSchema#string","literals":1,"quads":1}]},` +
		`"languages":{"distinct":1,"list":[{"language":"en","literals":1,"quads":1}]}},` +
		`"subjects":{"distinct":2,"list":[{"quads":2,"subject":"http://example.org/a"},{"quads":2,"subject":"http://example.org/b"}]}}`
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, text, want)
	}
}
