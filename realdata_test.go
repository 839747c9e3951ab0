package rete_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/internal/storetest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
)

// TestRealData runs the main job over data sets of different kinds: a base, a
// second segment, deletes, an entry that deletes and adds again, compaction. After
// every step the graph is that of a naive fold, and every query has the answer that
// the same quads give in memory.
func TestRealData(t *testing.T) {
	for _, set := range []struct {
		name string
		docs []string
		max  int // quads of each document in the long form, 0: all
	}{
		{name: "building shapes", docs: []string{"brick/rules.ttl", "brick/rice_brick.ttl", "brick/soda_brick.ttl"}},
		{name: "releases in named graphs", docs: []string{"schemaorg/schemaorg-all-https-12.0.nq.gz", "schemaorg/schemaorg-all-https-15.0.nq.gz"}, max: 4000},
		{name: "statements of an item", docs: []string{"wikidata/Q42.ttl", "wikidata/Q513-munged.ttl", "wikidata/L691820.ttl"}},
		{name: "constants", docs: []string{"qudt/VOCAB_QUDT-CONSTANTS.ttl", "qudt/SCHEMA_QUDT.ttl"}},
		{name: "ontologies in named graphs", docs: []string{"fibo/fibo.nq.gz"}, max: 12000},
		{name: "blank nodes", docs: []string{"pato/pato-base.nt.gz"}, max: 20000},
	} {
		t.Run(set.name, func(t *testing.T) {
			if !longtest.On() {
				set.max = 2000
			}
			var quads []model.Quad
			for _, doc := range set.docs {
				quads = append(quads, readDocument(t, doc, set.max)...)
			}
			runMainJob(t, model.Fold([]model.Entry{{Adds: quads}}).Sorted())
		})
	}
}

// readDocument parses a document the plain way, with the labels that manifest.md
// gives its blank nodes.
func readDocument(t *testing.T, doc string, limit int) []model.Quad {
	t.Helper()
	name := reteshared.Path(t, "data", "real", doc)
	packed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := rdfio.Decompress(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	sum := blake3.Sum256(text)
	in, err := rdfio.Open(name, bytes.NewReader(text), rdfio.Unknown, rdf.Options{Blank: rdf.Document})
	if err != nil {
		t.Fatal(err)
	}
	var out []model.Quad
	for limit == 0 || len(out) < limit {
		var q rdf.RawQuad
		err := in.Read(&q)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		m := model.Quad{string(q.S), string(q.P), string(q.O), string(q.G)}
		for i, s := range m {
			if label, blank := strings.CutPrefix(s, "_:"); blank {
				m[i] = "_:b" + hex.EncodeToString(sum[:8]) + label
			}
		}
		out = append(out, m)
	}
	return out
}

// modelReader delivers quads of the model.
type modelReader struct{ list []model.Quad }

func (r *modelReader) Read(q *rdf.RawQuad) error {
	if len(r.list) == 0 {
		return io.EOF
	}
	m := r.list[0]
	r.list = r.list[1:]
	*q = rdf.RawQuad{S: []byte(m[0]), P: []byte(m[1]), O: []byte(m[2]), G: []byte(m[3])}
	return nil
}

func sourceOf(list []model.Quad) *engine.Source {
	if len(list) == 0 {
		return nil
	}
	return &engine.Source{Quads: &modelReader{list}}
}

// runMainJob deals the quads to a log and checks every step.
func runMainJob(t *testing.T, all []model.Quad) {
	r := rand.New(rand.NewPCG(uint64(len(all)), 5))
	some := func(list []model.Quad, percent int) (out []model.Quad) {
		for _, q := range list {
			if r.IntN(100) < percent {
				out = append(out, q)
			}
		}
		return out
	}
	// A part of the triples also stands in graphs that are named by their subjects
	// and predicates, so that one term has every role.
	for _, q := range some(all, 2) {
		for _, g := range []string{q[0], q[1]} {
			if q[3] == "" && g[0] == '<' {
				all = append(all, model.Quad{q[0], q[1], q[2], g})
			}
		}
	}
	base := some(all, 70)
	known := model.Fold([]model.Entry{{Adds: base}})
	second := some(base, 5) // what both have
	for _, q := range all {
		if !known[q] {
			second = append(second, q)
		}
	}
	dels := some(all, 15)
	back := some(dels, 40)
	log := []model.Entry{
		{Adds: base},
		{Adds: second},
		{Dels: dels},
		// Quads that come back, of which a few go in the same entry; quads that go;
		// dels of quads that are away already or never were.
		{Adds: back, Dels: slices.Concat(some(back, 10), some(all, 10), []model.Quad{{"<http://no/s>", "<http://no/p>", "<http://no/o>", ""}})},
		{Adds: []model.Quad{{"<http://no/s>", "<http://no/p>", all[0][0], ""}}},
	}

	opt := &rete.Options{FS: vfs.NewMem(), CacheBytes: 4 << 20}
	const name = "real.rete-manifest.json"
	storetest.Cleanup(t, name, opt)
	db, err := rete.Create(t.Context(), name, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	queries := realQueries(t, all)
	for i, e := range log {
		if _, err := db.Engine().Add(t.Context(), []engine.Step{{Adds: sourceOf(e.Adds), Dels: sourceOf(e.Dels)}}, nil); err != nil {
			t.Fatalf("entry %d: %v", i, err)
		}
		checkGraph(t, fmt.Sprintf("after entry %d", i), db, model.Fold(log[:i+1]), queries)
	}
	want := model.Fold(log)
	m, err := db.Engine().Compact(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Log) != 1 || m.Generation != int64(len(log))+2 {
		t.Fatalf("compacted to %d entries, generation %d", len(m.Log), m.Generation)
	}
	checkGraph(t, "compacted", db, want, queries)

	// Another log with the same visible quads gives the same bytes.
	list := want.Sorted()
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	other, err := rete.Create(t.Context(), "other.rete-manifest.json", opt)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	third := len(list) / 3
	if _, err := other.Engine().Add(t.Context(), []engine.Step{
		{Adds: sourceOf(dels)}, {Adds: sourceOf(list[third:])}, {Dels: sourceOf(dels)}, {Adds: sourceOf(list[:2*third])}, {Adds: sourceOf(list)},
	}, nil); err != nil {
		t.Fatal(err)
	}
	n, err := other.Engine().Compact(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n.Log[0].Adds.Hash != m.Log[0].Adds.Hash || n.Log[0].Adds.Extra == nil || *n.Log[0].Adds.Extra != *m.Log[0].Adds.Extra {
		t.Errorf("two logs of one graph were compacted to %x and %x", m.Log[0].Adds.Hash, n.Log[0].Adds.Hash)
	}
}

// realQueries returns queries of every kind over the predicates and terms that the
// quads have.
func realQueries(t *testing.T, all []model.Quad) map[string]*sparql.Query {
	t.Helper()
	uses := map[string]int{}
	links := map[string]int{} // predicates whose objects are subjects
	subjects := map[string]bool{}
	for _, q := range all {
		subjects[q[0]] = true
	}
	var literal string
	for _, q := range all {
		uses[q[1]]++
		if subjects[q[2]] {
			links[q[1]]++
		}
		if q[2][0] == '"' && literal == "" && !strings.Contains(q[2], `\`) {
			literal = q[2]
		}
	}
	p, l := ranked(uses), ranked(links)
	if len(p) < 4 || len(l) < 2 || literal == "" {
		t.Fatal("the data set is too simple for the queries")
	}
	texts := map[string]string{
		"all":            `SELECT * { ?s ?p ?o }`,
		"quads":          `SELECT * { GRAPH ?g { ?s ?p ?o } }`,
		"roles":          `SELECT DISTINCT ?p ?q ?r { ?s ?p ?o . ?p ?q ?r }`,
		"graph names":    `SELECT * { GRAPH ?g { ?g ?p ?o } }`,
		"graph or node":  `SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } ?g ?q ?r }`,
		"own predicate":  `SELECT * { GRAPH ?p { ?s ?p ?o } }`,
		"counts":         `SELECT ?p (COUNT(*) AS ?n) (COUNT(DISTINCT ?o) AS ?d) (MIN(?o) AS ?min) { ?s ?p ?o } GROUP BY ?p`,
		"graph counts":   `SELECT ?g (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?d) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g`,
		"having":         `SELECT ?o (COUNT(?s) AS ?n) { ?s ?p ?o } GROUP BY ?o HAVING (COUNT(?s) > 20)`,
		"chain":          fmt.Sprintf(`SELECT * { ?a %s ?b . ?b %s ?c . ?c ?p ?d } ORDER BY ?a LIMIT 100000`, l[0], l[1]),
		"star":           fmt.Sprintf(`SELECT * { ?a %s ?x ; %s ?y ; %s ?z }`, p[1], p[2], p[3]),
		"optional":       fmt.Sprintf(`SELECT * { ?a %s ?b OPTIONAL { ?b %s ?c FILTER(!isBlank(?c)) } }`, l[0], p[1]),
		"filter":         `SELECT ?s ?o { ?s ?p ?o FILTER(isLiteral(?o) && STRLEN(STR(?o)) < 6) }`,
		"languages":      `SELECT ?t (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isLiteral(?o)) BIND(LANG(?o) AS ?t) } GROUP BY ?t`,
		"datatypes":      `SELECT ?t (COUNT(*) AS ?n) (SUM(?o) AS ?sum) { ?s ?p ?o FILTER(isNumeric(?o) && DATATYPE(?o) = <http://www.w3.org/2001/XMLSchema#integer>) BIND(DATATYPE(?o) AS ?t) } GROUP BY ?t`,
		"union":          fmt.Sprintf(`SELECT DISTINCT ?s { { ?s %s ?x } UNION { GRAPH ?g { ?s %s ?x } } }`, p[1], p[2]),
		"minus":          fmt.Sprintf(`SELECT ?s { ?s %s ?x MINUS { ?s %s ?y } }`, p[0], p[2]),
		"not exists":     fmt.Sprintf(`SELECT ?s { ?s %s ?x FILTER NOT EXISTS { ?x ?q ?s } }`, l[0]),
		"values":         fmt.Sprintf(`SELECT * { VALUES ?o { %s <http://nowhere/> } ?s ?p ?o }`, literal),
		"sub-select":     fmt.Sprintf(`SELECT * { { SELECT ?b (COUNT(*) AS ?n) { ?a %s ?b } GROUP BY ?b } ?b %s ?c }`, l[0], l[1]),
		"path":           fmt.Sprintf(`SELECT * { ?a %s+ ?b }`, l[1]),
		"both ways":      fmt.Sprintf(`SELECT DISTINCT ?a ?b { ?a %s/^%s ?b }`, l[1], l[1]),
		"between graphs": `SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } GRAPH ?h { ?s ?p ?o } FILTER(?g != ?h) }`,
		"ask":            `ASK { ?s ?p ?o . ?o ?q ?s }`,
	}
	out := map[string]*sparql.Query{}
	for name, text := range texts {
		q, err := sparql.Parse(text, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		out[name] = q
	}
	return out
}

// ranked returns the keys of m, those of the highest count first.
func ranked(m map[string]int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(a, b)
	})
	return keys
}

// checkGraph compares the graph and the answers of all queries with the model.
func checkGraph(t *testing.T, step string, db *rete.DB, want model.Set, queries map[string]*sparql.Query) {
	t.Helper()
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", step, err)
	}
	defer snap.Close()
	list := want.Sorted()
	var got []model.Quad
	if err := quadtest.Each(snap.Engine().SortedQuads(t.Context()), func(q *rdf.RawQuad) error {
		got = append(got, model.Quad{string(q.S), string(q.P), string(q.O), string(q.G)})
		return nil
	}); err != nil {
		t.Fatalf("%s: %v", step, err)
	}
	slices.SortFunc(got, func(a, b model.Quad) int { return slices.Compare(a[:], b[:]) })
	if !slices.Equal(got, list) {
		t.Fatalf("%s: %d quads, want %d", step, len(got), len(list))
	}
	if n, err := snap.Len(t.Context()); err != nil || n != uint64(len(list)) {
		t.Fatalf("%s: counted %d, %v; want %d", step, n, err, len(list))
	}
	unnamed := 0
	for _, q := range list {
		if q[3] == "" {
			unnamed++
		}
	}
	twin := memoryOf(t, list)
	for name, q := range queries {
		// Where all data is in named graphs, their union is asked too.
		for _, opts := range [][]sparql.Option{nil, {sparql.UnionDefaultGraph()}} {
			if opts != nil && 10*unnamed > len(list) {
				continue
			}
			wantRows, err := answerOf(t, twin, q, opts...)
			if err != nil {
				t.Fatalf("%s: %s in memory: %v", step, name, err)
			}
			gotRows, err := answerOf(t, snap.Dataset(), q, opts...)
			if err != nil {
				t.Fatalf("%s: %s: %v", step, name, err)
			}
			if !slices.Equal(gotRows, wantRows) {
				t.Errorf("%s: %s: %d rows, want %d\n%s", step, name, len(gotRows), len(wantRows), firstDifference(gotRows, wantRows))
			}
		}
	}
}

func memoryOf(t *testing.T, list []model.Quad) dataset.Dataset {
	t.Helper()
	var b memory.Builder
	if err := b.AddReader(&modelReader{list}); err != nil {
		t.Fatal(err)
	}
	return b.Build()
}

// answerOf returns the rows of an answer as sorted text. Labels of blank nodes are
// those of the store, so they are compared as they are.
func answerOf(t *testing.T, ds dataset.Dataset, q *sparql.Query, opts ...sparql.Option) ([]string, error) {
	t.Helper()
	if q.Form() == sparql.FormAsk {
		yes, err := sparql.Ask(t.Context(), ds, q, opts...)
		return []string{fmt.Sprint(yes)}, err
	}
	rows, err := sparql.Select(t.Context(), ds, q, opts...)
	if err != nil {
		return nil, err
	}
	n := len(rows.Vars())
	var out []string
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		for i := range n {
			b.WriteString(row.At(i).Surface())
			b.WriteByte('\t')
		}
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out, nil
}

func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return "missing " + want[i]
		case i >= len(want):
			return "too many: " + got[i]
		case got[i] != want[i]:
			return "got " + got[i] + "\nwant " + want[i]
		}
	}
	return ""
}

// TestRealDocuments is the main job with the documents themselves, as people do it:
// files on disk, built on the way, blank nodes named by their document.
func TestRealDocuments(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "docs.rete-manifest.json")
	storetest.Cleanup(t, name, nil)
	docs := []string{"brick/soda_brick.ttl", "wikidata/Q42-munged.ttl", "qudt/VOCAB_QUDT-PREFIXES.ttl"}
	db, err := retetest.Init(t.Context(), name, &engine.InitOptions{Bases: []engine.Source{{Name: reteshared.Path(t, "data", "real", docs[0])}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := readDocument(t, docs[0], 0)
	for _, doc := range docs[1:] {
		if _, err := db.Engine().Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: reteshared.Path(t, "data", "real", doc)}}}, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, readDocument(t, doc, 0)...)
	}
	queries := realQueries(t, all)
	want := model.Fold([]model.Entry{{Adds: all}})
	checkGraph(t, "documents", db, want, queries)
	if _, err := db.Engine().Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	checkGraph(t, "compacted", db, want, queries)
	if _, err := db.Engine().Compact(t.Context(), nil); !errors.Is(err, engine.ErrCompact) && err != nil {
		t.Fatal(err)
	}
}
