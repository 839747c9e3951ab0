package rete_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// rolesOf returns a quad that has a term in one position.
func rolesOf(term string, position, n int) model.Quad {
	q := model.Quad{fmt.Sprintf("<http://ex/s%d>", n), "<http://ex/links>", fmt.Sprintf("<http://ex/o%d>", n), ""}
	if n%2 == 1 {
		q[3] = "<http://ex/g>"
	}
	q[position] = term
	return q
}

// TestOneTermOneID lets each term come up first as subject, predicate, object or
// graph name, in the base or later, and in other positions in the other layers: it
// is one term in every join, before a compaction and after it.
func TestOneTermOneID(t *testing.T) {
	db, err := rete.Create(t.Context(), "roles.rete-manifest.json", &rete.Options{FS: vfs.NewMem(), CacheBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	queries := parseAll(t, map[string]string{
		"predicate is subject": `SELECT * { ?s ?p ?o . ?p ?q ?r }`,
		"predicate is object":  `SELECT * { ?s ?p ?o . ?a ?b ?p }`,
		"object is subject":    `SELECT * { ?s ?p ?o . ?o ?q ?r }`,
		"graph is subject":     `SELECT * { GRAPH ?g { ?g ?p ?o } }`,
		"graph is predicate":   `SELECT * { GRAPH ?g { ?s ?g ?o } }`,
		"graph is object":      `SELECT * { GRAPH ?g { ?s ?p ?g } }`,
		"graph is anything":    `SELECT DISTINCT ?g { GRAPH ?g { ?a ?b ?c } { ?g ?p ?o } UNION { ?s ?g ?o } UNION { ?s ?p ?g } }`,
		"every position":       `SELECT ?x (COUNT(*) AS ?n) { { ?x ?p ?o } UNION { ?s ?x ?o } UNION { ?s ?p ?x } UNION { GRAPH ?x { ?s ?p ?o } } } GROUP BY ?x`,
		"distinct":             `SELECT DISTINCT ?x { { ?x ?p ?o } UNION { ?s ?x ?o } UNION { ?s ?p ?x } UNION { GRAPH ?x { ?s ?p ?o } } }`,
		"not exists":           `SELECT * { ?s ?p ?o FILTER NOT EXISTS { ?p ?q ?r } }`,
		"minus":                `SELECT * { GRAPH ?x { ?s ?p ?o } MINUS { ?x ?q ?r } }`,
		"same term":            `SELECT * { GRAPH ?g { ?a ?b ?c } ?s ?p ?o FILTER(sameTerm(?p, ?g)) }`,
		"bound":                `SELECT * { VALUES ?x { <http://ex/t0123> <http://ex/t3210> <http://ex/t1032> } ?s ?x ?o OPTIONAL { GRAPH ?x { ?a ?b ?c } } }`,
	})
	var log []model.Entry
	layers := make([][]model.Quad, 4)
	n := 0
	for a := range 4 {
		for b := range 4 {
			for c := range 4 {
				for d := range 4 {
					positions := []int{a, b, c, d}
					if sorted := slices.Sorted(slices.Values(positions)); !slices.Equal(sorted, []int{0, 1, 2, 3}) {
						continue
					}
					term := fmt.Sprintf("<http://ex/t%d%d%d%d>", a, b, c, d)
					for layer, position := range positions {
						n++
						layers[layer] = append(layers[layer], rolesOf(term, position, n))
					}
					// The term meets itself in two positions of one quad.
					q := rolesOf(term, a, n)
					q[b] = term
					layers[n%4] = append(layers[n%4], q)
				}
			}
		}
	}
	for i, quads := range layers {
		e := model.Entry{Adds: quads}
		if i > 0 { // some go, some come back with the entry after it
			e.Dels = layers[i-1][:5]
			e.Adds = slices.Concat(quads, layers[0][:3])
		}
		log = append(log, e)
		if _, err := db.Engine().Add(t.Context(), []engine.Step{{Adds: sourceOf(e.Adds), Dels: sourceOf(e.Dels)}}, nil); err != nil {
			t.Fatal(err)
		}
		checkGraph(t, fmt.Sprintf("layer %d", i), db, model.Fold(log), queries)
	}
	if _, err := db.Engine().Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	checkGraph(t, "compacted", db, model.Fold(log), queries)
}
