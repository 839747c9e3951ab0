package segment_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/segment"
)

// A segment is built from a document, opened under its pin, described and checked.
func Example() {
	ctx := context.Background()
	doc := `
<http://ex/a> <http://ex/knows> <http://ex/b> .
<http://ex/b> <http://ex/name> "Bob"@en .
`
	b := segment.NewBuilder(nil)
	if err := b.AddInput(ctx, "doc.nt", strings.NewReader(doc), rdfio.Unknown, rdf.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	built, err := b.WriteTo(ctx, &file)
	if err != nil {
		fmt.Println(err)
		return
	}

	s, err := segment.Open(ctx, blob.Bytes("doc.rete", file.Bytes()), &segment.Options{Pin: built.Pin()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	d, err := s.Describe(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Quads, "quads,", d.Predicates, "predicates")
	fmt.Println("verified:", s.Verify(ctx, nil) == nil)
	// Output:
	// 2 quads, 2 predicates
	// verified: true
}

// A program that makes quads gives them to a builder, in any order.
func ExampleBuilder_AddQuads() {
	ctx := context.Background()
	people := func(yield func(rdf.Quad, error) bool) {
		for i, name := range []string{"Ann", "Bob", "Ann"} {
			q := rdf.Quad{S: rdf.IRI("http://ex/" + name), P: rdf.IRI("http://ex/line"), O: rdf.Integer(int64(i))}
			if !yield(q, nil) {
				return
			}
		}
	}
	b := segment.NewBuilder(nil)
	if err := b.AddQuads(ctx, people, rdf.Document); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	built, err := b.WriteTo(ctx, &file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(built.Quads, int64(file.Len()) == built.Size)
	// Output: 3 true
}
