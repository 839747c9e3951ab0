package parse_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/algebratext"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

// TestNesting has texts that nest 100,000 deep in every way the grammar has:
// a clear error, no exhausted stack.
func TestNesting(t *testing.T) {
	const n = 100_000
	in := func(before, inner, after string) string {
		return strings.Repeat(before, n) + inner + strings.Repeat(after, n)
	}
	for name, text := range map[string]string{
		"parentheses":      "ASK { FILTER(" + in("(", "1", ")") + ") }",
		"not":              "ASK { FILTER(" + in("! ", "1", "") + ") }",
		"minus":            "ASK { FILTER(" + in("-(", "1", ")") + ") }",
		"calls":            "ASK { FILTER(" + in("STR(", "1", ")") + ") }",
		"functions":        "ASK { FILTER(" + in("<urn:f>(", "1", ")") + ") }",
		"IN":               "ASK { FILTER(1 " + in("IN (1 ", "", ")") + ") }",
		"groups":           "ASK " + in("{", "", "}"),
		"OPTIONAL":         "ASK { " + in("OPTIONAL {", "", "}") + "}",
		"MINUS":            "ASK { " + in("MINUS {", "", "}") + "}",
		"GRAPH":            "ASK { " + in("GRAPH ?g {", "", "}") + "}",
		"UNION":            "ASK { " + in("{} UNION {", "", "}") + "}",
		"EXISTS":           "ASK { " + in("FILTER EXISTS {", "", "}") + "}",
		"sub-selects":      "ASK { " + in("{ SELECT * {", "", "} }") + "}",
		"paths":            "ASK { ?s " + in("(", "<urn:p>", ")") + " ?o }",
		"closures":         "ASK { ?s " + in("(", "<urn:p>", ")*") + " ?o }",
		"inverse paths":    "ASK { ?s " + in("^(", "<urn:p>", ")") + " ?o }",
		"collections":      "ASK { ?s ?p " + in("(", "1", ")") + " }",
		"blank nodes":      "ASK { ?s ?p " + in("[ ?p ", "1", "]") + " }",
		"triple terms":     "ASK { ?s ?p " + in("<<( ?s ?p ", "1", ")>>") + " }",
		"reified triples":  "ASK { ?s ?p " + in("<< ?s ?p ", "1", ">>") + " }",
		"annotations":      "ASK { ?s ?p ?o " + in("{| ?p ?o ", "", "|}") + " }",
		"data triples":     "ASK { VALUES ?x { " + in("<<( <urn:a> <urn:b> ", "1", ")>>") + " } }",
		"triples in BIND":  "ASK { BIND(" + in("<<( ?a ?b ", "1", ")>>") + " AS ?x) }",
		"nothing is ended": in("ASK {{", "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse.Query(text, nil)
			var se *ast.SyntaxError
			if !errors.As(err, &se) || !strings.Contains(se.Msg, "too deep") && name != "nothing is ended" && name != "IN" {
				t.Errorf("error %.200v, want one about the depth", err)
			}
			if se != nil && (len(se.Error()) > 1000 || len(se.Excerpt) > 1000) {
				t.Errorf("a message of %d bytes", len(se.Error())+len(se.Excerpt))
			}
		})
	}
}

// TestRows has texts that are long, not deep: what is a list stays one; what
// makes a tree deeper is bounded.
func TestRows(t *testing.T) {
	const n = 50_000
	row := func(first, more string) string { return first + strings.Repeat(more, n) }
	for name, text := range map[string]string{
		"or":           "ASK { FILTER(" + row("?a", " || ?a") + ") }",
		"and":          "ASK { FILTER(" + row("?a", " && ?a") + ") }",
		"IN":           "ASK { FILTER(?a IN (" + row("1", ", 1") + ")) }",
		"CONCAT":       "ASK { FILTER(CONCAT(" + row("?a", ", ?a") + ")) }",
		"triples":      "ASK { " + row("?s ?p ?o", " . ?s ?p ?o") + " }",
		"objects":      "ASK { ?s ?p " + row("?o", ", ?o") + " }",
		"predicates":   "ASK { ?s ?p ?o" + row("", "; ?p ?o") + " }",
		"path seq":     "ASK { ?s <urn:p>" + row("", "/<urn:p>") + " ?o }",
		"path alt":     "ASK { ?s <urn:p>" + row("", "|<urn:p>") + " ?o }",
		"negated set":  "ASK { ?s !(<urn:p>" + row("", "|<urn:p>") + ") ?o }",
		"UNION":        "ASK { {}" + row("", " UNION {}") + " }",
		"VALUES":       "ASK { VALUES ?x { " + row("1", " 1") + " } }",
		"collection":   "ASK { ?s ?p ( " + row("1", " 1") + " ) }",
		"SELECT":       "SELECT " + row("?a", " ?a") + " {}",
		"named":        "SELECT (1 AS ?x0) " + strings.Repeat("?y ", n) + " {}",
		"filters":      "ASK { " + strings.Repeat("FILTER(?a) ", 9000) + "}",
		"HAVING":       "SELECT ?a { ?a ?b ?c } GROUP BY ?a HAVING " + row("(?a)", " (?a)"),
		"ORDER BY":     "SELECT ?a { ?a ?b ?c } ORDER BY " + row("?a", " ?a"),
		"semicolons":   "ASK { ?s ?p ?o " + strings.Repeat(";", n) + " }",
		"PREFIX":       strings.Repeat("PREFIX : <urn:x>\n", n) + "ASK {}",
		"FROM":         "ASK " + strings.Repeat("FROM <urn:g> ", n) + "{}",
		"comments":     strings.Repeat("# comment\n", n) + "ASK {}",
		"OPTIONALs":    "ASK { " + strings.Repeat("OPTIONAL { ?s ?p ?o } ", 5000) + "}",
		"sums":         "ASK { FILTER(?a" + strings.Repeat(" + ?a", 5000) + ") }",
		"nested BINDs": "ASK { " + strings.Repeat("BIND(1 AS ?x) {", 900) + strings.Repeat("}", 901),
	} {
		t.Run(name, func(t *testing.T) {
			q, err := parse.Query(text, nil)
			if err != nil {
				t.Fatalf("%.300v", err)
			}
			a, err := algebra.Translate(q)
			if err != nil {
				t.Fatal(err)
			}
			algebra.Certain(a.Root)
			if len(algebratext.Query(a)) == 0 || len(q.String()) == 0 {
				t.Error("nothing is printed")
			}
		})
	}
	for name, text := range map[string]string{
		"operators in a row":    "ASK { FILTER(" + row("?a", " + ?a") + ") }",
		"patterns in one group": "ASK { " + strings.Repeat("OPTIONAL {} ", n) + "}",
		"longer than the limit": strings.Repeat(" ", 1001) + "ASK {}",
		"number 99999999999999": "ASK {} LIMIT 99999999999999999999999",
		"does not end":          "ASK { ?s ?p \"" + strings.Repeat("x", n),
		"is not declared":       "ASK { " + strings.Repeat("x", n) + ":a ?p ?o }",
		"expected":              "ASK { " + strings.Repeat("x", n),
		"the text is not UTF-8": "ASK { ?s ?p \"\xff\" }",
		"base IRI given":        "ASK {}",
		"is relative":           "BASE <a> ASK {}",
	} {
		t.Run(name, func(t *testing.T) {
			opt := &ast.Options{}
			switch name {
			case "longer than the limit":
				opt.MaxBytes = 1000
			case "base IRI given":
				opt.Base = "no-scheme"
			}
			_, err := parse.Query(text, opt)
			var se *ast.SyntaxError
			if !errors.As(err, &se) || !strings.Contains(se.Error(), name) {
				t.Errorf("error %.200v, want %q", err, name)
			}
			if se != nil && len(se.Error())+len(se.Excerpt) > 1000 {
				t.Errorf("a message of %d bytes", len(se.Error())+len(se.Excerpt))
			}
		})
	}
}

// TestHeight has texts that nest no deeper than they may, whose trees are higher: rows of
// operators in rows of operators, members of groups in members of groups.
func TestHeight(t *testing.T) {
	many := func(times int, levels int, open, more, end string) string {
		return strings.Repeat(open, levels) + "?x" + strings.Repeat(strings.Repeat(more, times)+end, levels)
	}
	for name, text := range map[string]string{
		"sums in sums":           "ASK { FILTER" + many(5000, 10, "(", "+1", ")") + " }",
		"sums in calls":          "ASK { FILTER(" + many(5000, 10, "ABS(", "+1", ")") + ") }",
		"sums in IN":             "ASK { FILTER(1 IN (" + many(5000, 10, "(", "+1", ")") + ")) }",
		"sums in EXISTS":         "ASK { FILTER" + strings.Repeat("(", 10) + "EXISTS { FILTER(?x" + strings.Repeat("+1", 5000) + ") }" + strings.Repeat(strings.Repeat("+1", 5000)+")", 10) + " }",
		"OPTIONALs in groups":    "ASK " + strings.Repeat("{", 10) + strings.Repeat(strings.Repeat("OPTIONAL {} ", 5000)+"}", 10),
		"OPTIONALs in OPTIONALs": "ASK { " + strings.Repeat("OPTIONAL { ", 10) + strings.Repeat(strings.Repeat("OPTIONAL {} ", 5000)+"} ", 10) + "}",
		"OPTIONALs in UNIONs":    "ASK " + strings.Repeat("{ { ", 10) + strings.Repeat(strings.Repeat("OPTIONAL {} ", 5000)+"} UNION {} }", 10),
		"OPTIONALs in EXISTS":    "ASK " + strings.Repeat("{ FILTER EXISTS { ", 10) + strings.Repeat(strings.Repeat("OPTIONAL {} ", 5000)+"} }", 10),
		"BINDs in sub-selects":   "ASK {" + strings.Repeat(" { SELECT ?x {", 10) + strings.Repeat(strings.Repeat("BIND(1 AS ?x) {} ", 0)+strings.Repeat("OPTIONAL {} ", 5000)+"} }", 10) + "}",
		"expressions of SELECT":  "SELECT " + strings.Repeat("(1 AS ?x) ", 30_000) + "{}",
		"keys of GROUP BY":       "SELECT (1 AS ?y) {} GROUP BY " + strings.Repeat("(1+1) ", 30_000),
		"named keys":             "SELECT (1 AS ?y) { ?x ?x ?x } GROUP BY " + strings.Repeat("(?x AS ?z) ", 30_000),
		"closures in a path":     "ASK { ?s <urn:p>" + strings.Repeat("/<urn:p>*", 30_000) + " ?o }",
		"closures in triples":    "ASK { " + strings.Repeat("?s <urn:p>* ?o . ", 30_000) + " }",
		"alternatives in a path": "ASK { ?s <urn:p>" + strings.Repeat("/(<urn:p>|<urn:q>)", 30_000) + " ?o }",
		"negated sets in a path": "ASK { ?s <urn:p>" + strings.Repeat("/!<urn:p>", 30_000) + " ?o }",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse.Query(text, nil)
			var se *ast.SyntaxError
			if !errors.As(err, &se) || !strings.Contains(se.Msg, "too deep") {
				t.Errorf("error %.200v, want one about the depth", err)
			}
		})
	}
}

// TestSpans checks that every node covers the text it was read from.
func TestSpans(t *testing.T) {
	text := "PREFIX : <http://ex/>\nSELECT (?a + 1 AS ?b) { ?s :p ?o ; :q [ :r 1 ] . FILTER(regex(?o, 'x')) BIND(1 AS ?z) } ORDER BY DESC(?s)"
	q, err := parse.Query(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(s ast.Span) string { return text[s.Start:s.End] }
	el := q.Where.Elements
	tr := el[0].(*ast.Triples).Triples
	for want, got := range map[string]ast.Span{
		"(?a + 1 AS ?b)":                     q.Items[0].Span,
		"?a + 1":                             q.Items[0].Expr.Range(),
		"?b":                                 q.Items[0].Var.Span,
		"?s :p ?o":                           tr[0].Span,
		":q [ :r 1 ]":                        tr[1].Span,
		"[ :r 1 ]":                           tr[1].O.Span,
		":r":                                 tr[2].P.Span,
		"1":                                  tr[2].O.Span,
		"FILTER(regex(?o, 'x'))":             el[1].Range(),
		"regex(?o, 'x')":                     el[1].(*ast.Filter).Expr.Range(),
		"'x'":                                el[1].(*ast.Filter).Expr.(*ast.Call).Args[1].Range(),
		"BIND(1 AS ?z)":                      el[2].Range(),
		"DESC(?s)":                           q.OrderBy[0].Span,
		text[strings.Index(text, "SELECT"):]: {Start: uint32(strings.Index(text, "SELECT")), End: q.End},
	} {
		if at(got) != want {
			t.Errorf("span %q, want %q", at(got), want)
		}
	}
}
