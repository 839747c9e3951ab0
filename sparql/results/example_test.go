package results_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/results"
)

func ExampleNewWriter() {
	w := results.NewWriter(os.Stdout, results.TSV)
	_ = w.Head([]string{"who", "age"})
	_ = w.Row([][]byte{[]byte("<http://ex/ann>"), []byte(`"42"^^<http://www.w3.org/2001/XMLSchema#integer>`)})
	_ = w.Row([][]byte{[]byte("<http://ex/bob>"), nil})
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ?who	?age
	// <http://ex/ann>	42
	// <http://ex/bob>
}

func ExampleNewReader() {
	const answer = `{"head":{"vars":["who"]},"results":{"bindings":[{"who":{"type":"uri","value":"http://ex/ann"}}]}}`
	r, err := results.NewReader(strings.NewReader(answer), results.JSON)
	if err != nil {
		fmt.Println(err)
		return
	}
	row := make([]rdf.Term, len(r.Vars()))
	for {
		err := r.Read(row)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err) // never just fewer rows
			return
		}
		fmt.Println(row[0])
	}
	// Output: <http://ex/ann>
}

func ExampleNegotiate() {
	i, ok := results.Negotiate("text/csv;q=0.5, application/sparql-results+xml", results.Offers())
	fmt.Println(results.Offers()[i].MediaType, ok)
	// Output: application/sparql-results+xml true
}
