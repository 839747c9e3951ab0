package rewrite_test

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/algebratext"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/naive"
	"github.com/rete-go/rete/sparql/internal/parse"
	"github.com/rete-go/rete/sparql/internal/rewrite"
	"github.com/rete-go/rete/sparql/internal/work"
)

var (
	cases = flag.Int("cases", 0, "number of random cases of TestSameSolutions; 0: 1000, in the long form 3000")
	seed  = flag.Uint64("seed", 1, "seed of the first of them")
)

func translate(text string) (*algebra.Query, error) {
	q, err := parse.Query(fuzzquery.Prefixes+text, nil)
	if err != nil {
		return nil, err
	}
	return algebra.Translate(q)
}

// solutions returns the solutions of o as sorted texts.
func solutions(q *algebra.Query, o algebra.Op, data *naive.Dataset) []string {
	var out []string
	for _, r := range naive.Solutions(o, q.Vars, data) {
		var b strings.Builder
		for _, v := range q.Columns {
			b.WriteString(q.Vars.Name(v) + "=" + r[v].Surface() + " ")
		}
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

// differs reports whether rewriting changes the solutions of a query.
func differs(quads []rdf.Quad, text string) bool {
	q, err := translate(text)
	if err != nil {
		return false
	}
	data := naive.NewDataset(quads)
	return !slices.Equal(solutions(q, q.Root, data), solutions(q, rewrite.Op(new(work.Meter), q.Root), data))
}

// TestSameSolutions evaluates random queries before and after rewriting, every fourth with
// few moves of filters.
func TestSameSolutions(t *testing.T) {
	defer rewrite.SetMoves(1000)()
	ran, changed, failed := 0, 0, 0
	cases := cmp.Or(*cases, longtest.Pick(1000, 3000))
	for i := range cases {
		moves := 1000
		if i%4 == 0 {
			moves = i / 4 % 12
		}
		rewrite.SetMoves(moves)
		r := rand.New(rand.NewPCG(*seed+uint64(i), 7))
		quads, query := fuzzquery.Quads(r), fuzzquery.New(r, 1+r.IntN(4))
		q, err := translate(query.String())
		if err != nil {
			continue
		}
		ran++
		if algebratext.Format(q.Root, q.Vars) != algebratext.Format(rewrite.Op(new(work.Meter), q.Root), q.Vars) {
			changed++
		}
		if !differs(quads, query.String()) {
			continue
		}
		for again := true; again; {
			again = query.Smaller(func(s fuzzquery.Query) bool {
				bad := differs(quads, s.String())
				if bad {
					query = s
				}
				return bad
			})
		}
		q, err = translate(query.String())
		if err != nil {
			t.Fatal(err)
		}
		data := naive.NewDataset(quads)
		t.Errorf("seed %d: %s\n%s\nrewritten\n%s\nquads %v\nwant %q\ngot  %q", *seed+uint64(i), query, algebratext.Format(q.Root, q.Vars),
			algebratext.Format(rewrite.Op(new(work.Meter), q.Root), q.Vars), quads, solutions(q, q.Root, data), solutions(q, rewrite.Op(new(work.Meter), q.Root), data))
		if failed++; failed == 3 {
			t.FailNow()
		}
	}
	if cases >= 1000 && (ran < cases/2 || changed < ran/5) {
		t.Errorf("of %d cases %d ran and %d were rewritten", cases, ran, changed)
	}
}
