package rete_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

var updateGolden = flag.Bool("update-golden", false, "write the golden files anew")

// analyzed are queries whose analysis is in testdata/analyze.
var analyzed = []struct{ name, text string }{
	{"scan", "SELECT ?x ?a { ?x :age ?a }"},
	{"probes", "SELECT ?x ?n { ?x :age 70 ; :name ?n FILTER(STRLEN(?n) > 5) }"},
	{"sort", "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?p DESC(?o) ?s"},
	{"group", "SELECT ?o (COUNT(*) AS ?n) (MIN(?p) AS ?m) { ?s ?p ?o } GROUP BY ?o"},
	{"distinct", "SELECT DISTINCT ?s ?o { ?s ?p ?o }"},
	// Conditions that look rarer than they are: both methods of the join are named.
	{"changed-left", "SELECT ?x ?n { ?x :name ?n FILTER(" + rare + ") ?x :city :city3 }"},
	{"changed-right", "SELECT ?x ?n { ?x :city :city3 OPTIONAL { SELECT ?x ?n { ?x :name ?n FILTER(" + rare + ") } LIMIT 5000 } }"},
}

// rare looks rarer than it is.
const rare = "STRLEN(?n) > 1 && STRLEN(?n) > 2 && STRLEN(?n) < 90 && STRLEN(?n) < 91 && STRLEN(?n) < 92"

// measuredText are the parts of an analysis that differ from run to run, or with the
// compressor.
var measuredText = regexp.MustCompile(` *[\d.]+ (ms|kB|MB)\b`)

// TestAnalyzeGolden analyzes queries over one segment in little memory: each operator
// says what it read of its tiles and chunks, and wrote to temporary files.
func TestAnalyzeGolden(t *testing.T) {
	var text bytes.Buffer
	if _, err := social.Generate(&text, social.Options{Persons: social.PersonsFor(40_000)}); err != nil {
		t.Fatal(err)
	}
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(t.Context(), &text, rdf.Options{}, true); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "social.rete")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.WriteTo(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := rete.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	for _, c := range analyzed {
		q := sparql.MustParse("PREFIX : <http://social.example/>\n" + c.text)
		p, err := snap.Analyze(t.Context(), q, sparql.MemoryLimit(700<<10), sparql.Spill(t.TempDir(), 0), sparql.Workers(1))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, tree, _ := strings.Cut(p.String(), "\n")
		golden(t, c.name+".txt", measuredText.ReplaceAllString(tree, " … $1"))
		var spill, bytes int64
		var sum func(n *sparql.PlanNode)
		sum = func(n *sparql.PlanNode) {
			spill, bytes = spill+n.Spill, bytes+n.Bytes
			for _, in := range n.Inputs {
				sum(in)
			}
		}
		sum(p.Root)
		if spill > p.Run.Spill || p.Run.Spill-spill > 0 && c.name != "group" || bytes == 0 {
			t.Errorf("%s: the operators wrote %d bytes, the query %d; read %d", c.name, spill, p.Run.Spill, bytes)
		}
		if c.name != "sort" && !strings.HasPrefix(c.name, "changed") {
			continue
		}
		j, err := json.Marshal(p.Root)
		if err != nil {
			t.Fatal(err)
		}
		text := regexp.MustCompile(`"(ns|bytes|spill)":\d+`).ReplaceAllString(string(j), `"$1":0`)
		golden(t, c.name+".json", regexp.MustCompile(`(\d)\.\d+`).ReplaceAllString(text, "$1")+"\n")
	}
}

// golden compares a text with a file of testdata/analyze.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", "analyze", name)
	if *updateGolden {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update-golden writes it anew): now\n%s", name, got)
	}
}
