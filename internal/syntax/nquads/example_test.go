package nquads_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

// What Read delivers is valid until the next Read: surfaces, without a copy.
func Example() {
	const text = "<http://ex/ann> <http://ex/age> \"41\" .\n<http://ex/bob> <http://ex/age> \"35\" <http://ex/g> .\n"
	r := nquads.NewReader(strings.NewReader(text), rdf.Options{File: "ages.nq"})
	var q rdf.RawQuad
	for {
		err := r.Read(&q)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err) // *rdf.SyntaxError: ages.nq:3:17: …
		}
		fmt.Printf("%s %s in %q\n", q.S, q.O, q.G)
	}
	// Output:
	// <http://ex/ann> "41" in ""
	// <http://ex/bob> "35" in "<http://ex/g>"
}
