package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/value"
)

// orderedQuery is a query whose rows are sorted by its first columns.
type orderedQuery struct {
	head, body string
	keys       []bool // descending
}

func (q orderedQuery) text(ordered bool) string {
	text := fuzzquery.Prefixes + "SELECT " + q.head + " { " + q.body + " }"
	if ordered {
		text += " ORDER BY"
		for i, desc := range q.keys {
			v := "?" + "abcd"[i:i+1]
			if desc {
				v = "DESC(" + v + ")"
			}
			text += " " + v
		}
	}
	return text
}

var orderedQueries = []orderedQuery{
	{"?a ?b", "?b :p ?a", []bool{false}},
	{"?a ?b ?c", "?b :p ?a OPTIONAL { ?b :q ?c }", []bool{true, false}},
	{"?a ?b ?c", "?c :p ?b OPTIONAL { ?c :q ?a }", []bool{false, true, true}},
	{"?a ?b", "?x :p ?b BIND(CONCAT(SUBSTR(STR(?x), 1, 12), STR(?b)) AS ?a)", []bool{true, true}},
	{"?a ?b ?c", "?a ?b ?c", []bool{false, true, false}},
}

// orderedData is subjects with objects of every kind, some of which come often.
func orderedData(r *rand.Rand, n int) []rdf.Quad {
	term := func() rdf.Term {
		k := r.IntN(2 * n)
		switch r.IntN(12) {
		case 0:
			return rdf.IRI(fmt.Sprint("http://ex/item", k))
		case 1:
			return rdf.Blank(fmt.Sprint("b", k))
		case 2:
			return rdf.Integer(int64(k - n))
		case 3:
			return rdf.Typed(fmt.Sprintf("%d.%d", k, k%3), rdf.XSD+"decimal")
		case 4:
			return rdf.Typed(fmt.Sprintf("%de0", k%50), rdf.XSD+"double")
		case 5:
			return rdf.LangString(fmt.Sprint("text ", k), []string{"en", "de"}[k%2])
		case 6:
			return rdf.Typed(fmt.Sprintf("20%02d-01-%02dT00:00:00+0%d:00", k%100, 1+k%28, k%10), rdf.XSD+"dateTime")
		case 7:
			return rdf.Boolean(k%2 == 0)
		case 8:
			return rdf.Typed(fmt.Sprint("x", k), "http://ex/type")
		case 9:
			return rdf.TripleTerm(rdf.IRI(fmt.Sprint("http://ex/s", k)), rdf.IRI("http://ex/p"), rdf.Integer(int64(k)))
		case 10:
			return rdf.Typed(fmt.Sprint("0", k%9), rdf.XSD+"integer")
		}
		return rdf.String(fmt.Sprint("item", k))
	}
	var quads []rdf.Quad
	for range n {
		s := rdf.IRI(fmt.Sprint("http://ex/s", r.IntN(n)))
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/" + []string{"p", "p", "q"}[r.IntN(3)]), O: term()})
	}
	return quads
}

// checkOrdered compares an answer with the rows that there are without an order, and looks
// at the order of the rows.
func checkOrdered(got, rows sparqlsuite.Answer, q orderedQuery) error {
	if !sameRows(got, rows) {
		return fmt.Errorf("%d rows, want %d", len(got.Set.Rows), len(rows.Set.Rows))
	}
	for i, row := range got.Set.Rows[min(1, len(got.Set.Rows)):] {
		for c, desc := range q.keys {
			d := value.Compare(value.FromTerm(got.Set.Rows[i][c]), value.FromTerm(row[c]))
			if desc {
				d = -d
			}
			if d > 0 {
				return fmt.Errorf("%v stands before %v", got.Set.Rows[i], row)
			}
			if d < 0 {
				break
			}
		}
	}
	return nil
}

// TestOrderByRanks sorts rows of all kinds of terms in all kinds of stores and memory, few
// rows and many: each answer has the rows that there are without an order, in order.
func TestOrderByRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	runs := longtest.Pick(3, 12)
	done, refused := 0, 0
	for run := range runs {
		n := []int{10, 1500, 6000}[run%3]
		quads := orderedData(r, n)
		for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads), onLog(t, r, quads)} {
			for i, q := range orderedQueries {
				rows, err := answer(ds, sparql.MustParse(q.text(false)))
				if err != nil {
					t.Fatal(err)
				}
				dir, most := t.TempDir(), r.IntN(8)
				for _, opts := range [][]sparql.Option{
					{sparql.DoubtEstimates()},
					{sparql.ForceWorkers(3)},
					{sparql.MemoryLimit(int64(100+r.IntN(400)) << 10), sparql.Spill(dir, 0), sparql.DoubtEstimates()},
					{sparql.Spill(dir, 0), sparql.DoubtEstimates(), sparql.RefuseMemory(func(op string) bool { return op == "order" && r.IntN(1+most) == 0 })},
					{sparql.MemoryLimit(int64(40+r.IntN(1000)) << 10), sparql.Spill("", -1)},
				} {
					got, err := answer(ds, sparql.MustParse(q.text(true)), opts...)
					var me *sparql.MemoryError
					if errors.As(err, &me) {
						refused++
						continue
					}
					if err == nil {
						err = checkOrdered(got, rows, q)
					}
					if err != nil {
						t.Fatalf("run %d, query %d: %v", run, i, err)
					}
					done++
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Fatalf("files left: %v %v", left, err)
				}
			}
		}
	}
	t.Logf("%d answers, %d refused", done, refused)
	if refused > done/4 {
		t.Errorf("%d answers, %d were refused", done, refused)
	}
}

// sweeper is a dataset that notes whether the terms that it decodes ascend from call to
// call.
type sweeper struct {
	dataset.Dataset
	last  dataset.ID
	terms int
	back  int // calls that begin before the end of the previous one
}

func (s *sweeper) Decode(ctx context.Context, ids []dataset.ID, out *dataset.Terms) error {
	if len(ids) > 0 {
		if ids[0] <= s.last {
			s.back++
		}
		s.last = ids[len(ids)-1]
		s.terms += len(ids)
	}
	return s.Dataset.Decode(ctx, ids, out)
}

// TestOrderReadsOnce counts the terms that a sort reads: each of them once, in one walk
// through the dictionary, also where rows and keys go to files.
func TestOrderReadsOnce(t *testing.T) {
	quads := orderedData(rand.New(rand.NewPCG(8, 1)), 30_000)
	distinct := make(map[rdf.Term]bool)
	for _, q := range quads {
		distinct[q.S], distinct[q.P], distinct[q.O] = true, true, true
	}
	for name, opts := range map[string][]sparql.Option{
		"free":  nil,
		"files": {sparql.MemoryLimit(1 << 20), sparql.Spill(t.TempDir(), 0)},
	} {
		for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads)} {
			meter := &sweeper{Dataset: ds}
			q := sparql.MustParse("SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?o DESC(?s) ?p")
			sparql.Drain(t, meter, q, opts...)
			if meter.back > 0 || meter.terms > len(distinct) {
				t.Errorf("%s: %d terms read, there are %d; %d times from the beginning", name, meter.terms, len(distinct), meter.back)
			}
		}
	}
}

// TestOrderByRanksCancel ends sorts at many checks of the context, with and without files.
func TestOrderByRanksCancel(t *testing.T) {
	quads := orderedData(rand.New(rand.NewPCG(2, 2)), 5000)
	ds := onSegment(t, quads)
	q := sparql.MustParse(orderedQueries[4].text(true))
	for _, opts := range [][]sparql.Option{nil, {sparql.MemoryLimit(300 << 10)}} {
		dir := t.TempDir()
		opts = append(slices.Clone(opts), sparql.Spill(dir, 0), sparql.Workers(1))
		for k := 1; ; k += 1 + k/8 {
			ctx := &tiring{t.Context(), k}
			err := sparql.DrainIn(ctx, ds, q, opts...)
			if ctx.left > 0 {
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d checks", k-ctx.left)
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("cancelled at check %d: %v", k, err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Fatalf("files left: %v %v", left, err)
			}
		}
	}
}

// TestOrderFirst asks for the first rows of many whose first terms come again and again:
// their keys are those of the first rows of all.
func TestOrderFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	quads := orderedData(r, longtest.Pick(2000, 4000))
	for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads)} {
		for i, q := range orderedQueries {
			q.body += " VALUES ?z { 1 2 3 4 5 6 7 8 }"
			all, err := answer(ds, sparql.MustParse(q.text(true)))
			if err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int{1, 9, 400} {
				text := fmt.Sprint(q.text(true), " LIMIT ", limit)
				for _, opts := range [][]sparql.Option{
					nil,
					{sparql.ForceWorkers(2)},
					{sparql.MemoryLimit(600 << 10), sparql.Spill(t.TempDir(), 0)},
					{sparql.Spill(t.TempDir(), 0), sparql.RefuseMemory(func(op string) bool { return op == "order" && r.IntN(4) == 0 })},
				} {
					got, err := answer(ds, sparql.MustParse(text), opts...)
					if err != nil {
						t.Fatalf("%v\n%s", err, text)
					}
					if len(got.Set.Rows) != limit {
						t.Fatalf("%d rows, want %d\n%s", len(got.Set.Rows), limit, text)
					}
					for n, row := range got.Set.Rows {
						for c := range q.keys {
							if row[c] != all.Set.Rows[n][c] {
								t.Fatalf("query %d, row %d is %v, want %v\n%s", i, n, row, all.Set.Rows[n], text)
							}
						}
					}
				}
			}
		}
	}
}
