package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/growtext"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// TestLongDifferential plans all groups of random queries as long ones: the answers are those
// of the other plans.
func TestLongDifferential(t *testing.T) {
	ran := 0
	for i := range diffCases() {
		seed := *diffSeed + uint64(i)
		quads, query := randomCase(seed)
		q, err := sparql.Parse(fuzzquery.Prefixes+query.String(), nil)
		if err != nil {
			continue
		}
		ds := load(quads)
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		ran++
		if got, err := answer(ds, q, sparql.JoinMethods(planner.LongJoins)); err != nil || !sameRows(got, want) {
			t.Fatalf("seed %d: other rows, or %v\n%s\n%s", seed, err, query, dump(quads))
		}
	}
	t.Logf("%d cases", ran)
}

// growData is what texts of growtext ask about.
func growData() dataset.Dataset {
	var quads []rdf.Quad
	node := func(i int) rdf.Term { return rdf.IRI(fmt.Sprint("urn:s", i)) }
	for i := range 40 {
		quads = append(quads, rdf.Quad{S: node(i % 7), P: rdf.IRI("urn:p"), O: rdf.Integer(int64(i))},
			rdf.Quad{S: node(i % 7), P: rdf.IRI("urn:q"), O: node(i % 5), G: rdf.IRI(fmt.Sprint("urn:g", i%3))})
	}
	return load(quads)
}

// TestPlanGrowth plans texts of n and of 2n of each dimension: the steps are about twice as
// many, in addition to one for each 4,096 variables that sets of them are made for. Bytes may be four
// times as many, where each of n operators has up to n columns.
func TestPlanGrowth(t *testing.T) {
	ds := growData()
	for _, d := range growtext.Queries {
		t.Run(d.Name, func(t *testing.T) {
			var steps, bytes [2]float64
			n := 600
			if d.Most > 0 {
				n = min(n, d.Most/2)
			}
			for i := range 2 {
				q, err := sparql.Parse(d.Of(n<<i), nil)
				if err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				s, _, err := sparql.PlanWork(t.Context(), ds, q)
				if err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				steps[i], bytes[i] = float64(s), float64(after.TotalAlloc-before.TotalAlloc)
			}
			most := 2.6
			if d.Square {
				most *= 2
			}
			if steps[1] > most*steps[0]+200 {
				t.Errorf("%.0f steps for %d, %.0f for %d", steps[0], n, steps[1], 2*n)
			}
			if bytes[1] > 4.4*bytes[0]+256<<10 {
				t.Errorf("%.0f bytes for %d, %.0f for %d", bytes[0], n, bytes[1], 2*n)
			}
		})
	}
}

// TestPlanMemory plans long texts of each dimension within a limit: where it is too little the
// error names it, and what is allocated in addition to what was counted stays small.
func TestPlanMemory(t *testing.T) {
	ds := growData()
	const limit = 8 << 20
	for _, d := range growtext.Queries {
		t.Run(d.Name, func(t *testing.T) {
			q, err := sparql.Parse(d.Of(2000), nil)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, held, err := sparql.PlanWork(t.Context(), ds, q, sparql.MemoryLimit(limit))
			runtime.ReadMemStats(&after)
			var refused *sparql.MemoryError
			switch {
			case err != nil && !errors.As(err, &refused):
				t.Fatal(err)
			case err == nil && held > limit:
				t.Errorf("%d bytes are held of %d", held, limit)
			}
			if all := after.TotalAlloc - before.TotalAlloc; all > 24*limit {
				t.Errorf("%d bytes are allocated where %d may be held: %v", all, limit, err)
			}
		})
	}
}

// TestPlanEnded ends the planning of long texts by the context.
func TestPlanEnded(t *testing.T) {
	ds := growData()
	for _, d := range growtext.Queries {
		q, err := sparql.Parse(d.Of(1500), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int64{1, 3, 10, 100} {
			ctx := endAt(t, k)
			_, _, err := sparql.PlanWork(ctx, ds, q)
			if err == nil && ctx.left.Load() > 0 {
				break // all of it
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended at check %d: %v", d.Name, k, err)
			}
		}
	}
}
