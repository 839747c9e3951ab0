package sparql_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
)

// everything matches patterns that unrelated triples match as well: three
// variables, or a path of which both ends are free.
var everything = regexp.MustCompile(`(\?\w+|\[\]) \?\w+ \?\w+`)

// TestReportedGrown answers the queries of the reported cases again among 100,000
// triples that share no term with the data: plans change, rows do not.
func TestReportedGrown(t *testing.T) {
	text, err := os.ReadFile(reteshared.Path(t, "cases", "reported.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Base  string
		Cases []reported
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	noise := longtest.Pick(10_000, 100_000)
	ran := 0
	for _, c := range all.Cases {
		if c.Query == "" || c.Update != "" || c.Data == "" || everything.MatchString(c.Query) {
			continue
		}
		ran++
		t.Run(c.Symptom, func(t *testing.T) {
			var b memory.Builder
			for i := range noise {
				b.Add(rdf.Quad{
					S: rdf.IRI(fmt.Sprintf("http://noise/s%d", i%30_000)),
					P: rdf.IRI(fmt.Sprintf("http://noise/p%d", i%40)),
					O: rdf.Typed(fmt.Sprintf("n%d", i%70_000), "http://noise/type"),
				})
			}
			f, err := rdfio.ParseFormat(c.Format)
			if err != nil {
				t.Fatal(err)
			}
			r, err := rdfio.Open("case", strings.NewReader(casePrefixes+c.Data), f, rdf.Options{Base: all.Base})
			if err != nil {
				t.Fatal(err)
			}
			if err := b.AddReader(r); err != nil {
				t.Fatal(err)
			}
			q, err := sparql.Parse(casePrefixes+c.Query, &sparql.ParseOptions{Base: all.Base})
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, b.Build(), q)
		})
	}
	if ran < 20 {
		t.Errorf("%d cases, want 20 or more", ran)
	}
}
