package rete_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/faraway"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/sparql"
)

// farQueries are the queries of TestRounds.
var farQueries = []string{
	"ASK { :p7 :knows :p12 }",
	"SELECT * { :p7 ?p ?o }",
	"SELECT ?n { :p7 :knows ?y . ?y :city ?c . ?c :name ?n }",
	"SELECT * { ?x :worksFor :org153 ; :name ?n ; :age ?a OPTIONAL { ?x :email ?e } }",
	"SELECT * { ?x :email ?e } LIMIT 3",
	"SELECT * { :p7 :knows ?y . :p12 :knows ?z . :p99 :knows ?w }",
	"ASK { :p7 :knows :p7 }",
}

// farCosts are what the queries may cost on the URL of a segment, by its size.
var farCosts = map[int][]faraway.Cost{
	300_000: { // what the map says all lies in what is read first
		{Requests: 4, Rounds: 3, Bytes: 200e3},
		{Requests: 8, Rounds: 4, Bytes: 250e3},
		{Requests: 9, Rounds: 6, Bytes: 400e3},
		{Requests: 12, Rounds: 7, Bytes: 500e3},
		{Requests: 5, Rounds: 3, Bytes: 250e3},
		{Requests: 6, Rounds: 5, Bytes: 300e3},
		{Requests: 4, Rounds: 3, Bytes: 200e3},
	},
	10_000_000: {
		{Requests: 6, Rounds: 4, Bytes: 430e3},
		{Requests: 10, Rounds: 6, Bytes: 750e3},
		{Requests: 12, Rounds: 8, Bytes: 1150e3},
		{Requests: 81, Rounds: 15, Bytes: 10000e3},
		{Requests: 6, Rounds: 5, Bytes: 900e3},
		{Requests: 12, Rounds: 7, Bytes: 900e3},
		{Requests: 6, Rounds: 4, Bytes: 430e3},
	},
}

// farNames are what is asked, and what it may cost more than the segment alone: a manifest
// of the segment costs a request of its own, three small entries their two requests each, side
// by side with those of the segment, and looking for their terms in it.
var farNames = []struct {
	name string
	more faraway.Cost
}{
	{"/g.rete", faraway.Cost{}},
	{"/one.rete-manifest.json", faraway.Cost{Requests: 1, Rounds: 1, Bytes: 1e3}},
	{"/three.rete-manifest.json", faraway.Cost{Requests: 1 + 3*2 + 4, Rounds: 3, Bytes: 50e3}},
}

// TestRounds counts requests, bytes and rounds of queries on files far away, and compares
// the answers with those of the same files nearby.
func TestRounds(t *testing.T) {
	scale := longtest.Pick(300_000, 10_000_000)
	dir := t.TempDir()
	files := farFiles(t, dir, scale)
	for _, graph := range farNames {
		name := graph.name
		near, err := rete.Open(t.Context(), filepath.Join(dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		for i, text := range farQueries {
			q, err := sparql.Parse("PREFIX : <"+social.Prefix+">\n"+text, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := farAnswer(t, t.Context(), near, q)
			synctest.Test(t, func(t *testing.T) {
				far := &faraway.Far{Files: files}
				far.Reset()
				db, err := rete.Open(t.Context(), "http://far"+name, &rete.Options{HTTP: &http.Client{Transport: far}})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := db.Prefixes(t.Context()); err != nil { // as the command does
					t.Fatal(err)
				}
				got := farAnswer(t, t.Context(), db, q)
				cost := far.Cost()
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s of %s: got %q, want %q", text, name, got, want)
				}
				most := farCosts[scale][i]
				most.Requests += graph.more.Requests
				most.Rounds += graph.more.Rounds
				most.Bytes += graph.more.Bytes
				t.Logf("%s %s: %d rows, %+v", name, text, len(got), cost)
				if cost.Requests > most.Requests || cost.Rounds > most.Rounds || cost.Bytes > most.Bytes {
					t.Errorf("%s of %s cost %+v, may cost %+v", text, name, cost, most)
				}
			})
		}
	}
}

// farFiles makes a segment of about n statements, a manifest of it, and one that names
// two small ones to add and one to delete too, and returns them by path.
func farFiles(t *testing.T, dir string, scale int) map[string][]byte {
	t.Helper()
	source := filepath.Join(dir, "g.nt")
	f, err := os.Create(source)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := social.Generate(f, social.Options{Persons: social.PersonsFor(scale)}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "three.rete-manifest.json")
	db, err := retetest.Init(t.Context(), manifest, &engine.InitOptions{Bases: []engine.Source{{Name: source}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, db.Engine().Manifest().Log[0].Adds.URL), filepath.Join(dir, "g.rete")); err != nil {
		t.Fatal(err)
	}
	one, err := os.ReadFile(manifest)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "one.rete-manifest.json"), one, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		doc := fmt.Sprintf("<%[1]sp%[2]d> <%[1]sknows> <%[1]snew%[2]d> .\n", social.Prefix, 7*i+7)
		small := filepath.Join(dir, fmt.Sprintf("small%d.nt", i))
		if err := os.WriteFile(small, []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Engine().Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: small}}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	gone := &engine.Source{Name: filepath.Join(dir, "small1.nt")}
	if _, err := db.Engine().Add(t.Context(), []engine.Step{{Dels: gone}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".rete" || filepath.Ext(e.Name()) == ".json" {
			if files["/"+e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return files
}

// farAnswer returns the answer to a query as sorted lines.
func farAnswer(t *testing.T, ctx context.Context, db *rete.DB, q *sparql.Query) (lines []string) {
	t.Helper()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if q.Form() == sparql.FormAsk {
		ok, err := snap.Ask(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		return []string{fmt.Sprint(ok)}
	}
	rows, err := snap.Select(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		line := ""
		for i := range rows.Vars() {
			line += string(row.Surface(i)) + "\t"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}
