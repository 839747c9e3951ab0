package sparql_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// spelledData are terms with few values in many spellings, numbers that are none, and
// subjects that have no further property.
func spelledData(r *rand.Rand, n int) []rdf.Quad {
	typed := func(name string) func(string) rdf.Term {
		return func(text string) rdf.Term { return rdf.Typed(text, rdf.XSD+name) }
	}
	double, decimal, integer := typed("double"), typed("decimal"), typed("integer")
	terms := []rdf.Term{double("NaN"), double("INF"), double("-INF"), double("0"), double("-0"), double("1"), double("1e0"), double("10E-1"), decimal("1"), decimal("1.00"), decimal("01.0"), integer("1"), integer("+1"), integer("01"),
		integer("x"), integer("-0"), integer("0"), typed("float")("NaN"), typed("boolean")("1"), typed("boolean")("true"), rdf.String("1"), rdf.LangString("1", "en"), rdf.LangString("1", "EN-us"), rdf.IRI("http://ex/1"), rdf.Blank("b1"),
		typed("dateTime")("2000-01-01T00:00:00Z"), typed("dateTime")("2000-01-01T01:00:00+01:00"), typed("dateTime")("2000-01-01T00:00:00"), rdf.TripleTerm(rdf.IRI("http://ex/s1"), rdf.IRI("http://ex/p"), integer("1"))}
	var quads []rdf.Quad
	for i := range n {
		s := rdf.IRI(fmt.Sprint("http://ex/s", i))
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/p"), O: terms[r.IntN(len(terms))]})
		if r.IntN(3) > 0 {
			quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/q"), O: terms[r.IntN(len(terms))]})
		}
	}
	return quads
}

// stableQueries have conditions that are variables: $ and a name. Their rows are also asked
// for by the same conditions as expressions, which are not ranked.
var stableQueries = []string{
	"SELECT ?s ?o ?x { ?s :p ?o OPTIONAL { ?s :q ?x } } ORDER BY $o",
	"SELECT ?s ?o ?x { ?s :p ?o OPTIONAL { ?s :q ?x } } ORDER BY DESC($x) $o",
	"SELECT ?s ?o ?x { ?s :p ?o OPTIONAL { ?s :q ?x } } ORDER BY $x DESC($o) $x",
	"SELECT ?s ?o ?x ?m { ?s :p ?o OPTIONAL { ?s :q ?x BIND(?x + 1 AS ?m) } } ORDER BY $m DESC($x)",
	"SELECT ?s ?o ?x ?m { ?s :p ?o BIND(IF(ISNUMERIC(?o), ?o * 2, STR(?o)) AS ?m) OPTIONAL { ?s :q ?x } } ORDER BY DESC($m) $x",
}

func stableText(text string, plain bool) string {
	for _, v := range []string{"o", "x", "m"} {
		as := "?" + v
		if !plain {
			as = fmt.Sprintf("(IF(BOUND(?%s), ?%s, ?nothing))", v, v)
		}
		text = strings.ReplaceAll(text, "$"+v, as)
	}
	return "PREFIX : <http://ex/> " + text
}

// TestOrderIsStable compares sorts by ranks with sorts by the texts of keys, row by row:
// rows whose keys are equal in value stay in their order, whatever memory is refused and
// when, and all memory comes back.
func TestOrderIsStable(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 4))
	for _, n := range []int{40, longtest.Pick(900, 3000)} {
		quads := spelledData(r, n)
		for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads), onLog(t, r, quads)} {
			for _, text := range stableQueries {
				want, err := answer(ds, sparql.MustParse(stableText(text, false)), sparql.Workers(1), sparql.DoubtEstimates())
				if err != nil {
					t.Fatal(err)
				}
				check := func(how string, opts ...sparql.Option) {
					pool := sparql.NewMemoryPool(1 << 30)
					got, err := answer(ds, sparql.MustParse(stableText(text, true)), append(opts, sparql.SharedMemory(pool), sparql.DoubtEstimates())...)
					if err != nil {
						t.Fatalf("%s: %v\n%s", how, err, text)
					}
					if len(got.Set.Rows) != len(want.Set.Rows) {
						t.Fatalf("%s: %d rows, want %d\n%s", how, len(got.Set.Rows), len(want.Set.Rows), text)
					}
					for i, row := range got.Set.Rows {
						for c, term := range row {
							if w := want.Set.Rows[i][c]; term != w && (term.Kind() != rdf.KindBlank || w.Kind() != rdf.KindBlank) {
								t.Fatalf("%s: row %d is %v, want %v\n%s", how, i, row, want.Set.Rows[i], text)
							}
						}
					}
					if pool.Used() != 0 {
						t.Errorf("%s: %d bytes were not given back\n%s", how, pool.Used(), text)
					}
				}
				check("free", sparql.Workers(1))
				dir := t.TempDir()
				for asked := 1; asked > 0; {
					// The k-th wish is refused, or all from there on.
					for _, all := range []bool{false, true} {
						k, at := asked, 0
						check(fmt.Sprintf("wish %d refused, and all after it: %v", k, all), sparql.Workers(1), sparql.Spill(dir, 0), sparql.RefuseMemory(func(op string) bool {
							if op != "order" {
								return false
							}
							at++
							return at == k || all && at > k
						}))
						if at < k {
							asked = -1
						}
					}
					asked += 1 + asked/6
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Fatalf("files left: %v %v", left, err)
				}
			}
		}
	}
}

// TestOrderFails lets every read of a sort fail, with files and without: all rows come, or
// that error, and all memory comes back.
func TestOrderFails(t *testing.T) {
	quads := spelledData(rand.New(rand.NewPCG(3, 3)), longtest.Pick(900, 2500))
	broken := errors.New("broken")
	for _, text := range []string{stableText(stableQueries[2], true), stableText(stableQueries[4], true), stableText(stableQueries[1], true) + " LIMIT 20"} {
		for _, opts := range [][]sparql.Option{{sparql.Workers(1)}, {sparql.Workers(1), sparql.MemoryLimit(300 << 10)}} {
			dir := t.TempDir()
			for k := 1; ; k++ {
				pool := sparql.NewMemoryPool(1 << 30)
				f := &faulty{Dataset: load(quads), left: k, err: func() error { return broken }}
				a, err := answer(f, sparql.MustParse(text), append(opts[:len(opts):len(opts)], sparql.Spill(dir, 0), sparql.SharedMemory(pool))...)
				if left, _ := os.ReadDir(dir); len(left) > 0 || pool.Used() != 0 {
					t.Fatalf("read %d: files left: %v, and %d bytes\n%s", k, left, pool.Used(), text)
				}
				if f.left > 0 {
					if err != nil || len(a.Set.Rows) == 0 {
						t.Fatalf("%d rows, %v", len(a.Set.Rows), err)
					}
					break
				}
				if !errors.Is(err, broken) {
					t.Fatalf("read %d failed: %v\n%s", k, err, text)
				}
			}
		}
	}
}
