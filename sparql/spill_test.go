package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// spillQueries make each operator that can go on in files hold much. part is the
// share of the memory that they would take, in percent, with which they still do:
// terms that a query makes stay in memory.
var spillQueries = []struct {
	text string
	part int64
}{
	{"SELECT ?s ?o { ?s :p ?o } ORDER BY DESC(?o) ?s", 15},
	{"SELECT ?s ?o { ?s :p ?o } ORDER BY ?o ?s LIMIT 12000 OFFSET 6000", 15},
	{"SELECT DISTINCT ?s ?o { ?s ?p ?o }", 20},
	{"SELECT DISTINCT ?o { ?s :p ?o } ORDER BY ?o", 20},
	{"SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?s != 7) } GROUP BY ?s", 25},
	{"SELECT ?s (COUNT(*) AS ?n) (MIN(?p) AS ?m) (SAMPLE(isIRI(?s)) AS ?i) { ?s ?p ?o } GROUP BY ?s", 25},
	{"SELECT ?o (COUNT(DISTINCT ?s) AS ?n) (GROUP_CONCAT(DISTINCT STR(?p)) AS ?c) { ?s ?p ?o } GROUP BY ?o HAVING(COUNT(*) > 1)", 25},
	{"SELECT (COUNT(*) AS ?n) { SELECT DISTINCT ?s ?o { ?s ?p ?o } ORDER BY ?s }", 15},
	{"SELECT ?n (COUNT(*) AS ?k) { SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?s != 7) } GROUP BY ?s } GROUP BY ?n ORDER BY ?n", 25},
	{"SELECT ?a ?b { { SELECT DISTINCT ?a ?o { ?a :p ?o } } { SELECT DISTINCT ?b ?o { ?b :q ?o } } }", 30},
	{"SELECT ?a ?b { { SELECT ?a ?o { ?a :p ?o } } { SELECT ?b ?o { ?b :q ?o } LIMIT 1000000 } }", 30},
	{"SELECT ?a ?b { ?a :p ?o OPTIONAL { { SELECT ?b ?o { ?b :q ?o } LIMIT 1000000 } } }", 30},
	{"SELECT ?a { ?a :p ?o MINUS { SELECT ?b ?o { ?b :q ?o } LIMIT 1000000 } }", 30},
}

// spillData is many rows with few equal ones.
func spillData(rows int) []rdf.Quad {
	r := rand.New(rand.NewPCG(8, 8))
	var quads []rdf.Quad
	for i := range rows {
		s := rdf.IRI(fmt.Sprintf("http://ex/s%d", r.IntN(27000)))
		p := rdf.IRI("http://ex/" + string("pq"[i%2]))
		quads = append(quads, rdf.Quad{S: s, P: p, O: rdf.Integer(int64(r.IntN(36000)))})
	}
	return quads
}

// ordered reports whether two answers have the same rows in the same order.
func ordered(a, b sparqlsuite.Answer) bool {
	if len(a.Set.Rows) != len(b.Set.Rows) {
		return false
	}
	for i, row := range a.Set.Rows {
		for c := range row {
			if row[c] != b.Set.Rows[i][c] {
				return false
			}
		}
	}
	return true
}

// TestSpill runs queries in less memory than they need: they have the same rows
// by way of files, an order stays an order, and no file and no memory is left.
func TestSpill(t *testing.T) {
	ds := load(spillData(60000))
	for i, c := range spillQueries {
		text := c.text
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		free, err := sparql.Analyze(context.Background(), ds, q, sparql.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		spilled := false
		for _, part := range longtest.Pick([]int64{c.part}, []int64{c.part, 90}) {
			dir := t.TempDir()
			limit := free.Run.Peak * part / 100
			opts := []sparql.Option{sparql.MemoryLimit(limit), sparql.Spill(dir, 0)}
			p, err := sparql.Analyze(context.Background(), ds, q, opts...)
			if err != nil {
				t.Errorf("in %d percent of %d bytes: %v\n%s", part, free.Run.Peak, err, text)
				continue
			}
			spilled = spilled || p.Run.Spill > 0
			if p.Run.Peak > limit {
				t.Errorf("held %d bytes of %d\n%s", p.Run.Peak, limit, text)
			}
			got, err := answer(ds, q, opts...)
			if err != nil {
				t.Fatal(err)
			}
			if !sameRows(got, want) {
				t.Errorf("in %d percent of the memory: other rows: %d, want %d\n%s", part, len(got.Set.Rows), len(want.Set.Rows), text)
			}
			if i < 2 && !ordered(got, want) {
				t.Errorf("in %d percent of the memory: another order\n%s", part, text)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("files left: %v %v", left, err)
			}
		}
		if !spilled {
			t.Errorf("nothing was spilled\n%s", text)
		}
	}
}

// TestSpillRefused forbids files, or bounds them: the error names what was asked
// for.
func TestSpillRefused(t *testing.T) {
	ds := load(spillData(60000))
	q := sparql.MustParse(fuzzquery.Prefixes + spillQueries[0].text)
	var me *sparql.MemoryError
	if _, err := answer(ds, q, sparql.MemoryLimit(1_000_000), sparql.Spill("", -1)); !errors.As(err, &me) {
		t.Errorf("files are forbidden: error %v", err)
	} else if me.Op != "order" || me.Limit != 1_000_000 || me.Held > me.Limit {
		t.Errorf("%+v", me)
	}
	var se *sparql.SpillError
	if _, err := answer(ds, q, sparql.MemoryLimit(1_000_000), sparql.Spill("", 1000)); !errors.As(err, &se) {
		t.Errorf("files are bounded: error %v", err)
	}
	dir := t.TempDir()
	t.Chdir(filepath.Dir(dir))
	here := sparql.Spill(filepath.Base(dir), 0)
	t.Chdir(t.TempDir()) // the folder is the earlier one
	if _, err := answer(ds, q, sparql.MemoryLimit(1_000_000), here); err != nil {
		t.Error(err)
	}
	if _, err := answer(ds, q, sparql.MemoryLimit(1_000_000), sparql.Spill("/does/not/exist", 0)); err == nil {
		t.Error("no folder: no error")
	}
}

// TestSharedMemory runs queries against one pool: each draws in steps, spills when
// the pool is used up, and gives everything back, also after an error and
// without its last row.
func TestSharedMemory(t *testing.T) {
	ds := load(spillData(60000))
	few := load(spillData(3000))
	pool := sparql.NewMemoryPool(6 << 20)
	for _, c := range spillQueries {
		text := c.text
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := answer(ds, q, sparql.SharedMemory(pool), sparql.Spill(t.TempDir(), 0))
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		} else if !sameRows(got, want) {
			t.Errorf("other rows\n%s", text)
		}
		if pool.Used() != 0 {
			t.Fatalf("%d bytes were not given back\n%s", pool.Used(), text)
		}
		rows, err := sparql.Select(context.Background(), ds, q, sparql.SharedMemory(pool))
		if err != nil {
			t.Fatal(err)
		}
		for range rows.All() {
			break
		}
		for k := 1; ; k += longtest.Pick(3, 1) {
			bad := &faulty{Dataset: few, left: k, err: func() error { return errDamage }}
			_, err := answer(bad, q, sparql.SharedMemory(pool))
			if bad.left > 0 {
				break
			}
			if !errors.Is(err, errDamage) {
				t.Errorf("call %d fails: %v\n%s", k, err, text)
			}
			if pool.Used() != 0 {
				t.Fatalf("call %d fails: %d bytes were not given back\n%s", k, pool.Used(), text)
			}
		}
	}
	// A pool that is used up by others refuses all.
	full := sparql.NewMemoryPool(1)
	var me *sparql.MemoryError
	if _, err := answer(ds, sparql.MustParse(fuzzquery.Prefixes+spillQueries[0].text), sparql.SharedMemory(full)); !errors.As(err, &me) || !me.Process {
		t.Errorf("a pool without memory: error %v", err)
	}
}

// TestSpillCancelled cancels queries that go on in files at every check of the
// context: its error, no file, and all memory given back.
func TestSpillCancelled(t *testing.T) {
	ds := load(spillData(2500))
	dir := t.TempDir()
	pool := sparql.NewMemoryPool(1 << 30)
	files, _ := os.ReadDir("/proc/self/fd") // files have no names there; elsewhere nothing is counted
	for _, c := range spillQueries {
		q := sparql.MustParse(fuzzquery.Prefixes + c.text)
		for k := 1; ; k++ {
			ctx := &tiring{context.Background(), k}
			refuse := sparql.RefuseMemory(func(op string) bool { return op == "order" || op == "distinct" })
			rows, err := sparql.Select(ctx, ds, q, sparql.SharedMemory(pool), sparql.Spill(dir, 0), refuse)
			if err == nil {
				for _, err = range rows.All() {
					if err != nil {
						break
					}
				}
			}
			if ctx.left > 0 {
				if err != nil {
					t.Errorf("%v\n%s", err, c.text)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("cancelled at check %d: %v\n%s", k, err, c.text)
			}
			if pool.Used() != 0 {
				t.Fatalf("cancelled at check %d: %d bytes are held\n%s", k, pool.Used(), c.text)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files left: %v %v", left, err)
	}
	if now, _ := os.ReadDir("/proc/self/fd"); len(now) > len(files) {
		t.Errorf("%d files are open, %d before", len(now), len(files))
	}
}
