package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// endingContext ends at the k-th check of it, also for those that wait for it.
type endingContext struct {
	context.Context
	end  func()
	left atomic.Int64
}

func endAt(t testing.TB, k int64) *endingContext {
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	c := &endingContext{Context: ctx, end: end}
	c.left.Store(k)
	return c
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) <= 0 {
		c.end()
	}
	return c.Context.Err()
}

// sharedQuads are rows for which a store makes things on first use: many graphs, many
// values, many terms.
func sharedQuads(n int) (quads []rdf.Quad) {
	node := func(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/n%d", i%n)) }
	iri := func(name string) rdf.Term { return rdf.IRI("http://ex/" + name) }
	for i := range n {
		g := rdf.IRI(fmt.Sprintf("http://ex/g%d", i*13%(n/40+1)))
		quads = append(quads, rdf.Quad{S: node(i), P: iri("p"), O: node(7*i + 1)}, rdf.Quad{S: node(i), P: iri("v"), O: rdf.Integer(int64(i * 17 % n))},
			rdf.Quad{S: node(i), P: iri("t"), O: rdf.String(fmt.Sprintf("text %d", i%(n/2+1)))}, rdf.Quad{S: node(i), P: iri("p"), O: node(3*i + 2), G: g},
			rdf.Quad{S: node(i + 1), P: iri("q"), O: rdf.Integer(int64(i)), G: g})
	}
	return quads
}

// sharedQueries look at few rows of what they have to make.
var sharedQueries = []string{
	"SELECT ?s ?v { ?s :v ?v FILTER(?v > 100 && ?v < 120) }",
	"SELECT (MAX(?v) AS ?m) (MIN(?v) AS ?k) { ?s :v ?v }",
	"SELECT (COUNT(*) AS ?n) (SUM(?v) AS ?m) { GRAPH ?g { ?s :q ?v } }",
	"SELECT (COUNT(DISTINCT ?g) AS ?n) (COUNT(*) AS ?m) { GRAPH ?g { ?s ?p ?o } }",
	"SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s :p ?o . ?o :p ?x } }",
	"SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
	"SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p",
	"SELECT (COUNT(*) AS ?n) { ?s :t ?t FILTER(CONTAINS(?t, '77')) }",
	"SELECT ?s ?v { ?s :v ?v } ORDER BY DESC(?v) ?s LIMIT 5",
	"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :v ?v FILTER(?v < 50) }",
	"SELECT (COUNT(*) AS ?n) { { SELECT DISTINCT ?o { ?s ?p ?o } } }",
	"SELECT (COUNT(*) AS ?n) { :n5 :p* ?x }",
	"SELECT ?o { ?s :p :n8 ; ?p ?o }",
	"SELECT ?g { GRAPH ?g { ?s :p :n8 } }",
}

// sharedStores returns stores of the quads, each new at every call.
func sharedStores(t *testing.T, quads []rdf.Quad) map[string]func() dataset.Dataset {
	segments := func(parts ...[]rdf.Quad) (open []func() enginetest.Layer) {
		for i, part := range parts {
			data, built := segtest.Build(t, surfaces(part), &segment.WriterOptions{NoValues: true})
			open = append(open, func() enginetest.Layer {
				return enginetest.SegmentLayer(segtest.OpenObject(t, blob.Bytes(fmt.Sprint("part", i), data), built, cache.New(64<<20)))
			})
		}
		return open
	}
	n := len(quads)
	more := append(append([]rdf.Quad(nil), quads[n/2:]...), quads[:n/8]...)
	extra := make([]rdf.Quad, n/8) // that are deleted again
	for i := range extra {
		extra[i] = quads[i]
		extra[i].O = rdf.IRI(fmt.Sprintf("http://ex/x%d", i))
	}
	one, parts := segments(quads), segments(quads[:n*3/4], append(more, extra...), extra)
	log := func(opt *enginetest.ViewOptions) dataset.Dataset {
		return enginetest.NewView([]enginetest.Entry{{Adds: parts[0]()}, {Adds: parts[1]()}, {Dels: parts[2]()}}, opt)
	}
	return map[string]func() dataset.Dataset{
		"segment": func() dataset.Dataset {
			return enginetest.NewView([]enginetest.Entry{{Adds: one[0]()}}, nil)
		},
		"log":      func() dataset.Dataset { return log(nil) },
		"in place": func() dataset.Dataset { return log(&enginetest.ViewOptions{DeltaBytes: -1, MatchRows: 3000}) },
		"journal":  func() dataset.Dataset { return onJournal(t, quads) },
	}
}

// TestCancelFirst cancels the first queries of a store at many checks, in the middle of what
// they make for all that follow: these have the same rows as ever.
func TestCancelFirst(t *testing.T) {
	useValues(t)
	quads := sharedQuads(longtest.Pick(1000, 8000))
	queries, want := make([]*sparql.Query, len(sharedQueries)), make([]string, len(sharedQueries))
	memory := load(quads)
	for i, text := range sharedQueries {
		queries[i] = sparql.MustParse(fuzzquery.Prefixes + text)
		want[i] = rowsSaid(memory, queries[i])
	}
	ended := 0
	for name, fresh := range sharedStores(t, quads) {
		var ds dataset.Dataset
		plans := sparql.NewPlanCache(16)
		opts := []sparql.Option{sparql.Workers(1), sparql.CachePlans(plans)}
		for i, first := range queries {
			if ds == nil || name != "journal" || i%5 == 0 { // a journal takes long to write
				ds = fresh()
			}
			if i%2 == 1 {
				opts[0] = sparql.ForceWorkers(2)
			}
			for k := int64(1); ; k += 1 + k*2/3 {
				ctx := endAt(t, k)
				err := sparql.DrainIn(ctx, ds, first, opts...)
				if ctx.left.Load() > 0 {
					break // all of it
				}
				if ended++; err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s, ended at check %d: %v\n%s", name, k, err, sharedQueries[i])
				}
			}
			for at, q := range queries {
				if got := rowsSaid(ds, q, opts...); got != want[at] {
					t.Errorf("%s: after %s was cancelled\n%s\nsays %s\nnot %s", name, sharedQueries[i], sharedQueries[at], cutText(got), cutText(want[at]))
				}
			}
		}
	}
	t.Logf("%d queries were cancelled", ended)
}

// TestCancelOther cancels queries of a new store while others make, and wait for, the same
// things: those are not disturbed.
func TestCancelOther(t *testing.T) {
	useValues(t)
	quads := sharedQuads(2000)
	memory, r := load(quads), rand.New(rand.NewPCG(5, 5))
	for name, fresh := range sharedStores(t, quads) {
		for round := range longtest.Pick(1, 3) * len(sharedQueries) {
			text := sharedQueries[round%len(sharedQueries)]
			q := sparql.MustParse(fuzzquery.Prefixes + text)
			want, ds := rowsSaid(memory, q), fresh()
			plans := sparql.CachePlans(sparql.NewPlanCache(16))
			var all sync.WaitGroup
			for range 4 {
				ctx := endAt(t, 1+r.Int64N(60))
				all.Go(func() {
					if err := sparql.DrainIn(ctx, ds, q, plans); err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("%s: %v\n%s", name, err, text)
					}
				})
			}
			for range 2 {
				all.Go(func() {
					if got := rowsSaid(ds, q, plans); got != want {
						t.Errorf("%s: beside others that are cancelled\n%s\nsays %s\nnot %s", name, text, cutText(got), cutText(want))
					}
				})
			}
			all.Wait()
			if name == "journal" && round >= longtest.Pick(1, 5) {
				break
			}
		}
	}
}

// cutText returns the beginning of a text.
func cutText(s string) string {
	if len(s) > 300 {
		s = s[:300] + fmt.Sprintf("… (%d lines)", strings.Count(s, "\n"))
	}
	return s
}

// rowsSaid is the rows of a query, in any order, or its error, as a text.
func rowsSaid(ds dataset.Dataset, q *sparql.Query, opts ...sparql.Option) string {
	a, err := answer(ds, q, opts...)
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.Join(lines(a.Set.Vars, a.Set.Rows, a.Set.Vars), "\n")
}
