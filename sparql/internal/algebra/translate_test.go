package algebra_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/algebratext"
	"github.com/rete-go/rete/sparql/internal/parse"
)

var update = flag.Bool("update", false, "rewrite golden files in testdata")

const prefixes = "PREFIX : <http://ex/> "

// queries are texts whose algebra is in testdata/queries.txt, named after the
// rule of section 18.2 of SPARQL 1.1 that they show.
var queries = []struct{ name, text string }{
	{"triples of a block are one basic graph pattern", "SELECT * { ?s :p ?o . ?o :q 1 }"},
	{"a FILTER does not end a basic graph pattern, and is applied to the whole group", "SELECT * { ?s :p ?o FILTER(?o > ?x) ?s :q ?x }"},
	{"a BIND ends a basic graph pattern", "SELECT * { ?s :p ?o BIND(?o AS ?x) ?s :q ?y }"},
	{"the empty group is the unit", "SELECT * {}"},
	{"units vanish from joins", "SELECT * { {} ?s :p ?o {} }"},
	{"the FILTER of OPTIONAL is its condition", "SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x FILTER(?x < ?o) FILTER(?x > 1) } }"},
	{"the FILTER of a group inside OPTIONAL is not", "SELECT * { ?s :p ?o OPTIONAL { { ?s :q ?x FILTER(?x < ?o) } } }"},
	{"OPTIONAL with nothing before it", "SELECT * { OPTIONAL { ?s :p ?o } }"},
	{"two OPTIONALs nest to the left", "SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x } OPTIONAL { ?x :r ?y } }"},
	{"UNION of three arms", "SELECT * { { ?s :p 1 } UNION { ?s :p 2 } UNION {} }"},
	{"MINUS takes what is before it", "SELECT * { ?s :p ?o MINUS { ?s :q ?o } ?o :r ?x }"},
	{"MINUS first", "SELECT * { MINUS { ?s :q ?o } ?s :p ?o }"},
	{"GRAPH with a variable and nothing in it", "SELECT * { GRAPH ?g {} }"},
	{"GRAPH with an IRI", "SELECT * { GRAPH :g { ?s ?p ?o OPTIONAL { ?s :q ?x } } }"},
	{"SERVICE", "SELECT * { ?s :p ?o SERVICE SILENT ?o { ?s :q [] } }"},
	{"VALUES in the pattern and after it", "SELECT * { VALUES (?a ?b) { (1 UNDEF) (:x \"y\"@en) } ?a :p ?b } VALUES ?a { 1 }"},
	{"VALUES without variables", "SELECT * { VALUES () { () () } }"},
	{"blank nodes are variables that SELECT * leaves out", "SELECT * { _:a :p [ :q _:a ] }"},
	{"a blank node is of one basic graph pattern, also across a FILTER", "SELECT * { _:a :p ?x FILTER(?x) _:a :q ?y }"},
	{"SELECT * leaves out what only MINUS and FILTER mention", "SELECT * { ?s :p ?o MINUS { ?s :q ?m } FILTER(?f || EXISTS { ?s :r ?e }) }"},
	{"expressions of SELECT extend in their order", "SELECT (?o + 1 AS ?a) (?a + 1 AS ?b) ?o ?o { ?s :p ?o }"},
	{"order of modifiers", "SELECT DISTINCT ?s { ?s :p ?o } ORDER BY DESC(?o) STR(?s) OFFSET 2 LIMIT 3"},
	{"OFFSET alone", "SELECT REDUCED ?s { ?s :p ?o } OFFSET 2"},
	{"LIMIT 0", "SELECT * { ?s :p ?o } LIMIT 0"},
	{"a variable hidden by a sub-select is not the one outside", "SELECT * { ?s :p ?o { SELECT ?s { ?s :q ?o } LIMIT 1 } }"},
	{"an alias of a sub-select is a variable outside", "SELECT ?n ?x { { SELECT (COUNT(?x) AS ?n) { ?x :p ?y } } ?x :q ?n }"},
	{"sub-select in a sub-select", "SELECT ?a { { SELECT ?a { { SELECT ?b { ?a :p ?b } } ?a :q ?b } } }"},
	{"one group", "SELECT (COUNT(*) AS ?n) { ?s :p ?o }"},
	{"keys", "SELECT ?s (SUM(?o) AS ?n) { ?s :p ?o } GROUP BY ?s"},
	{"keys that are expressions", "SELECT ?k (MAX(?o) AS ?n) { ?s :p ?o } GROUP BY (STR(?s) AS ?k) LANG(?o)"},
	{"equal aggregates are computed once, others apart", "SELECT (SUM(?o) / COUNT(?o) AS ?a) (SUM(?o) AS ?b) (SUM(DISTINCT ?o) AS ?c) { ?s :p ?o } HAVING(SUM(?o) > 1)"},
	{"aggregates of RAND are never one", "SELECT (SUM(RAND()) AS ?a) (SUM(RAND()) AS ?b) { ?s :p ?o }"},
	{"a variable that is no key is sampled in HAVING and ORDER BY", "SELECT ?s { ?s :p ?o } GROUP BY ?s HAVING(?o > 1) (?s != :x) ORDER BY ?o COUNT(*)"},
	{"an alias in ORDER BY of a grouped query", "SELECT ?s (COUNT(*) AS ?n) (?n + 1 AS ?m) { ?s :p ?o } GROUP BY ?s ORDER BY ?n ?m"},
	{"an alias that is also a variable of the pattern", "SELECT (1 AS ?o) { ?s :p ?o } GROUP BY ?s"},
	{"VALUES joins after grouping", "SELECT ?s (COUNT(?o) AS ?n) { ?s :p ?o } GROUP BY ?s HAVING(?n > 1) VALUES ?s { :a }"},
	{"GROUP_CONCAT", "SELECT (GROUP_CONCAT(DISTINCT ?o; SEPARATOR=\", \") AS ?n) (GROUP_CONCAT(?o) AS ?m) { ?s :p ?o }"},
	{"path: sequence and inverse", "SELECT * { ?s :p/^:q/:r ?o }"},
	{"path: inverse of a sequence", "SELECT * { ?s ^(:p/^:q) ?o }"},
	{"path: alternatives", "SELECT * { ?s :p|:q/:r|^:t ?o }"},
	{"path: closures stay", "SELECT * { ?s :p*/(:q|^:r)+/(:t/:u)? ?o }"},
	{"path: the inverse goes into a closure", "SELECT * { ?s ^((:p/:q*)+) ?o }"},
	{"path: negated sets by direction", "SELECT * { ?s !(:p|^:q|:r) ?o . ?s !^:q ?x . ?s !() ?y }"},
	{"path: negated set in a closure", "SELECT * { ?s (!(:p|^:q))* ?o . ?s ^(!(:p|^:q)+) ?x }"},
	{"path between patterns", "SELECT * { ?s :a ?x . ?x :p+ ?y . ?y :b ?z }"},
	{"EXISTS shares the variables of its group", "SELECT * { ?s :p ?o FILTER NOT EXISTS { ?s :q ?x FILTER(?x = ?o) } }"},
	{"triple terms", "SELECT * { ?s :p <<( :a ?b <<( _:c :q 1 )>> )>> . ?s :q <<( :a :b :c )>> BIND(<<( ?s :p ?b )>> AS ?t) }"},
	{"reified triples and annotations", "SELECT * { << ?s :p ?o ~ ?r >> :q 1 . ?a :b ?c {| :d ?e |} }"},
	{"ASK", "ASK FROM :g FROM NAMED :h { ?s :p ?o } LIMIT 1"},
	{"CONSTRUCT", "CONSTRUCT { ?s :q [ :r ?x ] . _:a :t _:a } WHERE { ?s :p ?o . _:a :p ?s }"},
	{"CONSTRUCT WHERE: a blank node is a variable in the pattern, a new node in the template", "CONSTRUCT WHERE { _:a :p ?o }"},
	{"DESCRIBE", "DESCRIBE :a ?s { ?s :p ?o } LIMIT 2"},
	{"DESCRIBE without a pattern", "DESCRIBE :a"},
	{"DESCRIBE *", "DESCRIBE * { ?s :p ?o . ?o :q [] }"},
	{"functions", "SELECT * { BIND(IF(?a IN (1, 2), :f(?b), <" + rdf.XSDInteger + ">(?c)) AS ?x) BIND(?a NOT IN () && !BOUND(?b) AS ?y) }"},
}

var updates = []struct{ name, text string }{
	{"DELETE INSERT", "WITH :g DELETE { ?s :p ?o } INSERT { ?s :q [] . GRAPH ?h { ?s :r ?o } } USING :a USING NAMED :b WHERE { ?s :p ?o GRAPH ?h {} }"},
	{"DELETE WHERE", "DELETE WHERE { ?s :p ?o . GRAPH :g { ?s :q ?x . ?x :r ?o } GRAPH ?h { ?s :t ?y } ?o :u 1 }"},
	{"INSERT", "INSERT { _:a :p ?s } WHERE { _:a :q ?s }"},
}

func TestTranslate(t *testing.T) {
	var b strings.Builder
	for _, c := range queries {
		q, err := parse.Query(prefixes+c.text, nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		a, err := algebra.Translate(q)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		fmt.Fprintf(&b, "# %s\n%s\n%s\n\n", c.name, c.text, short(algebratext.Query(a)))
	}
	for _, c := range updates {
		u, err := parse.Update(prefixes+c.text, nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		a, err := algebra.TranslateUpdate(u)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		fmt.Fprintf(&b, "# %s\n%s\n%s\n\n", c.name, c.text, short(algebratext.Modify(a.Ops[0].(*algebra.Modify))))
	}
	golden(t, "queries.txt", b.String())
}

// short abbreviates IRIs and integers.
func short(s string) string {
	s = strings.ReplaceAll(s, "^^<"+rdf.XSDInteger+">", "")
	for from, to := range map[string]string{"http://ex/": ":", rdf.RDF: "rdf:", rdf.XSD: "xsd:"} {
		for {
			i := strings.Index(s, "<"+from)
			if i < 0 {
				break
			}
			end := i + strings.IndexByte(s[i:], '>')
			s = s[:i] + to + s[i+1+len(from):end] + s[end+1:]
		}
	}
	return s
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the change\ngot:\n%s", file, got)
	}
}
