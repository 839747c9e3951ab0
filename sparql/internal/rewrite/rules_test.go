package rewrite_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/algebratext"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/naive"
	"github.com/rete-go/rete/sparql/internal/rewrite"
	"github.com/rete-go/rete/sparql/internal/work"
)

// rules are patterns with the algebra that they become: each rule where it
// holds, and where it does not. IRIs of http://ex/ are short.
var rules = []struct{ name, pattern, want string }{
	{"an expression of constants", "?x :p ?y FILTER(?y > 1 + 1)", `(filter (> ?y 2) (bgp (?x :p ?y)))`},
	{"a true filter goes", "?x :p ?y FILTER(1 < 2 && true)", `(bgp (?x :p ?y))`},
	{"a false filter empties", "?x :p ?y FILTER(1 > 2)", `(values ())`},
	{"an error is not true", "?x :p ?y FILTER(1 / 0)", `(values ())`},
	{"|| with an error stays", "?x :p ?y FILTER(?y || 1 / 0)", `(filter (|| ?y ) (bgp (?x :p ?y)))`},
	{"COALESCE of errors and what stands after a constant", "?x :p ?y BIND(COALESCE(1 / 0, ?y, 2, ?x) AS ?z)", `(extend ?z (coalesce ?y 2) (bgp (?x :p ?y)))`},
	{"IF of a constant", "?x :p ?y BIND(IF(1 = 1, ?y, ?x) AS ?z)", `(extend ?z ?y (bgp (?x :p ?y)))`},
	{"RAND is not computed", "?x :p ?y FILTER(RAND() < 2)", `(filter (< (rand) 2) (bgp (?x :p ?y)))`},

	{"= of an IRI is a table", "?x :p ?y FILTER(?y = :a)", `(join (bgp (?x :p ?y)) (values (?y) (:a)))`},
	{"= of a string, turned around", "?x :p ?y FILTER('1' = ?y)", `(join (bgp (?x :p ?y)) (values (?y) ("1")))`},
	{"IN of IRIs and strings", "?x :p ?y FILTER(?y IN (:a, '1', :a))", `(join (bgp (?x :p ?y)) (values (?y) (:a) ("1")))`},
	{"sameTerm of any term", "?x :p ?y FILTER(sameTerm(?y, 1))", `(join (bgp (?x :p ?y)) (values (?y) (1)))`},
	{"= of a number is none: 1 = 1.0", "?x :p ?y FILTER(?y = 1)", `(filter (= ?y 1) (bgp (?x :p ?y)))`},
	{"= of a text with a tag is left", "?x :p ?y FILTER(?y = 'x'@en)", `(filter (= ?y "x"@en) (bgp (?x :p ?y)))`},
	{"IN with a number is none", "?x :p ?y FILTER(?y IN (:a, 1))", `(filter (in ?y :a 1) (bgp (?x :p ?y)))`},
	{"a variable that the pattern does not bind is not fixed", "?x :p ?y FILTER(?z = :a)", `(filter (= ?z :a) (bgp (?x :p ?y)))`},
	{"a fixed graph", "GRAPH ?g { ?x :p ?y } FILTER(?g = :g1)", `(join (graph ?g (bgp (?x :p ?y))) (values (?g) (:g1)))`},

	{"BIND of a constant is a table", "BIND(:a AS ?x) ?x :p ?y", `(join (values (?x) (:a)) (bgp (?x :p ?y)))`},
	{"BIND of an error stays", "?x :p ?y BIND(1 / 0 AS ?z)", `(extend ?z  (bgp (?x :p ?y)))`},
	{"a filter moves below BIND", "?x :p ?y BIND(STR(?y) AS ?z) FILTER(?y > 1)", `(extend ?z (str ?y) (filter (> ?y 1) (bgp (?x :p ?y))))`},
	{"not if it reads the variable", "?x :p ?y BIND(STR(?y) AS ?z) FILTER(?z > '1')", `(filter (> ?z "1") (extend ?z (str ?y) (bgp (?x :p ?y))))`},
	{"but it may read the variable that was copied", "?x :p ?y BIND(?y AS ?z) FILTER(?z > 1)", `(extend ?z ?y (filter (> ?y 1) (bgp (?x :p ?y))))`},

	{"a filter moves into both arms", "{ ?x :p ?y } UNION { ?x :q ?y } FILTER(?y > 1)", `(union (filter (> ?y 1) (bgp (?x :p ?y))) (filter (> ?y 1) (bgp (?x :q ?y))))`},
	{"RAND does not", "{ ?x :p ?y } UNION { ?x :q ?y } FILTER(?y > RAND())", `(filter (> ?y (rand)) (union (bgp (?x :p ?y)) (bgp (?x :q ?y))))`},
	{"an empty arm goes", "{ ?x :p ?y } UNION { ?x :q ?y FILTER(false) }", `(bgp (?x :p ?y))`},

	{"a filter of the left side of OPTIONAL", "?x :p ?y OPTIONAL { ?y :q ?z } FILTER(?y > 1)", `(leftjoin (filter (> ?y 1) (bgp (?x :p ?y))) (bgp (?y :q ?z)))`},
	{"not where the right side may bind the variable", "?x :p ?y OPTIONAL { ?x :r ?w } OPTIONAL { ?y :q ?w } FILTER(!BOUND(?w))",
		`(filter (! (bound ?w)) (leftjoin (leftjoin (bgp (?x :p ?y)) (bgp (?x :r ?w))) (bgp (?y :q ?w))))`},
	{"a filter that demands the right side makes a join", "?x :p ?y OPTIONAL { ?y :q ?z } FILTER(?z > 1)", `(join (bgp (?x :p ?y)) (filter (> ?z 1) (bgp (?y :q ?z))))`},
	{"!BOUND does not", "?x :p ?y OPTIONAL { ?y :q ?z } FILTER(!BOUND(?z))", `(filter (! (bound ?z)) (leftjoin (bgp (?x :p ?y)) (bgp (?y :q ?z))))`},
	{"nor does ||", "?x :p ?y OPTIONAL { ?y :q ?z } FILTER(?z > 1 || ?y > 1)", `(filter (|| (> ?z 1) (> ?y 1)) (leftjoin (bgp (?x :p ?y)) (bgp (?y :q ?z))))`},
	{"inside EXISTS, ?z may be given", "?a :r ?z FILTER EXISTS { ?x :p ?y OPTIONAL { ?y :q ?z } FILTER(?z > 1) }",
		`(filter (exists (filter (> ?z 1) (leftjoin (bgp (?x :p ?y)) (bgp (?y :q ?z))))) (bgp (?a :r ?z)))`},
	{"a condition of OPTIONAL about its right side", "?x :p ?y OPTIONAL { ?y :q ?z FILTER(?z > 1 && ?x != ?z) }",
		`(leftjoin (!= ?x ?z) (bgp (?x :p ?y)) (filter (> ?z 1) (bgp (?y :q ?z))))`},
	{"a condition that is never true", "?x :p ?y OPTIONAL { ?y :q ?z FILTER(false) }", `(bgp (?x :p ?y))`},
	{"a condition about the left side stays", "?x :p ?y OPTIONAL { ?x :q ?z FILTER(?y > 1) }", `(leftjoin (> ?y 1) (bgp (?x :p ?y)) (bgp (?x :q ?z)))`},

	{"a filter of the left side of MINUS", "?x :p ?y MINUS { ?y :q ?z } FILTER(?z > 1)", `(minus (filter (> ?z 1) (bgp (?x :p ?y))) (bgp (?y :q ?z)))`},
	{"MINUS of nothing", "?x :p ?y MINUS { ?y :q ?z FILTER(false) }", `(bgp (?x :p ?y))`},

	{"a filter in GRAPH", "GRAPH ?g { ?x :p ?y OPTIONAL { ?x :q ?z } } FILTER(?y > 1)", `(graph ?g (leftjoin (filter (> ?y 1) (bgp (?x :p ?y))) (bgp (?x :q ?z))))`},
	{"not of the name", "GRAPH ?g { ?x :p ?y } FILTER(?g > ?y)", `(filter (> ?g ?y) (graph ?g (bgp (?x :p ?y))))`},
	{"EXISTS stays in its graph", "GRAPH ?g { ?x :p ?y } FILTER EXISTS { ?x :q ?z }", `(filter (exists (bgp (?x :q ?z))) (graph ?g (bgp (?x :p ?y))))`},

	{"a filter on a sub-select", "{ SELECT DISTINCT ?x { ?x :p ?y } ORDER BY ?y } FILTER(?x > 1)", `(distinct (project (?x) (order (?y) (filter (> ?x 1) (bgp (?x :p ?y))))))`},
	{"not past LIMIT", "{ SELECT ?x { ?x :p ?y } LIMIT 1 } FILTER(?x > 1)", `(filter (> ?x 1) (slice 0 1 (project (?x) (bgp (?x :p ?y)))))`},
	{"on keys of groups", "{ SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x } FILTER(?x > 1 && ?n > 1)",
		`(project (?x ?n) (extend ?n ?.0 (filter (> ?.0 1) (group (?x) (?.0 (count *)) (filter (> ?x 1) (bgp (?x :p ?y)))))))`},
	{"not on a group without keys", "{ SELECT (COUNT(*) AS ?n) { ?x :p ?y } } FILTER(?x > 1)",
		`(project (?n) (extend ?n ?.0 (filter (> ?x#4 1) (group () (?.0 (count *)) (bgp (?x#1 :p ?y))))))`},
	{"a copy of a variable that may be given", "?a :r ?z FILTER EXISTS { ?x :p ?y BIND(?w AS ?z) FILTER(?z > 1) }",
		`(filter (exists (filter (> ?z 1) (extend ?z ?w (bgp (?x :p ?y))))) (bgp (?a :r ?z)))`},
	{"a variable of outside does not reach into a sub-select", "?a :r ?z FILTER EXISTS { { SELECT ?x { ?x :p ?y } } FILTER(?z > 1 && ?x > 1) }",
		`(filter (exists (filter (> ?z 1) (project (?x) (filter (> ?x 1) (bgp (?x :p ?y)))))) (bgp (?a :r ?z)))`},
	{"to the side of a join", "{ ?x :p ?y } { SELECT ?x { ?x :q ?z } } FILTER(?y > 1)", `(join (filter (> ?y 1) (bgp (?x :p ?y))) (project (?x) (bgp (?x :q ?z))))`},
}

func short(s string) string {
	s = strings.ReplaceAll(s, "^^<http://www.w3.org/2001/XMLSchema#integer>", "")
	for _, n := range []string{"1", "2"} {
		s = strings.ReplaceAll(s, `"`+n+`"`+"\x00", n)
	}
	for _, n := range []string{"a", "p", "q", "r", "g1"} {
		s = strings.ReplaceAll(s, "<http://ex/"+n+">", ":"+n)
	}
	return strings.Join(strings.Fields(s), " ")
}

func TestRules(t *testing.T) {
	for _, c := range rules {
		t.Run(c.name, func(t *testing.T) {
			q, err := translate("SELECT * { " + c.pattern + " }")
			if err != nil {
				t.Fatal(err)
			}
			root := q.Root.(*algebra.Project).Input
			before := algebratext.Format(root, q.Vars)
			text := algebratext.Format(rewrite.Op(new(work.Meter), root), q.Vars)
			text = strings.ReplaceAll(text, "^^<http://www.w3.org/2001/XMLSchema#integer>", "\x00")
			if got, want := short(text), strings.Join(strings.Fields(c.want), " "); strings.ReplaceAll(got, " )", ")") != strings.ReplaceAll(want, " )", ")") {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if algebratext.Format(root, q.Vars) != before {
				t.Error("the operator was changed")
			}
			if strings.Contains(c.pattern, "RAND") {
				return
			}
			for i := range uint64(300) {
				data := naive.NewDataset(fuzzquery.Quads(rand.New(rand.NewPCG(i, 11))))
				want, got := solutions(q, q.Root, data), solutions(q, rewrite.Op(new(work.Meter), q.Root), data)
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Fatalf("data %d: got %q, want %q", i, got, want)
				}
			}
		})
	}
}

// TestNestedExists rewrites patterns that nest deep, in time that grows with
// their size.
func TestNestedExists(t *testing.T) {
	text := strings.Repeat("?x :p ?y FILTER(?y > 1 && EXISTS { ", 200) + strings.Repeat("})", 200)
	q, err := translate("ASK { " + text + " }")
	if err != nil {
		t.Fatal(err)
	}
	rewrite.Op(new(work.Meter), q.Root)
	q, err = translate("ASK { ?x :p ?y " + strings.Repeat("OPTIONAL { ?x :p ?z FILTER(?z > ?y) } FILTER(?y > 1) ", 1000) + "}")
	if err != nil {
		t.Fatal(err)
	}
	rewrite.Op(new(work.Meter), q.Root)
}
