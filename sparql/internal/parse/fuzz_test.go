package parse_test

import (
	"errors"
	"testing"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/algebratext"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

// fuzzSeeds are short texts that together use the whole grammar.
var fuzzSeeds = []string{
	tenPatterns,
	`SELECT DISTINCT ?x (COUNT(DISTINCT *) AS ?n) (GROUP_CONCAT(?y; SEPARATOR=",") AS ?g) FROM <urn:g> FROM NAMED <urn:h> { ?x ?p ?y } GROUP BY ?x (STR(?y) AS ?s) HAVING (?n > 1) (MAX(?y) < 5) ORDER BY DESC(?n) ?x LIMIT 3 OFFSET 4 VALUES ?x { 1 UNDEF }`,
	`PREFIX : <http://ex/> CONSTRUCT { ?s :p [ :q ( 1 2.5 -3e1 ) ] } WHERE { { ?s :p|^:q*/!(:r|^a)+ ?o } UNION { GRAPH ?g { ?s a ?t } } MINUS { ?s ?p "a"@en } OPTIONAL { ?s :q "b"^^:t FILTER(?s IN (1, 2) || !BOUND(?o)) } }`,
	`BASE <http://ex/> DESCRIBE <a> ?x WHERE { SERVICE SILENT <e> { ?x ?y '''z''' } BIND(IF(?x = 1, -?y, +1) AS ?w) { SELECT * { } } FILTER NOT EXISTS { _:a ?b [] } }`,
	`VERSION "1.2" ASK { << ?s ?p ?o ~ ?r >> ?q <<( ?a <urn:b> "c"@en--ltr )>> . ?s ?p ?o ~ _:r {| ?x ?y |} BIND(<<( ?s ?p 1 )>> AS ?t) FILTER(isTRIPLE(?t) && LANGDIR(?o) = "") VALUES (?v ?u) { (<<( <urn:a> <urn:b> 1 )>> UNDEF) } }`,
	`CONSTRUCT WHERE { ?s ?p "\u00e9\n" }`,
	`PREFIX : <http://ex/> INSERT DATA { :a :b _:c . GRAPH :g { :a :b [] } } ; DELETE DATA { :a :b 1 } ; DELETE WHERE { GRAPH ?g { ?s ?p ?o } ?x ?y ?z } ; WITH :g DELETE { ?s ?p ?o } INSERT { ?s ?p [] } USING :h USING NAMED :i WHERE { ?s ?p ?o } ; LOAD SILENT <urn:x> INTO GRAPH :g ; CLEAR NAMED ; DROP SILENT GRAPH :g ; CREATE GRAPH :g ; ADD DEFAULT TO :g ; MOVE GRAPH :g TO DEFAULT ; COPY :g TO :h`,
}

// FuzzParse reads any text as a query and as an update. Nothing panics; errors
// have a place in the text; what parses has a translation, and is the same tree
// after printing.
func FuzzParse(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	for _, m := range mistakes {
		f.Add(m.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		opt := &ast.Options{Base: "http://example.org/base", MaxDepth: 100}
		for _, err := range []error{parseQuery(t, text, opt), parseUpdate(t, text, opt)} {
			var se *ast.SyntaxError
			if err == nil {
				continue
			}
			if !errors.As(err, &se) || se.Offset < 0 || se.Offset > len(text) || se.Line < 1 || se.Column < 1 || se.Msg == "" {
				t.Errorf("a bad error: %#v", err)
			}
		}
		if q, err := parse.Query(text, opt); err == nil {
			a, err := algebra.Translate(q)
			if err != nil {
				t.Fatal(err)
			}
			if !algebra.Certain(a.Root).Within(algebra.Possible(a.Root)) {
				t.Errorf("certain variables that are not possible:\n%s", algebratext.Query(a))
			}
		}
	})
}
