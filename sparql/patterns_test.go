package sparql_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// Regular expressions that cannot be used are errors of the text where they are constants.
func TestPatternsAreChecked(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "(?=a)") }`, "1:38: REGEX: look-ahead"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "(?<!a)b") }`, "look-behind"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "(a)\\1") }`, "back-references"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "(a") }`, "missing closing )"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "a", "g") }`, "flags"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, ?p, "g") }`, "flags"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "a"@en) }`, "string"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, 1) }`, "string"},
		{`SELECT * { ?s ?p ?o OPTIONAL { ?s ?p ?x FILTER(?x = 1 || !REGEX(?o, "(?=a)")) } }`, "look-ahead"},
		{`SELECT * { ?s ?p ?o FILTER EXISTS { ?s ?p ?x FILTER REGEX(?x, "(?=a)") } }`, "look-ahead"},
		{`SELECT * { { SELECT (REPLACE(?o, "(?=a)", "b") AS ?x) { ?s ?p ?o } } }`, "REPLACE: look-ahead"},
		{`SELECT (MAX(REPLACE(?o, "a*", "b")) AS ?x) { ?s ?p ?o }`, "empty"},
		{`SELECT * { ?s ?p ?o BIND(REPLACE(?o, "(a)", "\\1") AS ?x) }`, "replacement"},
		{`SELECT * { ?s ?p ?o } ORDER BY REGEX(?o, "(?=a)")`, "look-ahead"},
		{`SELECT * { ?s ?p ?o } GROUP BY ?o HAVING(REGEX(?o, "(?=a)"))`, "SELECT *"},
		{`SELECT ?o { ?s ?p ?o } GROUP BY ?o HAVING(REGEX(?o, "(?=a)"))`, "look-ahead"},
		{`ASK { ?s ?p ?o FILTER REGEX(?o, "(?=a)") }`, "look-ahead"},
		{`CONSTRUCT WHERE { ?s ?p ?o }`, ""},
		{`CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER REGEX(?o, "(?=a)") }`, "look-ahead"},
		{`DESCRIBE ?s { ?s ?p ?o FILTER REGEX(?o, "(?=a)") }`, "look-ahead"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "(?=a)", "q") }`, ""},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "(?=a)", ?p) }`, ""}, // which may be q
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, ?p) }`, ""},
		{`SELECT * { ?s ?p ?o FILTER REGEX(?o, "\\b(?i)a*?\\B(?:x)") }`, ""},

		// Each at the argument that is wrong.
		{`ASK { FILTER REGEX("a", "a", "q!") }`, "1:30: REGEX: "},
		{`ASK { FILTER REGEX("a", "(?=a)", "q!") }`, "1:34: REGEX: "},
		{`ASK { FILTER REGEX("a", ?p, "q!") }`, "1:29: REGEX: "},
		{`ASK { FILTER REGEX("a", "a", 1) }`, "1:30: REGEX: flags"},
		{`ASK { FILTER REGEX("a", 1, "q!") }`, "1:25: REGEX: a pattern"},
		{`ASK { FILTER REPLACE("a", "(?=a)", "$") }`, "1:27: REPLACE: look-ahead"},
		{`ASK { FILTER REPLACE("a", "a", "$") }`, "1:32: REPLACE: "},
		{`ASK { FILTER REPLACE("a", "a", "$", "i") }`, "1:32: REPLACE: "},
		{`ASK { FILTER REPLACE("a", "a", 1) }`, "1:32: REPLACE: the replacement"},
		{`ASK { FILTER REPLACE("a", "a", "$", "q!") }`, "1:37: REPLACE: "},
		{`ASK { FILTER REPLACE("a", "a*", "x") }`, "1:27: REPLACE: "},
		{`SELECT * { SERVICE <http://other> { ?s ?p ?o FILTER REGEX(?o, "(?=a)") } }`, ""},
		{`SELECT * { SERVICE <http://other> { ?s ?p ?o } FILTER REGEX(?o, "(?=a)") }`, "look-ahead"},
	} {
		_, err := sparql.Parse(c.query, nil)
		var syntax *sparql.SyntaxError
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.query, err)
			}
		} else if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.query, err, c.want)
		}
	}
	for _, u := range []string{
		`DELETE WHERE { ?s ?p ?o } ; DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER REGEX(?o, "(?=a)") }`,
		`INSERT { ?s ?p ?x } WHERE { ?s ?p ?o BIND(REPLACE(?o, "x", "$") AS ?x) }`,
	} {
		if _, err := sparql.ParseUpdate(u, nil); err == nil {
			t.Errorf("%s: no error", u)
		}
	}
}

// Those that are not constants are noted, however many rows and goroutines there are.
func TestPatternsAreNoted(t *testing.T) {
	ds := load([]rdf.Quad{
		{S: rdf.IRI("http://ex/a"), P: rdf.IRI("http://ex/p"), O: rdf.String("(?=a)")},
		{S: rdf.IRI("http://ex/b"), P: rdf.IRI("http://ex/p"), O: rdf.String("a\n\\")},
		{S: rdf.IRI("http://ex/c"), P: rdf.IRI("http://ex/p"), O: rdf.String("a")},
	})
	for query, want := range map[string]string{
		`SELECT * { <http://ex/a> ?p ?o FILTER REGEX("abc", ?o) }`:                "look-ahead",
		`SELECT (REGEX("abc", ?o) AS ?x) { <http://ex/a> ?p ?o }`:                 "look-ahead",
		`SELECT * { <http://ex/b> ?p ?o FILTER REGEX("abc", ?o) }`:                `a backslash at the end; found "a\n\\"`,
		`SELECT (REPLACE(?o, CONCAT(?o, "*"), "") AS ?x) { <http://ex/c> ?p ?o }`: "empty",
		`SELECT * { <http://ex/c> ?p ?o FILTER REGEX("abc", ?o) }`:                "",

		// Made of constants alone.
		`SELECT * { <http://ex/c> ?p ?o FILTER REGEX("abc", CONCAT("(?", "=a)")) }`:         `look-ahead (?=…) is not supported; found "(?=a)"`,
		`SELECT (REGEX("abc", STR("(?=a)"), "i") AS ?x) { <http://ex/c> ?p ?o }`:            `found "(?=a)" with the flags "i"`,
		`SELECT (!REGEX("abc", UCASE("[b-a]")) AS ?x) {}`:                                   `found "[B-A]"`,
		`SELECT (REPLACE("abc", CONCAT("b", "*"), "") AS ?x) { <http://ex/c> ?p ?o }`:       "empty",
		`SELECT (REGEX("abc", "a", CONCAT("z", "")) AS ?x) { <http://ex/c> ?p ?o }`:         `found "a" with the flags "z"`,
		`SELECT (REGEX("abc", CONCAT("a", "b")) AS ?x) { <http://ex/c> ?p ?o }`:             "",
		`SELECT (REGEX("abc", "a", ?f) AS ?x) { <http://ex/c> ?p ?o BIND(STR("z") AS ?f) }`: `found "a" with the flags "z"`,
	} {
		var notes []string
		if _, err := answer(ds, sparql.MustParse(query), sparql.WithNotes(func(n string) { notes = append(notes, n) })); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(notes, "|"); got != want && (want == "" || len(notes) != 1 || !strings.Contains(got, want)) {
			t.Errorf("%s: %q, want %q", query, notes, want)
		}
	}
}
