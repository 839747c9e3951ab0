package rdf_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// Read Turtle and write it as N-Quads, a statement at a time.
func Example() {
	const text = `
PREFIX : <http://ex/>
:ann :name "Ann"@EN ; :age 041 ; :knows [ :name 'Bob' ] .
`
	r, err := rdfio.Open("people.ttl", strings.NewReader(text), rdfio.Unknown, rdf.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := rdfio.NewWriter(os.Stdout, rdfio.NQuads, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var q rdf.RawQuad
	for {
		if err := r.Read(&q); err != nil {
			break // io.EOF, or a *rdf.SyntaxError
		}
		if err := w.WriteQuad(&q); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <http://ex/ann> <http://ex/name> "Ann"@en .
	// <http://ex/ann> <http://ex/age> "041"^^<http://www.w3.org/2001/XMLSchema#integer> .
	// <http://ex/ann> <http://ex/knows> _:n000000001 .
	// _:n000000001 <http://ex/name> "Bob" .
}

// Errors say where and what.
func ExampleSyntaxError() {
	r, err := rdfio.Open("people.nt", strings.NewReader("<a:s> <a:p> \"1\" .\n<a:s> <a:p> oops ."), rdfio.Unknown, rdf.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = rdf.ReadAll(r)
	fmt.Println(err)
	// Output:
	// people.nt:2:13: expected an object (an IRI, a blank node, a literal or a triple term), found 'o'
}

func ExampleParseTerm() {
	a, _ := rdf.ParseTerm(`"caf\u00e9"^^<http://www.w3.org/2001/XMLSchema#string>`)
	b := rdf.String("café")
	fmt.Println(a == b, a.Surface(), a.Datatype())
	// Output:
	// true "café" http://www.w3.org/2001/XMLSchema#string
}
