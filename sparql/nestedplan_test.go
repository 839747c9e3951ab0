package sparql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// planMeter counts how often a dataset is asked for its orders: a measure of planning.
type planMeter struct {
	dataset.Dataset
	orders, estimates int
}

func (m *planMeter) Orders(p dataset.Pattern) []dataset.Order {
	m.orders++
	return m.Dataset.Orders(p)
}

func (m *planMeter) Estimate(ctx context.Context, p dataset.Pattern) (dataset.Cardinality, error) {
	m.estimates++
	return m.Dataset.Estimate(ctx, p)
}

// TestNestedIsPlannedOnce plans patterns that are nested ever deeper over data of which
// each level could be merged: the work of planning grows with the text, not with a power.
func TestNestedIsPlannedOnce(t *testing.T) {
	var quads []rdf.Quad
	for i := range 5000 {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprint("http://ex/n", i)), P: rdf.IRI("http://ex/p"), O: rdf.IRI(fmt.Sprint("http://ex/n", (i*7)%5000))})
	}
	ds := load(quads)
	for _, before := range []string{"OPTIONAL { ", "FILTER EXISTS { ", "FILTER NOT EXISTS { ", "MINUS { ", "{ SELECT * { ", "OPTIONAL { ?s0 :p ?s1 OPTIONAL { "} {
		for _, same := range []bool{false, true} {
			var work [2]int
			for i, depth := range []int{3, 12} {
				var b strings.Builder
				b.WriteString("PREFIX : <http://ex/> SELECT * { ?s0 :p ?s1 ")
				for k := 1; k <= depth; k++ {
					from := k
					if same {
						from = 0
					}
					fmt.Fprintf(&b, "%s?s%d :p ?s%d ", before, from, k+1)
				}
				b.WriteString(strings.Repeat("}", 1+depth*strings.Count(before, "{")))
				m := &planMeter{Dataset: ds}
				if _, err := sparql.Explain(t.Context(), m, sparql.MustParse(b.String())); err != nil {
					t.Fatal(err)
				}
				work[i] = m.orders + m.estimates
			}
			t.Log(before, same, work)
			if work[1] > 16*work[0] {
				t.Errorf("%q: %d steps for 3 levels, %d for 12", before, work[0], work[1])
			}
		}
	}
}
