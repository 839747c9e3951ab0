package sparql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestWidePagesKeepTheRest reads rows that come in batches of all sizes, with long texts
// at ever other places: a page that becomes narrow has all rows, in their order, also
// those of a batch of which only the beginning had room in it.
func TestWidePagesKeepTheRest(t *testing.T) {
	for _, at := range longtest.Pick([]int{3000, 14_000}, []int{3000, 9000, 14_000, 22_000}) {
		var quads []rdf.Quad
		for i := range 30_000 {
			text := fmt.Sprintf("%05d", i)
			if i >= at && i < at+300 {
				text = text + strings.Repeat(fmt.Sprintf("%08d", i), 8<<10)
			}
			quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/%05d", i)), P: rdf.IRI("http://ex/p"), O: rdf.String(text)})
		}
		ds := load(quads)
		for _, first := range []int{0, 2500, 3172, 9999} {
			text := fmt.Sprintf("SELECT * { { SELECT * { ?s ?p ?o } LIMIT %d } UNION { ?s ?p ?o } }", first)
			want, err := answer(ds, sparql.MustParse(text))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := sparql.Select(t.Context(), ds, sparql.MustParse(text), sparql.DoubtEstimates(), sparql.Workers(1), sparql.MemoryLimit(32<<20))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for row, err := range rows.All() {
				if err != nil {
					t.Fatal(err)
				}
				if n == len(want.Set.Rows) || row.At(0) != want.Set.Rows[n][0] || row.At(2) != want.Set.Rows[n][2] {
					t.Fatalf("long texts at %d after %d rows: row %d is %v", at, first, n, row.At(0))
				}
				n++
			}
			if n != len(want.Set.Rows) {
				t.Errorf("long texts at %d after %d rows: %d rows, want %d", at, first, n, len(want.Set.Rows))
			}
		}
	}
}

// TestStepsAreBounded reads and sorts literals of 16 kB after ten thousand short ones: no
// more is decoded at once than the terms of one batch.
func TestStepsAreBounded(t *testing.T) {
	var quads []rdf.Quad
	for i := range 14_000 {
		text := fmt.Sprintf("%05d", i)
		if i >= 10_000 {
			text += strings.Repeat("long text ", 1600)
		}
		quads = append(quads, rdf.Quad{S: rdf.IRI("http://ex/" + text[:5]), P: rdf.IRI("http://ex/p"), O: rdf.String(text)})
	}
	for _, text := range []string{"SELECT * { ?s ?p ?o }", "SELECT ?s { ?s ?p ?o } ORDER BY DESC(?o)"} {
		ds := &decodeMeter{Dataset: load(quads)}
		a, err := answer(ds, sparql.MustParse(text), sparql.DoubtEstimates(), sparql.MemoryLimit(256<<20))
		if err != nil || len(a.Set.Rows) != len(quads) {
			t.Fatalf("%d rows, %v", len(a.Set.Rows), err)
		}
		if most := 18 << 20; ds.most > most {
			t.Errorf("%d bytes decoded at once, at most %d expected\n%s", ds.most, most, text)
		}
	}
}
