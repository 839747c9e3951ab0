package sparql_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// TestSpillTallies refuses memory while groups hand on the values that they have counted,
// in the middle of their input: there are more pairs of a group and a value than are
// counted at once, and the groups grow by them. No row is lost or counted twice when the
// groups go to files then.
func TestSpillTallies(t *testing.T) {
	var quads []rdf.Quad
	for i := range 67_000 {
		text := fmt.Sprintf("%06d %s", i*7919%1_000_003, strings.Repeat("x", 120))
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i%33_000)), P: rdf.IRI("http://ex/p"), O: rdf.String(text)})
	}
	ds := load(quads)
	text := "SELECT ?s (MIN(?o) AS ?a) (COUNT(*) AS ?c) { ?s :p ?o } GROUP BY ?s"
	q := sparql.MustParse(fuzzquery.Prefixes + text)
	asked := 0
	refused := func(from, to int) sparql.Option {
		asked = 0
		return sparql.RefuseMemory(func(op string) bool {
			if op == "group" {
				asked++
			}
			return op == "group" && asked >= from && asked < to
		})
	}
	want, err := answer(ds, q, sparql.Workers(1), refused(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	all := asked
	for k := all / 2; k < all*3/4; k += longtest.Pick(9, 3) { // the values are handed on after the middle
		got, err := answer(ds, q, sparql.Workers(1), sparql.Spill(t.TempDir(), 0), refused(k, k+3))
		if memory := (*sparql.MemoryError)(nil); errors.As(err, &memory) {
			continue // at each level of files
		}
		if err != nil {
			t.Fatalf("refused from call %d of %d on: %v", k, all, err)
		}
		if !sameRows(got, want) {
			t.Fatalf("refused from call %d of %d on: other rows", k, all)
		}
	}
}
