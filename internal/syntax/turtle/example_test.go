package turtle_test

import (
	"log"
	"os"
	"strings"

	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
)

// The prefixes of a document are known once it is read, and shorten what is written.
func Example() {
	r := turtle.NewReader(strings.NewReader(`PREFIX ex: <http://ex/>
ex:ann ex:knows ex:bob . ex:ann ex:age 41 .`), rdf.Options{})
	quads, err := rdf.ReadAll(r)
	if err != nil {
		log.Fatal(err)
	}
	if err := rdf.WriteAll(turtle.NewWriter(os.Stdout, r.Prefixes()), quads); err != nil {
		log.Fatal(err)
	}
	// Output:
	// @prefix ex: <http://ex/> .
	//
	// ex:ann ex:knows ex:bob ;
	//     ex:age 41 .
}
