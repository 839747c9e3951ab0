package stats_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/rdf"
)

func ExampleCollect() {
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
	ann := rdf.IRI("http://example.org/ann")
	_, err = db.Write(ctx, func(tx *rete.Tx) error {
		return tx.Insert(ctx, rdf.Quad{S: ann, P: rdf.IRI(rdf.RDF + "type"), O: rdf.IRI("http://example.org/Person")},
			rdf.Quad{S: ann, P: rdf.IRI("http://example.org/age"), O: rdf.Integer(41)})
	})
	if err != nil {
		log.Fatal(err)
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	s, err := stats.Collect(ctx, snap.Engine(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Quads, "quads")
	for _, c := range s.Classes.Entries {
		fmt.Println(c.Term, c.Quads)
	}
	// Output:
	// 2 quads
	// <http://example.org/Person> 1
}
