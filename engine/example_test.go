package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf"
)

// exampleDB is a database of two people in a temporary directory.
func exampleDB(ctx context.Context) (db *engine.DB, done func()) {
	dir, err := os.MkdirTemp("", "rete")
	if err != nil {
		log.Fatal(err)
	}
	db, err = engine.Init(ctx, filepath.Join(dir, "people"+manifest.Suffix), &engine.InitOptions{
		Bases: []engine.Source{{Name: "people.ttl", Reader: strings.NewReader(`
			@prefix : <http://example.org/> .
			:ada :knows :bob ; :age 36 .`)}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	return db, func() {
		db.Close()
		os.RemoveAll(dir)
	}
}

func ExampleOpen() {
	ctx := context.Background()
	made, done := exampleDB(ctx)
	defer done()

	db, err := engine.Open(ctx, made.Name(), nil) // or a URL, or one .rete file
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	n, err := snap.Len(ctx)
	fmt.Println("generation", snap.Generation(), "has", n, "quads", err)
	// Output: generation 1 has 2 quads <nil>
}

func ExampleSnapshot() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()

	before, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer before.Close()
	_, err = db.Add(ctx, []engine.Step{{
		Adds: &engine.Source{Name: "more.nt", Reader: strings.NewReader("<http://example.org/bob> <http://example.org/age> \"5\" .\n")},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	after, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer after.Close()
	for _, s := range []*engine.Snapshot{before, after} {
		n, err := s.Len(ctx)
		fmt.Println(s.Generation(), n, err)
	}
	// Output:
	// 1 2 <nil>
	// 2 3 <nil>
}

func ExampleView_Scan() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()

	// Who is known by whom? Terms are numbers inside a snapshot.
	knows := make([]dataset.ID, 1)
	if err := snap.Lookup(ctx, []rdf.Term{rdf.IRI("http://example.org/knows")}, knows); err != nil {
		log.Fatal(err)
	}
	p := dataset.Pattern{P: knows[0]}
	cur, err := snap.Scan(ctx, p, snap.Orders(p)[0], nil)
	if err != nil {
		log.Fatal(err)
	}
	defer cur.Close()
	var b dataset.Batch
	for {
		err := cur.Next(ctx, &b)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for row := range b.N {
			var terms dataset.Terms
			for _, col := range []dataset.Col{dataset.S, dataset.O} { // Decode wants ascending ids
				terms.Reset()
				if err := snap.Decode(ctx, []dataset.ID{b.Col[col][row]}, &terms); err != nil {
					log.Fatal(err)
				}
				fmt.Println(string(terms.At(0)))
			}
		}
	}
	// Output:
	// <http://example.org/ada>
	// <http://example.org/bob>
}

func ExampleSnapshot_Quads() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	for q, err := range snap.Quads(ctx, dataset.Pattern{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(q.Quad())
	}
	// Output:
	// <http://example.org/ada> <http://example.org/age> "36"^^<http://www.w3.org/2001/XMLSchema#integer> .
	// <http://example.org/ada> <http://example.org/knows> <http://example.org/bob> .
}

func ExampleDB_Add() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()

	m, err := db.Add(ctx, []engine.Step{{
		Dels: &engine.Source{Name: "old.nt", Reader: strings.NewReader("<http://example.org/ada> <http://example.org/knows> <http://example.org/bob> .\n")},
		Adds: &engine.Source{Name: "new.nt", Reader: strings.NewReader("<http://example.org/ada> <http://example.org/knows> <http://example.org/eve> .\n")},
	}}, &engine.AddOptions{CommitOptions: manifest.CommitOptions{Note: "eve instead of bob"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("generation", m.Generation, "entries", len(m.Log), m.Note)
	for c, err := range db.Diff(ctx, 1, 2) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Added, string(c.Quad.O))
	}
	// Unordered output:
	// generation 2 entries 2 eve instead of bob
	// false <http://example.org/bob>
	// true <http://example.org/eve>
}

func ExampleDB_Compact() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()
	_, err := db.Add(ctx, []engine.Step{{
		Adds: &engine.Source{Name: "more.nt", Reader: strings.NewReader("<http://example.org/bob> <http://example.org/age> \"5\" .\n")},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := db.Compact(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("generation", m.Generation, "entries", len(m.Log), "quads", *m.Log[0].Adds.Quads)
	// Output: generation 3 entries 1 quads 3
}

func ExampleDB_Write() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()

	ada, age := rdf.IRI("http://example.org/ada"), rdf.IRI("http://example.org/age")
	result, err := db.Write(ctx, nil, func(tx *engine.Tx) error { // all or nothing
		if err := tx.Delete(ctx, []rdf.Quad{{S: ada, P: age, O: rdf.Integer(36)}}...); err != nil {
			return err
		}
		return tx.Insert(ctx, rdf.Quad{S: ada, P: age, O: rdf.Integer(37)})
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
	for q, err := range snap.SortedQuads(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(q.Quad())
	}
	// Output:
	// 2 changes, batch 1
	// <http://example.org/ada> <http://example.org/age> "37"^^<http://www.w3.org/2001/XMLSchema#integer> .
	// <http://example.org/ada> <http://example.org/knows> <http://example.org/bob> .
}

func ExampleDB_Seal() {
	ctx := context.Background()
	db, done := exampleDB(ctx)
	defer done()

	if _, err := db.Write(ctx, nil, func(tx *engine.Tx) error {
		return tx.Insert(ctx, rdf.Quad{S: rdf.IRI("http://example.org/bob"), P: rdf.IRI("http://example.org/age"), O: rdf.Integer(50)})
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
