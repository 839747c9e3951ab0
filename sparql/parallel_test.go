package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// workerQueries are pipelines of every kind, below every operator that takes their
// rows. Those of which the order is fixed come first.
var workerQueries = []string{
	"SELECT ?s ?o { ?s :p ?o }",
	"SELECT ?s ?o { ?s :p ?o FILTER(?o < 900) BIND(?o + 1 AS ?n) }",
	"SELECT ?s (STR(?o) AS ?t) { ?s ?p ?o }",
	"SELECT ?s ?o { ?s :p ?o } ORDER BY ?o",
	"SELECT ?s ?o { ?s ?p ?o } ORDER BY DESC(?o) LIMIT 700",
	"SELECT DISTINCT ?o { ?s ?p ?o FILTER(?o > 100) }",
	"SELECT DISTINCT ?s ?o { ?s ?p ?o }",
	"SELECT ?s { { ?s :p ?o } UNION { ?s :q ?o } }",
	"SELECT ?s ?x { ?s :p ?o BIND(IF(?o > 500, STR(?o), 'less') AS ?x) } ORDER BY ?x",
	"SELECT ?a ?b ?o { ?a :p ?o . ?b :q ?o }",
	"SELECT ?a ?n { ?a :p ?o OPTIONAL { ?a :q ?n FILTER(?n > ?o) } }",
	"SELECT ?a { ?a :p ?o FILTER NOT EXISTS { ?a :q ?n } }",
	"SELECT ?a ?n { { SELECT DISTINCT ?a ?o { ?a :p ?o } } { SELECT DISTINCT ?n ?o { ?n :q ?o } } }",
	"SELECT (COUNT(*) AS ?n) { ?s :p ?o FILTER(?o > 10) }",
	"SELECT ?p (AVG(?o) AS ?m) (MIN(?o) AS ?l) (MAX(?o) AS ?h) { ?s ?p ?o } GROUP BY ?p",
	"SELECT ?s (COUNT(*) AS ?n) (SUM(?o * 1.5e0) AS ?m) { ?s ?p ?o } GROUP BY ?s",
	"SELECT ?p (COUNT(DISTINCT ?s) AS ?n) (COUNT(?x) AS ?k) { ?s ?p ?o OPTIONAL { ?s :q ?x FILTER(?x > ?o) } } GROUP BY ?p",
	"SELECT ?o (SUM(DISTINCT ?o + 1) AS ?n) (GROUP_CONCAT(DISTINCT STR(?p)) AS ?c) { ?s ?p ?o } GROUP BY ?o ORDER BY ?o",
	"SELECT (COUNT(*) AS ?n) { ?a :p ?o . ?b :q ?o }",
	"SELECT ?o (COUNT(*) AS ?n) { ?a :p ?o . ?b :q ?o } GROUP BY ?o",
	"SELECT ?n (COUNT(*) AS ?k) { SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s } GROUP BY ?n ORDER BY ?n",
}

// fixedOrder is how many of the queries have an order that workers must not change.
const fixedOrder = 9

// workerData is rows in two graphs.
func workerData(rows int) []rdf.Quad {
	r := rand.New(rand.NewPCG(8, 9))
	var quads []rdf.Quad
	for i := range rows {
		s := rdf.IRI(fmt.Sprintf("http://ex/s%d", r.IntN(rows/4)))
		p := rdf.IRI("http://ex/" + string("ppq"[i%3]))
		quads = append(quads, rdf.Quad{S: s, P: p, O: rdf.Integer(int64(r.IntN(1000)))})
	}
	return quads
}

// TestWorkers compares several goroutines with one, on rows in memory and in a log
// of segments: the rows are the same, and in the same order where that is that of a
// scan or of ORDER BY.
func TestWorkers(t *testing.T) {
	quads := workerData(6000)
	for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "log": onLog(t, rand.New(rand.NewPCG(1, 1)), quads)} {
		for i, text := range workerQueries {
			q := sparql.MustParse(fuzzquery.Prefixes + text)
			want, err := answer(ds, q, sparql.Workers(1))
			if err != nil {
				t.Fatal(err)
			}
			for n := 2; n <= 4; n++ {
				got, err := answer(ds, q, sparql.ForceWorkers(n))
				switch {
				case err != nil:
					t.Errorf("%s, %d workers: %v\n%s", name, n, err, text)
				case !sameRows(got, want):
					t.Errorf("%s, %d workers: other rows: %d, want %d\n%s", name, n, len(got.Set.Rows), len(want.Set.Rows), text)
				case i < fixedOrder && !ordered(got, want):
					t.Errorf("%s, %d workers: another order\n%s", name, n, text)
				}
			}
		}
	}
}

// TestDifferentialWorkers compares several goroutines with the naive evaluator.
func TestDifferentialWorkers(t *testing.T) {
	gathered := 0
	for i := range (diffCases() + 1) / 2 {
		seed := *diffSeed + uint64(i)
		quads, text, q, want := naiveCase(t, seed)
		if q == nil {
			continue
		}
		ds := load(quads)
		got, err := answer(ds, q, sparql.ForceWorkers(3))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars)
		if fmt.Sprint(g) != fmt.Sprint(w) {
			t.Errorf("seed %d: got  %q\nwant %q\n%s\n%s", seed, g, w, text, dump(quads))
		}
		p, err := sparql.Explain(t.Context(), ds, q, sparql.ForceWorkers(3))
		if err != nil {
			t.Fatal(err)
		}
		if countOps(p.Root, "gather") > 0 {
			gathered++
		}
	}
	if gathered < diffCases()/20 {
		t.Errorf("%d of %d cases had pipelines for several goroutines", gathered, diffCases()/2)
	}
}

// countOps counts the operators of a name.
func countOps(n *sparql.PlanNode, op string) int {
	count := 0
	if n.Op == op {
		count++
	}
	for _, in := range n.Inputs {
		count += countOps(in, op)
	}
	return count
}

// tiringMany is a context for several goroutines that is cancelled at the k-th check.
type tiringMany struct {
	context.Context
	left atomic.Int64
}

func (c *tiringMany) Err() error {
	if c.left.Add(-1) <= 0 {
		return context.Canceled
	}
	return nil
}

// noGoroutines fails if there are more goroutines than before, also a minute later:
// those that have ended may still be counted.
func noGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 6000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestWorkersCancel cancels queries of several goroutines at checks of the context.
func TestWorkersCancel(t *testing.T) {
	ds := load(workerData(1200))
	before := runtime.NumGoroutine()
	for _, text := range workerQueries {
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		for k := int64(1); ; k += 1 + k/16 {
			ctx := &tiringMany{Context: context.Background()}
			ctx.left.Store(k)
			pool := sparql.NewMemoryPool(1 << 40)
			rows, err := sparql.Select(ctx, ds, q, sparql.ForceWorkers(3), sparql.SharedMemory(pool))
			if err == nil {
				for _, err = range rows.All() {
					if err != nil {
						break
					}
				}
			}
			if pool.Used() != 0 {
				t.Fatalf("cancelled at check %d: %d bytes are held\n%s", k, pool.Used(), text)
			}
			if ctx.left.Load() > 0 {
				break
			}
			// The last check may have been at the end of a goroutine with nothing to do.
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("cancelled at check %d: %v\n%s", k, err, text)
			}
		}
	}
	noGoroutines(t, before)
}

// TestWorkersClose closes rows before their end.
func TestWorkersClose(t *testing.T) {
	ds := load(workerData(3000))
	before := runtime.NumGoroutine()
	for _, text := range workerQueries {
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		for _, read := range []int{0, 1, 100} {
			rows, err := sparql.Select(t.Context(), ds, q, sparql.ForceWorkers(3))
			if err != nil {
				t.Fatal(err)
			}
			if read > 0 {
				for range rows.All() {
					if read--; read == 0 {
						break
					}
				}
			}
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	noGoroutines(t, before)
}

// faultyMany is [faulty] for several goroutines.
type faultyMany struct {
	dataset.Dataset
	left atomic.Int64
}

func (f *faultyMany) step() error {
	if f.left.Add(-1) == 0 {
		return errDamage
	}
	return nil
}

func (f *faultyMany) Decode(ctx context.Context, ids []dataset.ID, out *dataset.Terms) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.Dataset.Decode(ctx, ids, out)
}

func (f *faultyMany) Scan(ctx context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	c, err := f.Dataset.Scan(ctx, p, o, opt)
	return &faultyManyCursor{c, f}, err
}

type faultyManyCursor struct {
	dataset.Cursor
	f *faultyMany
}

func (c *faultyManyCursor) Next(ctx context.Context, b *dataset.Batch) error {
	if err := c.f.step(); err != nil {
		return err
	}
	return c.Cursor.Next(ctx, b)
}

// TestWorkersFaults makes reads of several goroutines fail in turn: all rows, or the
// error.
func TestWorkersFaults(t *testing.T) {
	ds := load(workerData(1200))
	before := runtime.NumGoroutine()
	for _, text := range workerQueries {
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		for k := int64(1); ; k += 1 + k/16 {
			f := &faultyMany{Dataset: ds}
			f.left.Store(k)
			got, err := answer(f, q, sparql.ForceWorkers(3))
			if f.left.Load() > 0 {
				break
			}
			if err == nil && !sameRows(got, want) {
				t.Fatalf("call %d fails: other rows\n%s", k, text)
			}
			if err != nil && !errors.Is(err, errDamage) {
				t.Fatalf("call %d fails: error %v\n%s", k, err, text)
			}
		}
	}
	noGoroutines(t, before)
}

// TestWorkersMemory refuses memory to several goroutines: the rows are the same, or
// the query needs more than there is.
func TestWorkersMemory(t *testing.T) {
	ds := load(workerData(6000))
	for _, text := range workerQueries {
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, 2))
			got, err := answer(ds, q, sparql.ForceWorkers(3), sparql.Spill(t.TempDir(), 0), sparql.RefuseMemory(func(op string) bool {
				return op != "terms" && r.IntN(30) == 0
			}))
			var refused *sparql.MemoryError
			switch {
			case errors.As(err, &refused):
			case err != nil:
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			case !sameRows(got, want):
				t.Fatalf("seed %d: other rows\n%s", seed, text)
			default:
				answered++
			}
		}
		if answered == 0 {
			t.Errorf("never answered\n%s", text)
		}
	}
}
