package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// listQuery returns a query with a long list of constants, or a long chain of
// comparisons.
func listQuery(r *rand.Rand, pool []rdf.Term) string {
	x := []string{"?s", "?v", "?w", "?none", "(?v + 0)", "STR(?v)"}[r.IntN(6)]
	iris := r.IntN(3) == 0
	var list []string
	for range 1 + r.IntN(25) {
		t := pool[r.IntN(len(pool))]
		for t.Kind() == rdf.KindBlank || iris && t.Kind() != rdf.KindIRI {
			t = rdf.IRI(fmt.Sprintf("http://ex/s%d", r.IntN(9)))
		}
		list = append(list, t.String())
		if r.IntN(12) == 0 {
			list = append(list, []string{"?w", "?s", "?none", "1/0"}[r.IntN(4)])
		}
	}
	chain := func(op, glue string) string {
		var parts []string
		for _, k := range list {
			if r.IntN(2) == 0 {
				parts = append(parts, x+op+k)
			} else {
				parts = append(parts, k+op+x)
			}
			if r.IntN(20) == 0 {
				parts = append(parts, "BOUND(?w)")
			}
		}
		return "(" + strings.Join(parts, glue) + ")"
	}
	e := []string{
		x + " IN (" + strings.Join(list, ", ") + ")", x + " NOT IN (" + strings.Join(list, ", ") + ")",
		chain(" = ", " || "), chain(" != ", " && "), chain(" = ", " && "), chain(" != ", " || "),
	}[r.IntN(6)]
	body := "{ ?s :p ?v OPTIONAL { ?s :q ?w } "
	return []string{
		"SELECT * " + body + "FILTER(" + e + ") }",
		"SELECT * " + body + "FILTER(!" + e + ") }",
		"SELECT * " + body + "BIND(" + e + " AS ?b) }",
		"SELECT * " + body + "FILTER(COALESCE(" + e + ", true)) }",
		"SELECT * { ?s :p ?v OPTIONAL { ?s :q ?w FILTER(" + e + ") } }",
	}[r.IntN(5)]
}

// TestLongLists compares IN, NOT IN and chains of comparisons with constants with the
// naive evaluator.
func TestLongLists(t *testing.T) {
	for round := range uint64(4) {
		r := rand.New(rand.NewPCG(round, 29))
		quads := comparedQuads(r, 40)
		pool := append([]rdf.Term{}, valuePool...)
		for _, q := range quads {
			pool = append(pool, q.O, q.S)
		}
		sets := map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads)}
		for range 60 {
			q := listQuery(r, pool)
			for name, ds := range sets {
				if what, bad := differs(quads, ds, q); bad {
					t.Fatalf("round %d, %s: %s%s\n%s", round, name, fuzzquery.Prefixes, q, what)
				}
			}
		}
	}
}

// BenchmarkLongList filters 16,000 rows by lists of 16,000 members.
func BenchmarkLongList(b *testing.B) {
	const n = 16_000
	var quads []rdf.Quad
	var iris, numbers []string
	for i := range n {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i)), P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(i))})
		iris = append(iris, fmt.Sprintf("<http://ex/s%d>", 2*i))
		numbers = append(numbers, fmt.Sprintf("%d.0", 2*i))
	}
	ds := load(quads)
	for name, e := range map[string]string{
		"IRIs": "?s IN (" + strings.Join(iris, ",") + ")", "not IRIs": "?s NOT IN (" + strings.Join(iris, ",") + ")",
		"numbers": "?o IN (" + strings.Join(numbers, ",") + ")", "not numbers": "?o NOT IN (" + strings.Join(numbers, ",") + ")",
		"or": "?o = " + strings.Join(numbers, " || ?o = "),
	} {
		q, err := sparql.Parse("PREFIX : <http://ex/> SELECT (COUNT(*) AS ?n) { ?s :p ?o FILTER("+e+") }", nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				got, err := answer(ds, q)
				if err != nil || got.Set.Rows[0][0] != rdf.Integer(n/2) {
					b.Fatal(got, err)
				}
			}
		})
	}
}
