package segment_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/tile"
)

// A segment is built from documents, opened under its pin, and scanned.
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
	name := make([]uint32, 1)
	if err := s.Locate(ctx, segment.Predicates, [][]byte{[]byte("<http://ex/name>")}, name); err != nil {
		fmt.Println(err)
		return
	}
	scan, err := s.Scan(ctx, 0, tile.POS, name...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		run, err := scan.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		for i := run.Lo; i < run.Hi; i++ {
			_, object, _ := run.Tile.Row(i)
			sec, id, _ := s.Counts().Split(s.Counts().ObjectNode(object))
			var terms dataset.Terms
			if err := s.Decode(ctx, sec, []uint32{id}, &terms); err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(string(terms.At(0)))
		}
	}
	// Output: "Bob"@en
}
