package sparql_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/naive"
)

var (
	caseCount = flag.Int("diff.cases", 0, "number of random cases of TestDifferential; 0: 500, in the long form 2000")
	diffSeed  = flag.Uint64("diff.seed", 1, "seed of the first random case")
	diffWork  = flag.Int("diff.work", 5_000_000, "rows and comparisons at which the naive evaluator gives up on a case")
	diffSlow  = flag.Duration("diff.slow", 0, "print the cases on which an evaluator takes longer")
	diffDir   = flag.String("diff.dir", os.TempDir(), "folder for the files of failing cases")
)

func diffCases() int { return cmp.Or(*caseCount, longtest.Pick(500, 2000)) }

// randomCase returns the graph and the query of a seed.
func randomCase(seed uint64) ([]rdf.Quad, fuzzquery.Query) {
	r := rand.New(rand.NewPCG(seed, 0))
	return fuzzquery.Quads(r), fuzzquery.New(r, r.IntN(5))
}

// naiveCase is the graph and the query of a seed, and the rows by the naive evaluator;
// q is nil if the text is not a query.
func naiveCase(t *testing.T, seed uint64) (quads []rdf.Quad, text string, q *sparql.Query, want *naive.Answer) {
	t.Helper()
	quads, query := randomCase(seed)
	text = fuzzquery.Prefixes + query.String()
	q, err := sparql.Parse(text, nil)
	if err != nil {
		return quads, text, nil, nil
	}
	if want, err = naive.Run(quads, text, ""); err != nil {
		t.Fatal(err)
	}
	return quads, text, q, want
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

// looked counts what became of the cases of a differential test.
type looked struct {
	cases    int           // that were made
	refused  int           // queries that do not parse: a variable bound twice, for example
	large    int           // that took the naive evaluator more than -diff.work
	rows     int           // that were compared
	ours, by time.Duration // of the engine, and of the naive evaluator
	log      func(format string, args ...any)
}

func (l *looked) logf(format string, args ...any) {
	if l.log != nil {
		l.log(format, args...)
	}
}

func (l *looked) String() string {
	return fmt.Sprintf("%d cases: %d compared, %d rows; %d do not parse; %d were too much for the naive evaluator (seeds are printed); %v in the engine, %v in the naive one",
		l.cases, l.cases-l.refused-l.large, l.rows, l.refused, l.large, l.ours.Round(time.Millisecond), l.by.Round(time.Millisecond))
}

// differs runs one case on both evaluators, to which it must not be too much.
func differs(quads []rdf.Quad, ds dataset.Dataset, text string) (what string, bad bool) {
	l := &looked{}
	what, bad = l.differs(0, quads, ds, text)
	if l.large > 0 {
		return "too much for the naive evaluator", true
	}
	return what, bad
}

// differs runs one case on both evaluators. bad is false also for a query that
// does not parse, and for one that is too much for the naive evaluator.
func (l *looked) differs(seed uint64, quads []rdf.Quad, ds dataset.Dataset, text string) (what string, bad bool) {
	text = fuzzquery.Prefixes + text
	q, err := sparql.Parse(text, nil)
	if err != nil {
		l.refused++
		return "", false
	}
	start := time.Now()
	want, err := naive.RunWithin(quads, text, "", *diffWork)
	by := time.Since(start)
	if err == naive.ErrWork {
		l.large++
		l.logf("seed %d is too much for the naive evaluator: %v", seed, by)
		return "", false
	}
	if err != nil {
		return err.Error(), true
	}
	start = time.Now()
	got, err := answer(ds, q)
	ours := time.Since(start)
	l.by, l.ours = l.by+by, l.ours+ours
	if *diffSlow > 0 && max(by, ours) > *diffSlow {
		l.logf("seed %d is slow: %v in the engine, %v in the naive one, %d rows", seed, ours, by, len(want.Rows))
	}
	if err != nil {
		return err.Error(), true
	}
	l.rows += len(want.Rows)
	g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars)
	if slices.Equal(g, w) {
		return "", false
	}
	return fmt.Sprintf("got  %q\nwant %q", g, w), true
}

// TestDifferential compares the engine with the naive evaluator on random
// graphs and queries.
func TestDifferential(t *testing.T) {
	differential(t, diffCases(), randomCase, func(_ uint64, quads []rdf.Quad) dataset.Dataset { return load(quads) })
}

// TestDifferentialLog does the same over graphs that are cut into random logs
// of segments.
func TestDifferentialLog(t *testing.T) {
	differential(t, (diffCases()+3)/4, randomCase, func(seed uint64, quads []rdf.Quad) dataset.Dataset {
		return onLog(t, rand.New(rand.NewPCG(seed, 1)), quads)
	})
}

// TestDifferentialSpill refuses memory to the operators at random, so that they go
// on in files at any place in any query.
func TestDifferentialSpill(t *testing.T) {
	spilled, dir := 0, t.TempDir()
	for i := range diffCases() / 2 {
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
			got, err := answer(ds, q, sparql.Spill(dir, 0), sparql.RefuseMemory(func(op string) bool {
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
	if spilled < diffCases()/20 {
		t.Errorf("memory was refused in %d of %d cases", spilled, diffCases())
	}
}

// differential compares the cases that draw makes of seeds, on what build makes of their quads.
func differential(t *testing.T, cases int, draw func(seed uint64) ([]rdf.Quad, fuzzquery.Query), build func(seed uint64, quads []rdf.Quad) dataset.Dataset) {
	t.Logf("%d cases from seed %d", cases, *diffSeed)
	failed, l := 0, &looked{cases: cases, log: t.Logf}
	defer func() {
		t.Log(l)
		if l.large > 1+cases/1000 {
			t.Errorf("%d of %d cases were not compared", l.large, cases)
		}
	}()
	for i := range cases {
		seed := *diffSeed + uint64(i)
		quads, q := draw(seed)
		test := func(quads []rdf.Quad, q fuzzquery.Query) (string, bool) {
			return l.differs(seed, quads, build(seed, quads), q.String())
		}
		if _, bad := test(quads, q); !bad {
			continue
		}
		kept := *l
		quads, q = shrink(quads, q, test)
		what, _ := test(quads, q)
		*l = kept
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
