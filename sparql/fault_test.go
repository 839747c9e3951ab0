package sparql_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

var errDamage = errors.New("damage")

// faulty is a dataset of which the k-th call fails.
type faulty struct {
	dataset.Dataset
	left int
	err  func() error
}

func (f *faulty) step() error {
	if f.left--; f.left == 0 {
		return f.err()
	}
	return nil
}

func (f *faulty) Lookup(ctx context.Context, terms []rdf.Term, ids []dataset.ID) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.Dataset.Lookup(ctx, terms, ids)
}

func (f *faulty) Decode(ctx context.Context, ids []dataset.ID, out *dataset.Terms) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.Dataset.Decode(ctx, ids, out)
}

func (f *faulty) Count(ctx context.Context, p dataset.Pattern) (uint64, error) {
	if err := f.step(); err != nil {
		return 0, err
	}
	return f.Dataset.Count(ctx, p)
}

func (f *faulty) Estimate(ctx context.Context, p dataset.Pattern) (dataset.Cardinality, error) {
	if err := f.step(); err != nil {
		return dataset.Cardinality{}, err
	}
	return f.Dataset.Estimate(ctx, p)
}

func (f *faulty) Scan(ctx context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	c, err := f.Dataset.Scan(ctx, p, o, opt)
	return &faultyCursor{c, f}, err
}

type faultyCursor struct {
	dataset.Cursor
	f *faulty
}

func (c *faultyCursor) Next(ctx context.Context, b *dataset.Batch) error {
	if err := c.f.step(); err != nil {
		return err
	}
	return c.Cursor.Next(ctx, b)
}

// faultQueries have every operator.
var faultQueries = []string{
	"SELECT * { ?x :p ?y OPTIONAL { ?y :q ?z FILTER(?z > 1) } }",
	"SELECT * { ?x ?p ?y BIND(COALESCE(?y + 1, STR(?y), 'none') AS ?n) }",
	"SELECT * { ?x ?p ?y FILTER(?y > 1 || STRLEN(STR(?y)) > 3 || !EXISTS { ?x :q ?z FILTER(?z = ?y) }) }",
	"SELECT * { ?x :p ?y LATERAL { SELECT ?y ?z { ?y ?p ?z FILTER(STR(?z) > 'a') } ORDER BY ?z LIMIT 2 } }",
	"SELECT * { ?x ?p ?y MINUS { ?x :q 1 } FILTER NOT EXISTS { ?y :a ?w } }",
	"SELECT ?x (SUM(?y) AS ?s) (GROUP_CONCAT(STR(?y)) AS ?c) (COUNT(DISTINCT ?y) AS ?n) { ?x ?p ?y } GROUP BY ?x HAVING(COUNT(*) > 0)",
	"SELECT DISTINCT ?y { ?x ?p ?y } ORDER BY DESC(?y) STR(?x)",
	"SELECT * { ?x (:p|:q)* ?y . ?y !:p ?z }",
	"SELECT * { GRAPH ?g { ?x ?p ?y OPTIONAL { ?x :q ?g } } }",
	"SELECT * { { ?x :p ?y } UNION { ?x :q ?y BIND(IF(?y = 1, 'one', ?y) AS ?k) } VALUES ?x { :a :b } }",
	"SELECT * { { SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?y } GROUP BY ?x } ?x :p ?z } ORDER BY ?n LIMIT 3",
	"SELECT (COUNT(*) AS ?n) { ?x :p ?y }",
	"SELECT ?p (COUNT(*) AS ?n) { ?x ?p ?y } GROUP BY ?p",
	"SELECT ?p (COUNT(DISTINCT ?y) AS ?n) { ?x ?p ?y } GROUP BY ?p",
	"SELECT * { ?x :p ?y ; :q ?z ; ?r ?w FILTER(?z != ?w) }",
}

// TestFaults fails every call of the dataset in turn, below every operator: the
// query has all rows, or the error, never fewer rows.
func TestFaults(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var quads []rdf.Quad
	for range 20 {
		quads = append(quads, fuzzquery.Quads(r)...)
	}
	ds := load(quads)
	for i, text := range slices.Concat(faultQueries, faultQueries) {
		opt := sparql.JoinMethods(planner.AnyJoin)
		if i >= len(faultQueries) {
			opt = sparql.JoinMethods(planner.ManyJoins)
		}
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		whole, err := answer(ds, q, opt)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole.Set.Rows) == 0 {
			t.Errorf("no rows: %s", text)
		}
		for k := 1; ; k++ {
			f := &faulty{Dataset: ds, left: k, err: func() error { return errDamage }}
			_, err := answer(f, q, opt)
			if f.left > 0 { // that many calls there are not
				break
			}
			if !errors.Is(err, errDamage) {
				t.Errorf("call %d fails: error %v\n%s", k, err, text)
				break
			}
		}
	}
}
