package document_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
)

// A blank node has the same name each time its document is read, and no other document gives it.
func Example() {
	ctx := context.Background()
	for range 2 {
		doc, err := document.Read(ctx, &document.Source{
			ReadCloser: io.NopCloser(strings.NewReader(`[] <http://ex/name> "Ann" .`)),
			Name:       "people.ttl", // tells the syntax
		}, document.Limits{})
		if err != nil {
			log.Fatal(err)
		}
		quads, err := doc.Quads(ctx)
		if err != nil {
			log.Fatal(err)
		}
		var q rdf.RawQuad
		for {
			err := quads.Read(&q)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				log.Fatal(err) // *rdf.SyntaxError
			}
			fmt.Println(q.Quad())
		}
		doc.Close()
	}
	// Output:
	// _:b879e773ebd39a50cn000000001 <http://ex/name> "Ann" .
	// _:b879e773ebd39a50cn000000001 <http://ex/name> "Ann" .
}
