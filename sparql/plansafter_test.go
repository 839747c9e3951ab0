package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// TestPlansAfterUpdates runs the same queries again and again on a database that random
// updates change: neither a plan nor an estimate of a state before is used.
func TestPlansAfterUpdates(t *testing.T) {
	rounds := longtest.Pick(15, 60)
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 5))
		db, err := rete.Create(t.Context(), "m.rete-manifest.json", &engine.Options{FS: vfs.NewMem()})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var queries []*sparql.Query
		var texts []string
		plans := sparql.NewPlanCache(64)
		everything := sparql.MustParse("SELECT ?s ?p ?o ?g { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }")
		for len(queries) < 12 {
			text := fuzzquery.NewJoin(r, 1).String()
			if r.IntN(2) == 0 {
				text = fuzzquery.NewSmall(r, 1).String()
			}
			if strings.Contains(text, "LIMIT") {
				continue
			}
			if q, err := sparql.Parse(fuzzquery.Prefixes+text, nil); err == nil {
				queries, texts = append(queries, q), append(texts, text)
			}
		}
		for round := range rounds {
			var u string
			switch r.IntN(6) {
			case 0:
				u = fmt.Sprintf("DELETE WHERE { :%c ?p ?o }", 'a'+r.IntN(6))
			case 1:
				u = fmt.Sprintf("DELETE { ?s :p ?o } INSERT { ?o :q ?s . GRAPH :g%d { ?s :r ?o } } WHERE { ?s :p ?o FILTER(isIRI(?o)) }", r.IntN(3))
			default:
				u = "INSERT DATA { "
				for range 1 + r.IntN(40) {
					u += fmt.Sprintf(":%c :%c :%c . ", 'a'+r.IntN(8), 'p'+r.IntN(3), 'a'+r.IntN(8))
				}
				u += fmt.Sprintf("GRAPH :g%d { :a :p :n%d } }", r.IntN(4), round)
			}
			up, err := sparql.ParseUpdate(fuzzquery.Prefixes+u, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Execute(t.Context(), up); err != nil {
				t.Fatal(err)
			}
			snap, err := db.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all, err := answer(snap.Dataset(), everything)
			if err != nil {
				t.Fatal(err)
			}
			var quads []rdf.Quad
			for _, row := range all.Set.Rows {
				quads = append(quads, rdf.Quad{S: row[0], P: row[1], O: row[2], G: row[3]})
			}
			ds := load(quads)
			for i, q := range queries {
				want, err := answer(ds, q)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if got, err := answer(snap.Dataset(), q, sparql.CachePlans(plans)); err != nil || !sameRows(got, want) {
						t.Fatalf("seed %d, round %d: %v, or other rows\n%s", seed, round, err, texts[i])
					}
				}
			}
			if err := snap.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
