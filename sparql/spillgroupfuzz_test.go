package sparql_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// groupedData is subjects with values of every kind, some of them equal as numbers.
func groupedData(r *rand.Rand, rows int) []rdf.Quad {
	subjects, values := 1+r.IntN(rows), 1+r.IntN(rows)
	var quads []rdf.Quad
	for range rows {
		n := int64(r.IntN(values))
		o := rdf.Integer(n)
		switch r.IntN(12) {
		case 0:
			o = rdf.Typed(fmt.Sprintf("%d.50", n), rdf.XSD+"decimal")
		case 1:
			o = rdf.Typed(fmt.Sprintf("%de%d", n, r.IntN(40)-20), rdf.XSD+"double")
		case 2:
			o = rdf.Typed(fmt.Sprintf("0%d", n), rdf.XSD+"integer")
		case 3:
			o = rdf.Typed(fmt.Sprintf("%d.5", n), rdf.XSD+"float")
		case 4:
			o = rdf.Typed(fmt.Sprintf("%d%020d", n+1, n), rdf.XSD+"integer")
		case 5:
			o = rdf.String(strings.Repeat(fmt.Sprint("text ", n), r.IntN(30)))
		}
		s, p := fmt.Sprintf("http://ex/s%d", r.IntN(subjects)), []string{"p", "p", "p", "q"}[r.IntN(4)]
		quads = append(quads, rdf.Quad{S: rdf.IRI(s), P: rdf.IRI("http://ex/" + p), O: o})
	}
	return quads
}

// groupedQuery is a query with random groups and set functions.
func groupedQuery(r *rand.Rand) string {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	key := one("?s", "?o", "?p", "?s ?p", "?k", "?k ?s")
	text := "SELECT " + key
	for i := range 1 + r.IntN(4) {
		arg := one("?o", "?o", "?s", "?o + 1", "?o / 3", "STR(?o)", "?o * 1e0", "IF(isNumeric(?o), ?o, 1)", "COALESCE(?o / 0, ?s)", "?nothing", "xsd:decimal(?o)")
		f := one("SUM", "AVG", "MIN", "MAX", "COUNT", "SAMPLE", "GROUP_CONCAT", "GROUP_CONCAT")
		text += fmt.Sprintf(" (%s(%s%s) AS ?a%d)", f, one("", "", "DISTINCT "), arg, i)
	}
	if r.IntN(3) == 0 {
		text += one(" (COUNT(*) AS ?c)", " (COUNT(DISTINCT *) AS ?c)", " (SUM(IF(isNumeric(?o), ?o, 0)) / COUNT(*) AS ?c)")
	}
	return text + " { ?s ?p ?o BIND(STRLEN(STR(?o)) AS ?k) } GROUP BY " + key
}

// TestSpillGroupsRandom refuses memory at random to random groups: they are what they are
// when nothing is refused.
func TestSpillGroupsRandom(t *testing.T) {
	dir, spilled, cases := t.TempDir(), 0, diffCases()/40
	for i := range cases {
		seed := *diffSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 11))
		ds := load(groupedData(r, 1+r.IntN(6000)))
		text := "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n" + fuzzquery.Prefixes + groupedQuery(r)
		q := sparql.MustParse(text)
		want, err := answer(ds, q, sparql.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		for run := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, 12+run))
			in, seen, asked := 2+r.IntN(60), r.IntN(2) == 0, 0
			got, err := answer(ds, q, sparql.Workers(1), sparql.Spill(dir, 0), sparql.RefuseMemory(func(op string) bool {
				refuse := (op == "group" || seen && op == "distinct") && r.IntN(in) == 0
				if refuse {
					asked++
				}
				return refuse
			}))
			if refused := (*sparql.MemoryError)(nil); errors.As(err, &refused) {
				continue // at each level of files
			}
			if err != nil {
				t.Fatalf("seed %d, run %d: %v\n%s", seed, run, err, text)
			}
			if !sameRows(got, want) {
				t.Fatalf("seed %d, run %d: refused %d times, 1 of %d: other rows\n%s", seed, run, asked, in, text)
			}
			if asked > 0 {
				spilled++
			}
		}
	}
	t.Logf("memory was refused in %d runs of %d cases", spilled, cases)
	if spilled < cases/2 {
		t.Errorf("memory was refused in %d runs of %d cases", spilled, cases)
	}
}
