package sparql_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
	"github.com/rete-go/rete/sparql/value"
)

// acquaintances is a small dataset in memory.
func acquaintances() dataset.Dataset {
	const text = `
		@prefix : <http://ex/> .
		:ann :name "Ann" ; :age 41 ; :knows :bob .
		:bob :name "Bob" ; :age 27 ; :knows :cat .
		:cat :name "Cat" ; :age 33 .`
	r, err := rdfio.Open("people", strings.NewReader(text), rdfio.Turtle, rdf.Options{})
	if err != nil {
		panic(err)
	}
	var b memory.Builder
	if err := b.AddReader(r); err != nil {
		panic(err)
	}
	return b.Build()
}

// A parsed query may be run many times; Bind puts a term in the place of a
// variable.
func ExampleSelect() {
	q := sparql.MustParse(`
		PREFIX : <http://ex/>
		SELECT ?name ?age { ?x :name ?who ; :knows+ ?y . ?y :name ?name ; :age ?age } ORDER BY ?age`)
	rows, err := sparql.Select(context.Background(), acquaintances(), q, sparql.Bind("who", "Ann"))
	if err != nil {
		panic(err)
	}
	for row, err := range rows.All() { // the end closes rows
		if err != nil {
			panic(err)
		}
		var name string
		var age int
		if err := row.Scan(&name, &age); err != nil {
			panic(err)
		}
		fmt.Println(name, age)
	}
	// Output:
	// Bob 27
	// Cat 33
}

func ExampleAsk() {
	q := sparql.MustParse(`PREFIX : <http://ex/> ASK { ?x :age ?a FILTER(?a > 40) }`)
	fmt.Println(sparql.Ask(context.Background(), acquaintances(), q))
	// Output: true <nil>
}

func ExampleConstruct() {
	q := sparql.MustParse(`PREFIX : <http://ex/> CONSTRUCT { ?y :knownBy ?x } { ?x :knows ?y } ORDER BY ?x`)
	triples, err := sparql.Construct(context.Background(), acquaintances(), q)
	if err != nil {
		panic(err)
	}
	for t, err := range triples.All() {
		if err != nil {
			panic(err)
		}
		fmt.Println(t.S, t.P, t.O)
	}
	// Output:
	// <http://ex/bob> <http://ex/knownBy> <http://ex/ann>
	// <http://ex/cat> <http://ex/knownBy> <http://ex/bob>
}

// Answers are written as streams.
func ExampleWriteTo() {
	q := sparql.MustParse(`PREFIX : <http://ex/> SELECT ?name { ?x :name ?name ; :age ?a FILTER(?a < 40) } ORDER BY ?name`)
	if err := sparql.WriteTo(context.Background(), os.Stdout, sparql.TSV, acquaintances(), q); err != nil {
		panic(err)
	}
	// Output:
	// ?name
	// "Bob"
	// "Cat"
}

// A function of one's own has an IRI and gets its arguments as values. A result that is
// not ok is an error of the expression, so that BIND leaves the variable unbound.
func ExampleWithFunction() {
	initial := sparql.WithFunction("http://ex/initial", func(_ *value.Call, args []value.Value) (value.Value, bool) {
		if len(args) != 1 || !args[0].IsText() || args[0].Text() == "" {
			return value.Value{}, false
		}
		return value.OfString(args[0].Text()[:1]), true
	})
	q := sparql.MustParse(`
		PREFIX : <http://ex/>
		SELECT ?i ?none { ?x :name ?n . BIND(:initial(?n) AS ?i) BIND(:initial(7) AS ?none) } ORDER BY ?i`)
	rows, err := sparql.Select(context.Background(), acquaintances(), q, initial)
	if err != nil {
		panic(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			panic(err)
		}
		var i string
		var none *string // nil if it is unbound
		if err := row.Scan(&i, &none); err != nil {
			panic(err)
		}
		fmt.Println(i, none != nil)
	}
	// Output:
	// A false
	// B false
	// C false
}
