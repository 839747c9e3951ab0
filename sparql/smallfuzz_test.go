package sparql_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// TestDifferentialSmall compares queries whose left sides have few rows or none with the
// naive evaluator. The dataset says that it has far more of some rows than it has: so joins
// whose right side is large are in small graphs, and the left side is stored and narrows
// the right one. The options are drawn as for dense graphs.
func TestDifferentialSmall(t *testing.T) {
	dir, cases, narrowed, failed := t.TempDir(), 0, 0, 0
	for i := range diffCases() / 2 {
		seed := *diffSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 7))
		quads, query := fuzzquery.Quads(r), fuzzquery.NewSmall(r, r.IntN(4))
		if r.IntN(2) == 0 {
			quads = fuzzquery.DenseQuads(r)
		}
		text := fuzzquery.Prefixes + query.String()
		union := r.IntN(5) == 0
		q, want := expected(t, quads, text, union)
		if want == nil {
			continue
		}
		cases++
		w := lines(want.Vars, want.Rows, want.Vars)
		for run := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 8+run))
			ds := dataset.Dataset(load(quads))
			switch r.IntN(4) {
			case 0:
				ds = onSegment(t, quads)
			case 1:
				ds = onLog(t, r, quads)
			}
			joins := []planner.JoinChoice{planner.AnyJoin, planner.ManyJoins, planner.PairJoins, planner.PairJoins}[r.IntN(4)]
			opts := append(denseOptions(r, dir), sparql.JoinMethods(joins))
			if union {
				opts = append(opts, sparql.UnionDefaultGraph())
			}
			lies := lying{ds, r.Uint64()}
			got, err := answer(lies, q, opts...)
			var refused *sparql.MemoryError
			if errors.As(err, &refused) {
				continue // it can hold nothing less
			}
			if err != nil {
				t.Fatalf("seed %d, run %d: %v\n%s", seed, run, err, query)
			}
			if g := lines(got.Set.Vars, got.Set.Rows, want.Vars); !slices.Equal(g, w) {
				t.Errorf("seed %d, run %d, joins %d, union %t: got  %q\nwant %q\n%s\n%s", seed, run, joins, union, g, w, query, dump(quads))
				if failed++; failed == 5 {
					t.FailNow()
				}
			}
			if run == 0 {
				narrowed += min(1, sparql.ChangedJoins(t, lies, q, sparql.JoinMethods(joins))[2])
			}
		}
	}
	t.Logf("%d cases, in %d of them a small left side was stored", cases, narrowed)
	if narrowed < cases/20 {
		t.Errorf("in %d of %d cases a small left side was stored", narrowed, cases)
	}
}
