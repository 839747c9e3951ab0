package sparql_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/naive"
)

var (
	diffCases = flag.Int("diff.cases", 2000, "number of random cases of TestDifferential")
	diffSeed  = flag.Uint64("diff.seed", 1, "seed of the first random case")
	diffDir   = flag.String("diff.dir", os.TempDir(), "folder for the files of failing cases")
)

// randomCase returns the graph and the query of a seed.
func randomCase(seed uint64) ([]rdf.Quad, fuzzquery.Query) {
	r := rand.New(rand.NewPCG(seed, 0))
	return fuzzquery.Quads(r), fuzzquery.New(r, r.IntN(5))
}

// TestDifferentialPairs counts what the cases of TestDifferential put inside
// what, to depth 4: each operator is inside each other one, at each depth in
// which there is room.
func TestDifferentialPairs(t *testing.T) {
	counts := make(map[fuzzquery.Pair]int)
	for i := range uint64(2000) {
		_, q := randomCase(1 + i)
		q.Pairs(4, func(p fuzzquery.Pair) { counts[p]++ })
	}
	for _, outer := range fuzzquery.Containers {
		for _, inner := range slices.Concat(fuzzquery.Containers, fuzzquery.Leaves) {
			n := 0
			for depth := 1; depth <= 4; depth++ {
				at := counts[fuzzquery.Pair{Outer: outer, Inner: inner, Depth: depth}]
				n += at
				// The innermost groups have triples and paths only.
				if (depth == 1 || depth == 4 && (inner == "triple" || inner == "path")) && at == 0 {
					t.Errorf("no %s inside %s at depth %d", inner, outer, depth)
				}
			}
			t.Logf("%s inside %s: %d times", inner, outer, n)
		}
	}
}

// lines returns an answer as sorted lines of its variables in the order given.
func lines(vars []string, rows [][]rdf.Term, order []string) []string {
	var out []string
	for _, row := range rows {
		var b strings.Builder
		for _, v := range order {
			if i := slices.Index(vars, v); i >= 0 && !row[i].IsZero() {
				fmt.Fprintf(&b, "?%s=%s ", v, row[i].Surface())
			}
		}
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

// differs runs one case on both evaluators. bad is false also for a query that
// does not parse.
func differs(quads []rdf.Quad, ds sparql.Dataset, text string) (what string, bad bool) {
	text = fuzzquery.Prefixes + text
	q, err := sparql.Parse(text, nil)
	if err != nil {
		return "", false
	}
	want, err := naive.Run(quads, text, "")
	if err != nil {
		return err.Error(), true
	}
	got, err := answer(ds, q)
	if err != nil {
		return err.Error(), true
	}
	g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars)
	if slices.Equal(g, w) {
		return "", false
	}
	return fmt.Sprintf("got  %q\nwant %q", g, w), true
}

// TestDifferential compares the engine with the naive evaluator on random
// graphs and queries.
func TestDifferential(t *testing.T) {
	differential(t, *diffCases, func(_ *rand.Rand, quads []rdf.Quad) sparql.Dataset { return load(quads) })
}

// TestDifferentialLog does the same over graphs that are cut into random logs
// of segments.
func TestDifferentialLog(t *testing.T) {
	differential(t, (*diffCases+3)/4, func(r *rand.Rand, quads []rdf.Quad) sparql.Dataset { return onLog(t, r, quads) })
}

// TestDifferentialSpill refuses memory to the operators at random, so that they go
// on in files at any place in any query.
func TestDifferentialSpill(t *testing.T) {
	spilled, dir := 0, t.TempDir()
	for i := range *diffCases / 2 {
		seed := *diffSeed + uint64(i)
		quads, query := randomCase(seed)
		text := fuzzquery.Prefixes + query.String()
		q, err := sparql.Parse(text, nil)
		if err != nil {
			continue
		}
		ds := load(quads)
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		for run := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 2+run))
			asked := ""
			got, err := answer(ds, q, sparql.Spill(dir, -1), sparql.RefuseMemory(func(op string) bool {
				switch op {
				case "order", "distinct", "group":
					if r.IntN(2) == 0 {
						return false
					}
				case "join": // not every one can
					if r.IntN(8) > 0 {
						return false
					}
				default:
					return false
				}
				asked += op + " "
				return true
			}))
			var refused *sparql.MemoryError
			switch {
			case errors.As(err, &refused): // it can hold nothing less
			case err != nil:
				t.Fatalf("seed %d: %v\n%s", seed, err, query)
			case !sameRows(got, want):
				t.Fatalf("seed %d: refused %s: other rows\n%s\n%s", seed, asked, query, dump(quads))
			case asked != "":
				spilled++
			}
		}
	}
	if spilled < *diffCases/20 {
		t.Errorf("memory was refused in %d of %d cases", spilled, *diffCases)
	}
}

func differential(t *testing.T, cases int, build func(r *rand.Rand, quads []rdf.Quad) sparql.Dataset) {
	t.Logf("%d cases from seed %d", cases, *diffSeed)
	failed := 0
	for i := range cases {
		seed := *diffSeed + uint64(i)
		quads, q := randomCase(seed)
		test := func(quads []rdf.Quad, q fuzzquery.Query) (string, bool) {
			return differs(quads, build(rand.New(rand.NewPCG(seed, 1)), quads), q.String())
		}
		if _, bad := test(quads, q); !bad {
			continue
		}
		quads, q = shrink(quads, q, test)
		what, _ := test(quads, q)
		text := fmt.Sprintf("seed %d\n%s\n\n%s\n%s\n", seed, q, dump(quads), what)
		name := filepath.Join(*diffDir, fmt.Sprintf("differential-%d.txt", seed))
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
		t.Errorf("%s\nkept as %s; again: go test ./sparql -run %s -diff.seed %d -diff.cases 1", text, name, t.Name(), seed)
		if failed++; failed == 5 {
			t.FailNow()
		}
	}
}

// shrink takes away what a failing case does not need.
func shrink(quads []rdf.Quad, q fuzzquery.Query, test func([]rdf.Quad, fuzzquery.Query) (string, bool)) ([]rdf.Quad, fuzzquery.Query) {
	for again := true; again; {
		again = q.Smaller(func(s fuzzquery.Query) bool {
			_, bad := test(quads, s)
			if bad {
				q = s
			}
			return bad
		})
		for i := range quads {
			less := slices.Delete(slices.Clone(quads), i, i+1)
			if _, bad := test(less, q); bad {
				quads, again = less, true
				break
			}
		}
	}
	return quads, q
}

func dump(quads []rdf.Quad) string {
	var b strings.Builder
	for _, q := range quads {
		fmt.Fprintf(&b, "%v %v %v %v .\n", q.S, q.P, q.O, q.G)
	}
	return b.String()
}
