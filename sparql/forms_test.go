package sparql_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
)

// formsData has triples in the default graph and two named ones, and a blank node
// that leads to others.
const formsData = `PREFIX : <http://ex/>
:a :p 1 ; :q :b . :b :p 2 .
:d :has [ :part [ :name "inner" ] ; :name "outer" ] .
:loop :next _:l . _:l :next _:m . _:m :next _:l .
GRAPH :g1 { :a :p 3 . :a :in :g1 . }
GRAPH :g2 { :a :p 3 . :c :p 4 . }
`

func formsDataset(t *testing.T) []rdf.Quad {
	r, err := rdfio.Open("forms", strings.NewReader(formsData), rdfio.TriG, rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b memory.Builder
	if err := b.AddReader(r); err != nil {
		t.Fatal(err)
	}
	return b.Build().Quads()
}

// shown spells an answer: rows as sorted lines, booleans, triples.
func shown(t *testing.T, ds dataset.Dataset, text string, opts ...sparql.Option) string {
	q, err := sparql.Parse(text, &sparql.ParseOptions{Base: "http://ex/"})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a, err := answer(ds, q, opts...)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if a.Set != nil && a.Set.Boolean != nil {
		return fmt.Sprint(*a.Set.Boolean)
	}
	var out []string
	cell := func(x rdf.Term) string {
		if x.Kind() == rdf.KindBlank {
			return "_"
		}
		return caseTerm(x, false)
	}
	for _, q := range a.Graph {
		out = append(out, cell(q.S)+" "+cell(q.P)+" "+cell(q.O))
	}
	if a.Set != nil {
		for _, row := range a.Set.Rows {
			var cells []string
			for i, x := range row {
				if !x.IsZero() {
					cells = append(cells, a.Set.Vars[i]+"="+cell(x))
				}
			}
			out = append(out, strings.Join(cells, " "))
		}
	}
	if !strings.Contains(text, "ORDER BY") {
		slices.Sort(out)
	}
	return strings.Join(out, " | ")
}

// TestColumns: SELECT * has what is in scope (SPARQL 18.2.1), also what a sub-select
// names and never binds; a variable that is named twice is one column.
func TestColumns(t *testing.T) {
	ds := load(formsDataset(t))
	for _, c := range []struct{ query, vars, want string }{
		{"SELECT ?o ?s ?o { ?s :p 1, ?o }", "o s", "o=1 s=:a"},
		{"SELECT * { { SELECT ?y { ?s :p 1 } } }", "y", ""},
		{"SELECT * { { SELECT * { { SELECT (1/0 AS ?y) ?z { ?s :p 1 } } } } UNION { ?a :p 2 } }", "y z a", " | a=:b"},
		{"SELECT * { GRAPH ?g { { SELECT ?y { ?s :p 4 } } } }", "y g", "g=:g2"},
		{"SELECT * { { SELECT ?y { ?s :p 1 } } ?y :p ?o }", "y o", "y=:a o=1 | y=:b o=2"},
		{"SELECT * { { SELECT ?k (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?k } }", "k n", "n=2"},
		{"SELECT * { ?s :p 1 FILTER EXISTS { SELECT ?y { ?x :p 2 } } MINUS { SELECT ?z { ?x :p 2 } } FILTER(!BOUND(?w)) }", "s", "s=:a"},
	} {
		text := "PREFIX : <http://ex/> " + c.query
		vars := sparql.MustParse(text).Vars()
		want := strings.Fields(c.vars)
		slices.Sort(vars)
		slices.Sort(want)
		if !slices.Equal(vars, want) {
			t.Errorf("%s: columns %v, want %v", c.query, vars, want)
		}
		if got := shown(t, ds, text); got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
		}
	}
}

// TestForms has each form of query with each clause that it may have.
func TestForms(t *testing.T) {
	quads := formsDataset(t)
	const p = "PREFIX : <http://ex/> "
	for _, c := range []struct{ query, want string }{
		// Errors pass through IN, also before an empty list.
		{"SELECT ?s { ?s :p ?o FILTER(?none NOT IN ()) }", ""},
		{"SELECT ?s { ?s :p ?o FILTER(1 / (?o - 1) NOT IN ()) }", "s=:b"},
		{"SELECT (COALESCE(1/0 IN (), 'error') AS ?x) (COALESCE(1/0 NOT IN (), 'error') AS ?y) (2 IN () AS ?z) {}", `x="error" y="error" z=false`},
		// FROM NAMED makes a named graph of the dataset, also if it is empty: of a name that
		// the data has elsewhere, or not at all; each once. Without it a graph has a quad.
		{"ASK FROM NAMED :none { GRAPH :none { } }", "true"},
		{"ASK FROM NAMED :a { GRAPH :a { } }", "true"},
		{"ASK FROM NAMED :g1 { GRAPH :g2 { } }", "false"},
		{"ASK FROM :none { GRAPH :none { } }", "false"},
		{"ASK { GRAPH :none { } }", "false"},
		{"ASK { GRAPH :a { } }", "false"},
		{"SELECT * FROM NAMED :none FROM NAMED :g1 FROM NAMED :a FROM NAMED :none { GRAPH ?g { } }", "g=:a | g=:g1 | g=:none"},
		{"SELECT * FROM NAMED :none FROM NAMED :g2 { GRAPH ?g { OPTIONAL { ?s :p ?o } } }", "g=:g2 s=:a o=3 | g=:g2 s=:c o=4 | g=:none"},
		{"SELECT * FROM NAMED :none FROM NAMED :g2 { GRAPH ?g { { SELECT (COUNT(*) AS ?c) { ?s :p ?o } } } }", "g=:g2 c=2 | g=:none c=0"},
		{"SELECT * FROM NAMED :none FROM NAMED :a { GRAPH ?g { :x :p? ?y } }", "g=:a y=:x | g=:none y=:x"},
		{"SELECT * FROM NAMED :none FROM NAMED :g2 { VALUES ?g { :none :g1 :g2 } GRAPH ?g { BIND(1 AS ?x) } }", "g=:g2 x=1 | g=:none x=1"},
		{"SELECT * FROM NAMED :none FROM NAMED :g2 { VALUES ?g { :none :g1 :g2 } FILTER EXISTS { GRAPH ?g { } } FILTER NOT EXISTS { GRAPH ?g { :c ?p ?o } } }", "g=:none"},
		{"SELECT * FROM NAMED :none FROM NAMED :g2 { GRAPH ?g { ?s :p* ?o FILTER(?s != ?o) } }", "g=:g2 s=:a o=3 | g=:g2 s=:c o=4"},
		{"SELECT * FROM NAMED :none { { GRAPH ?g { ?s ?p ?o } } UNION { GRAPH :none { ?s ?p ?o } } }", ""},
		// Dataset clauses, on every form.
		{"SELECT ?s ?o { ?s :p ?o }", "s=:a o=1 | s=:b o=2"},
		{"SELECT ?s ?o FROM :g1 FROM :g2 { ?s :p ?o }", "s=:a o=3 | s=:c o=4"},
		{"SELECT ?g FROM :g1 FROM NAMED :g2 { ?a :in ?x . GRAPH ?g { ?c :p 4 } }", "g=:g2"},
		{"SELECT ?s FROM NAMED :g1 { ?s :p ?o }", ""},
		{"SELECT ?s FROM :none { ?s ?p ?o }", ""},
		{"ASK FROM :g1 { :b :p 2 }", "false"},
		{"ASK FROM NAMED :g2 { GRAPH :g2 { :c :p 4 } }", "true"},
		{"CONSTRUCT { ?s :was ?o } FROM :g2 { ?s :p ?o }", ":a :was 3 | :c :was 4"},
		{"CONSTRUCT FROM :g2 WHERE { ?s :p ?o }", ":a :p 3 | :c :p 4"},
		{"CONSTRUCT FROM NAMED :g2 WHERE { ?s :p ?o }", ""},
		{"DESCRIBE :a FROM :g1", ":a :in :g1 | :a :p 3"},
		{"DESCRIBE ?s FROM :g2 WHERE { ?s :p 4 }", ":c :p 4"},
		{"SELECT (COUNT(*) AS ?n) FROM <urn:x-arq:UnionGraph> { :a :p ?o }", "n=1"},
		{"SELECT ?o FROM <urn:x-arq:UnionGraph> FROM <urn:x-arq:DefaultGraph> { :a :p ?o }", "o=1 | o=3"},
		// DESCRIBE: blank nodes are followed, each once, also in a circle.
		{"DESCRIBE :d", ":d :has _ | _ :name \"inner\" | _ :name \"outer\" | _ :part _"},
		{"DESCRIBE :loop", ":loop :next _ | _ :next _ | _ :next _"},
		{"DESCRIBE :a :a ?s { ?s :p 2 }", ":a :p 1 | :a :q :b | :b :p 2"},
		{"DESCRIBE :unknown", ""},
		{"DESCRIBE * { :a :q ?x }", ":b :p 2"},
		// CONSTRUCT: triples that are none are left out, each triple comes once.
		{"CONSTRUCT { ?o :of ?s . ?s :x ?none . :k :k :k } { ?s :p|:q ?o }", ":b :of :a | :k :k :k"},
		{"CONSTRUCT { :one :n ?n } { SELECT (COUNT(*) AS ?n) { ?s :p ?o } }", ":one :n 2"},
		{"CONSTRUCT { ?s :p ?o } { ?s :p ?o } ORDER BY DESC(?o) LIMIT 1", ":b :p 2"},
		// Sub-queries, grouping, expressions where variables usually stand.
		{"SELECT ?s { { SELECT ?s { ?s :p ?o } ORDER BY DESC(?o) LIMIT 1 } }", "s=:b"},
		{"SELECT ?k (SUM(?o) AS ?t) { ?s :p ?o } GROUP BY (STRLEN(STR(?s)) AS ?k)", "k=11 t=3"},
		{"SELECT (SUM(?o) AS ?t) { ?s :p ?o } GROUP BY ?s HAVING(SUM(?o) * 2 > 2 && COUNT(*) = 1)", "t=2"},
		{"SELECT ?s { ?s :p ?o } GROUP BY ?s ORDER BY DESC(SUM(?o) - 1) STR(?s)", "s=:b | s=:a"},
		{"SELECT ?s { ?s :p ?o } ORDER BY (1 / (?o - 1)) DESC(?s)", "s=:a | s=:b"},
		{"SELECT (?o + 1 AS ?x) (?x * 2 AS ?y) { :b :p ?o }", "x=3 y=6"},
		{"SELECT (COUNT(*) AS ?n) (SUM(?o) AS ?t) (MIN(?o) AS ?m) (GROUP_CONCAT(?o) AS ?c) { :none :p ?o }", "n=0 t=0 c=\"\""},
		{"SELECT ?s (COUNT(*) AS ?n) { :none :p ?o } GROUP BY ?s", ""},
		// BASE and relative IRIs, also in the middle of a prologue.
		{"BASE <http://ex/x/> SELECT ?o { <../a> <../p> ?o }", "o=1"},
		{"BASE <http://other/> BASE <http://ex/> PREFIX q: <p#> SELECT ?o { <a> <p> ?o }", "o=1"},
		{"SELECT (IRI('b') AS ?x) {}", "x=:b"},
		{"BASE <http://ex/deep/> SELECT (IRI('../b') AS ?x) {}", "x=:b"},
		// Zero-length paths, also of terms that are nowhere.
		{"SELECT ?x { :nowhere :p* ?x }", "x=:nowhere"},
		{"ASK { :nowhere :p* :nowhere }", "true"},
		{"SELECT ?x { ?x :p? 1 }", "x=1 | x=:a"},
		{"SELECT (COUNT(*) AS ?n) { :a (:q/:p)|:p ?x }", "n=2"},
		{"SELECT (COUNT(*) AS ?n) { GRAPH :g1 { ?x :p* ?y } }", "n=4"},
		// EXISTS: the values of the row are put into the pattern.
		{"SELECT ?s { ?s :p ?o FILTER EXISTS { SELECT ?s { ?s :p ?x } } }", "s=:a | s=:b"},
		{"SELECT ?o { ?s :p ?o FILTER NOT EXISTS { ?t :p ?m FILTER(?m > ?o) } }", "o=2"},
		{"SELECT ?o { ?s :p ?o FILTER EXISTS { FILTER(?o = 1) } }", "o=1"},
		{"SELECT ?o (EXISTS { ?s :q ?b } AS ?e) { ?s :p ?o }", "o=1 e=true | o=2 e=false"},
		{"SELECT ?o { ?s :p ?o FILTER EXISTS { VALUES ?o { 2 } } }", "o=2"},
		{"SELECT ?o { ?s :p ?o FILTER EXISTS { BIND(?o AS ?k) FILTER(?k = 2) } }", "o=2"},
	} {
		for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads)} {
			if got := shown(t, ds, p+c.query); got != c.want {
				t.Errorf("%s, %s:\ngot  %s\nwant %s", c.query, name, got, c.want)
			}
		}
	}
}

// TestDecisions has what the texts leave to chance.
func TestDecisions(t *testing.T) {
	ds := load(formsDataset(t))
	const p = "PREFIX : <http://ex/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
	for _, c := range []struct{ what, query, want string }{
		{"NOW is one value", "SELECT (COUNT(DISTINCT ?n) AS ?k) { { BIND(NOW() AS ?n) } UNION { ?s :p ?o BIND(NOW() AS ?n) } }", "k=1"},
		{"NOW is in UTC", "SELECT (TZ(NOW()) AS ?z) {}", "z=\"Z\""},
		{"RAND once a solution", "SELECT (COUNT(DISTINCT ?r) AS ?k) (COUNT(*) AS ?n) { ?s ?p ?o BIND(RAND() AS ?r) }", "k=10 n=10"},
		{"RAND keeps its value", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o BIND(RAND() AS ?r) BIND(?r AS ?q) FILTER(?r = ?q && sameTerm(?r, ?q)) }", "n=10"},
		{"RAND is not run again by a sort", "SELECT (COUNT(*) AS ?n) { { SELECT ?r (?r AS ?q) { ?s ?p ?o BIND(RAND() AS ?r) } ORDER BY ?r RAND() } FILTER(?r = ?q) }", "n=10"},
		{"RAND is not moved", "SELECT (COUNT(DISTINCT ?r) AS ?k) { { SELECT (RAND() AS ?r) {} } ?s ?p ?o }", "k=1"},
		{"two calls are two values", "SELECT (SUM(IF(RAND() = RAND(), 1, 0)) AS ?n) { ?s ?p ?o }", "n=0"},
		{"UUID once a solution", "SELECT (COUNT(DISTINCT ?u) AS ?k) (COUNT(DISTINCT ?v) AS ?l) { ?s ?p ?o BIND(UUID() AS ?u) BIND(STRUUID() AS ?v) }", "k=10 l=10"},
		{"BNODE of a label once a solution", "SELECT (COUNT(DISTINCT ?b) AS ?k) (SUM(IF(sameTerm(?b, ?c), 1, 0)) AS ?n) { ?s ?p ?o BIND(BNODE('x') AS ?b) BIND(BNODE('x') AS ?c) }", "k=10 n=10"},
		{"BNODE without a label", "SELECT (SUM(IF(sameTerm(?b, ?c), 1, 0)) AS ?n) { ?s ?p ?o BIND(BNODE() AS ?b) BIND(BNODE() AS ?c) }", "n=0"},
		{"no implicit time zone", "SELECT (COALESCE('2020-01-01T12:00:00'^^xsd:dateTime < '2020-01-01T13:00:00Z'^^xsd:dateTime, 'undecided') AS ?x) {}", "x=\"undecided\""},
		{"further apart than any zone", "SELECT ('2020-01-01T12:00:00'^^xsd:dateTime < '2020-01-03T13:00:00Z'^^xsd:dateTime AS ?x) {}", "x=true"},
		{"doubles are summed exactly", "SELECT (SUM(?x) AS ?t) { VALUES ?x { 1e100 1e0 -1e100 } }", "t=\"1.0E0\"^^xsd:double"},
		{"decimals are exact", "SELECT (0.1 + 0.2 = 0.3 AS ?x) (1.0 / 3.0 AS ?y) {}", "x=true y=0.333333333333333333"},
		{"large integers are exact", "SELECT (9223372036854775807 + 1 AS ?x) {}", "x=9223372036854775808"},
		{"the order is total", "SELECT ?x { VALUES ?x { 'b' :i 2 'a'@en true UNDEF 1.0 1 'a' '2020-01-01'^^xsd:date } } ORDER BY ?x",
			" | x=:i | x=\"1.0\"^^xsd:decimal | x=1 | x=2 | x=true | x=\"2020-01-01\"^^xsd:date | x=\"a\" | x=\"a\"@en | x=\"b\""},
	} {
		if got := shown(t, ds, p+c.query); got != c.want {
			t.Errorf("%s:\n%s\ngot  %s\nwant %s", c.what, c.query, got, c.want)
		}
	}
	same := "SELECT ?r ?u { ?s :p ?o BIND(RAND() AS ?r) BIND(STRUUID() AS ?u) }"
	if a, b := shown(t, ds, p+same, sparql.Seed(7)), shown(t, ds, p+same, sparql.Seed(7)); a != b {
		t.Errorf("one seed, two answers:\n%s\n%s", a, b)
	}
}
