package rdfio_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// What a Turtle document declares is known once it was read.
func ExamplePrefixes() {
	r, err := rdfio.Open("people.ttl", strings.NewReader("PREFIX ex: <http://ex/> ex:ann ex:knows ex:bob ."), rdfio.Unknown, rdf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := rdf.ReadAll(r); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rdfio.Prefixes(r))
	// Output:
	// map[ex:http://ex/]
}

// Open finds out what a document is, compressed or not; a Writer writes it in another syntax.
func Example() {
	const text = `<http://ex/ann> <http://ex/knows> <http://ex/bob> ; <http://ex/age> 41 .`
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.Copy(z, strings.NewReader(text)); err != nil {
		log.Fatal(err)
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}

	r, err := rdfio.Open("people.ttl.gz", &packed, rdfio.Unknown, rdf.Options{}) // Unknown: the name tells
	if err != nil {
		log.Fatal(err)
	}
	w, err := rdfio.NewWriter(os.Stdout, rdfio.NTriples, nil)
	if err != nil {
		log.Fatal(err)
	}
	var q rdf.RawQuad
	for {
		err := r.Read(&q)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err) // *rdf.SyntaxError
		}
		if err := w.WriteQuad(&q); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// <http://ex/ann> <http://ex/knows> <http://ex/bob> .
	// <http://ex/ann> <http://ex/age> "41"^^<http://www.w3.org/2001/XMLSchema#integer> .
}
