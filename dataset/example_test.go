package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/memory"
)

// A Dataset is asked by ids: terms are looked up, rows are scanned in batches of columns, and
// ids are decoded at the edge. A snapshot of package engine is a Dataset, as this one is.
func Example() {
	ctx := context.Background()
	ann, bob, knows := rdf.IRI("http://ex/ann"), rdf.IRI("http://ex/bob"), rdf.IRI("http://ex/knows")
	var b memory.Builder
	b.Add(rdf.Quad{S: ann, P: knows, O: bob})
	b.Add(rdf.Quad{S: bob, P: knows, O: ann})
	var ds dataset.Dataset = b.Build()

	ids := make([]dataset.ID, 2)
	if err := ds.Lookup(ctx, []rdf.Term{knows, bob}, ids); err != nil {
		log.Fatal(err)
	}
	pattern := dataset.Pattern{P: ids[0], O: ids[1]} // of the default graph
	cursor, err := ds.Scan(ctx, pattern, ds.Orders(pattern)[0], nil)
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close()
	var rows dataset.Batch
	for {
		err := cursor.Next(ctx, &rows)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		var terms dataset.Terms
		if err := ds.Decode(ctx, rows.Col[dataset.S], &terms); err != nil { // ascending and distinct here
			log.Fatal(err)
		}
		for i := range rows.N {
			fmt.Printf("%s\n", terms.At(i))
		}
	}
	// Output: <http://ex/ann>
}
