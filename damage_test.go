package rete_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/sparql"
)

func parseAll(t *testing.T, texts map[string]string) map[string]*sparql.Query {
	t.Helper()
	out := map[string]*sparql.Query{}
	for name, text := range texts {
		q, err := sparql.Parse(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = q
	}
	return out
}

// makeStore writes a manifest with a base and a small second entry that deletes the
// first quad of the base. It returns the names of the manifest and of the base.
func makeStore(t *testing.T, dir string, base, second []model.Quad) (manifest, segment string) {
	t.Helper()
	manifest = filepath.Join(dir, "hurt.rete-manifest.json")
	db, err := rete.Create(t.Context(), manifest, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	m, err := db.Engine().Add(t.Context(), []engine.Step{{Adds: sourceOf(base)}, {Adds: sourceOf(second), Dels: sourceOf(base[:1])}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return manifest, m.Log[0].Adds.URL
}

// outcome runs a query on a store that is opened for it. An error must name the
// segment.
func outcome(t *testing.T, what, manifest, segment string, q *sparql.Query) ([]string, error) {
	t.Helper()
	db, err := rete.Open(t.Context(), manifest, nil)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer db.Close()
	snap, err := db.Snapshot(t.Context())
	var rows []string
	if err == nil {
		defer snap.Close()
		rows, err = answerOf(t, snap.Dataset(), q)
	}
	if err != nil && !strings.Contains(err.Error(), segment) {
		t.Errorf("%s: the error does not name %s: %v", what, segment, err)
	}
	return rows, err
}

func goodAnswers(t *testing.T, manifest, segment string, queries map[string]*sparql.Query) map[string][]string {
	t.Helper()
	want := map[string][]string{}
	for name, q := range queries {
		rows, err := outcome(t, name, manifest, segment, q)
		if err != nil || len(rows) == 0 {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		want[name] = rows
	}
	return want
}

// tally counts by query what came of hurt segments.
type tally struct {
	want         map[string][]string
	right, wrong map[string]int
}

func newTally(want map[string][]string) *tally {
	return &tally{want, map[string]int{}, map[string]int{}}
}

// count fails the test if a query gave other rows and no error.
func (c *tally) count(t *testing.T, what, name string, rows []string, err error) {
	t.Helper()
	switch {
	case err != nil:
		c.wrong[name]++
	case !slices.Equal(rows, c.want[name]):
		t.Errorf("%s, %s: %d rows, want %d\n%s", what, name, len(rows), len(c.want[name]), firstDifference(rows, c.want[name]))
	default:
		c.right[name]++
	}
}

// TestEveryByte changes each byte of a small segment, cuts it, and makes it longer:
// every query is answered as before or fails by the name of the segment, and the
// status finds every change.
func TestEveryByte(t *testing.T) {
	base := []model.Quad{
		{"<http://ex/a>", "<http://ex/p>", "<http://ex/b>", ""}, {"<http://ex/b>", "<http://ex/p>", `"one"`, ""},
		{"<http://ex/b>", "<http://ex/q>", `"zwei"@de`, ""}, {"_:n", "<http://ex/q>", "<http://ex/b>", ""},
		{"<http://ex/p>", "<http://ex/q>", "<http://ex/g>", ""}, {"<http://ex/a>", "<http://ex/p>", "<http://ex/c>", "<http://ex/g>"},
		{"<http://ex/g>", "<http://ex/q>", "<http://ex/a>", "<http://ex/g>"}, {"<http://ex/c>", "<http://ex/q>", `"3"`, "<http://ex/h>"},
	}
	second := []model.Quad{{"<http://ex/c>", "<http://ex/p>", "<http://ex/b>", ""}, {"<http://ex/b>", "<http://ex/p>", "<http://ex/a>", "<http://ex/g>"}}
	dir := t.TempDir()
	manifest, segment := makeStore(t, dir, base, second)
	queries := parseAll(t, map[string]string{
		"all":      `SELECT * { ?s ?p ?o }`,
		"graphs":   `SELECT * { GRAPH ?g { ?s ?p ?o } }`,
		"join":     `SELECT * { ?s <http://ex/p> ?o . ?o ?q ?r }`,
		"roles":    `SELECT * { ?s ?p ?o . ?p ?q ?r }`,
		"count":    `SELECT (COUNT(*) AS ?n) { ?s <http://ex/q> ?o }`,
		"constant": `SELECT * { <http://ex/b> <http://ex/p> ?o }`,
	})
	sum := newTally(goodAnswers(t, manifest, segment, queries))
	path := filepath.Join(dir, segment)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		for name, q := range queries {
			rows, err := outcome(t, what+", "+name, manifest, segment, q)
			sum.count(t, what, name, rows, err)
		}
		checkStatus(t, what, manifest, segment)
	}
	step := longtest.Pick(5, 1)
	for i := 0; i < len(whole); i += step {
		hurt := slices.Clone(whole)
		hurt[i] ^= byte(1 << (i % 8))
		try(fmt.Sprintf("byte %d changed", i), hurt)
	}
	for n := 0; n < len(whole); n += 13 * step {
		try(fmt.Sprintf("cut at %d", n), whole[:n])
	}
	try("one byte more", append(slices.Clone(whole), 0))
	try("twice", append(slices.Clone(whole), whole...))
	if len(sum.right) == 0 || len(sum.wrong) == 0 {
		t.Error("queries that are right and queries that fail are both expected")
	}
	t.Logf("%d bytes: right %v, failed %v", len(whole), sum.right, sum.wrong)
}

// checkStatus expects the status to find one bad segment and no other.
func checkStatus(t *testing.T, what, manifest, bad string) {
	t.Helper()
	db, err := rete.Open(t.Context(), manifest, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	status, err := db.Engine().Status(t.Context(), nil)
	if err != nil {
		t.Fatalf("%s: status: %v", what, err)
	}
	if status.Verified {
		t.Errorf("%s: the status says that all is well", what)
	}
	for _, s := range status.Segments {
		if s.OK != (s.URL != bad) {
			t.Errorf("%s: the status says of %s: ok is %v, %s", what, s.URL, s.OK, s.Error)
		}
	}
}

// largeBase is a base of several tiles in each order.
func largeBase(n int) []model.Quad {
	r := rand.New(rand.NewPCG(3, 4))
	node := func() string { return fmt.Sprintf("<http://ex/node/%d>", r.IntN(n/4)) }
	out := make([]model.Quad, n)
	for i := range out {
		out[i] = model.Quad{node(), fmt.Sprintf("<http://ex/p/%d>", i%8), fmt.Sprintf(`"%x"`, r.Uint64()), ""}
		if i%2 == 0 {
			out[i][2] = node()
		}
	}
	return out
}

var largeSecond = []model.Quad{{"<http://ex/node/77>", "<http://ex/p/1>", "<http://ex/node/78>", ""}}

var largeTexts = map[string]string{
	"point": `SELECT * { <http://ex/node/77> ?p ?o }`,
	"join":  `SELECT * { <http://ex/node/77> ?p ?o . ?o ?q ?r . ?r ?u ?v }`,
	"scan":  `SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p`,
	"terms": `SELECT ?o { ?s <http://ex/p/3> ?o }`,
}

// TestChangedByte changes single bytes of a segment of some size: a query that needs
// the byte fails and names the segment, one that does not need it is right.
func TestChangedByte(t *testing.T) {
	dir := t.TempDir()
	manifest, segment := makeStore(t, dir, largeBase(60_000), largeSecond)
	queries := parseAll(t, largeTexts)
	sum := newTally(goodAnswers(t, manifest, segment, queries))
	path := filepath.Join(dir, segment)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 150 {
		at := r.IntN(len(whole))
		whole[at] ^= 0x10
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		whole[at] ^= 0x10
		for name, q := range queries {
			what := fmt.Sprintf("byte %d of %d changed", at, len(whole))
			rows, err := outcome(t, what+", "+name, manifest, segment, q)
			sum.count(t, what, name, rows, err)
		}
	}
	t.Logf("%d bytes: right %v, failed %v", len(whole), sum.right, sum.wrong)
	for name := range queries {
		if sum.right[name] == 0 || sum.wrong[name] == 0 {
			t.Errorf("%s: right %d times, failed %d times: both are expected", name, sum.right[name], sum.wrong[name])
		}
	}
}
