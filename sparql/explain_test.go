package sparql_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// people returns n people who know the next one, of whom every second has a
// name.
func people(n int) []rdf.Quad {
	iri := func(format string, args ...any) rdf.Term { return rdf.IRI("http://ex/" + fmt.Sprintf(format, args...)) }
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, rdf.Quad{S: iri("p%d", i), P: iri("knows"), O: iri("p%d", (i+1)%n)})
		if i%2 == 0 {
			quads = append(quads, rdf.Quad{S: iri("p%d", i), P: iri("name"), O: rdf.String(fmt.Sprint("name ", i)), G: iri("g")})
			quads = append(quads, rdf.Quad{S: iri("p%d", i), P: iri("name"), O: rdf.String(fmt.Sprint("name ", i))})
		}
	}
	return quads
}

// explained are queries, what their plans say, and how many rows they have.
var explained = []struct {
	text string
	says []string
	rows int64
}{
	{"SELECT ?x { ?x :knows ?y }", []string{"project ?x", "scan", ":knows"}, 100},
	{"SELECT * { ?x :knows ?y . ?y :name ?n FILTER(STRLEN(?n) > 6) }", []string{"join", "STRLEN(?n) > 6", ":name"}, 45},
	{"SELECT * { ?x :knows ?y OPTIONAL { ?y :name ?n } }", []string{"left join"}, 100},
	{"SELECT * { ?x :knows ?y LATERAL { SELECT ?y ?n { ?y :name ?n } LIMIT 1 } }", []string{"lateral, planned for each row ?y"}, 50},
	{"SELECT * { ?x :knows ?y LATERAL { ?y :name ?n } }", []string{"join"}, 50},
	{"SELECT * { ?x :knows ?y MINUS { ?y :name ?n } }", []string{"anti-join"}, 50},
	{"SELECT ?n { ?x :name ?n } ORDER BY DESC(?n) LIMIT 3", []string{"top 3 DESC(?n)"}, 3},
	{"SELECT ?x (COUNT(*) AS ?k) { ?x :knows ?y . ?y :knows ?z } GROUP BY ?x", []string{"group by ?x", "COUNT(*)"}, 100},
	{"SELECT DISTINCT ?p { GRAPH ?g { ?x ?p ?y } }", []string{"distinct", "in ?g"}, 1},
	{"SELECT * { { ?x :knows :p1 } UNION { ?x :name 'name 4' } }", []string{"union", `"name 4"`}, 2},
	{"SELECT ?y { :p1 :knows+ ?y }", []string{"path :p1 :knows+ ?y"}, 100},
	{"SELECT ?z { ?x :knows ?y BIND(STR(?y) AS ?z) }", []string{"extend ?z = STR(?y)"}, 100},
	{"ASK { ?x :knows ?y }", []string{"scan"}, 0},
	{"CONSTRUCT { ?y :knownBy ?x } WHERE { ?x :knows ?y }", []string{"scan"}, 100},
	{"DESCRIBE ?x { ?x :knows :p5 }", []string{"scan", ":p5"}, 1},
}

func TestExplain(t *testing.T) {
	data := load(people(100))
	for _, c := range explained {
		t.Run(c.text, func(t *testing.T) {
			q, err := sparql.Parse("PREFIX : <http://ex/>\n"+c.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := sparql.Explain(t.Context(), data, q)
			if err != nil {
				t.Fatal(err)
			}
			text := plan.String()
			if plan.Run != nil || strings.Contains(text, "rows") {
				t.Errorf("explained without running it:\n%s", text)
			}
			run, err := sparql.Analyze(t.Context(), data, q, sparql.MemoryLimit(64<<20))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) || !strings.Contains(run.String(), want) {
					t.Errorf("no %q in\n%s\nor\n%s", want, text, run)
				}
			}
			if q.Form() != sparql.FormAsk && (run.Run.Rows != c.rows || run.Root.Rows == nil || *run.Root.Rows != c.rows) {
				t.Errorf("%d rows, want %d\n%s", run.Run.Rows, c.rows, run)
			}
			first, _, _ := strings.Cut(run.String(), "\n")
			if !regexp.MustCompile(`^plan [\d.]+ ms, run [\d.]+ ms, [\d,]+ rows, peak [\d.]+ MiB of 64.0 MiB`).MatchString(first) {
				t.Errorf("first line %q", first)
			}
			b, err := json.Marshal(run)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{`"plan_ns":`, `"run":`, `"op":`, `"est":`, `"rows":`, `"ns":`} {
				if !strings.Contains(string(b), key) {
					t.Errorf("no %s in %s", key, b)
				}
			}
		})
	}
}
