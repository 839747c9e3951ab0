package parse_test

import (
	"errors"
	"testing"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// TestNotes has the rules that the grammar states in words: texts with what
// their error says, an empty one where there is none.
func TestNotes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a label within one pattern", "SELECT * { _:a :p ?x . ?x :q _:a }", ""},
		{"a label across a FILTER", "SELECT * { _:a :p ?x FILTER(?x) _:a :q ?y }", ""},
		{"a label across a path", "SELECT * { _:a :p+ ?x . _:a :q ?y }", ""},
		{"a label across OPTIONAL", "SELECT * { _:a :p ?x OPTIONAL {} _:a :q ?y }", `the label "_:a" is used in two basic graph patterns`},
		{"a label across BIND", "SELECT * { _:a :p ?x BIND(1 AS ?z) _:a :q ?y }", `the label "_:a" is used in two basic graph patterns`},
		{"a label in two arms", "SELECT * { { _:a :p ?x } UNION { _:a :q ?y } }", `the label "_:a" is used in two basic graph patterns`},
		{"a label inside and outside EXISTS", "SELECT * { _:a :p ?x FILTER EXISTS { _:a :q ?y } }", `the label "_:a" is used in two basic graph patterns`},
		{"a label before and after EXISTS", "SELECT * { _:a :p ?x FILTER EXISTS { ?x :q ?y } _:a :r ?z }", ""},
		{"a label in a template and in the pattern", "CONSTRUCT { _:a :p ?x } WHERE { _:a :q ?x }", ""},
		{"a dot after a semicolon in a template", "CONSTRUCT { ?s :q ?o ; . } WHERE { ?s :p ?o }", ""},
		{"semicolons without anything between", "SELECT * { ?s :p ?o ;; :q ?x ; . ?x :r ?y ; }", ""},

		{"IN is no operand of a product", "SELECT (1 IN (1) * 2 AS ?x) {}", `the result of IN stands before "*"`},
		{"NOT IN is no operand of a sum", "SELECT (1 NOT IN () - 2 AS ?x) {}", `the result of IN stands before "-"`},
		{"nor where it is an operand itself", "SELECT (?a || 1 + 2 IN (3) + 1 AS ?x) {}", `the result of IN stands before "+"`},
		{"IN next to && and in parentheses", "SELECT (1 + 1 IN (2) && (1 IN (1)) = true || 2 IN (2) AS ?x) {}", ""},
		{"two comparisons with IN", "SELECT (1 IN (1) = true AS ?x) {}", "a comparison cannot be compared"},
		{"a sign before a sign", "SELECT (- - 1 AS ?x) {}", "expected expression"},
		{"a sign before a not", "SELECT (-!1 AS ?x) {}", "expected expression"},
		{"a sign before a number with one", "SELECT (- -1 + +2 - -3 + -?x - +?y AS ?z) {}", ""},
		{"a not before others", "SELECT (!!-1 AS ?x) {}", ""},
		{"AS of a new variable", "SELECT (?x + 1 AS ?y) (?y + 1 AS ?z) { ?s :p ?x }", ""},
		{"AS of a variable in OPTIONAL", "SELECT (1 AS ?y) { ?s :p ?x OPTIONAL { ?s :q ?y } }", "?y has a value already"},
		{"AS of a variable in MINUS only", "SELECT (1 AS ?y) { ?s :p ?x MINUS { ?s :q ?y } }", ""},
		{"AS of a variable in FILTER only", "SELECT (1 AS ?y) { ?s :p ?x FILTER(?y) }", ""},
		{"AS of a variable in EXISTS only", "SELECT (1 AS ?y) { ?s :p ?x FILTER EXISTS { ?s :q ?y } }", ""},
		{"AS of a variable that a sub-select hides", "SELECT (1 AS ?y) { { SELECT ?s { ?s :q ?y } } }", ""},
		{"AS of a variable that a sub-select projects", "SELECT (1 AS ?y) { { SELECT ?y { ?s :q ?y } } }", "?y has a value already"},
		{"AS of the name of a graph", "SELECT (1 AS ?g) { GRAPH ?g {} }", "?g has a value already"},
		{"AS of a variable of VALUES after the query", "SELECT (1 AS ?y) {} VALUES ?y { 1 }", "?y has a value already"},
		{"AS twice", "SELECT (1 AS ?y) (2 AS ?y) {}", "?y has a value already"},
		{"a plain variable and AS", "SELECT ?y (2 AS ?y) {}", "?y has a value already"},
		{"a plain variable twice", "SELECT ?y ?y { ?y :p 1 }", ""},

		{"BIND of a variable used later", "SELECT * { BIND(1 AS ?x) ?s :p ?x }", ""},
		{"BIND of a variable used before", "SELECT * { ?s :p ?x BIND(1 AS ?x) }", "?x has a value in this group already"},
		{"BIND of a variable used before in FILTER", "SELECT * { FILTER(?x) BIND(1 AS ?x) }", ""},
		{"BIND of a variable of the group around", "SELECT * { ?s :p ?x { BIND(1 AS ?x) } }", ""},
		{"BIND twice in two arms", "SELECT * { { BIND(1 AS ?x) } UNION { BIND(2 AS ?x) } }", ""},
		{"BIND in EXISTS of a variable outside", "SELECT * { ?s :p ?x FILTER EXISTS { BIND(1 AS ?x) } }", ""},
		{"BIND in EXISTS of a variable before it", "SELECT * { FILTER EXISTS { ?s :p ?x BIND(1 AS ?x) } }", "?x has a value in this group already"},
		{"BIND in a select expression", "SELECT (EXISTS { ?s :p ?x BIND(1 AS ?x) } AS ?y) {}", "?x has a value in this group already"},
		{"BIND of a variable of a triple term", "SELECT * { ?s :p <<( :a :b ?x )>> BIND(1 AS ?x) }", "?x has a value in this group already"},

		{"a key", "SELECT ?x { ?s :p ?x } GROUP BY ?x", ""},
		{"a key with a name", "SELECT ?k { ?s :p ?x } GROUP BY (STR(?x) AS ?k)", ""},
		{"the name of a key in use", "SELECT ?x { ?s :p ?x } GROUP BY (STR(?x) AS ?x)", "?x has a value in the pattern already"},
		{"a variable inside an aggregate", "SELECT (SUM(?x) AS ?n) (COUNT(*) + 1 AS ?m) { ?s :p ?x }", ""},
		{"an alias of an aggregate", "SELECT (SUM(?x) AS ?n) (?n + 1 AS ?m) { ?s :p ?x }", ""},
		{"a variable next to an aggregate", "SELECT (SUM(?x) + ?x AS ?n) { ?s :p ?x }", "?x is neither a key of GROUP BY nor inside an aggregate"},
		{"an aggregate in ORDER BY groups, too", "SELECT ?x { ?s :p ?x } ORDER BY COUNT(*)", "?x is neither a key of GROUP BY nor inside an aggregate"},
		{"an aggregate in HAVING groups, too", "SELECT ?x { ?s :p ?x } HAVING(COUNT(*) > 1)", "?x is neither a key of GROUP BY nor inside an aggregate"},
		{"the expression of a named key is no key", "SELECT ?x { ?s :p ?x } GROUP BY (?x AS ?g)", "?x is neither a key of GROUP BY nor inside an aggregate"},
		{"nor in an expression", "SELECT (STR(?x) AS ?y) { ?s :p ?x } GROUP BY (?x AS ?g)", "?x is neither a key of GROUP BY nor inside an aggregate"},
		{"a named key, and one in parentheses", "SELECT ?x ?g (?g + 1 AS ?h) (MIN(?s) + ?h AS ?m) { ?s :p ?x } GROUP BY (?x) (STR(?x) AS ?g)", ""},
		{"what VALUES has is no key", "SELECT ?x (SUM(?y) AS ?n) { ?x :p ?y } VALUES ?x { :a }", "?x is neither a key of GROUP BY nor inside an aggregate"},
		{"VALUES of a key", "SELECT ?x (SUM(?y) AS ?n) { ?x :p ?y } GROUP BY ?x VALUES ?x { :a }", ""},
		{"AS of what VALUES has", "SELECT (SUM(?y) AS ?n) { ?x :p ?y } VALUES ?n { 1 }", "?n has a value already"},
		{"a grouped sub-select does not group outside", "SELECT ?s ?n { ?s :p ?x { SELECT (COUNT(*) AS ?n) {} } }", ""},
		{"an aggregate in GROUP BY", "SELECT ?x { ?s :p ?x } GROUP BY (COUNT(?x) AS ?n)", "an aggregate cannot stand here"},
		{"an aggregate in BIND", "SELECT ?x { BIND(COUNT(?x) AS ?n) }", "an aggregate cannot stand here"},
		{"an aggregate in EXISTS in HAVING", "SELECT ?x { ?s :p ?x } GROUP BY ?x HAVING(EXISTS { FILTER(COUNT(*)) })", "an aggregate cannot stand here"},
		{"an empty separator", `SELECT (GROUP_CONCAT(?x; SEPARATOR="") AS ?n) { ?s :p ?x }`, ""},

		{"no variable and rows", "SELECT * { VALUES () { () } }", ""},
		{"a variable twice in VALUES", "SELECT * { VALUES (?x ?x) { (1 1) } }", "the variable ?x stands twice in VALUES"},
		{"a row too long", "SELECT * { VALUES (?x) { (1 2) } }", "a row of 2 values for 1 variable"},
		{"VALUES without rows", "SELECT * { VALUES ?x {} VALUES (?x ?y) {} }", ""},
		{"COALESCE without arguments", "SELECT (COALESCE() AS ?x) {}", ""},
		{"HAVING with two conditions", "SELECT ?x { ?s :p ?x } GROUP BY ?x HAVING (COUNT(*) > 1) (MAX(?s) < 5)", ""},
		{"a negated set before a constant", "ASK { [] !:p :w }", ""},
		{"a datatype that needs a tag", `SELECT * { ?s ?p "a"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> }`, "a literal of this datatype needs a language tag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, c.want, parseQuery(t, testPrefixes+c.text, nil))
		})
	}
}

// TestUpdateNotes is [TestNotes] for updates.
func TestUpdateNotes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a label twice in one operation", "INSERT DATA { _:a :p 1 . GRAPH :g { _:a :q 2 } }", ""},
		{"a label in two operations", "INSERT DATA { _:a :p 1 } ; INSERT DATA { _:a :p 2 }", `the label "_:a" is used in two INSERT DATA operations`},
		{"with another between them", "INSERT DATA { _:a :p 1 } ; CLEAR ALL ; INSERT DATA { _:a :p 2 }", `the label "_:a" is used in two INSERT DATA operations`},
		{"a label in two templates", "INSERT { _:a :p ?x } WHERE { ?x :q 1 } ; INSERT { _:a :p ?x } WHERE { ?x :q 2 }", ""},
		{"a label in data and in a template", "INSERT DATA { _:a :p 1 } ; INSERT { _:a :p ?x } WHERE { ?x :q _:b }", ""},
		{"a label in two patterns of two operations", "DELETE { ?x :p 1 } WHERE { ?x :q _:b } ; DELETE { ?x :p 2 } WHERE { ?x :q _:b }", ""},
		{"a label in a template and in the pattern", "INSERT { _:a :p ?x } WHERE { ?x :q _:a }", ""},
		{"nothing", "", ""},
		{"a prologue alone", "BASE <http://ex/>", ""},
		{"a semicolon at the end", "CLEAR ALL ;", ""},
		{"a semicolon alone", ";", "expected BASE, PREFIX, VERSION or update operation, found"},
		{"a prologue between operations", "CLEAR ALL ; PREFIX z: <http://z/> INSERT DATA { z:a z:b z:c }", ""},
		{"a blank node in DELETE WHERE", "DELETE WHERE { [] :p 1 }", "there are no blank nodes in DELETE WHERE"},
		{"a collection in DELETE DATA", "DELETE DATA { :a :p (1) }", "there are no blank nodes in DELETE DATA"},
		{"the empty collection in DELETE DATA", "DELETE DATA { :a :p () }", ""},
		{"a reified triple without a name in DELETE", "DELETE { << ?s ?p ?o >> :q 1 } WHERE { ?s ?p ?o }", "there are no blank nodes in a DELETE template"},
		{"a reified triple with a name in DELETE", "DELETE { << ?s ?p ?o ~ ?r >> :q 1 } WHERE { ?r ?p ?o }", ""},
		{"a variable as graph in DELETE DATA", "DELETE DATA { GRAPH ?g { :a :b 1 } }", "there are no variables in DELETE DATA"},
		{"a variable in a triple term of INSERT DATA", "INSERT DATA { :a :b <<( :c :d ?x )>> }", "there are no variables in INSERT DATA"},
		{"a path in INSERT", "INSERT { ?s :p/:q ?o } WHERE { ?s :p ?o }", "there are no paths in an INSERT template"},
		{"BIND in WHERE", "INSERT { ?s :p ?o } WHERE { ?s :q ?o BIND(1 AS ?o) }", "?o has a value in this group already"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, c.want, parseUpdate(t, testPrefixes+c.text, nil))
		})
	}
}

func check(t *testing.T, want string, err error) {
	t.Helper()
	var se *ast.SyntaxError
	switch {
	case want == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case want == "":
	case !errors.As(err, &se) || len(se.Msg) < len(want) || se.Msg[:len(want)] != want:
		t.Errorf("error %v, want %s", err, want)
	}
}
