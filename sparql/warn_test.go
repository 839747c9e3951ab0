package sparql_test

import (
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestWarnings counts what filters drop by errors, and checks that the rows are
// the same with and without warnings.
func TestWarnings(t *testing.T) {
	ex := func(n string) rdf.Term { return rdf.IRI("http://ex/" + n) }
	typed := rdf.Typed
	var quads []rdf.Quad
	for i, o := range []rdf.Term{
		rdf.Integer(7), rdf.Integer(1), rdf.String("12"), rdf.String("x"), ex("b"),
		typed("500", rdf.XSD+"byte"), rdf.LangString("5", "en"),
	} {
		quads = append(quads, rdf.Quad{S: ex("s" + string(rune('0'+i))), P: ex("v"), O: o})
	}
	quads = append(quads, rdf.Quad{S: ex("s0"), P: ex("w"), O: rdf.Integer(5)})
	for _, c := range []struct {
		query string
		want  []string // filter, rows, sample, hint
	}{
		{"SELECT * { ?s :v ?o FILTER(?o > 5) }", []string{
			`FILTER(?o > 5) dropped 5 rows by an error, first: ?o = "12"; xsd:decimal(STR(?o)) reads the text as a number`}},
		{"SELECT * { VALUES ?o { :b } FILTER(?o + 1 > 5) }", []string{
			`FILTER((?o + 1) > 5) dropped 1 row by an error: ?o = :b; STR(?o) gives the text of an IRI`}},
		{"SELECT * { VALUES (?o ?k) { (:b 1) (2 1) } FILTER(?o + ?k > 5) }", []string{
			`FILTER((?o + ?k) > 5) dropped 1 row by an error: ?o = :b, ?k = 1; STR(?o) gives the text of an IRI`}},
		{"SELECT * { ?s :v ?o OPTIONAL { ?s :w ?w } FILTER(?w > 1) }", []string{
			`FILTER(?w > 1) dropped 6 rows by an error, first: ?w = unbound; BOUND(?w) or COALESCE(?w, …) takes care of rows without it`}},
		{"SELECT * { VALUES ?o { 1 2 3 } FILTER(?o > 2) }", nil},
		{"SELECT * { ?s :v ?o FILTER(COALESCE(?o > 5, true)) }", nil},
		{"SELECT * { ?s :v ?o FILTER(isIRI(?o) || ?o > 5) }", []string{
			`FILTER(isIRI(?o) || (?o > 5)) dropped 4 rows by an error, first: ?o = "12"; xsd:decimal(STR(?o)) reads the text as a number`}},

		// Regular expressions: the argument that is wrong.
		{`SELECT * { VALUES (?t ?p) { ("abc" "b") ("abc" "(?=b)") } FILTER(REGEX(?t, ?p)) }`, []string{
			`FILTER(REGEX(?t, ?p)) dropped 1 row by an error: ?t = "abc", ?p = "(?=b)"; REGEX: look-ahead (?=…) is not supported`}},
		{`SELECT * { VALUES (?t ?p) { ("abc" "a(?!b)") } FILTER(REGEX(?t, CONCAT(?p, "c"), "i")) }`, []string{
			`FILTER(REGEX(?t, CONCAT(?p, "c"), "i")) dropped 1 row by an error: ?t = "abc", ?p = "a(?!b)"; REGEX: look-ahead (?!…) is not supported`}},
		{`SELECT * { VALUES (?t ?p) { ("abc" "b") } FILTER(REGEX(?t, ?p, CONCAT("g", ?p))) }`, []string{
			`FILTER(REGEX(?t, ?p, CONCAT("g", ?p))) dropped 1 row by an error: ?t = "abc", ?p = "b"; REGEX: the flags of a regular expression are s, m, i, x and q`}},
		{`SELECT * { VALUES (?t ?p) { ("abc" 1) } FILTER(REGEX(?t, ?p)) }`, []string{
			`FILTER(REGEX(?t, ?p)) dropped 1 row by an error: ?t = "abc", ?p = 1; REGEX: a pattern must be a string without a language`}},
		{`SELECT * { VALUES (?t ?p) { (:b "b") } FILTER(REGEX(?t, ?p)) }`, []string{
			`FILTER(REGEX(?t, ?p)) dropped 1 row by an error: ?t = :b, ?p = "b"; STR(?t) gives the text of an IRI`}},
		{`SELECT * { VALUES (?p ?t) { ("b" 12) } FILTER(REGEX(?t, ?p)) }`, []string{
			`FILTER(REGEX(?t, ?p)) dropped 1 row by an error: ?p = "b", ?t = 12; STR(?t) gives the text of a value`}},
		{`SELECT * { VALUES (?p ?t) { ("b" UNDEF) } FILTER(REGEX(?t, ?p)) }`, []string{
			`FILTER(REGEX(?t, ?p)) dropped 1 row by an error: ?p = "b", ?t = unbound; BOUND(?t) or COALESCE(?t, …) takes care of rows without it`}},
		{`SELECT * { VALUES (?t ?r) { ("abc" "$") } FILTER(REPLACE(?t, "b", ?r) = "a") }`, []string{
			`FILTER(REPLACE(?t, "b", ?r) = "a") dropped 1 row by an error: ?t = "abc", ?r = "$"; REPLACE: in the replacement stands $ before the number of a group, and \ before $ or \`}},
		{`SELECT * { VALUES (?t ?n) { ("abc" "x") } FILTER(REGEX(?t, "b") && ?n > 5) }`, []string{
			`FILTER(REGEX(?t, "b") && (?n > 5)) dropped 1 row by an error: ?t = "abc", ?n = "x"; ?n is a text`}},
		{`SELECT * { VALUES (?t ?n) { ("abc" "x") } FILTER(!REGEX(?t, "x") = (?n > 5)) }`, []string{
			`FILTER(!REGEX(?t, "x") = (?n > 5)) dropped 1 row by an error: ?t = "abc", ?n = "x"; ?n is a text`}},
		{`SELECT * { VALUES (?t ?n) { ("abc" :b) } FILTER(STRLEN(?t) + ?n > 5) }`, []string{
			`FILTER((STRLEN(?t) + ?n) > 5) dropped 1 row by an error: ?t = "abc", ?n = :b; STR(?n) gives the text of an IRI`}},
		{`SELECT * { VALUES ?n { 12 } FILTER(CONTAINS(?n, "1")) }`, []string{
			`FILTER(CONTAINS(?n, "1")) dropped 1 row by an error: ?n = 12; STR(?n) gives the text of a value`}},

		// A constant that is wrong, next to a variable that is right.
		{`SELECT * { VALUES ?p { "a" } FILTER(REGEX(:a, ?p)) }`, []string{
			`FILTER(REGEX(:a, ?p)) dropped 1 row by an error: ?p = "a"; :a is not a text`}},
		{`SELECT * { VALUES ?p { "a" } FILTER(REPLACE(:a, ?p, "x") = "x") }`, []string{
			`FILTER(REPLACE(:a, ?p, "x") = "x") dropped 1 row by an error: ?p = "a"; :a is not a text`}},
		{`SELECT * { VALUES ?p { "a" } FILTER(CONTAINS(12, ?p)) }`, []string{
			`FILTER(CONTAINS(12, ?p)) dropped 1 row by an error: ?p = "a"; 12 is not a text`}},
		{`SELECT * { VALUES ?t { "a" } FILTER(STRSTARTS(?t, :a)) }`, []string{
			`FILTER(STRSTARTS(?t, :a)) dropped 1 row by an error: ?t = "a"; :a is not a text`}},
		{`SELECT * { VALUES ?t { :b } FILTER(CONTAINS(?t, :a)) }`, []string{
			`FILTER(CONTAINS(?t, :a)) dropped 1 row by an error: ?t = :b; STR(?t) gives the text of an IRI`}},
	} {
		q := sparql.MustParse("PREFIX : <http://ex/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> " + c.query)
		for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads)} {
			var got []string
			with, err := answer(ds, q, sparql.WithWarnings(func(w sparql.Warning) { got = append(got, w.String()) }))
			if err != nil {
				t.Fatal(err)
			}
			without, err := answer(ds, q)
			if err != nil {
				t.Fatal(err)
			}
			if !sameRows(with, without) {
				t.Errorf("%s: other rows with warnings", c.query)
			}
			if len(got) != len(c.want) {
				t.Errorf("%s:\ngot  %q\nwant %q", c.query, got, c.want)
				continue
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("%s:\ngot  %s\nwant %s", c.query, got[i], c.want[i])
				}
			}
		}
	}
}

func sameRows(a, b sparqlsuite.Answer) bool {
	x, y := lines(a.Set.Vars, a.Set.Rows, a.Set.Vars), lines(b.Set.Vars, b.Set.Rows, a.Set.Vars)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}
