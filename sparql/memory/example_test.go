package memory_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
)

// A graph in memory answers queries as a database does.
func Example() {
	ctx := context.Background()
	name := rdf.IRI("http://ex/name")
	var b memory.Builder
	b.Add(rdf.Quad{S: rdf.IRI("http://ex/ann"), P: name, O: rdf.String("Ann")})
	b.Add(rdf.Quad{S: rdf.IRI("http://ex/bob"), P: name, O: rdf.String("Bob")})

	rows, err := sparql.Select(ctx, b.Build(), sparql.MustParse(`SELECT ?n { ?s <http://ex/name> ?n } ORDER BY ?n`))
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		var n string
		if err := row.Scan(&n); err != nil {
			log.Fatal(err)
		}
		fmt.Println(n)
	}
	// Output:
	// Ann
	// Bob
}
