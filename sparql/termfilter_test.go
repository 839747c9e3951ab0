package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// onJournal returns the quads as a small log under a journal that has most of them.
func onJournal(t testing.TB, quads []rdf.Quad) dataset.Dataset {
	ctx := context.Background()
	name := filepath.Join(t.TempDir(), "j"+manifest.Suffix)
	db, err := engine.Init(ctx, name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	write := func(quads []rdf.Quad) {
		if _, err := db.Write(ctx, nil, func(tx *engine.Tx) error { return tx.Insert(ctx, quads...) }); err != nil {
			t.Fatal(err)
		}
	}
	write(quads[:len(quads)/3])
	if _, err := db.Seal(ctx, nil); err != nil {
		t.Fatal(err)
	}
	write(quads[len(quads)/3:])
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snap.Close() })
	return snap.View
}

// termPool are terms that tests of kind and text tell apart in ways that neither
// their surfaces nor their ids show at once.
var termPool = []rdf.Term{
	rdf.IRI("http://ex/item1"), rdf.IRI("http://ex/item10"), rdf.IRI("http://ex/item1/a"), rdf.IRI("http://ex/item"), rdf.IRI("http://ex/é1"), rdf.IRI("urn:a"), rdf.IRI("a:"),
	rdf.String("a"), rdf.String("a b"), rdf.LangString("a", "en"), rdf.LangString("a b", "en-gb"), rdf.LangString("b", "de"), rdf.DirLangString("a", "ar", "rtl"), rdf.String(""), rdf.LangString("", "en"),
	rdf.Typed("a", "http://ex/t"), rdf.Typed("5", rdf.XSD+"integer"), rdf.Typed("05", rdf.XSD+"integer"), rdf.String("5"), rdf.String("05"), rdf.String("50"), rdf.Typed("50", rdf.XSD+"integer"),
	rdf.String("A b"), rdf.String("\u212aelvin"), rdf.String("Kelvin"), rdf.String("kelvin"), rdf.String(`say "a"`), rdf.String(`"a`), rdf.String("a\nb"), rdf.String(`a\nb`), rdf.String("a\\"), rdf.String("http://ex/item1"), rdf.String("http://ex/item10"),
	rdf.String("é1"), rdf.String("tab\there"), rdf.String("en"), rdf.String("x@en"), rdf.String("^^"), rdf.Boolean(true), rdf.String("straße"), rdf.String("STRASSE"),
	rdf.Blank("a"), rdf.Blank("item1"), rdf.Blank("b5"),
	rdf.TripleTerm(rdf.IRI("http://ex/item1"), rdf.IRI("http://ex/p"), rdf.String("a")), rdf.TripleTerm(rdf.IRI("http://ex/item10"), rdf.IRI("http://ex/p"), rdf.IRI("http://ex/item1")),
}

// termQuads returns quads of the pool among others, as objects and as subjects.
func termQuads(r *rand.Rand, n int) []rdf.Quad {
	seen := make(map[rdf.Quad]bool)
	var out []rdf.Quad
	for i := range n {
		o := termPool[r.IntN(len(termPool))]
		switch r.IntN(5) {
		case 0:
			o = rdf.IRI(fmt.Sprintf("http://ex/item%d", r.IntN(300)))
		case 1:
			o = rdf.String(fmt.Sprintf("%c%d b", 'a'+rune(r.IntN(26)), r.IntN(90)))
		}
		s := rdf.IRI(fmt.Sprintf("http://ex/s%d", i/2))
		if k := termPool[r.IntN(len(termPool))]; r.IntN(4) == 0 && (k.Kind() == rdf.KindIRI || k.Kind() == rdf.KindBlank) {
			s = k
		}
		q := rdf.Quad{S: s, P: rdf.IRI("http://ex/" + []string{"p", "p", "q"}[i%3]), O: o}
		if r.IntN(8) == 0 {
			q.G = rdf.IRI("http://ex/g")
		}
		if !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
	}
	return out
}

// useTerms lets scans of any size be narrowed by tests of terms.
func useTerms(t *testing.T) {
	rows, cost := planner.TermRows, planner.DictFilterCost
	planner.TermRows, planner.DictFilterCost = 0, 0
	t.Cleanup(func() { planner.TermRows, planner.DictFilterCost = rows, cost })
}

// termTests are conditions on ?v, each with rows that ids, surfaces or prefixes alone
// would give otherwise.
var termTests = []string{
	"isIRI(?v)", "isURI(?v)", "isBlank(?v)", "isLiteral(?v)", "isTRIPLE(?v)", "isNumeric(?v)", "!isIRI(?v)", "!isBlank(?v)", "!isLiteral(?v)", "!isTRIPLE(?v)", "!isNumeric(?v)",
	`STRSTARTS(STR(?v), "http://ex/item1")`, `STRSTARTS(STR(?v), "http://ex/item1>")`, `STRSTARTS(STR(?v), "<http://ex/item1")`, `STRSTARTS(STR(?v), "")`, `STRSTARTS(STR(?v), "a")`, `STRSTARTS(STR(?v), "5")`, `STRSTARTS(STR(?v), "_:")`,
	`STRSTARTS(STR(?v), "http://ex/\u00e9")`, `STRSTARTS(?v, "a")`, `STRSTARTS(?v, "a b")`, `STRSTARTS(?v, "5")`, `STRSTARTS(?v, "\"a")`, `STRSTARTS(?v, "a\n")`, `STRSTARTS(?v, "a\\")`, `STRSTARTS(?v, "a"@en)`, `STRSTARTS(?v, "a"^^<http://ex/t>)`, `STRSTARTS(?v, "a\"")`, `STRSTARTS(?v, "http://ex/item1")`,
	`!STRSTARTS(?v, "a")`, `!STRSTARTS(STR(?v), "http://ex/")`, `STRSTARTS(LCASE(?v), "a")`, `STRSTARTS(UCASE(STR(?v)), "STRASS")`,
	`REGEX(?v, "^a")`, `REGEX(?v, "^a$")`, `REGEX(?v, "^a", "i")`, `REGEX(?v, "^k", "i")`, `REGEX(?v, "^a.b", "s")`, `REGEX(?v, "^a.b")`, `REGEX(?v, "^b", "m")`, `REGEX(STR(?v), "^http://ex/item1")`, `REGEX(STR(?v), "^http://ex/item1$")`, `REGEX(?v, "^(a|5)")`, `REGEX(?v, "^a?5")`, `REGEX(?v, "[")`, `REGEX(?v, "a", "y")`, `REGEX(?v, "^[a-c]")`,
	`REGEX(?v, "b$")`, `REGEX(?v, "en")`, `REGEX(?v, "EN", "i")`, `REGEX(STR(?v), "item1")`, `REGEX(?v, "\"")`, `REGEX(?v, "n.*b")`, `!REGEX(?v, "a")`, `REGEX(?v, "")`,
	`CONTAINS(?v, "a")`, `CONTAINS(?v, "en")`, `CONTAINS(?v, "\"")`, `CONTAINS(?v, "\n")`, `CONTAINS(?v, "\\")`, `CONTAINS(?v, "n")`, `CONTAINS(?v, "")`, `CONTAINS(STR(?v), "item1")`, `CONTAINS(STR(?v), ">")`, `CONTAINS(?v, "^")`, `CONTAINS(?v, "a"@en)`, `CONTAINS(LCASE(?v), "kelvin")`, `!CONTAINS(?v, "a")`, `CONTAINS(?v, "integer")`,
	`STRENDS(?v, "b")`, `STRENDS(?v, "\"")`, `STRENDS(?v, "en")`, `STRENDS(STR(?v), "1")`, `STRENDS(?v, "")`,
	`LANG(?v) = "en"`, `LANG(?v) = "EN"`, `LANG(?v) = ""`, `"en" = LANG(?v)`, `LANG(?v) != "en"`, `LANGMATCHES(LANG(?v), "en")`, `LANGMATCHES(LANG(?v), "EN")`, `LANGMATCHES(LANG(?v), "*")`, `LANGMATCHES(LANG(?v), "")`, `!LANGMATCHES(LANG(?v), "en")`,
	`STR(?v) = "http://ex/item1"`, `STR(?v) = "a"`, `STR(?v) = "5"`, `STR(?v) = ""`, `LCASE(?v) = "kelvin"`,
	`isIRI(?v) || STRSTARTS(?v, "a")`, `isLiteral(?v) && CONTAINS(?v, "b")`, `CONTAINS(?v, "a") || isBlank(?v)`, `CONTAINS(?v, "a") && STRENDS(?v, "b")`, `CONTAINS(?v, "a") || STRENDS(?v, "5")`, `isIRI(?v) || ?v = 5`, `isIRI(?v) || isIRI(?s)`, `!(isIRI(?v) || isBlank(?v))`, `isIRI(?v) && !STRENDS(STR(?v), "0")`,
	`COALESCE(STRSTARTS(?v, "a"), true)`, `IF(isIRI(?v), true, CONTAINS(?v, "b"))`, `isIRI(?v) = false`, `STRSTARTS(?v, STR(?s))`, `isIRI(?w)`, `BOUND(?w) || isIRI(?v)`,
}

// termPatterns are patterns around a condition on ?v.
var termPatterns = []string{
	"SELECT * { ?s :p ?v FILTER(%s) }",
	"SELECT * { ?s ?p ?v FILTER(%s) }",
	"SELECT * { ?v ?p ?s FILTER(%s) }",
	"SELECT * { ?s :p ?v ; :q ?w FILTER(%s) }",
	"SELECT * { ?s :p ?v . ?v :q ?w FILTER(%s) }",
	"SELECT * { ?s :q ?w OPTIONAL { ?s :p ?v FILTER(%s) } }",
	"SELECT * { ?s :q ?w MINUS { ?s :p ?v FILTER(%s) } }",
	"SELECT * { ?s :q ?w FILTER EXISTS { ?s :p ?v FILTER(%s) } }",
	"SELECT * { GRAPH ?g { ?s :p ?v FILTER(%s) } }",
	"SELECT * { { ?s :p ?v } UNION { ?s :q ?v } FILTER(%s) }",
	"SELECT * { { ?s :q ?w } UNION { ?s :p ?v } FILTER(%s) }",
	"SELECT (COUNT(*) AS ?n) { ?s :p ?v FILTER(%s) }",
	"SELECT DISTINCT ?v { ?s :p ?v FILTER(%s) }",
	"SELECT ?v (COUNT(*) AS ?n) { ?s :p ?v FILTER(%s) } GROUP BY ?v",
	"SELECT ?v { ?s :p ?x BIND(STR(?x) AS ?v) FILTER(%s) }",
	"SELECT * { ?s :p ?x OPTIONAL { ?x :p ?v } FILTER(%s) }",
	"SELECT * { ?s :p ?v . ?v :p ?w . ?w :p ?s FILTER(%s) }",
	"SELECT * { VALUES ?v { :item1 \"a\" 5 \"new\" } ?s :p ?v FILTER(%s) }",
	"SELECT * { ?s :q* ?v FILTER(%s) }",
}

// TestTermFilters compares the rows of tests of kind and text with those of the naive
// evaluator, over all kinds of datasets.
func TestTermFilters(t *testing.T) {
	useTerms(t)
	r := rand.New(rand.NewPCG(5, 5))
	quads := termQuads(r, 240)
	sets := map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads), "log": onLog(t, r, quads), "journal": onJournal(t, quads)}
	for i, f := range termTests {
		for k, p := range termPatterns {
			if k > 2 && (i+k)%5 != 0 || !longtest.On() && k > 0 && (i+k)%3 != 0 {
				continue
			}
			q := fmt.Sprintf(p, f)
			for name, ds := range sets {
				if what, bad := differs(quads, ds, q); bad {
					t.Errorf("%s: %s%s\n%.1500s", name, fuzzquery.Prefixes, q, what)
				}
			}
		}
	}
}

// TestTermPlans looks at how tests of terms are planned.
func TestTermPlans(t *testing.T) {
	useTerms(t)
	quads := termQuads(rand.New(rand.NewPCG(1, 6)), 2000)
	ds := onSegment(t, quads)
	for _, c := range []struct{ filter, want, not string }{
		{"isIRI(?v)", "ranges of ?v", "filter"},
		{"!isIRI(?v)", "ranges of ?v", "filter"},
		{`STRSTARTS(STR(?v), "http://ex/item1")`, "ranges of ?v", "filter"},
		{`STRSTARTS(?v, "a")`, "ranges of ?v", ""},
		{`STRSTARTS(?v, "a")`, "STRSTA", ""}, // also literals of other datatypes begin so
		{`STR(?v) = "http://ex/item1"`, "STR(?v", ""},
		{`isIRI(?v) || ?v = 5`, "filter", "ranges"},
		{`CONTAINS(?v, "a b")`, "terms of ?v tested", "filter"},
		{`REGEX(?v, "b$") && ?s != :s1`, "terms of ?v tested", ""},
		{`LANG(?v) = "en"`, "terms of ?v tested", "filter"},
		{`CONTAINS(?v, STR(?s))`, "filter", "tested"},
		{`CONTAINS(?v, STR(RAND()))`, "filter", "tested"},
	} {
		plan, err := sparql.Explain(t.Context(), ds, sparql.MustParse("PREFIX : <http://ex/> SELECT * { ?s :p ?v FILTER("+c.filter+") }"))
		if err != nil {
			t.Fatal(err)
		}
		text := plan.String()
		if !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: want %q, not %q:\n%s", c.filter, c.want, c.not, text)
		}
	}
}

// TestTermFaults lets each read below ranges and sweeps fail.
func TestTermFaults(t *testing.T) {
	useTerms(t)
	b := newBadSegment(t, termQuads(rand.New(rand.NewPCG(8, 8)), 600))
	reads := 0
	for _, f := range []string{"isIRI(?v)", `STRSTARTS(STR(?v), "http://ex/item1")`, `REGEX(?v, "^a")`, `CONTAINS(?v, "a b")`, `REGEX(?v, "b$")`, `STRENDS(STR(?v), "1")`, `LANG(?v) = "en"`, `LANGMATCHES(LANG(?v), "*")`} {
		reads += b.every("SELECT * { ?s :p ?v FILTER(" + f + ") }")
		b.every("SELECT * { ?s :q ?w OPTIONAL { ?s :p ?v FILTER(" + f + ") } }")
	}
	if reads == 0 {
		t.Error("nothing was read")
	}
}

// TestTermCancel cancels a sweep at each check of the context.
func TestTermCancel(t *testing.T) {
	useTerms(t)
	ds := onSegment(t, termQuads(rand.New(rand.NewPCG(8, 9)), 3000))
	q := sparql.MustParse(`PREFIX : <http://ex/> SELECT * { ?s :p ?v FILTER(CONTAINS(?v, "a b")) }`)
	for k := 1; ; k++ {
		ctx := &tiring{context.Background(), k}
		rows, err := sparql.Select(ctx, ds, q)
		if err == nil {
			for _, err = range rows.All() {
				if err != nil {
					break
				}
			}
		}
		if ctx.left > 0 {
			if k < 4 {
				t.Errorf("the context was checked %d times", k-1)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at check %d: %v", k, err)
		}
	}
}
