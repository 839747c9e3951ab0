package sparql_test

import (
	"context"
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
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// onText returns the quads as a segment with an index of words, under a journal that adds a part of them and
// takes away others.
func onText(t *testing.T, quads, gone []rdf.Quad) dataset.Dataset {
	t.Helper()
	ctx := context.Background()
	db, err := engine.Init(ctx, filepath.Join(t.TempDir(), "t"+manifest.Suffix), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	write := func(change func(tx *engine.Tx) error) {
		if _, err := db.Write(ctx, nil, change); err != nil {
			t.Fatal(err)
		}
	}
	some := len(quads) * 3 / 4
	write(func(tx *engine.Tx) error { return tx.Insert(ctx, append(quads[:some:some], gone...)...) })
	if _, err := db.Seal(ctx, nil); err != nil {
		t.Fatal(err)
	}
	opt := new(engine.CompactOptions)
	opt.Fold.TextIndex = true
	if _, err := db.Compact(ctx, opt); err != nil {
		t.Fatal(err)
	}
	write(func(tx *engine.Tx) error { return tx.Delete(ctx, gone...) })
	write(func(tx *engine.Tx) error { return tx.Insert(ctx, quads[some:]...) })
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snap.Close() })
	return snap.View
}

// useWords lets words have any number of subjects.
func useWords(t *testing.T) {
	useTerms(t)
	share := scan.CandidateShare
	scan.CandidateShare = 1e6
	t.Cleanup(func() { scan.CandidateShare = share })
}

// textParts are what texts are made of: letters whose other case is special, and what stands between words.
var textParts = []string{
	"berlin", "Berlin", "BERLIN", "ost", "er", "a", "12", "2026", "kelvin", "\u212aelvin", "İstanbul", "istanbul", "straße", "STRASSE", "ΣΑΣ", "σας", "é", "cafe\u0301", "ﬁn", "longs", "long\u017f",
	" ", " ", " ", " ", "-", ", ", "_", "\t", "\n", `"`, `\`, "'", "/", "\u00a0", "\u200d", "\u0307", "日本", "😀",
}

// drawText joins some parts.
func drawText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(textParts[r.IntN(len(textParts))])
	}
	return b.String()
}

// drawTexts returns quads with texts in the default graph and in another.
func drawTexts(r *rand.Rand, n int) (quads []rdf.Quad) {
	seen := map[rdf.Quad]bool{}
	for i := range n {
		text := drawText(r, 1+r.IntN(7))
		o := rdf.String(text)
		switch r.IntN(8) {
		case 0:
			o = rdf.LangString(text, "en")
		case 1:
			o = rdf.Typed(text, "http://ex/t")
		case 2:
			o = rdf.IRI(fmt.Sprintf("http://ex/berlin-ost/%d", r.IntN(9)))
		}
		q := rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i/2)), P: rdf.IRI("http://ex/" + []string{"p", "p", "q"}[i%3]), O: o}
		if r.IntN(6) == 0 {
			q.G = rdf.IRI("http://ex/g")
		}
		if !seen[q] {
			seen[q] = true
			quads = append(quads, q)
		}
	}
	return quads
}

// TestTextFilters compares filters on parts of texts, by the words of an index, with the naive evaluator.
func TestTextFilters(t *testing.T) {
	useWords(t)
	byWords := 0
	for seed := range uint64(longtest.Pick(3, 40)) {
		r := rand.New(rand.NewPCG(seed, 33))
		all := drawTexts(r, 260)
		quads, gone := all[:200], all[200:]
		ds := onText(t, quads, gone)
		for range longtest.Pick(60, 300) {
			part := drawText(r, 1+r.IntN(3))
			if r.IntN(2) == 0 { // of a text that is there
				if text := []rune(quads[r.IntN(len(quads))].O.Value()); len(text) > 4 {
					from := r.IntN(len(text) - 3)
					part = string(text[from : from+1+r.IntN(len(text)-from)])
				}
			}
			form := []string{"CONTAINS(?v, %s)", "CONTAINS(STR(?v), %s)", "CONTAINS(LCASE(?v), %s)", "CONTAINS(LCASE(STR(?v)), %s)", "STRENDS(?v, %s)", "STRENDS(LCASE(?v), %s)",
				"CONTAINS(UCASE(?v), %s)", "(isLiteral(?v) && CONTAINS(STR(?v), %s))", "(CONTAINS(?v, %s) || ?v = 5)", "!CONTAINS(?v, %s)", `(CONTAINS(?v, %s) && CONTAINS(LCASE(?v), "er"))`}[r.IntN(11)]
			pattern := []string{"SELECT * { ?s :p ?v FILTER(%s) }", "SELECT * { ?s :p ?v ; :q ?w FILTER(%s) }", "SELECT * { ?s ?p ?v FILTER(%s) }",
				"SELECT * { GRAPH ?g { ?s ?p ?v FILTER(%s) } }", "SELECT * FROM :g { ?s ?p ?v FILTER(%s) }", "SELECT * { ?x :q ?y OPTIONAL { ?x :p ?v FILTER(%s) } }"}[r.IntN(6)]
			filter := fmt.Sprintf(form, rdf.String(part).Surface())
			if r.IntN(5) == 0 {
				filter = "REGEX(" + []string{`?v, "berlin.?ost"`, `?v, "^B.*erlin"`, `?v, "(ost|er) 12"`, `?v, "istanbul"`, `?v, "longs", "i"`, `?v, "kelvin.*kelvin"`, `STR(?v), "berlin"`}[r.IntN(7)] + ")"
			}
			q := fmt.Sprintf(pattern, filter)
			if what, bad := differs(quads, ds, q); bad {
				t.Errorf("seed %d: %s%s\n%.1500s", seed, fuzzquery.Prefixes, q, what)
			}
			if p, err := sparql.Explain(t.Context(), ds, sparql.MustParse(fuzzquery.Prefixes+q)); err == nil && strings.Contains(p.String(), "?v by word") {
				byWords++
			}
		}
	}
	if byWords < 20 {
		t.Errorf("%d plans use words", byWords)
	}
}

// TestTextPlans looks at which filters are answered by words.
func TestTextPlans(t *testing.T) {
	useWords(t)
	ds := onText(t, drawTexts(rand.New(rand.NewPCG(1, 2)), 300), nil)
	plain := onSegment(t, drawTexts(rand.New(rand.NewPCG(1, 2)), 300))
	for filter, words := range map[string]bool{
		`CONTAINS(?v, "erl")`: true, `CONTAINS(LCASE(?v), "ber ost")`: true, `CONTAINS(?v, " 12 ")`: true, `STRENDS(?v, " ost")`: true, `REGEX(?v, "lin.*os")`: true, `REGEX(?v, "berlin", "i")`: false,
		`CONTAINS(?v, "er")`: false, `CONTAINS(?v, "é ß")`: false, `CONTAINS(STR(?v), "berlin")`: false, `CONTAINS(UCASE(?v), "BERLIN")`: false, `!CONTAINS(?v, "berlin")`: false,
	} {
		for _, c := range []struct {
			ds   dataset.Dataset
			want bool
		}{{ds, words}, {plain, false}} {
			p, err := sparql.Explain(t.Context(), c.ds, sparql.MustParse("PREFIX : <http://ex/> SELECT * { ?s :p ?v FILTER("+filter+") }"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(p.String(), "?v by word"); got != c.want {
				t.Errorf("%s: by words %t, want %t\n%s", filter, got, c.want, p)
			}
		}
	}
}
