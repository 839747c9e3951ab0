package rete_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

const people = `
PREFIX : <http://ex/>
PREFIX foaf: <http://xmlns.com/foaf/0.1/>
:ann foaf:name "Ann" ; foaf:age 41 ; foaf:knows :bob , :cleo .
:bob foaf:name "Bob" ; foaf:age 35 .
:cleo foaf:name "Cléo" .`

// initPeople makes a small graph in a temporary directory.
func initPeople(ctx context.Context) (name string, remove func()) {
	dir, err := os.MkdirTemp("", "rete")
	if err != nil {
		log.Fatal(err)
	}
	name = filepath.Join(dir, "people.rete-manifest.json")
	db, err := engine.Init(ctx, name, &engine.InitOptions{
		Bases: []engine.Source{{Name: "people.ttl", Reader: strings.NewReader(people)}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := db.Close(); err != nil {
		log.Fatal(err)
	}
	return name, func() { os.RemoveAll(dir) }
}

func Example() {
	ctx := context.Background()
	name, remove := initPeople(ctx)
	defer remove()

	db, err := rete.Open(ctx, name, nil) // nil: the defaults
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	rows, err := db.Query(ctx, `
		PREFIX foaf: <http://xmlns.com/foaf/0.1/>
		SELECT ?name ?age { ?p foaf:name ?who ; foaf:knows ?f . ?f foaf:name ?name OPTIONAL { ?f foaf:age ?age } }
		ORDER BY ?name`, sparql.Bind("who", "Ann"))
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range rows.All() { // the end closes rows
		if err != nil {
			log.Fatal(err) // never just fewer rows
		}
		var friend struct {
			Name string `rete:"name"`
			Age  *int   `rete:"age"` // nil: unbound
		}
		if err := row.Scan(&friend); err != nil {
			log.Fatal(err)
		}
		if friend.Age == nil {
			fmt.Println(friend.Name)
		} else {
			fmt.Println(friend.Name, *friend.Age)
		}
	}
	// Output:
	// Bob 35
	// Cléo
}

func ExampleSnapshot_WriteTo() {
	ctx := context.Background()
	name, remove := initPeople(ctx)
	defer remove()
	db, err := rete.Open(ctx, name, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	q, err := sparql.Parse(`SELECT ?n { ?p <http://xmlns.com/foaf/0.1/age> ?n } ORDER BY ?n`, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := snap.WriteTo(ctx, os.Stdout, sparql.JSON, q); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"head":{"vars":["n"]},"results":{"bindings":[
	// {"n":{"type":"literal","value":"35","datatype":"http://www.w3.org/2001/XMLSchema#integer"}},
	// {"n":{"type":"literal","value":"41","datatype":"http://www.w3.org/2001/XMLSchema#integer"}}
	// ]}}
}

// A syntax error knows its place.
func ExampleDB_Snapshot_syntaxError() {
	_, err := sparql.Parse("SELECT ?x { ?x ?y }", nil)
	fmt.Println(err)
	// Output: 1:19: expected term or variable, found "}"
}

func ExampleDB_Write() {
	ctx := context.Background()
	name, remove := initPeople(ctx)
	defer remove()
	db, err := rete.Open(ctx, name, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	const birthday = `
		PREFIX foaf: <http://xmlns.com/foaf/0.1/>
		DELETE { ?p foaf:age ?age } INSERT { ?p foaf:age ?next }
		WHERE  { ?p foaf:name ?who ; foaf:age ?age BIND(?age + 1 AS ?next) }`
	foaf := func(name string) rdf.Term { return rdf.IRI("http://xmlns.com/foaf/0.1/" + name) }
	cleo := rdf.IRI("http://ex/cleo")
	done, err := db.Write(ctx, func(tx *rete.Tx) error { // all of it or nothing
		if err := tx.Insert(ctx, rdf.Quad{S: cleo, P: foaf("age"), O: rdf.Integer(29)}); err != nil {
			return err
		}
		return tx.Update(ctx, birthday, sparql.Bind("who", "Cléo")) // sees the insert
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Changes, "change")

	rows, err := db.Query(ctx, `SELECT ?age { <http://ex/cleo> <http://xmlns.com/foaf/0.1/age> ?age }`)
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		var age int
		if err := row.Scan(&age); err != nil {
			log.Fatal(err)
		}
		fmt.Println(age)
	}
	// Output:
	// 1 change
	// 30
}

func ExampleSnapshot_Match() {
	ctx := context.Background()
	name, remove := initPeople(ctx)
	defer remove()
	db, err := rete.Open(ctx, name, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	knows, any := rdf.IRI("http://xmlns.com/foaf/0.1/knows"), rdf.Term{}
	for q, err := range snap.Match(ctx, rdf.IRI("http://ex/ann"), knows, any, any) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(q.O)
	}
	// Output:
	// <http://ex/bob>
	// <http://ex/cleo>
}
