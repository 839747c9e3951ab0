package textsearch_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/rdf"
)

func ExampleSearch() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "rete")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := rete.Create(ctx, filepath.Join(dir, "people.rete-manifest.json"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	_, err = db.Write(ctx, func(tx *rete.Tx) error {
		name := rdf.IRI("http://example.org/name")
		return tx.Insert(ctx, rdf.Quad{S: rdf.IRI("http://example.org/ann"), P: name, O: rdf.String("Ann from Berlin")},
			rdf.Quad{S: rdf.IRI("http://example.org/bob"), P: name, O: rdf.String("Bob from Bern")})
	})
	if err != nil {
		log.Fatal(err)
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	for hit, err := range textsearch.Search(ctx, snap.Engine(), dataset.Graphs{}, "from ber*", 10, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f %v %v\n", hit.Score, hit.Subject, hit.Literal)
	}
	// Output:
	// 1.50 <http://example.org/ann> "Ann from Berlin"
	// 1.50 <http://example.org/bob> "Bob from Bern"
}
