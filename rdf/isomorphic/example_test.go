package isomorphic_test

import (
	"fmt"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
)

func Example() {
	knows, ann := rdf.IRI("http://ex/knows"), rdf.IRI("http://ex/ann")
	a := []rdf.Quad{{S: ann, P: knows, O: rdf.Blank("x")}, {S: rdf.Blank("x"), P: knows, O: ann}}
	b := []rdf.Quad{{S: rdf.Blank("y"), P: knows, O: ann}, {S: ann, P: knows, O: rdf.Blank("y")}}
	c := []rdf.Quad{{S: rdf.Blank("y"), P: knows, O: ann}, {S: ann, P: knows, O: rdf.Blank("z")}}
	fmt.Println(isomorphic.Equal(a, b), isomorphic.Equal(a, c))
	// Output: true false
}
