package parse_test

import (
	"testing"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// What LATERAL takes, and the rule of SEP-0006 about what it assigns.
func TestLateral(t *testing.T) {
	const has, nothing = "?o has a value on the left of LATERAL", ""
	for _, c := range []struct{ text, want string }{
		{"SELECT * { LATERAL {} }", nothing},
		{"SELECT * { LATERAL { ?s ?p ?o } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?x { ?s :q ?x } LIMIT 2 } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT * { ?s :q ?x } ORDER BY ?x LIMIT 2 OFFSET 1 } }", nothing},
		{"SELECT * { ?s ?p ?o . LATERAL { OPTIONAL { ?s :q ?x } } . ?x :q ?y }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { ?s :q ?x } LATERAL { ?x :q ?y } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { ?s :q ?x LATERAL { ?x :q ?o } } }", nothing},
		{"select*{?s?p?o lateral{?s?p?x}}", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { BIND(?o + 1 AS ?n) } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { VALUES ?n { 1 2 } } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?s (COUNT(*) AS ?n) { ?s :q ?x } GROUP BY ?s } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?s { BIND(123 AS ?o) } } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?x { ?s :q ?x VALUES ?o { 1 } } } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?x { ?s :q ?x } GROUP BY ?x (STR(?x) AS ?o) } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { ?s :q ?x MINUS { BIND(1 AS ?o) } } }", nothing},
		{"SELECT * { ?s ?p ?o LATERAL { FILTER EXISTS { BIND(1 AS ?o) } } }", nothing},
		{"SELECT * { { ?s ?p ?o } UNION { LATERAL { BIND(1 AS ?o) } } }", nothing}, // another group
		{"SELECT * { LATERAL { BIND(1 AS ?o) } ?s ?p ?o }", nothing},
		{"SELECT ?s { ?s ?p ?o MINUS { ?s :q ?x } LATERAL { BIND(1 AS ?x) } }", nothing},
		{"CONSTRUCT { ?s :l ?x } WHERE { ?s ?p ?o LATERAL { ?s :q ?x } }", nothing},

		{"SELECT * { ?s ?p ?o LATERAL { BIND(123 AS ?o) } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { { BIND(123 AS ?o) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { OPTIONAL { BIND(123 AS ?o) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { { ?s :q ?x } UNION { BIND(123 AS ?o) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { GRAPH ?g { BIND(123 AS ?o) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { LATERAL { BIND(123 AS ?o) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { ?s ?p ?o VALUES ?o { 123 456 } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { VALUES (?x ?o) { (1 UNDEF) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT (123 AS ?o) {} } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?s (COUNT(*) AS ?o) { ?s :q ?x } GROUP BY ?s } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT * { BIND(123 AS ?o) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?o { BIND(123 AS ?o) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?o { ?s :q ?x } VALUES ?o { 1 } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { SELECT ?o { ?s :q ?x } GROUP BY (STR(?x) AS ?o) } }", has},
		{"SELECT * { VALUES ?o { 1 } LATERAL { BIND(2 AS ?o) } }", has},
		{"SELECT * { BIND(1 AS ?o) LATERAL { BIND(2 AS ?o) } }", has},
		{"SELECT * { { SELECT ?o { ?s ?p ?o } } LATERAL { BIND(2 AS ?o) } }", has},
		{"SELECT * { LATERAL { ?s ?p ?o } LATERAL { BIND(2 AS ?o) } }", has},
		{"SELECT * { { ?s ?p ?o LATERAL { BIND(1 AS ?o) } } }", has},
		{"SELECT * { FILTER EXISTS { ?s ?p ?o LATERAL { BIND(1 AS ?o) } } }", has},
		{"SELECT * { ?s ?p ?o LATERAL { ?s :q ?x } BIND(1 AS ?x) }", "?x has a value in this group already"},

		{"SELECT * { LATERAL }", "expected {"},
		{"SELECT * { LATERAL OPTIONAL { ?s ?p ?o } }", "expected {"},
		{"SELECT * { OPTIONAL LATERAL { ?s ?p ?o } }", "expected {"},
		{"SELECT * { LATERAL SELECT * { ?s ?p ?o } }", "expected {"},
		{"SELECT * LATERAL { ?s ?p ?o }", "expected"},
		{"LATERAL { ?s ?p ?o }", "expected"},
	} {
		err := parseQuery(t, testPrefixes+c.text, nil)
		if c.want == "expected {" {
			c.want = `expected "{"`
		}
		check(t, c.want, err)
		if t.Failed() {
			t.Fatal(c.text)
		}
		if c.want == nothing {
			check(t, "LATERAL is not part of SPARQL 1.1", parseQuery(t, testPrefixes+c.text, &ast.Options{Strict: true}))
		}
	}
	check(t, has, parseUpdate(t, testPrefixes+"DELETE { ?s ?p ?o } WHERE { ?s ?p ?o LATERAL { BIND(1 AS ?o) } }", nil))
	check(t, nothing, parseUpdate(t, testPrefixes+"DELETE { ?s ?p ?o } WHERE { ?s ?p ?o LATERAL { ?s :q ?x } }", nil))
	check(t, "LATERAL is not part", parseUpdate(t, testPrefixes+"DELETE { ?s ?p ?o } WHERE { ?s ?p ?o LATERAL { ?s :q ?x } }", &ast.Options{Strict: true}))
}
