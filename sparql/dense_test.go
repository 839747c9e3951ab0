package sparql_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/naive"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// TestDifferentialDense compares joins of dense graphs with the naive evaluator, under
// options that are drawn at random: on rows in memory, in a segment or in a log of
// segments; with merges and leapfrogs or without; on several goroutines; with joins that
// change their method; with memory refused; over the union of all graphs.
func TestDifferentialDense(t *testing.T) {
	dir, rows, frogs, merges, failed := t.TempDir(), 0, 0, 0, 0
	for i := range diffCases() / 4 {
		seed := *diffSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 3))
		quads, query := fuzzquery.DenseQuads(r), fuzzquery.NewJoin(r, min(2, r.IntN(4)))
		text := fuzzquery.Prefixes + query.String()
		union := r.IntN(4) == 0
		q, want := expected(t, quads, text, union)
		if want == nil {
			continue
		}
		rows += len(want.Rows)
		w := lines(want.Vars, want.Rows, want.Vars)
		for run := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 4+run))
			ds := dataset.Dataset(load(quads))
			switch r.IntN(3) {
			case 0:
				ds = onSegment(t, quads)
			case 1:
				ds = onLog(t, r, quads)
			}
			joins := []planner.JoinChoice{planner.AnyJoin, planner.ManyJoins, planner.ManyJoins, planner.PairJoins}[r.IntN(4)]
			opts := append(denseOptions(r, dir), sparql.JoinMethods(joins))
			if union {
				opts = append(opts, sparql.UnionDefaultGraph())
			}
			got, err := answer(ds, q, opts...)
			var refused *sparql.MemoryError
			if errors.As(err, &refused) {
				continue // it can hold nothing less
			}
			if err != nil {
				t.Fatalf("seed %d, run %d: %v\n%s", seed, run, err, query)
			}
			if g := lines(got.Set.Vars, got.Set.Rows, want.Vars); !slices.Equal(g, w) {
				t.Errorf("seed %d, run %d, joins %d: got  %q\nwant %q\n%s\n%s", seed, run, joins, g, w, query, dump(quads))
				if failed++; failed == 5 {
					t.FailNow()
				}
			}
		}
		p, err := sparql.Explain(t.Context(), load(quads), q, sparql.JoinMethods(planner.ManyJoins))
		if err != nil {
			t.Fatal(err)
		}
		frogs, merges = frogs+min(1, countOps(p.Root, "leapfrog")), merges+min(1, countOps(p.Root, "merge join"))
	}
	t.Logf("%d rows; %d cases with leapfrogs, %d with merges", rows, frogs, merges)
	if n := diffCases() / 4; rows < 4*n || frogs < n/20 || merges < n/20 {
		t.Errorf("%d cases had %d rows; %d had leapfrogs, %d merges", n, rows, frogs, merges)
	}
}

// denseOptions draws options that no answer depends on.
func denseOptions(r *rand.Rand, dir string) []sparql.Option {
	opts := []sparql.Option{sparql.Workers(1)}
	if n := r.IntN(4); n > 1 {
		opts = append(opts, sparql.ForceWorkers(n))
	}
	if r.IntN(3) == 0 {
		opts = append(opts, sparql.DoubtEstimates())
	}
	if kind, in := r.IntN(6), 1+r.IntN(8); kind < 3 {
		opts = append(opts, sparql.Spill(dir, 0), sparql.RefuseMemory(func(op string) bool {
			switch op {
			case "terms":
				return false
			case "multiway join":
				return kind > 0
			case "join", "group", "distinct", "order":
				return kind < 2 && r.IntN(in) == 0
			}
			return kind == 2 && r.IntN(in) == 0
		}))
	}
	return opts
}

// withUnion returns quads whose default graph has all triples.
func withUnion(quads []rdf.Quad) []rdf.Quad {
	out := slices.Clone(quads)
	for _, q := range quads {
		q.G = rdf.Term{}
		out = append(out, q)
	}
	return out
}

// expected parses a drawn query and lets the naive evaluator answer it, over the union of
// all graphs if that is asked for; nil if the text is no query, or takes the naive one too
// long.
func expected(t *testing.T, quads []rdf.Quad, text string, union bool) (*sparql.Query, *naive.Answer) {
	t.Helper()
	q, err := sparql.Parse(text, nil)
	if err != nil {
		return nil, nil
	}
	if union {
		quads = withUnion(quads)
	}
	want, err := naive.RunWithin(quads, text, "", *diffWork/4)
	if err == naive.ErrWork {
		return nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return q, want
}
