package parse_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

// mistakes are texts with one typical mistake each. What the parser says about
// them is in testdata/errors.txt.
var mistakes = []struct{ name, text string }{
	{"empty text", ""},
	{"only a prologue", "PREFIX : <http://ex/>\n"},
	{"keyword misspelt", "SELCT ?x { ?x ?y ?z }"},
	{"no variable", "SELECT WHERE { ?s ?p ?o }"},
	{"commas in SELECT", "SELECT ?a, ?b { ?a ?p ?b }"},
	{"aggregate without a name", "SELECT COUNT(?x) { ?x ?p ?o }"},
	{"expression without a name", "SELECT (?x + 1) { ?x ?p ?o }"},
	{"AS without a variable", "SELECT (?x + 1 AS y) { ?x ?p ?o }"},
	{"prefix not declared", "PREFIX foaf: <http://xmlns.com/foaf/0.1/>\nSELECT * { ?s foa:name ?o }"},
	{"usual prefix not declared", "SELECT * {\n  ?s rdfs:label ?o\n}"},
	{"prefix without a colon", "PREFIX foaf <http://xmlns.com/foaf/0.1/>\nSELECT * { ?s ?p ?o }"},
	{"prefix without an IRI", "PREFIX foaf: http://xmlns.com/foaf/0.1/\nSELECT * { ?s ?p ?o }"},
	{"prefix with a local part", "PREFIX ex:ex <http://ex/>\nASK {}"},
	{"relative IRI without base", "SELECT * { <a> ?p ?o }"},
	{"blank in an IRI", "SELECT * { <http://ex/a b> ?p ?o }"},
	{"IRI not closed", "SELECT * { <http://ex/a ?p ?o }"},
	{"string not closed", "SELECT * {\n  ?s ?p \"abc\n}"},
	{"long string not closed", "SELECT * { ?s ?p \"\"\"abc }"},
	{"bad escape", `SELECT * { ?s ?p "a\d" }`},
	{"surrogate", `SELECT * { ?s ?p "\uD83C" }`},
	{"escape in a name", "PREFIX : <http://ex/>\nSELECT * { ?s :a\\u0062 ?o }"},
	{"curly quotes", "SELECT * { ?s ?p “abc” }"},
	{"word as object", "SELECT * { ?s ?p abc }"},
	{"object missing", "SELECT * { ?s ?p }"},
	{"object missing before a dot", "SELECT * {\n  ?s ?p .\n  ?s ?q ?o\n}"},
	{"dot missing", "SELECT * {\n  ?s ?p ?o\n  ?s ?q ?r\n}"},
	{"two dots", "SELECT * { ?s ?p ?o . . }"},
	{"brace not closed", "SELECT * { ?s ?p ?o"},
	{"brace too many", "SELECT * { ?s ?p ?o } }"},
	{"parenthesis not closed", "SELECT * { ?s ?p ?o FILTER(?o > 3 }"},
	{"FILTER without parentheses", "SELECT * { ?s ?p ?o FILTER ?o > 3 }"},
	{"FILTER ! without parentheses", "SELECT * { ?s ?p ?o FILTER !bound(?o) }"},
	{"AND as a word", "SELECT * { ?s ?p ?o FILTER(?o > 3 AND ?o < 5) }"},
	{"single ampersand", "SELECT * { ?s ?p ?o FILTER(?o > 3 & ?o < 5) }"},
	{"double equals", "SELECT * { ?s ?p ?o FILTER(?o == 3) }"},
	{"comparison of a comparison", "SELECT * { ?s ?p ?o FILTER(1 < ?o < 5) }"},
	{"function misspelt", "SELECT * { ?s ?p ?o FILTER(regexp(?o, 'a')) }"},
	{"too few arguments", "SELECT * { ?s ?p ?o FILTER(REGEX(?o)) }"},
	{"too many arguments", "SELECT * { ?s ?p ?o FILTER(STRLEN(?o, 1)) }"},
	{"BOUND of a term", "SELECT * { ?s ?p ?o FILTER(BOUND(<http://ex/>)) }"},
	{"aggregate in FILTER", "SELECT * { ?s ?p ?o FILTER(COUNT(?o) > 3) }"},
	{"aggregate in an aggregate", "SELECT (SUM(COUNT(?o)) AS ?n) { ?s ?p ?o }"},
	{"variable neither key nor aggregated", "SELECT ?s ?o (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s"},
	{"star in a grouped query", "SELECT * { ?s ?p ?o } GROUP BY ?s"},
	{"AS of a variable in use", "SELECT (1 AS ?s) { ?s ?p ?o }"},
	{"BIND of a variable in use", "SELECT * { ?s ?p ?o BIND(1 AS ?o) }"},
	{"BIND without a name", "SELECT * { BIND(1) }"},
	{"VALUES row too short", "SELECT * { VALUES (?a ?b) { (1 2) (3) } }"},
	{"VALUES with a variable inside", "SELECT * { VALUES ?a { ?b } }"},
	{"VALUES with a blank node", "SELECT * { VALUES ?a { _:b } }"},
	{"LIMIT before ORDER BY", "SELECT * { ?s ?p ?o } LIMIT 3 ORDER BY ?s"},
	{"negative LIMIT", "SELECT * { ?s ?p ?o } LIMIT -1"},
	{"LIMIT without a number", "SELECT * { ?s ?p ?o } LIMIT"},
	{"UNION without braces", "SELECT * { ?s ?p ?o UNION ?s ?q ?o }"},
	{"OPTIONAL without braces", "SELECT * { OPTIONAL ?s ?p ?o }"},
	{"sub-select without braces", "SELECT * { ?s ?p ?o SELECT * { ?s ?q ?r } }"},
	{"one label in two patterns", "SELECT * { _:a ?p ?o OPTIONAL { _:a ?q ?r } }"},
	{"blank node as predicate", "SELECT * { ?s _:p ?o }"},
	{"annotation of a path", "PREFIX : <http://ex/>\nSELECT * { ?s :p/:q ?o {| :r 1 |} }"},
	{"path in a template", "PREFIX : <http://ex/>\nCONSTRUCT { ?s :p/:q ?o } WHERE { ?s ?p ?o }"},
	{"update as a query", "PREFIX : <http://ex/>\nINSERT DATA { :a :b :c }"},
	{"tab before the place", "SELECT * {\n\t?s ?p ?o ;;\n\t\t?q ?r ?x\n}"},
	{"letters of two bytes before the place", "SELECT * { ?s ?p \"größer\" ?o }"},
	{"long line", "SELECT * { ?s <http://example.org/a/very/long/name/that/moves/the/place/to/the/right/of/the/screen> ?o ?o2 . ?s ?p <http://example.org/more/text/after/the/place/where/it/fails> }"},
	{"minus as a word in an expression", "SELECT * { ?s ?p ?o FILTER(?o MINUS 1 = 2) }"},
	{"bad direction", `SELECT * { ?s ?p "a"@en--up }`},
}

var updateMistakes = []struct{ name, text string }{
	{"query as an update", "SELECT * { ?s ?p ?o }"},
	{"variable in INSERT DATA", "INSERT DATA { ?s <http://ex/p> 1 }"},
	{"blank node in DELETE DATA", "DELETE DATA { _:b <http://ex/p> 1 }"},
	{"blank node in DELETE", "DELETE { [] <http://ex/p> 1 } WHERE { ?s ?p ?o }"},
	{"no WHERE", "INSERT { <http://ex/s> <http://ex/p> 1 }"},
	{"one label in two operations", "INSERT DATA { _:b <http://ex/p> 1 } ;\nINSERT DATA { _:b <http://ex/p> 2 }"},
	{"no semicolon between operations", "CLEAR DEFAULT\nDROP ALL"},
	{"GRAPH missing", "CLEAR <http://ex/g>"},
	{"TO missing", "COPY <http://ex/a> <http://ex/b>"},
	{"WITH alone", "WITH <http://ex/g> WHERE { ?s ?p ?o }"},
	{"INSERT INTO", "INSERT INTO <http://ex/g> { <http://ex/s> <http://ex/p> 1 }"},
	{"FILTER in a template", "DELETE { ?s ?p ?o FILTER(?o > 1) } WHERE { ?s ?p ?o }"},
	{"GRAPH in GRAPH", "INSERT DATA { GRAPH <http://ex/g> { GRAPH <http://ex/h> { } } }"},
	{"operation misspelt", "DELET WHERE { ?s ?p ?o }"},
}

func TestErrors(t *testing.T) {
	var b strings.Builder
	show := func(name, text string, err error) {
		t.Helper()
		var se *ast.SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%s: error %v, want a syntax error", name, err)
			return
		}
		fmt.Fprintf(&b, "# %s\n%s\n%v\n", name, se.Excerpt, se)
		for _, want := range se.Expected {
			if !strings.Contains(se.Msg, want) {
				t.Errorf("%s: message %q does not name %q", name, se.Msg, want)
			}
		}
		if se.Offset < 0 || se.Offset > len(text) {
			t.Errorf("%s: offset %d is outside the text", name, se.Offset)
		}
		fmt.Fprintf(&b, "expected %q found %q\n\n", se.Expected, se.Found)
	}
	for _, m := range mistakes {
		_, err := parse.Query(m.text, nil)
		show(m.name, m.text, err)
	}
	for _, m := range updateMistakes {
		_, err := parse.Update(m.text, nil)
		show(m.name, m.text, err)
	}
	golden(t, "errors.txt", b.String())
}
