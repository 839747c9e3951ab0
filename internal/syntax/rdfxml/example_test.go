package rdfxml_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/rete-go/rete/internal/syntax/rdfxml"
	"github.com/rete-go/rete/rdf"
)

func Example() {
	const text = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://ex/">
  <ex:Person rdf:about="http://ex/ann"><ex:name>Ann</ex:name></ex:Person>
</rdf:RDF>`
	quads, err := rdf.ReadAll(rdfxml.NewReader(strings.NewReader(text), rdf.Options{}))
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range quads {
		fmt.Println(q)
	}
	// Output:
	// <http://ex/ann> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://ex/Person> .
	// <http://ex/ann> <http://ex/name> "Ann" .
}
