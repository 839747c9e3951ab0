package jsonld_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/rdfgen"
	"github.com/rete-go/rete/internal/syntax/jsonld"
	"github.com/rete-go/rete/rdf"
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
	if err := rdf.WriteAll(jsonld.NewWriter(&out, nil), quads); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	q := rdf.Quad{S: s, P: p, O: rdf.TripleTerm(s, p, s)}
	if err := rdf.WriteAll(jsonld.NewWriter(&out, nil), []rdf.Quad{q}); err == nil || !strings.Contains(err.Error(), "<<( <a:s>") {
		t.Errorf("error %v for a triple term", err)
	}
	out.Reset()
	if err := rdf.WriteAll(jsonld.NewWriter(&out, nil), nil); err != nil || out.String() != "[\n]\n" {
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
		if err := rdf.WriteAll(jsonld.NewWriter(&out, nil), quads); err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(out.Bytes()))
		back, err := array(d, rdf.Term{}, nil)
		if err != nil || !slices.Equal(back, quads) {
			t.Fatalf("%v\nwritten as\n%s\ncame back as\n%v, %v", quads, out.String(), back, err)
		}
	})
}

// names are prefixes whose namespaces and schemes the IRIs of the test begin with.
var names = map[string]string{
	"": "http://ex/left/out/", "a": "http://ex/", "ab": "http://ex/a", "urn": "urn:", "http": "http://ex/h/", "ex": "ex:x", "xsd": rdf.XSD, "p": "a:",
	"sch": "http:",
}

// TestContext: with prefixes the document stands for the same statements too, by the rules of
// JSON-LD 1.1 for compact IRIs (IRI expansion, 5.2).
func TestContext(t *testing.T) {
	iris := []string{"http://ex/a", "http://ex/", "http://ex/ab", "http://ex//x", "urn:x", "urn:a:b", "ex:x", "ex:y", "a:b", "p:q", "http:x", "a://b", "http://other/", rdf.RDF + "type", rdf.XSD + "integer", "sch:a"}
	term := rapid.Map(rapid.SampledFrom(iris), rdf.IRI)
	rapid.Check(t, func(t *rapid.T) {
		var quads []rdf.Quad
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			q := rdf.Quad{S: term.Draw(t, "s"), P: term.Draw(t, "p"), O: term.Draw(t, "o")}
			switch rapid.IntRange(0, 3).Draw(t, "object") {
			case 0:
				q.O = rdf.Typed("x", rapid.SampledFrom(iris).Draw(t, "datatype"))
			case 1:
				q.O = rdf.String("ex:y")
			}
			if rapid.Bool().Draw(t, "named") {
				q.G = term.Draw(t, "g")
			}
			if n := len(quads); n > 0 && rapid.Bool().Draw(t, "same") {
				q.S, q.G = quads[n-1].S, quads[n-1].G
			}
			quads = append(quads, q)
		}
		var out bytes.Buffer
		if err := rdf.WriteAll(jsonld.NewWriter(&out, names), quads); err != nil {
			t.Fatal(err)
		}
		back, err := document(out.Bytes())
		if err != nil || !slices.Equal(back, quads) {
			t.Fatalf("%v\nwritten as\n%s\ncame back as\n%v, %v", quads, out.String(), back, err)
		}
	})
	var out bytes.Buffer
	q := []rdf.Quad{{S: rdf.IRI("http://ex/b"), P: rdf.IRI("http://ex/p"), O: rdf.Integer(1)}}
	if err := rdf.WriteAll(jsonld.NewWriter(&out, map[string]string{"a": "http://ex/", "x": "http://other", "": "http://ex/"}), q); err != nil {
		t.Fatal(err)
	}
	const want = `{"@context":{
"a":"http://ex/",
"x":{"@id":"http://other","@prefix":true}},
"@graph":[
{"@id":"a:b","a:p":[{"@value":"1","@type":"http://www.w3.org/2001/XMLSchema#integer"}]}
]}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// document reads a document with a context.
func document(text []byte) ([]rdf.Quad, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	for _, want := range []json.Token{json.Delim('{'), "@context"} {
		if err := expect(d, want); err != nil {
			return nil, err
		}
	}
	var declared map[string]any
	if err := d.Decode(&declared); err != nil {
		return nil, err
	}
	context := map[string]string{}
	for name, value := range declared {
		switch v := value.(type) {
		case string:
			if !strings.ContainsAny(v[len(v)-1:], ":/?#[]@") {
				return nil, fmt.Errorf("%s is no prefix in a context", v)
			}
			context[name] = v
		case map[string]any:
			if v["@prefix"] == true {
				context[name] = v["@id"].(string)
			}
		}
	}
	if err := expect(d, "@graph"); err != nil {
		return nil, err
	}
	quads, err := array(d, rdf.Term{}, context)
	if err != nil {
		return nil, err
	}
	return quads, expect(d, json.Delim('}'))
}

// expand returns the IRI that a context makes of one.
func expand(iri string, context map[string]string) string {
	prefix, rest, ok := strings.Cut(iri, ":")
	if namespace := context[prefix]; ok && namespace != "" && prefix != "_" && !strings.HasPrefix(rest, "//") {
		return namespace + rest
	}
	return iri
}

// array reads the node objects of expanded form, keys in their order.
func array(d *json.Decoder, graph rdf.Term, outside map[string]string) (quads []rdf.Quad, err error) {
	if err := expect(d, json.Delim('[')); err != nil {
		return nil, err
	}
	for d.More() {
		var subject rdf.Term
		context := outside
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
			case "@context":
				if err := expect(d, nil); err != nil {
					return nil, err
				}
				context = nil
			case "@id":
				id, err := d.Token()
				if err != nil {
					return nil, err
				}
				subject = node(expand(id.(string), context))
			case "@graph":
				inner, err := array(d, subject, context)
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
					quads = append(quads, rdf.Quad{S: subject, P: rdf.IRI(rdf.RDF + "type"), O: node(expand(c, context)), G: graph})
				}
			default:
				var values []map[string]string
				if err := d.Decode(&values); err != nil {
					return nil, err
				}
				for _, v := range values {
					quads = append(quads, rdf.Quad{S: subject, P: node(expand(key.(string), context)), O: value(v, context), G: graph})
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

func value(v, context map[string]string) rdf.Term {
	switch {
	case v["@id"] != "":
		return node(expand(v["@id"], context))
	case v["@direction"] != "":
		return rdf.DirLangString(v["@value"], v["@language"], v["@direction"])
	case v["@language"] != "":
		return rdf.LangString(v["@value"], v["@language"])
	case v["@type"] != "":
		return rdf.Typed(v["@value"], expand(v["@type"], context))
	}
	return rdf.String(v["@value"])
}
