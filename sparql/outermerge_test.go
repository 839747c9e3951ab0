package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// outerMerges are joins of kinds other than Inner on one variable, with the operation that
// merges them.
var outerMerges = []struct{ op, text string }{
	{"merge left join", "SELECT * { ?s :p ?a OPTIONAL { ?s :q ?b } }"},
	{"", "SELECT ?a ?b { ?s :p ?a OPTIONAL { ?t :q ?a ; :p ?b } }"},
	{"merge left join", "SELECT * { ?s :p ?a OPTIONAL { ?s :q ?b FILTER(STRLEN(STR(?b)) = 1) } }"},
	{"merge left join", "SELECT * { ?s :p ?a OPTIONAL { ?s :nothing ?b } OPTIONAL { ?s :q ?c } }"},
	{"merge left join", "SELECT * { ?s :p ?a ; :r ?d OPTIONAL { ?s :q ?b } }"},
	{"merge left join", "SELECT * { ?s :q ?a OPTIONAL { ?s :hub ?b } OPTIONAL { ?s :p ?c } FILTER(!BOUND(?b)) }"},
	{"merge left join", "SELECT * { ?h :hub ?a OPTIONAL { ?h :back ?b } }"}, // one id has all rows of both sides
	{"merge left join", "SELECT ?s (COUNT(?b) AS ?n) { ?s :p ?a OPTIONAL { ?s :q ?b } } GROUP BY ?s"},
	{"", "SELECT * { { ?s :p ?a OPTIONAL { ?s :q ?b } } { SELECT ?s { ?s :r ?z } LIMIT 3 } }"}, // narrowed
	{"merge left join", "SELECT * { ?z :r ?b FILTER(STRLEN(STR(?z)) = 14 && CONTAINS(STR(?z), \"s1\")) { ?s :p ?a OPTIONAL { ?s :q ?b } } }"},
	{"merge semi-join", "SELECT * { ?s :p ?a FILTER EXISTS { ?s :q ?b } }"},
	{"merge semi-join", "SELECT * { ?s :p ?a FILTER EXISTS { ?h :back ?s } }"},
	{"merge semi-join", "SELECT * { ?h :hub ?a FILTER EXISTS { ?h :back ?b } }"},
	{"merge semi-join", "SELECT * { ?s :p ?a ; :q ?b FILTER EXISTS { ?s :r ?b2 FILTER(STRLEN(STR(?b2)) = 1) } }"},
	{"merge anti-join", "SELECT * { ?s :p ?a FILTER NOT EXISTS { ?s :q ?b } }"},
	{"merge anti-join", "SELECT * { ?s :p ?a MINUS { ?s :q ?b } }"},
	{"merge anti-join", "SELECT * { ?s :p ?a MINUS { ?s :q 3 } }"},
	{"merge anti-join", "SELECT * { ?h :hub ?a MINUS { ?h :back ?b } }"},
	{"merge anti-join", "SELECT * { ?s :p ?a FILTER NOT EXISTS { ?s :q ?b } FILTER NOT EXISTS { ?s :r ?c } OPTIONAL { ?s :q ?d } }"},
	{"merge anti-join", "SELECT (COUNT(*) AS ?n) { ?s :p ?a FILTER NOT EXISTS { ?t :back ?s } }"},
	{"", "SELECT * { ?s :p ?a OPTIONAL { ?s :q ?b FILTER(?b > ?a) } }"}, // a condition over both
	{"", "SELECT * { ?s :p ?a OPTIONAL { ?s :q ?a } }"},                 // two keys
	{"", "SELECT * { ?s :p ?a MINUS { ?t :q ?b } }"},                    // none
	{"", "SELECT * { { ?s :p ?a } UNION { ?t :p ?a } MINUS { ?s :q ?b } }"},
	{"merge left join", "SELECT * { GRAPH ?g { ?s :p ?a OPTIONAL { ?s :q ?b } } }"},
	{"merge left join", "SELECT * { GRAPH ?g { ?s :p ?a OPTIONAL { ?s :hub ?b } OPTIONAL { ?s :q ?c } } }"},
	{"merge left join", "SELECT * { GRAPH ?g { ?s :p ?a ; :r ?c } OPTIONAL { GRAPH ?g { ?s :hub ?b } } }"},
	{"merge left join", "SELECT * { GRAPH ?g { ?h :hub ?a OPTIONAL { ?h :back ?b } } }"},
	{"merge left join", "SELECT ?g (COUNT(?b) AS ?n) { GRAPH ?g { ?s :p ?a OPTIONAL { ?s :q ?b } } } GROUP BY ?g"},
	{"merge left join", "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s :p ?a OPTIONAL { ?s :hub ?b } } }"},
	{"merge semi-join", "SELECT ?s ?a { GRAPH ?g { ?s :p ?a FILTER EXISTS { ?s :q ?b } } }"},
	{"merge semi-join", "SELECT * { GRAPH ?g { ?h :hub ?a } FILTER EXISTS { GRAPH ?g { ?h :back ?b } } }"},
	{"merge anti-join", "SELECT ?a { GRAPH ?g { ?s :p ?a FILTER NOT EXISTS { ?s :hub ?b } } }"},
	{"merge anti-join", "SELECT * { GRAPH ?g { ?s :p ?a MINUS { ?s :q 3 } } }"},
	{"merge anti-join", "SELECT * { GRAPH ?g { ?s :p ?a } MINUS { GRAPH ?g { ?s :q ?b } } }"},
	{"merge anti-join", "SELECT * { GRAPH ?g { ?s :p ?a FILTER NOT EXISTS { ?s :q ?b } OPTIONAL { ?s :r ?c } } }"},
	{"", "SELECT * { GRAPH ?g { ?s :p ?a } OPTIONAL { GRAPH ?h { ?s :q ?b } } }"}, // of any graph
	{"", "SELECT * { GRAPH ?g { ?s :p ?a } OPTIONAL { ?s :q ?b } }"},
}

// outerData has subjects with some, one and no rows of each predicate, and one that has
// very many, all in the default graph and in one of several others each.
func outerData(n int) []rdf.Quad {
	r := rand.New(rand.NewPCG(5, 6))
	p := func(name string) rdf.Term { return rdf.IRI("http://ex/" + name) }
	var quads []rdf.Quad
	for i := range n {
		s := p(fmt.Sprintf("s%d", i))
		for _, name := range []string{"p", "q", "r"} {
			if i/50%3 == 0 && name == "q" || i/70%4 == 1 && name == "p" { // stretches without
				continue
			}
			for range r.IntN(4) {
				quads = append(quads, rdf.Quad{S: s, P: p(name), O: rdf.Integer(int64(r.IntN(40)))})
			}
		}
		if i%9 == 0 {
			quads = append(quads, rdf.Quad{S: s, P: p("p"), O: p(fmt.Sprintf("s%d", r.IntN(n)))})
		}
		quads = append(quads, rdf.Quad{S: p("s7"), P: p("hub"), O: s})
		if i%40 == 0 {
			quads = append(quads, rdf.Quad{S: p("s7"), P: p("back"), O: s}, rdf.Quad{S: s, P: p("hub"), O: rdf.Integer(int64(i))})
		}
	}
	for i, q := range quads {
		g := i / 300 // graphs with all predicates, and some with one
		if i%5 == 0 {
			g = 100 + len(q.P.Value())%3
		}
		q.G = p(fmt.Sprintf("graph%d", g))
		quads = append(quads, q)
	}
	return quads
}

// TestOuterMerges compares merges for OPTIONAL, EXISTS and MINUS with joins that store a
// side, on rows in memory and in a log, on one goroutine and on several.
func TestOuterMerges(t *testing.T) {
	quads := outerData(longtest.Pick(600, 2500))
	for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "log": onLog(t, rand.New(rand.NewPCG(1, 1)), quads)} {
		for _, c := range outerMerges {
			q := sparql.MustParse(fuzzquery.Prefixes + c.text)
			want, err := answer(ds, q, sparql.Workers(1), sparql.JoinMethods(planner.PairJoins))
			if err != nil {
				t.Fatal(err)
			}
			w := lines(want.Set.Vars, want.Set.Rows, want.Set.Vars)
			for _, opts := range [][]sparql.Option{{sparql.Workers(1)}, {sparql.ForceWorkers(2)}, {sparql.ForceWorkers(3)}, {sparql.DoubtEstimates()}} {
				got, err := answer(ds, q, append(opts, sparql.JoinMethods(planner.ManyJoins))...)
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, c.text)
				}
				if g := lines(got.Set.Vars, got.Set.Rows, want.Set.Vars); !slices.Equal(g, w) {
					t.Errorf("%s: %d rows, want %d\n%s", name, len(g), len(w), c.text)
				}
			}
			p, err := sparql.Explain(t.Context(), ds, q, sparql.JoinMethods(planner.ManyJoins))
			if err != nil {
				t.Fatal(err)
			}
			merges := 0
			if countOps(p.Root, "each graph") > 0 {
				t.Errorf("a loop over graphs\n%s\n%s", c.text, p)
			}
			for _, op := range []string{"merge left join", "merge semi-join", "merge anti-join"} {
				if n := countOps(p.Root, op); op == c.op && n == 0 {
					t.Errorf("no %s\n%s\n%s", op, c.text, p)
				} else {
					merges += n
				}
			}
			if c.op == "" && merges > 0 {
				t.Errorf("a merge\n%s\n%s", c.text, p)
			}
		}
	}
}

// outerCase is a random graph, and a query whose groups are joined on one variable.
func outerCase(r *rand.Rand) ([]rdf.Quad, string) {
	node := func(name string) rdf.Term { return rdf.IRI("http://ex/" + name) }
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var quads []rdf.Quad
	subjects := 1 + r.IntN(60)
	for range r.IntN(100) {
		s := node(fmt.Sprintf("s%d", r.IntN(subjects)))
		if r.IntN(15) == 0 {
			s = node("s1") // very many rows
		}
		o := rdf.Integer(int64(r.IntN(30)))
		if r.IntN(2) == 0 {
			o = node(fmt.Sprintf("s%d", r.IntN(subjects)))
		}
		quads = append(quads, rdf.Quad{S: s, P: node(pick("p", "q", "r")), O: o})
	}
	graphs := r.IntN(24) / 2 * r.IntN(2) // none: the default graph
	for i := range quads {
		if graphs > 0 {
			quads[i].G = node(fmt.Sprintf("g%d", min(r.IntN(graphs), r.IntN(graphs))))
		}
	}
	return quads, outerText(r, graphs > 0)
}

// outerText returns a query of a random graph, or of named graphs.
func outerText(r *rand.Rand, named bool) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	graph, open, end := "", "", ""
	if named {
		if graph, end = "GRAPH ?g { ", " }"; r.IntN(2) == 0 { // around the operators, not inside
			open, graph = graph, ""
		}
	}
	text := "SELECT * { " + open + graph + "?s :" + pick("p", "q") + " ?a "
	if r.IntN(3) == 0 {
		text += "; :" + pick("q", "r") + " ?b "
	}
	if r.IntN(4) == 0 {
		text += "FILTER(isIRI(?a)) "
	}
	if graph != "" {
		text += end
	}
	for i := range 1 + r.IntN(2) {
		at, fresh := pick("?s", "?s", "?s", "?a"), fmt.Sprintf("?v%d", i)
		part := fmt.Sprintf("%s :%s %s", at, pick("p", "q", "r", "none"), fresh)
		switch r.IntN(5) {
		case 0:
			part = fmt.Sprintf("%s :%s %s", fresh, pick("p", "q", "r"), at) // by the object
		case 1:
			part += " FILTER(isNumeric(" + fresh + "))"
		case 2:
			part += fmt.Sprintf(" . %s :%s %sx", at, pick("p", "q", "r"), fresh)
		}
		if graph != "" {
			part = graph + part + end
		}
		text += fmt.Sprintf(pick("OPTIONAL { %s } ", "OPTIONAL { %s } ", "MINUS { %s } ", "FILTER EXISTS { %s } ", "FILTER NOT EXISTS { %s } "), part)
	}
	if r.IntN(4) == 0 {
		text += graph + "?s :" + pick("p", "r") + " ?z "
		if graph != "" {
			text += end
		}
	}
	if open != "" {
		text += end
	}
	return text + "}"
}

// TestDifferentialOuterMerge compares merges for OPTIONAL, EXISTS and MINUS with the naive
// evaluator, on rows in memory and in a log.
func TestDifferentialOuterMerge(t *testing.T) {
	var counts, inGraphs [3]int
	for i := range diffCases() / 2 {
		seed := *diffSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 31))
		quads, text := outerCase(r)
		text = fuzzquery.Prefixes + text
		want, err := naive.Run(quads, text, "")
		if err != nil {
			t.Fatal(err)
		}
		ds := dataset.Dataset(load(quads))
		if i%4 == 0 {
			ds = onLog(t, r, quads)
		}
		q := sparql.MustParse(text)
		opts := []sparql.Option{sparql.JoinMethods(planner.ManyJoins), sparql.Workers(1)}
		if i%3 == 0 {
			opts = []sparql.Option{sparql.JoinMethods(planner.ManyJoins), sparql.ForceWorkers(1 + i%4)}
		}
		got, err := answer(ds, q, opts...)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars); !slices.Equal(g, w) {
			t.Fatalf("seed %d: got  %q\nwant %q\n%s\n%s", seed, g, w, text, dump(quads))
		}
		p, err := sparql.Explain(t.Context(), ds, q, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for k, op := range []string{"merge left join", "merge semi-join", "merge anti-join"} {
			merges := min(1, countOps(p.Root, op))
			if counts[k] += merges; strings.Contains(text, "GRAPH") {
				inGraphs[k] += merges
			}
		}
	}
	for k, n := range counts {
		if n < diffCases()/50 || inGraphs[k] < diffCases()/100 {
			t.Errorf("%d of %d cases had merges of kind %d", n, diffCases()/2, k)
		}
	}
	t.Logf("%d cases with merges for OPTIONAL, %d for EXISTS, %d for NOT EXISTS and MINUS; %d of them in graphs", counts[0], counts[1], counts[2], inGraphs)
}

// TestOuterMergeTiles: of a side of which the other one has nothing, tiles are not decoded:
// on the right of any kind, and on the left of EXISTS.
func TestOuterMergeTiles(t *testing.T) {
	const rows, tiles = 200_000, 15 // of each predicate in one order
	ds := rangesOf(t, rows, func(p, i int) int { return p*rows*99/100 + i })
	for _, c := range []struct {
		op, where   string
		left, right int64 // most tiles
	}{
		{"merge left join", "?k :left ?a OPTIONAL { ?k :right ?b }", tiles + 2, 3},
		{"merge semi-join", "?k :left ?a FILTER EXISTS { ?k :right ?b }", 3, 3},
		{"merge anti-join", "?k :left ?a FILTER NOT EXISTS { ?k :right ?b }", tiles + 2, 3},
		{"merge anti-join", "?k :left ?a MINUS { ?k :right ?b }", tiles + 2, 3},
	} {
		p, err := sparql.Analyze(t.Context(), ds, sparql.MustParse(fuzzquery.Prefixes+"SELECT * { "+c.where+" }"), sparql.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		if countOps(p.Root, c.op) != 1 {
			t.Errorf("%s\n%s", c.where, p)
			continue
		}
		node := p.Root
		for node.Op != c.op {
			node = node.Inputs[0]
		}
		if l, r := node.Inputs[0].Tiles, node.Inputs[1].Tiles; l > c.left || r > c.right {
			t.Errorf("%d and %d tiles, want %d and %d at most\n%s", l, r, c.left, c.right, p)
		}
	}
}
