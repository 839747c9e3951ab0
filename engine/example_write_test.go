package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
)

func ExampleDB_Write() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()

	ada, age := rdf.IRI("http://example.org/ada"), rdf.IRI("http://example.org/age")
	result, err := db.Write(ctx, nil, func(tx *engine.Tx) error { // all or nothing
		if err := tx.Delete(ctx, []rdf.Quad{{S: ada, P: age, O: rdf.Integer(36)}}); err != nil {
			return err
		}
		return tx.Insert(ctx, []rdf.Quad{{S: ada, P: age, O: rdf.Integer(37)}})
	})
	if errors.Is(err, engine.ErrUnknownOutcome) {
		log.Fatal("look whether the graph is in state ", result.State)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Changes, "changes, batch", result.Batch)

	snap, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	err = snap.SortedQuads(ctx, func(q *rdf.RawQuad) error {
		fmt.Println(q.Quad())
		return nil
	})
	fmt.Println(err)
	// Output:
	// 2 changes, batch 1
	// <http://example.org/ada> <http://example.org/age> "37"^^<http://www.w3.org/2001/XMLSchema#integer> .
	// <http://example.org/ada> <http://example.org/knows> <http://example.org/bob> .
	// <nil>
}

func ExampleDB_Seal() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()

	if _, err := db.Write(ctx, nil, func(tx *engine.Tx) error {
		return tx.Insert(ctx, []rdf.Quad{{S: rdf.IRI("http://example.org/bob"), P: rdf.IRI("http://example.org/age"), O: rdf.Integer(50)}})
	}); err != nil {
		log.Fatal(err)
	}
	m, err := db.Seal(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("generation", m.Generation, "has", len(m.Log), "entries")
	_, err = db.Seal(ctx, nil)
	fmt.Println(errors.Is(err, engine.ErrNothingToSeal))
	// Output:
	// generation 2 has 2 entries
	// true
}
