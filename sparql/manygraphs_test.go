package sparql_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/naive"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// manyCase is a query over many graphs.
type manyCase struct {
	quads []rdf.Quad
	ds    dataset.Dataset
	union bool // the default graph is all graphs
	opts  func() []sparql.Option
}

// drawnOptions draws options that no answer depends on.
func (c *manyCase) drawnOptions(r *rand.Rand, dir string) {
	seed, joins := r.Uint64(), []planner.JoinChoice{planner.AnyJoin, planner.ManyJoins, planner.ManyJoins, planner.PairJoins}[r.IntN(4)]
	c.union = r.IntN(8) == 0
	c.opts = func() []sparql.Option {
		r := rand.New(rand.NewPCG(seed, 1))
		opts := append(denseOptions(r, dir), sparql.JoinMethods(joins))
		if r.IntN(5) == 0 {
			opts = append(opts, sparql.MemoryLimit(int64(512<<10)<<r.IntN(6)), sparql.Spill(dir, 0))
		}
		if c.union {
			opts = append(opts, sparql.UnionDefaultGraph())
		}
		return opts
	}
}

// selected returns the rows of a query as sorted lines. More checks of the context than given end it.
func selected(ds dataset.Dataset, text string, checks int64, opts ...sparql.Option) ([]string, error) {
	q, err := sparql.Parse(text, nil)
	if err != nil {
		return nil, err
	}
	ctx := &tiringMany{Context: context.Background()}
	ctx.left.Store(checks)
	rows, err := sparql.Select(ctx, ds, q, opts...)
	if err != nil {
		return nil, err
	}
	var list [][]rdf.Term
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		terms := make([]rdf.Term, len(rows.Vars()))
		for i := range terms {
			terms[i] = row.At(i)
		}
		list = append(list, terms)
	}
	return lines(rows.Vars(), list, slices.Sorted(slices.Values(rows.Vars()))), nil
}

// expects returns what the rows of a query are, by the naive evaluator, or where that would take
// too long, in the long form, by the engine over rows in memory, with joins of two alone. ok is false if that
// is too much as well.
func (c *manyCase) expects(text string, work int) (want []string, byNaive, ok bool, err error) {
	quads := c.quads
	if c.union {
		quads = withUnion(quads)
	}
	a, err := naive.RunWithin(quads, text, "", work)
	if err == nil {
		return lines(a.Vars, a.Rows, slices.Sorted(slices.Values(a.Vars))), true, true, nil
	}
	if err != naive.ErrWork {
		return nil, false, false, err
	}
	if !longtest.On() {
		return nil, false, false, nil
	}
	opts := []sparql.Option{sparql.Workers(1), sparql.JoinMethods(planner.PairJoins)}
	if c.union {
		opts = append(opts, sparql.UnionDefaultGraph())
	}
	want, err = selected(load(c.quads), text, 5000, opts...)
	if errors.Is(err, context.Canceled) {
		return nil, false, false, nil
	}
	return want, false, err == nil, err
}

// isPart reports whether all lines of some, sorted, are in all.
func isPart(some, all []string) bool {
	for _, line := range some {
		at, ok := slices.BinarySearch(all, line)
		if !ok {
			return false
		}
		all = all[at+1:]
	}
	return true
}

// manyOutcome is what became of a case.
type manyOutcome struct {
	what           string // what is wrong
	rows           int
	byNaive, large bool
	refused        bool
}

// check runs a case.
func (c *manyCase) check(q fuzzquery.Query, work int) (out manyOutcome) {
	limit, err := strconv.Atoi(strings.TrimPrefix(q.Tail, " LIMIT "))
	limited := err == nil
	whole := q
	if limited { // any of the rows
		whole.Tail = ""
	}
	want, byNaive, ok, err := c.expects(fuzzquery.Prefixes+whole.String(), work)
	if err != nil {
		return manyOutcome{what: err.Error()}
	}
	if !ok {
		return manyOutcome{large: true}
	}
	out.byNaive, out.rows = byNaive, len(want)
	got, err := selected(c.ds, fuzzquery.Prefixes+q.String(), 50_000, c.opts()...)
	var refused *sparql.MemoryError
	switch {
	case errors.As(err, &refused): // it can hold nothing less
		out.refused = true
	case errors.Is(err, context.Canceled):
		out.large = true
	case err != nil:
		out.what = err.Error()
	case limited && (len(got) != min(limit, len(want)) || !isPart(got, want)):
		out.what = fmt.Sprintf("%d rows, want %d of these %d; some are %.400q, of %.400q", len(got), limit, len(want), got, want)
	case !limited && !slices.Equal(got, want):
		more := slices.DeleteFunc(slices.Clone(got), func(s string) bool { _, ok := slices.BinarySearch(want, s); return ok })
		less := slices.DeleteFunc(slices.Clone(want), func(s string) bool { _, ok := slices.BinarySearch(got, s); return ok })
		out.what = fmt.Sprintf("%d rows, want %d; too many: %.600q; missing: %.600q", len(got), len(want), more, less)
	}
	return out
}

// TestDifferentialManyGraphs compares the engine with the naive evaluator on queries over more than
// a thousand graphs, of which layers above the base change some: on files of each kind, on logs
// and journals, with room for the rows of all graphs in the cache or without.
func TestDifferentialManyGraphs(t *testing.T) {
	states, each, work, dir := cmp.Or(*caseCount/7, longtest.Pick(6, 100)), 7, longtest.Pick(100_000, 1_500_000), t.TempDir()
	r := rand.New(rand.NewPCG(*diffSeed, 11))
	var w *graphWorld
	cases, byNaive, large, refused, rows, some, merges, counts := 0, 0, 0, 0, 0, 0, 0, 0
	for i := range states {
		if i%50 == 0 {
			w = newGraphWorld(t, r)
		}
		c := &manyCase{}
		c.ds, c.quads = w.drawn(t, r)
		for range each {
			q := fuzzquery.NewMany(r, r.IntN(3), manyGraphs)
			switch r.IntN(16) {
			case 0:
				q = fuzzquery.NewWide(r, r.IntN(3))
			case 1, 2:
				q = fuzzquery.NewJoin(r, r.IntN(3))
			}
			c.drawnOptions(r, dir)
			if strings.Contains(q.Head, "DefaultGraph") { // which stays the stored one
				c.union = false
			}
			if _, err := sparql.Parse(fuzzquery.Prefixes+q.String(), nil); err != nil {
				continue
			}
			cases++
			out := c.check(q, work)
			if p, err := sparql.Explain(t.Context(), c.ds, sparql.MustParse(fuzzquery.Prefixes+q.String()), c.opts()...); err == nil {
				merges, counts = merges+min(1, countOps(p.Root, "merge join")), counts+min(1, countOps(p.Root, "count"))
			}
			rows, some = rows+out.rows, some+min(1, out.rows)
			switch {
			case out.large:
				large++
			case out.refused:
				refused++
			case out.byNaive:
				byNaive++
			}
			if out.what == "" {
				continue
			}
			for again := true; again; {
				again = q.Smaller(func(s fuzzquery.Query) bool {
					if _, err := sparql.Parse(fuzzquery.Prefixes+s.String(), nil); err != nil {
						return false
					}
					less := c.check(s, work)
					if less.what != "" {
						q, out = s, less
					}
					return less.what != ""
				})
			}
			t.Fatalf("state %d of seed %d, union %t: %s\n%s", i, *diffSeed, c.union, q, out.what)
		}
	}
	report := fmt.Sprintf("%d cases, %d with rows, %d rows; %d with merges, %d with counts; %d compared with the naive evaluator; %d were too much, of %d memory was refused",
		cases, some, rows, merges, counts, byNaive, large, refused)
	t.Log(report)
	if byNaive < cases/2 || some < cases/4 || merges < cases/40 || counts < cases/100 {
		t.Error("too few: " + report)
	}
}
