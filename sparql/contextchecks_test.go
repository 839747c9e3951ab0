package sparql_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// watching is a context that knows what operators have handled since they checked it.
type watching struct {
	context.Context
	rows   map[any]int // by operator
	most   int
	checks int
}

func (c *watching) Err() error {
	clear(c.rows)
	c.checks++
	return nil
}

func (c *watching) Value(key any) any { return c.Context.Value(key) }

// handled notes rows of an operator.
func (c *watching) handled(op any, rows int) {
	c.rows[op] += rows
	c.most = max(c.most, c.rows[op])
}

// mostUnseen is how many rows an operator may handle between two checks of the context,
// and one batch.
const mostUnseen = 64<<10 + 1024

// TestContextChecks runs queries whose operators make many rows of few: none hands on more than
// 64 Ki between two checks of the context.
func TestContextChecks(t *testing.T) {
	var quads []rdf.Quad
	hub := rdf.IRI("http://ex/hub")
	for i := range 450 {
		a, b := rdf.IRI(fmt.Sprintf("http://ex/a%d", i)), rdf.IRI(fmt.Sprintf("http://ex/b%d", i))
		quads = append(quads, rdf.Quad{S: a, P: rdf.IRI("http://ex/p"), O: hub}, rdf.Quad{S: b, P: rdf.IRI("http://ex/q"), O: hub},
			rdf.Quad{S: a, P: rdf.IRI("http://ex/v"), O: rdf.Integer(1)}, rdf.Quad{S: b, P: rdf.IRI("http://ex/w"), O: rdf.Typed("1", rdf.XSD+"byte")})
	}
	const pairs = "?a :p ?o . ?b :q ?o"
	queries := []string{
		"SELECT * { " + pairs + " }",
		"SELECT (COUNT(*) AS ?n) { " + pairs + " FILTER(?a != ?b) }",
		"SELECT * { { " + pairs + " } UNION { ?a :p ?o } }",
		"SELECT * { " + pairs + " } OFFSET 200000",
		"SELECT * { { SELECT ?a ?o { ?a :p ?o } LIMIT 1000 } { SELECT ?b ?o { ?b :q ?o } LIMIT 1000 } }",
		"SELECT * { ?a :p ?o OPTIONAL { ?b :q ?o } }",
		"SELECT * { ?a :p ?o OPTIONAL { ?b :q ?o FILTER(?b != ?a) } }",
		"SELECT * { " + pairs + " MINUS { ?b :q ?o . ?b :w ?a } }",
		"SELECT * { " + pairs + " FILTER NOT EXISTS { ?a :q ?b } }",
		"SELECT * { " + pairs + " FILTER EXISTS { ?a :p ?x FILTER(?x != ?b) } }",
		"SELECT * { " + pairs + " BIND(STR(?a) AS ?x) }",
		"SELECT * { " + pairs + " } ORDER BY ?a ?b",
		"SELECT * { " + pairs + " } ORDER BY ?b LIMIT 10",
		"SELECT DISTINCT ?a ?b { " + pairs + " }",
		"SELECT DISTINCT ?o { " + pairs + " }",
		"SELECT ?a ?b (COUNT(*) AS ?n) { " + pairs + " FILTER(?a != ?b) } GROUP BY ?a ?b",
		"SELECT ?a (MAX(?b) AS ?n) (COUNT(DISTINCT ?b) AS ?k) { " + pairs + " } GROUP BY ?a",
		"SELECT * { ?a :p/^:q ?b }",
		"SELECT * { ?a (:p|^:q)+ ?b }",
		"SELECT * { ?a :v ?x . ?b :w ?y FILTER(?x = ?y) }",
		"SELECT * { VALUES ?z { 1 2 3 4 5 6 } ?a :p ?o . ?b ?q ?o }",
		"SELECT * { ?a :p ?o . ?b :p ?o . ?b :q|:p ?o }",
		"SELECT * { ?a :p ?o { SELECT ?o (COUNT(*) AS ?n) { ?b :q ?o } GROUP BY ?o } ?c :q ?o }",
		"SELECT * { GRAPH ?g { ?a :p ?o } ?b :q ?o }",
		"CONSTRUCT { ?a :r ?b } WHERE { " + pairs + " }",
	}
	missed := cancel.Missed.Load()
	for i, joins := range []planner.JoinChoice{planner.AnyJoin, planner.PairJoins, planner.ManyJoins} {
		for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads)} {
			for k, text := range queries {
				if !longtest.On() && k%3 != i {
					continue
				}
				for _, opts := range [][]sparql.Option{nil, {sparql.MemoryLimit(4 << 20), sparql.Spill(t.TempDir(), 0)}} {
					ctx := &watching{Context: t.Context(), rows: make(map[any]int)}
					if err := sparql.Watch(ctx, ds, sparql.MustParse(fuzzquery.Prefixes+text), ctx.handled, append(opts, sparql.JoinMethods(joins))...); err != nil {
						t.Fatal(err, text)
					}
					if ctx.most > mostUnseen {
						t.Errorf("%s, joins %v: an operator handles %d rows between two of %d checks\n%s", name, joins, ctx.most, ctx.checks, text)
					}
				}
			}
		}
	}
	if rows := cancel.Missed.Load() - missed; rows > 0 {
		t.Errorf("%d rows were handled inside operators without a check", rows)
	}
}
