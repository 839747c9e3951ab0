package sparql_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// conditionsOfAll are conditions over ?v, ?w and ?n with values and errors of all kinds.
var conditionsOfAll = []string{
	"?v > 2", "?v > 2 && isIRI(?v)", "isIRI(?v) && ?v > 2", "?v > 2 || ?n = 'n1'", "!(?v < 3)", "?v < ?w",
	"?v = ?w && STRLEN(?v) > 0", "STRLEN(?v) > 1", "REGEX(?v, '1')", "?v + ?w > 3", "IF(?v > 2, true, 1/0)", "?v IN (1, 2 + ?w)",
	"COALESCE(?v > 2, ?w > 2)", "?v > 2 && EXISTS { ?s :link ?o }", "NOT EXISTS { ?s :link ?s } && ?v > 2", "?v > 2 && ?w > 2 && ?n != 'n2'",
	"CONTAINS(?v, 'x')", "?v", "?v >= 'b'", "xsd:integer(?v) > 1",
}

// surroundings are queries around a FILTER; # stands for its condition, and the text
// between the brackets is the pattern that it is a condition of.
var surroundings = []string{
	"SELECT * { [ ?s :v ?v ; :w ?w ; :n ?n ] }",
	"SELECT * { [ ?n ^:n ?s . ?s :w ?w . ?s :v ?v . ?s :link ?o . ?o :n ?m ] }",
	"SELECT * { ?s :link ?o { [ ?s :v ?v ; :w ?w ; :n ?n ] } }",
	"SELECT * { ?s :link ?o OPTIONAL { { [ ?s :v ?v ; :w ?w ; :n ?n ] } } }",
	"SELECT * { ?s :link ?o { { [ ?s :v ?v ; :w ?w ; :n ?n ] } UNION { ?s :n ?n } } ?o :n ?m }",
	"SELECT * { ?s :link ?o { SELECT ?s ?n { [ ?s :v ?v ; :w ?w ; :n ?n ] } } }",
	"SELECT * { ?s :link ?o { SELECT ?s (COUNT(*) AS ?k) { [ ?s :v ?v ; :w ?w ; :n ?n ] } GROUP BY ?s } }",
	"SELECT ?n (COUNT(DISTINCT ?v) AS ?k) { [ ?s :v ?v ; :w ?w ; :n ?n ] } GROUP BY ?n",
	"SELECT (MAX(?v) AS ?k) { [ ?s :v ?v ; :w ?w ; :n ?n ] }",
	"SELECT (COUNT(*) AS ?k) { [ ?s :v ?v ; :w ?w ; :n ?n . ?s :link+ ?o ] }",
	"SELECT * { ?s :link ?o MINUS { [ ?s :v ?v ; :w ?w ; :n ?n ] } }",
	"SELECT * { ?s :link ?o GRAPH :g { [ ?s :v ?v OPTIONAL { ?s :w ?w } OPTIONAL { ?s :n ?n } ] } }",
	"SELECT DISTINCT ?n { [ ?s :v ?v ; :w ?w ; :n ?n { SELECT ?o { ?o :n 'n1' } } ] }",
	"SELECT * { { [ ?s :v ?v ; :w ?w . VALUES ?n { 'n1' UNDEF } ] } ?o :n ?n } ORDER BY ?v",
	"SELECT * { [ ?s :v ?v . ?o :w ?w OPTIONAL { ?s :n ?n } MINUS { ?s :link ?s } ] }",
	"CONSTRUCT { ?s :k ?v } WHERE { [ ?s :v ?v ; :w ?w ; :n ?n ] }",
}

// mixedValues are subjects with values of many kinds.
func mixedValues(r *rand.Rand, n int) []rdf.Quad {
	ex := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	values := []rdf.Term{
		rdf.Integer(1), rdf.Integer(2), rdf.Integer(7), rdf.Typed("2.5", rdf.XSD+"decimal"), rdf.Typed("NaN", rdf.XSD+"double"),
		rdf.String("1"), rdf.String("x"), rdf.LangString("1", "en"), ex("i"), rdf.Blank("b"), rdf.Typed("300", rdf.XSD+"byte"),
		rdf.Typed("2020-01-01", rdf.XSD+"date"), rdf.Boolean(true),
	}
	var quads []rdf.Quad
	for i := range n {
		s := ex("s" + strconv.Itoa(i))
		add := func(p string, o rdf.Term) { quads = append(quads, rdf.Quad{S: s, P: ex(p), O: o}) }
		for range 1 + r.IntN(2) {
			add("v", values[r.IntN(len(values))])
			add("w", values[r.IntN(len(values))])
		}
		add("n", rdf.String("n"+strconv.Itoa(r.IntN(4))))
		if i == 0 || r.IntN(3) > 0 {
			add("link", ex("s"+strconv.Itoa(r.IntN(n))))
		}
		if i == 0 || r.IntN(2) > 0 {
			quads = append(quads, rdf.Quad{S: s, P: ex("v"), O: values[r.IntN(len(values))], G: ex("g")})
		}
	}
	return quads
}

// TestWarningCounts compares what is counted with the rows in which a condition has no
// value, asked by a query of its own: whatever the order and the methods of the joins.
func TestWarningCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	prefixes := "PREFIX : <http://ex/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
	counted, asked, dir := 0, 0, t.TempDir()
	quads := mixedValues(r, 24)
	stores := []dataset.Dataset{load(quads), onSegment(t, quads), onLog(t, r, quads), lying{onSegment(t, quads), 1}}
	for i, around := range surroundings {
		before, rest, _ := strings.Cut(around, "[")
		pattern, after, _ := strings.Cut(rest, "]")
		for k, cond := range conditionsOfAll {
			if !longtest.On() && (i+k)%3 > 0 {
				continue
			}
			place := strings.Contains(around, "GRAPH")
			if place && strings.Contains(cond, "EXISTS") {
				continue
			}
			failing := fmt.Sprintf("{ %s BIND(IF(%s, 1, 0) AS ?has) FILTER(!BOUND(?has)) }", pattern, cond)
			if place {
				failing = "{ GRAPH :g " + failing + "}"
			}
			want, err := answer(stores[0], sparql.MustParse(prefixes+"SELECT (COUNT(*) AS ?k) "+failing))
			if err != nil {
				t.Fatal(err)
			}
			text := before + pattern + "FILTER(" + cond + ")" + after
			q := sparql.MustParse(prefixes + text)
			for i, ds := range stores {
				for j, opts := range [][]sparql.Option{
					nil, {sparql.JoinMethods(planner.PairJoins), sparql.DoubtEstimates()}, {sparql.JoinMethods(planner.ManyJoins), sparql.ForceWorkers(2)},
					{sparql.Spill(dir, 0), sparql.RefuseMemory(func(op string) bool {
						asked++
						return (op == "order" || op == "distinct" || op == "group") && asked%2 == 0 || op == "join" && asked%8 == 0
					})},
				} {
					rows := int64(0)
					with, err := answer(ds, q, append(opts, sparql.WithWarnings(func(w sparql.Warning) { rows += w.Rows }))...)
					if refused := (*sparql.MemoryError)(nil); errors.As(err, &refused) {
						continue // it can hold nothing less
					}
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					if got := strconv.FormatInt(rows, 10); got != want.Set.Rows[0][0].Value() {
						t.Errorf("store %d, options %d: %s: %s rows are counted, %s have no value", i, j, text, got, want.Set.Rows[0][0].Value())
					}
					counted += int(rows)
					if without, err := answer(ds, q, opts[:min(j, 1)]...); err != nil || with.Set != nil && !sameRows(with, without) {
						t.Errorf("store %d, options %d: %s: other rows with warnings (%v)", i, j, text, err)
					}
				}
			}
		}
	}
	t.Logf("%d rows were counted", counted)
}
