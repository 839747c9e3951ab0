package iri_test

import (
	"fmt"
	"log"

	"github.com/rete-go/rete/internal/iri"
)

func Example() {
	base, err := iri.NewBase("http://ex/people/ann")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(base.Resolve("bob"))
	fmt.Println(base.Resolve("../dogs/rex#tail"))
	fmt.Println(iri.Check("http://ex/a b"))
	// Output:
	// http://ex/people/bob
	// http://ex/dogs/rex#tail
	// IRI "http://ex/a b": character ' ' in the path
}
