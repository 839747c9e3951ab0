package sparql_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// mergeQueries are joins on one variable.
var mergeQueries = []string{
	"SELECT ?a ?b ?o { ?a :p ?o . ?b :q ?o }",
	"SELECT ?a ?o { ?s :p ?a ; :q ?o }",
	"SELECT * { ?s :p ?a ; :q ?o ; ?p ?z }",
	"SELECT * { ?s :p ?a ; :q ?o ; ?p ?z FILTER(?a > ?o) FILTER(?z != 7) }",
	"SELECT * { ?s :p ?a ; :q ?o ; :p ?b FILTER(STRLEN(STR(?a)) < 3) FILTER(STRLEN(STR(?b)) = 2) }",
	"SELECT ?s (SUM(?o) AS ?n) { ?s :p ?a ; :q ?o } GROUP BY ?s",
	"SELECT DISTINCT ?s { ?s :p ?a ; :q ?o . ?t :p ?o }",
	"SELECT * { GRAPH ?g { ?s :p ?a ; :q ?o } }",
	"SELECT ?s ?a { GRAPH ?g { ?s :p ?a ; :q ?o } }",
	"SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s :p ?a ; :q ?o ; ?p ?z } }",
	"SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?a :p ?o . ?b :q ?o FILTER(?a != ?b) } } GROUP BY ?g",
	"SELECT * { GRAPH ?g { ?s :p ?a ; :q ?o ; :p ?b FILTER(?a < ?b) } FILTER(?g != :g) ?s :p ?a }",
	"SELECT * { GRAPH ?g { ?s :p ?a ; :q ?o } GRAPH ?h { ?s :q ?o } ?s :p ?b }",
	"SELECT * { GRAPH ?g { ?s :p ?a } GRAPH ?g { ?s :q ?o } }",
	"SELECT ?s ?z { ?s :p ?a ; :q ?o OPTIONAL { ?t :q ?a ; :p ?z FILTER(?z < 9) } }",
	"SELECT ?s { ?s :p ?a ; :q ?o FILTER NOT EXISTS { ?s :p ?x ; :q ?x } }",
	"SELECT * { GRAPH :g { ?s :p ?a ; :q ?o } }",
	"SELECT ?s { ?s :p ?a ; :nothing ?o ; :q ?b }",
}

// TestMerge compares merges with joins of two, on rows in memory and in a log of
// segments, on one goroutine and on several.
func TestMerge(t *testing.T) {
	quads := workerData(3000)
	for i, q := range quads {
		for _, g := range []string{"g", "g" + strconv.Itoa(i%7), "g" + strconv.Itoa(i/500)} {
			if r := i % 3; r == 0 || r == 1 && g != "g" {
				q.G = rdf.IRI("http://ex/" + g)
				quads = append(quads, q)
			}
		}
	}
	merges := 0
	for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "log": onLog(t, rand.New(rand.NewPCG(1, 1)), quads)} {
		for _, text := range mergeQueries {
			q := sparql.MustParse(fuzzquery.Prefixes + text)
			want, err := answer(ds, q, sparql.Workers(1), sparql.JoinMethods(planner.PairJoins))
			if err != nil {
				t.Fatal(err)
			}
			w := lines(want.Set.Vars, want.Set.Rows, want.Set.Vars)
			for _, workers := range []sparql.Option{sparql.Workers(1), sparql.ForceWorkers(2), sparql.ForceWorkers(3)} {
				got, err := answer(ds, q, workers, sparql.JoinMethods(planner.ManyJoins))
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, text)
				}
				if g := lines(got.Set.Vars, got.Set.Rows, want.Set.Vars); !slices.Equal(g, w) {
					t.Errorf("%s: %d rows, want %d\n%s", name, len(g), len(w), text)
				}
			}
			p, err := sparql.Explain(t.Context(), ds, q, sparql.JoinMethods(planner.ManyJoins))
			if err != nil {
				t.Fatal(err)
			}
			merges += countOps(p.Root, "merge join")
		}
	}
	if merges < 12 {
		t.Errorf("%d merges", merges)
	}
}

// TestDifferentialMerge compares merges and leapfrogs, wherever they can be, with the
// naive evaluator.
func TestDifferentialMerge(t *testing.T) {
	merged := 0
	for i := range diffCases() {
		seed := *diffSeed + uint64(i)
		quads, text, q, want := naiveCase(t, seed)
		if q == nil {
			continue
		}
		ds := dataset.Dataset(load(quads))
		if i%4 == 0 {
			ds = onLog(t, rand.New(rand.NewPCG(seed, 7)), quads)
		}
		got, err := answer(ds, q, sparql.JoinMethods(planner.ManyJoins))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars); !slices.Equal(g, w) {
			t.Errorf("seed %d: got  %q\nwant %q\n%s\n%s", seed, g, w, text, dump(quads))
		}
		p, err := sparql.Explain(t.Context(), ds, q, sparql.JoinMethods(planner.ManyJoins))
		if err != nil {
			t.Fatal(err)
		}
		merged += min(1, countOps(p.Root, "merge join"))
	}
	if merged < diffCases()/50 {
		t.Errorf("%d of %d cases had merges", merged, diffCases())
	}
}

// rangesOf returns a segment of two predicates with n rows each, a row for each
// key. Which keys a predicate has is up to keys.
func rangesOf(t testing.TB, rows int, keys func(predicate, i int) int) dataset.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var text bytes.Buffer
	for p, name := range []string{"left", "right"} {
		for i := range rows {
			fmt.Fprintf(&text, "<http://ex/k%08d> <http://ex/%s> \"%d\" .\n", keys(p, i), name, r.IntN(rows))
		}
	}
	return built(t, &text)
}

// built returns a segment of N-Quads.
func built(t testing.TB, text io.Reader) dataset.Dataset {
	t.Helper()
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(t.Context(), text, rdf.Options{}, true); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := b.WriteTo(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	s, err := segment.Open(t.Context(), blob.Bytes("built", file.Bytes()), &segment.Options{Cache: cache.New(1 << 28)})
	if err != nil {
		t.Fatal(err)
	}
	return enginetest.NewView([]enginetest.Entry{{Adds: enginetest.SegmentLayer(s)}}, nil)
}

// ranges are ways in which the keys of two predicates lie.
func ranges(rows int) []keyRanges {
	return []keyRanges{
		{"after", 0, 0.02, func(p, i int) int { return p*rows + i }},
		{"one-percent", rows / 100, 0.05, func(p, i int) int { return p*rows*99/100 + i }},
		{"half", rows / 2, 0.55, func(p, i int) int { // a block of each, around a common one
			if i < rows/2 {
				return p*rows*10 + i
			}
			return rows*5 + i
		}},
		{"blocks", 0, 0.15, func(p, i int) int { return i%(rows/4) + (i/(rows/4)*2+p)*rows }},
		{"equal", rows, 1, func(_, i int) int { return i }},
	}
}

type keyRanges struct {
	name string
	rows int     // of the join
	most float64 // of the tiles of each side that are looked into
	keys func(predicate, i int) int
}

var joinOfRanges = sparql.MustParse(fuzzquery.Prefixes + "SELECT ?k ?a ?b { ?k :left ?a ; :right ?b }")

// TestMergeTiles: of two large scans, tiles outside of the bounds of the other one are
// not decoded, on either side.
func TestMergeTiles(t *testing.T) {
	const rows, tiles = 200_000, 15 // of each predicate in one order
	for _, c := range ranges(rows) {
		p, err := sparql.Analyze(t.Context(), rangesOf(t, rows, c.keys), joinOfRanges, sparql.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		if countOps(p.Root, "merge join") != 1 || p.Run.Rows != int64(c.rows) {
			t.Errorf("%s: %d rows, want %d\n%s", c.name, p.Run.Rows, c.rows, p)
			continue
		}
		for _, scan := range p.Root.Inputs[0].Inputs {
			// Each scan opens its first tile to know where it begins, and one at each end
			// of a stretch.
			if most := int64(c.most*tiles) + 2; scan.Tiles > most {
				t.Errorf("%s: %d of %d tiles of %s, want %d at most", c.name, scan.Tiles, scan.TilesOf, scan.Detail, most)
			}
		}
	}
}

// BenchmarkMerge compares the merge with joins of two, in turn, by ranges of keys.
func BenchmarkMerge(b *testing.B) {
	for _, c := range ranges(300_000) {
		b.Run(c.name, func(b *testing.B) {
			compareJoins(b, rangesOf(b, 300_000, c.keys), joinOfRanges)
		})
		b.Run(c.name+"/one-worker", func(b *testing.B) {
			compareJoins(b, rangesOf(b, 300_000, c.keys), joinOfRanges, sparql.Workers(1))
		})
	}
}

// compareJoins runs a query with joins of two alone, and with all methods, in turn, and
// reports the best time of each and how many times the first takes the second.
func compareJoins(b *testing.B, ds dataset.Dataset, q *sparql.Query, opts ...sparql.Option) {
	b.Helper()
	var best [2]time.Duration
	for b.Loop() {
		for i, how := range []planner.JoinChoice{planner.PairJoins, planner.AnyJoin} {
			start := time.Now()
			sparql.Drain(b, ds, q, append(opts, sparql.JoinMethods(how))...)
			if d := time.Since(start); best[i] == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(best[0])/1e6, "pairs-ms")
	b.ReportMetric(float64(best[1])/1e6, "all-ms")
	b.ReportMetric(float64(best[0])/float64(best[1]), "x")
}

// TestMergeMemory: of the rows of an id that many rows of one operand have, those are not
// kept.
func TestMergeMemory(t *testing.T) {
	var quads []rdf.Quad
	node := func(kind string, i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/%s%d", kind, i)) }
	add := func(s rdf.Term, p string, o rdf.Term) {
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/" + p), O: o})
	}
	for i := range 20_000 {
		add(node("s", i), "p", node("t", i*i%5*i/9999))
	}
	for i := range 3 {
		add(node("t", i), "q", rdf.Integer(int64(i)))
		add(node("t", i), "r", rdf.Integer(int64(i)))
		add(node("t", i), "r", rdf.Integer(int64(-i)))
	}
	most := int64(0)
	held := sparql.HeldBy(func(n int64) { most = max(most, n) })
	for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads)} {
		for _, text := range []string{
			"SELECT * { ?s :p ?t . ?t :q ?n }",
			"SELECT * { ?s :p ?t . ?t :q ?n ; :r ?m }",
			"SELECT ?t (COUNT(*) AS ?n) { ?s :p ?t . ?t :r ?m } GROUP BY ?t",
		} {
			q := sparql.MustParse(fuzzquery.Prefixes + text)
			want, err := answer(ds, q, sparql.JoinMethods(planner.PairJoins))
			if err != nil {
				t.Fatal(err)
			}
			sparql.Drain(t, ds, q, sparql.JoinMethods(planner.ManyJoins), sparql.Workers(1), held) // texts of rows are held as well
			got, err := answer(ds, q, sparql.JoinMethods(planner.ManyJoins), sparql.Workers(1))
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
			} else if g, w := lines(got.Set.Vars, got.Set.Rows, want.Set.Vars), lines(want.Set.Vars, want.Set.Rows, want.Set.Vars); !slices.Equal(g, w) {
				t.Errorf("%s: %d rows, want %d\n%s", name, len(g), len(w), text)
			}
		}
	}
	if most > 96<<10 { // with batches of up to three columns, and of three scans
		t.Errorf("%d bytes were held", most)
	}
}
