package rete_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/faraway"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestCycleRounds: a cycle of a dense graph far away, which is joined one variable after the
// other, reads each pattern once, a few tiles at a time, whether its patterns fit into the
// memory of the query or are followed by cursors.
func TestCycleRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var doc, out bytes.Buffer
	const edges = 100_000
	for range edges {
		fmt.Fprintf(&doc, "<http://e/%d> <http://e/p> <http://e/%d> .\n", r.IntN(3000), r.IntN(3000))
	}
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(t.Context(), &doc, rdf.Options{}, true); err != nil {
		t.Fatal(err)
	}
	built, err := b.WriteTo(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	near, err := segment.Open(t.Context(), blob.Bytes("g.rete", out.Bytes()), &segment.Options{Pin: built.Pin()})
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	if err := near.Verify(t.Context(), nil); err != nil { // and makes what unpacks, outside of bubbles
		t.Fatal(err)
	}
	q, err := sparql.Parse("SELECT (COUNT(*) AS ?n) { ?a <http://e/p> ?b . ?b <http://e/p> ?c . ?a <http://e/p> ?c }", nil)
	if err != nil {
		t.Fatal(err)
	}
	var answers []string
	for _, memory := range []int64{1 << 30, 16 * edges * 3 / 4} { // an edge takes 16 bytes
		synctest.Test(t, func(t *testing.T) {
			far := &faraway.Far{Files: map[string][]byte{"/g.rete": out.Bytes()}}
			far.Reset()
			db, err := rete.Open(t.Context(), "http://far/g.rete", &rete.Options{HTTP: &http.Client{Transport: far}})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			snap, err := db.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			rows, err := snap.Select(t.Context(), q, sparql.MemoryLimit(memory))
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for row, err := range rows.All() {
				if err != nil {
					t.Fatal(err)
				}
				answers = append(answers, string(row.Surface(0)))
			}
			cost := far.Cost()
			t.Logf("%d bytes of memory: %+v", memory, cost)
			if most := (faraway.Cost{Requests: 6, Rounds: 5, Bytes: int64(out.Len())}); cost.Requests > most.Requests || cost.Rounds > most.Rounds || cost.Bytes > most.Bytes {
				t.Errorf("%d bytes of memory: cost %+v, may cost %+v", memory, cost, most)
			}
		})
	}
	if len(answers) != 2 || len(slices.Compact(answers)) != 1 {
		t.Errorf("got %q", answers)
	}
}
