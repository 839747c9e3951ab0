package jsonld_test

import (
	"log"
	"os"

	"github.com/rete-go/rete/internal/syntax/jsonld"
	"github.com/rete-go/rete/rdf"
)

func Example() {
	w := jsonld.NewWriter(os.Stdout, map[string]string{"ex": "http://ex/"})
	ann, name := rdf.IRI("http://ex/ann"), rdf.IRI("http://ex/name")
	if err := rdf.WriteAll(w, []rdf.Quad{{S: ann, P: name, O: rdf.String("Ann")}}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"@context":{
	// "ex":"http://ex/"},
	// "@graph":[
	// {"@id":"ex:ann","ex:name":[{"@value":"Ann"}]}
	// ]}
}
