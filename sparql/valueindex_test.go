package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// valuePool are literals whose values the operators compare in unequal ways:
// spellings of one value, values that meet by promotion only, zones, and terms
// that a comparison drops.
var valuePool = func() []rdf.Term {
	x := func(text, dt string) rdf.Term { return rdf.Typed(text, rdf.XSD+dt) }
	list := []rdf.Term{
		x("5", "integer"), x("05", "integer"), x("5.0", "decimal"), x("5e0", "double"), x("5", "byte"), x("+5", "float"), x("5.000000000000000000000001", "decimal"),
		x("NaN", "double"), x("NaN", "float"), x("INF", "double"), x("-INF", "float"), x("-0", "double"), x("0", "integer"), x("0.1", "float"), x("0.1", "double"), x("0.1", "decimal"),
		x("16777217", "integer"), x("16777216", "float"), x("9007199254740993", "integer"), x("9007199254740992", "double"), x("1e400", "double"),
		x("100000000000000000000000000000000000000000000", "integer"), x("x", "integer"), x("300", "byte"), x("1.5", "integer"),
		x("2020-01-01T00:00:00Z", "dateTime"), x("2020-01-01T01:00:00+01:00", "dateTime"), x("2020-01-01T00:00:00", "dateTime"), x("2020-01-01T13:59:59", "dateTime"),
		x("2020-01-01T14:00:01", "dateTime"), x("2020-01-01T00:00:00.5Z", "dateTime"), x("2020-01-01T24:00:00Z", "dateTime"), x("2020-01-02", "date"), x("2020-01-02Z", "date"),
		x("2020-01-02+14:00", "date"), x("2020-13-02", "date"), x("2020", "gYear"), x("2020-01", "gYearMonth"), x("10:00:00", "time"), x("10:00:00Z", "time"), x("23:00:00-05:00", "time"),
		rdf.String("5"), rdf.String("a"), rdf.String("a b"), rdf.LangString("5", "en"), rdf.Boolean(true), x("1", "boolean"), x("P1D", "dayTimeDuration"),
		rdf.IRI("http://ex/item1"), rdf.IRI("http://ex/item10"), rdf.Blank("b"),
		rdf.TripleTerm(rdf.IRI("http://ex/a"), rdf.IRI("http://ex/p"), rdf.Integer(5)),
	}
	return list
}()

// valueQuads returns quads whose objects are from the pool and from a wide range of
// numbers and dates, so that few of them are near a given value.
func valueQuads(r *rand.Rand, n int) []rdf.Quad {
	var out []rdf.Quad
	for i := range n {
		var o rdf.Term
		switch r.IntN(6) {
		case 0:
			o = valuePool[r.IntN(len(valuePool))]
		case 1:
			o = rdf.Typed(fmt.Sprintf("%d-%02d-%02d", 1950+r.IntN(100), 1+r.IntN(12), 1+r.IntN(28)), rdf.XSD+"date")
		case 2:
			o = rdf.Typed(fmt.Sprintf("%d-%02d-01T%02d:00:00%s", 2019+r.IntN(3), 1+r.IntN(12), r.IntN(24), []string{"", "Z", "-05:00", "+14:00"}[r.IntN(4)]), rdf.XSD+"dateTime")
		case 3:
			o = rdf.Typed(fmt.Sprintf("%d.%d", r.IntN(400)-200, r.IntN(100)), rdf.XSD+[]string{"decimal", "double", "float"}[r.IntN(3)])
		default:
			o = rdf.Integer(int64(r.IntN(2000) - 1000))
		}
		q := rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i/3)), P: rdf.IRI("http://ex/" + []string{"p", "p", "q"}[i%3]), O: o}
		if r.IntN(8) == 0 {
			q.G = rdf.IRI("http://ex/g")
		}
		out = append(out, q)
	}
	return out
}

// literalText returns a term as it stands in a query.
func literalText(t rdf.Term) string {
	if t.Kind() == rdf.KindBlank || t.Kind() == rdf.KindTriple {
		return "5"
	}
	return t.Surface()
}

// useValues lets scans use the value index whatever it costs.
func useValues(t *testing.T) {
	before := planner.ValueShare
	planner.ValueShare = 0
	t.Cleanup(func() { planner.ValueShare = before })
}

// valueQuery returns a query whose filter compares ?v.
func valueQuery(r *rand.Rand) string {
	constant := func() string {
		switch r.IntN(4) {
		case 0:
			return fmt.Sprint(r.IntN(2000) - 1000)
		case 1:
			return literalText(valueQuads(r, 1)[0].O)
		}
		return literalText(valuePool[r.IntN(len(valuePool))])
	}
	var compare func(depth int) string
	compare = func(depth int) string {
		switch r.IntN(9) {
		case 0:
			return "?v = " + constant()
		case 1:
			return "?v IN (" + constant() + ", " + constant() + ")"
		case 2:
			return constant() + []string{" < ", " > ", " <= ", " >= ", " = ", " != "}[r.IntN(6)] + "?v"
		case 3:
			if depth > 0 {
				return "(" + compare(depth-1) + " || " + compare(depth-1) + ")"
			}
		case 4, 5:
			if depth > 0 {
				return "(" + compare(depth-1) + " && " + compare(depth-1) + ")"
			}
		case 6:
			return "!(?v < " + constant() + ")"
		}
		return "?v" + []string{" < ", " > ", " <= ", " >= "}[r.IntN(4)] + constant()
	}
	f := "FILTER(" + compare(2) + ")"
	return []string{
		"SELECT * { ?s :p ?v " + f + " }",
		"SELECT * { ?s ?p ?v " + f + " }",
		"SELECT * { ?s :p ?v ; :q ?w " + f + " FILTER(?w > 0) }",
		"SELECT * { ?s :q ?w OPTIONAL { ?s :p ?v " + f + " } FILTER(?w > 900) }",
		"SELECT * { ?s :q ?w MINUS { ?s :p ?v " + f + " } FILTER(?w > 900) }",
		"SELECT * { ?s :q ?w FILTER EXISTS { ?s :p ?v " + f + " } FILTER(?w > 800) }",
		"SELECT * { GRAPH ?g { ?s :p ?v " + f + " } }",
		"SELECT * { { ?s :p ?v } UNION { ?s :q ?v } " + f + " }",
		"SELECT (COUNT(*) AS ?n) (SUM(?v) AS ?m) { ?s :p ?v " + f + " }",
	}[r.IntN(9)]
}

// TestValueFilters compares the rows of filters over values with those of the
// naive evaluator, over all kinds of datasets.
func TestValueFilters(t *testing.T) {
	useValues(t)
	rounds := longtest.Pick(3, 12)
	for round := range uint64(rounds) {
		r := rand.New(rand.NewPCG(round, 7))
		quads := valueQuads(r, 900)
		sets := map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads), "log": onLog(t, r, quads)}
		for range 12 {
			q := valueQuery(r)
			for name, ds := range sets {
				if what, bad := differs(quads, ds, q); bad {
					t.Fatalf("round %d, %s: %s%s\n%s", round, name, fuzzquery.Prefixes, q, what)
				}
			}
		}
	}
}

// TestValueRules has, for each rule by which a filter becomes ids, a filter whose
// rows are others than those that ids, spellings or keys alone would give.
func TestValueRules(t *testing.T) {
	useValues(t)
	var quads []rdf.Quad
	add := func(p string, o rdf.Term) {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", len(quads))), P: rdf.IRI("http://ex/" + p), O: o})
	}
	for _, o := range valuePool {
		add("p", o)
	}
	for i := range 1000 { // so that an index pays
		add("p", rdf.Integer(int64(10_000+i)))
		add("q", rdf.Typed(fmt.Sprintf("%d-01-01", 2030+i), rdf.XSD+"date"))
		add("p", rdf.Typed(fmt.Sprintf("%d-01-01T00:00:00", 2030+i), rdf.XSD+"dateTime"))
	}
	segment, log := onSegment(t, quads), onLog(t, rand.New(rand.NewPCG(1, 2)), quads)
	for _, f := range []string{
		"?v = 5", "?v = 05", `?v = "5"`, "?v = 5.0", "?v = 5e0", `?v = "5"^^xsd:float`, "?v IN (5, 0.1)", `?v IN (5, "a")`, "?v IN (5, :item1)",
		"?v = 0.1", "?v = 0.1e0", `?v = "0.1"^^xsd:float`, `?v = "16777216"^^xsd:float`, "?v = 16777217", "?v = 9007199254740993", "?v = 9007199254740992e0",
		`?v = "NaN"^^xsd:double`, `?v < "NaN"^^xsd:double`, `?v >= "INF"^^xsd:double`, `?v <= "-INF"^^xsd:double`, "?v > 1e300", "?v < 1 && ?v >= 0", "0 = ?v", "?v <= -0.0",
		`?v = "2020-01-01T00:00:00Z"^^xsd:dateTime`, `?v = "2020-01-01T00:00:00"^^xsd:dateTime`, `?v < "2020-01-01T00:00:00.25Z"^^xsd:dateTime`, `?v > "2020-01-01T00:00:00Z"^^xsd:dateTime && ?v < "2020-01-03T00:00:00Z"^^xsd:dateTime`,
		`?v <= "2020-01-02"^^xsd:date`, `?v = "2020-01-02"^^xsd:date`, `?v < "2020-01-02"^^xsd:dateTime`, `?v = "10:00:00"^^xsd:time`, `?v = "04:00:00Z"^^xsd:time`, `?v = "2020"^^xsd:gYear`, `?v <= "2020-01"^^xsd:gYearMonth`,
		`?v < 5 || ?v = "2020-01-02"^^xsd:date`, `?v < 5 && ?v = "2020-01-02"^^xsd:date`, "?v = 5 || !bound(?w)", "isNumeric(?v)", "isNumeric(?v) && ?v > 3", "!isNumeric(?v)", "isNumeric(?v) || ?v < \"2020-01-02\"^^xsd:date", "!(?v != 5)", "?v = xsd:integer(\"5\")", "COALESCE(?v = 5, true)", "?v = 5 || ?s = :s1",
	} {
		q := "PREFIX xsd: <" + rdf.XSD + "> SELECT * { ?s :p ?v FILTER(" + f + ") }"
		for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "segment": segment, "log": log} {
			if what, bad := differs(quads, ds, q); bad {
				t.Errorf("%s: %s\n%s", name, f, what)
			}
		}
	}
}

// TestValueExtremes compares MIN, MAX and the first rows of an order by value with
// those of the naive evaluator.
func TestValueExtremes(t *testing.T) {
	useValues(t)
	rounds := longtest.Pick(2, 8)
	for round := range uint64(rounds) {
		r := rand.New(rand.NewPCG(round, 9))
		quads := valueQuads(r, 6000)
		for i := range quads {
			// Predicates of numbers alone, of dates and times, and of anything.
			k := valuekey.Number
			switch c, _, ok := valuekey.Of([]byte(quads[i].O.Surface())); {
			case ok && c == k && r.IntN(2) == 0:
				quads[i].P = rdf.IRI("http://ex/n")
			case ok && c != k && r.IntN(2) == 0:
				quads[i].P = rdf.IRI("http://ex/d")
			}
		}
		sets := map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads), "log": onLog(t, r, quads)}
		for range 6 {
			p := []string{":n", ":d", ":p"}[r.IntN(3)]
			q := []string{
				"SELECT (MIN(?v) AS ?m) { ?s " + p + " ?v }",
				"SELECT (MAX(?v) AS ?m) { ?s " + p + " ?v }",
				"SELECT (MIN(?v) AS ?m) (MAX(?v) AS ?n) { ?s " + p + " ?v }",
				"SELECT (MAX(?v) AS ?m) (COUNT(?v) AS ?n) { ?s " + p + " ?v }",
				fmt.Sprintf("SELECT * { ?s %s ?v } ORDER BY %s ?s LIMIT %d OFFSET %d", p, []string{"?v", "DESC(?v)"}[r.IntN(2)], 1+r.IntN(40), r.IntN(9)),
				fmt.Sprintf("SELECT ?s ?v { GRAPH ?g { ?s %s ?v } } ORDER BY %s ?s ?g LIMIT %d", p, []string{"?v", "DESC(?v)"}[r.IntN(2)], 1+r.IntN(40)),
			}[r.IntN(6)]
			for name, ds := range sets {
				if what, bad := differs(quads, ds, q); bad {
					t.Fatalf("round %d, %s: %s\n%.2000s", round, name, q, what)
				}
			}
		}
	}
}
