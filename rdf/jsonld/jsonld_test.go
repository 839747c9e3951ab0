package jsonld_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/internal/rdfgen"
	"github.com/rete-go/rete/rdf/jsonld"
	"pgregory.net/rapid"
)

func TestSpelling(t *testing.T) {
	s, p, g := rdf.IRI("a:s"), rdf.IRI("a:p"), rdf.IRI("a:g")
	a := rdf.IRI(rdf.RDF + "type")
	quads := []rdf.Quad{
		{S: s, P: a, O: rdf.IRI("a:C")},
		{S: s, P: a, O: rdf.String("odd")},
		{S: s, P: p, O: rdf.String("\"\n\x01é")},
		{S: s, P: p, O: rdf.Integer(1)},
		{S: s, P: a, O: rdf.Blank("c")},
		{S: s, P: p, O: rdf.DirLangString("x", "he", "rtl"), G: g},
		{S: rdf.Blank("b"), P: p, O: s, G: g},
		{S: s, P: p, O: rdf.LangString("x", "en"), G: rdf.Blank("h")},
		{S: s, P: p, O: s},
	}
	const want = `[
{"@id":"a:s","@type":["a:C"],"http://www.w3.org/1999/02/22-rdf-syntax-ns#type":[{"@value":"odd"}],"a:p":[{"@value":"\"\n\u0001é"},{"@value":"1","@type":"http://www.w3.org/2001/XMLSchema#integer"}]},
{"@id":"a:s","@type":["_:c"]},
{"@id":"a:g","@graph":[
{"@id":"a:s","a:p":[{"@value":"x","@language":"he","@direction":"rtl"}]},
{"@id":"_:b","a:p":[{"@id":"a:s"}]}]},
{"@id":"_:h","@graph":[
{"@id":"a:s","a:p":[{"@value":"x","@language":"en"}]}]},
{"@id":"a:s","a:p":[{"@id":"a:s"}]}
]
`
	var out bytes.Buffer
	if err := rdf.WriteAll(jsonld.NewWriter(&out), quads); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	q := rdf.Quad{S: s, P: p, O: rdf.TripleTerm(s, p, s)}
	if err := rdf.WriteAll(jsonld.NewWriter(&out), []rdf.Quad{q}); err == nil || !strings.Contains(err.Error(), "<<( <a:s>") {
		t.Errorf("error %v for a triple term", err)
	}
	out.Reset()
	if err := rdf.WriteAll(jsonld.NewWriter(&out), nil); err != nil || out.String() != "[\n]\n" {
		t.Errorf("no statements: %q, %v", out.String(), err)
	}
}

// What is written is JSON and stands for the same statements in the same order.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var quads []rdf.Quad
		for _, q := range rapid.SliceOf(rdfgen.Quad(true)).Draw(t, "quads") {
			if q.O.Kind() == rdf.KindTriple {
				continue
			}
			if n := len(quads); n > 0 {
				switch rapid.IntRange(0, 3).Draw(t, "same") {
				case 0:
					q.S, q.P, q.G = quads[n-1].S, quads[n-1].P, quads[n-1].G
				case 1:
					q.S, q.G = quads[n-1].S, quads[n-1].G
				case 2:
					q.G, q.P = quads[n-1].G, rdf.IRI(rdf.RDF+"type")
				}
			}
			quads = append(quads, q)
		}
		var out bytes.Buffer
		if err := rdf.WriteAll(jsonld.NewWriter(&out), quads); err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(out.Bytes()))
		back, err := array(d, rdf.Term{})
		if err != nil || !slices.Equal(back, quads) {
			t.Fatalf("%v\nwritten as\n%s\ncame back as\n%v, %v", quads, out.String(), back, err)
		}
	})
}

// array reads the node objects of expanded form, keys in their order.
func array(d *json.Decoder, graph rdf.Term) (quads []rdf.Quad, err error) {
	if err := expect(d, json.Delim('[')); err != nil {
		return nil, err
	}
	for d.More() {
		var subject rdf.Term
		if err := expect(d, json.Delim('{')); err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			if seen[key.(string)] {
				return nil, fmt.Errorf("key %s twice", key)
			}
			seen[key.(string)] = true
			switch key {
			case "@id":
				id, err := d.Token()
				if err != nil {
					return nil, err
				}
				subject = node(id.(string))
			case "@graph":
				inner, err := array(d, subject)
				if err != nil {
					return nil, err
				}
				quads = append(quads, inner...)
			case "@type":
				var classes []string
				if err := d.Decode(&classes); err != nil {
					return nil, err
				}
				for _, c := range classes {
					quads = append(quads, rdf.Quad{S: subject, P: rdf.IRI(rdf.RDF + "type"), O: node(c), G: graph})
				}
			default:
				var values []map[string]string
				if err := d.Decode(&values); err != nil {
					return nil, err
				}
				for _, v := range values {
					quads = append(quads, rdf.Quad{S: subject, P: node(key.(string)), O: value(v), G: graph})
				}
			}
		}
		if err := expect(d, json.Delim('}')); err != nil {
			return nil, err
		}
	}
	return quads, expect(d, json.Delim(']'))
}

func expect(d *json.Decoder, want json.Token) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v, want %v", got, want)
	}
	return err
}

func node(id string) rdf.Term {
	if label, ok := strings.CutPrefix(id, "_:"); ok {
		return rdf.Blank(label)
	}
	return rdf.IRI(id)
}

func value(v map[string]string) rdf.Term {
	switch {
	case v["@id"] != "":
		return node(v["@id"])
	case v["@direction"] != "":
		return rdf.DirLangString(v["@value"], v["@language"], v["@direction"])
	case v["@language"] != "":
		return rdf.LangString(v["@value"], v["@language"])
	case v["@type"] != "":
		return rdf.Typed(v["@value"], v["@type"])
	}
	return rdf.String(v["@value"])
}
