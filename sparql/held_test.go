package sparql_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// TestRowsHeld reads rows with long texts: those that are kept from page to page are of
// the memory of the query, and are given back. Where there is none, the rows are the same.
func TestRowsHeld(t *testing.T) {
	ds := load(longTexts(800, 3, 5000))
	q := sparql.MustParse(fuzzquery.Prefixes + "SELECT ?o { ?s :p ?o }")
	for _, limit := range []int64{1 << 30, 100_000} {
		pool := sparql.NewMemoryPool(1 << 30)
		rows, err := sparql.Select(t.Context(), ds, q, sparql.SharedMemory(pool), sparql.MemoryLimit(limit))
		if err != nil {
			t.Fatal(err)
		}
		n, most := 0, int64(0)
		for row, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
			var text string
			if err := row.Scan(&text); len(text) < 5000 {
				t.Fatalf("a text of %d bytes: %v", len(text), err)
			}
			n, most = n+1, max(most, pool.Used())
		}
		if n != 2400 || limit > 1<<20 && most < 4<<20 {
			t.Errorf("limit %d: %d rows, %d bytes were held", limit, n, most)
		}
		if pool.Used() != 0 {
			t.Errorf("limit %d: %d bytes were not given back", limit, pool.Used())
		}
	}
}

// TestCursorsHeld refuses memory to leapfrogs, and then to the cursors that they go over
// instead.
func TestCursorsHeld(t *testing.T) {
	var quads []rdf.Quad
	node := func(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/n%d", i%40)) }
	for i := range 400 {
		quads = append(quads, rdf.Quad{S: node(i), P: rdf.IRI("http://ex/p"), O: node(i * i / 7)})
	}
	ds := onSegment(t, quads)
	q := sparql.MustParse(fuzzquery.Prefixes + "SELECT * { ?a :p ?b . ?b :p ?c . ?c :p ?a }")
	asked := 0
	refuse := func(cursors bool) sparql.Option {
		return sparql.RefuseMemory(func(op string) bool {
			if op == "cursors" {
				asked++
			}
			return op == "multiway join" || cursors && op == "cursors"
		})
	}
	if _, err := answer(ds, q, refuse(false), sparql.JoinMethods(planner.ManyJoins)); err != nil || asked == 0 {
		t.Errorf("%d times asked: %v", asked, err)
	}
	var refused *sparql.MemoryError
	if _, err := answer(ds, q, refuse(true), sparql.JoinMethods(planner.ManyJoins)); !errors.As(err, &refused) || refused.Op != "cursors" {
		t.Errorf("no memory for cursors: %v", err)
	}
}
