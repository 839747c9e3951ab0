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

// counted is a dataset that counts the rows that its cursors deliver.
type counted struct {
	dataset.Dataset
	rows int
}

func (c *counted) Scan(ctx context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	cur, err := c.Dataset.Scan(ctx, p, o, opt)
	return &countedCursor{cur, c}, err
}

type countedCursor struct {
	dataset.Cursor
	c *counted
}

func (c *countedCursor) Next(ctx context.Context, b *dataset.Batch) error {
	err := c.Cursor.Next(ctx, b)
	if err == nil {
		c.c.rows += b.N
	}
	return err
}

// many returns n triples of few predicates.
func many(n int) []rdf.Quad {
	out := make([]rdf.Quad, n)
	for i := range out {
		out[i] = rdf.Quad{
			S: rdf.IRI(fmt.Sprintf("http://ex/i%d", i)),
			P: rdf.IRI("http://ex/v"),
			O: rdf.Integer(int64(i * 7919 % n)),
		}
	}
	return out
}

// TestReadsLittle counts the rows that are read for queries that want few.
func TestReadsLittle(t *testing.T) {
	quads := many(50_000)
	for i := range 50_000 {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/i%d", i)), P: rdf.IRI("http://ex/w"), O: rdf.IRI("http://ex/c")})
	}
	ds := load(quads)
	for _, c := range []struct {
		query string
		most  int // rows read
		rows  int
	}{
		{"SELECT * { ?x :p* ?y } LIMIT 1", 500, 1},
		{"SELECT * { ?d :v ?a ; :w ?b } LIMIT 10", 2000, 10},
		{"SELECT ?d { ?d :w :c } LIMIT 10", 500, 10},
		{"SELECT DISTINCT ?p { ?s ?p ?o }", 5000, 2},
		{"ASK { ?s :w ?o . ?s :v ?v }", 1000, 0},
		{"SELECT * { ?d :v ?a OPTIONAL { ?d :w ?b } } LIMIT 10", 2000, 10},
		{"SELECT * { ?d :v ?a FILTER EXISTS { ?d :w ?b } } LIMIT 10", 2000, 10},
		{"SELECT * { { ?d :v ?a } UNION { ?d :w ?a } } LIMIT 10", 500, 10},
		{"SELECT (COUNT(*) AS ?n) { ?d :v ?a }", 0, 1},
	} {
		cd := &counted{Dataset: ds}
		a, err := answer(cd, sparql.MustParse("PREFIX : <http://ex/> "+c.query))
		if err != nil {
			t.Fatal(err)
		}
		if a.Set.Boolean == nil && len(a.Set.Rows) != c.rows {
			t.Errorf("%s: %d rows, want %d", c.query, len(a.Set.Rows), c.rows)
		}
		if cd.rows > c.most {
			t.Errorf("%s: reads %d rows, want %d at most", c.query, cd.rows, c.most)
		}
	}
}

// TestTopKMemory sorts more than fits the limit, of which ten rows are wanted.
func TestTopKMemory(t *testing.T) {
	ds := load(many(100_000))
	for _, query := range []string{
		"SELECT ?s { ?s :v ?v } ORDER BY ?v LIMIT 10",
		"SELECT DISTINCT ?p { ?s ?p ?o } ORDER BY ?p LIMIT 5",
	} {
		if _, err := answer(ds, sparql.MustParse("PREFIX : <http://ex/> "+query), sparql.MemoryLimit(1<<20), sparql.Spill("", -1)); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// TestValuesJoin joins two large tables by a hash of their key.
func TestValuesJoin(t *testing.T) {
	table := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "%d ", i)
		}
		return b.String()
	}
	q := sparql.MustParse("SELECT (COUNT(*) AS ?n) { VALUES ?x { " + table(1, 20000) + " } VALUES ?x { " + table(10001, 30000) + " } }")
	a, err := answer(load(nil), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Set.Rows[0][0]; got != rdf.Integer(10000) {
		t.Errorf("got %v", got)
	}
}

// TestPathFromTheLeaf starts a path at its constant, not at half a million
// instances.
func TestPathFromTheLeaf(t *testing.T) {
	var quads []rdf.Quad
	class := func(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/C%d", i)) }
	for i := range 200 {
		quads = append(quads, rdf.Quad{S: class(i + 1), P: rdf.IRI("http://ex/sub"), O: class(i / 2)})
	}
	for i := range 50_000 {
		c := 0
		if i%1000 == 0 {
			c = 180
		}
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/i%d", i)), P: rdf.IRI(rdf.RDF + "type"), O: class(c)})
	}
	cd := &counted{Dataset: load(quads)}
	a, err := answer(cd, sparql.MustParse("PREFIX : <http://ex/> SELECT ?x { ?x a/:sub* :C180 }"))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Set.Rows) != 50 || cd.rows > 1000 {
		t.Errorf("%d rows, %d read", len(a.Set.Rows), cd.rows)
	}
}
