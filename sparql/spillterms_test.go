package sparql_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// madeQueries make many terms, or hold much that is neither rows nor groups. part is
// the share of the memory that they would take, in percent, with which they go on.
var madeQueries = []struct {
	text string
	part int64
}{
	{"SELECT ?s (CONCAT(STR(?s), '-', STR(?o)) AS ?t) { ?s :p ?o } ORDER BY ?t", 25},
	{"SELECT DISTINCT (CONCAT(STR(?s), '/', STR(?o)) AS ?t) { ?s ?p ?o }", 30},
	{"SELECT ?t (COUNT(*) AS ?n) { ?s ?p ?o BIND(CONCAT(STR(?s), STR(?o)) AS ?t) } GROUP BY ?t", 40},
	{"SELECT ?s { { SELECT ?s ?t { ?s :p ?o BIND(CONCAT(STR(?s), 'x') AS ?t) } } { SELECT ?t { ?r :q ?o BIND(CONCAT(STR(?r), 'x') AS ?t) } } }", 75},
	{"SELECT ?a ?b { ?a :p ?x . ?b :q ?y FILTER(?x = ?y) }", 70},
}

// inLess runs a query in a part of the memory that it would take, and compares. It
// returns the bytes that went to files.
func inLess(t *testing.T, ds dataset.Dataset, text string, part int64) int64 {
	t.Helper()
	q := sparql.MustParse(fuzzquery.Prefixes + text)
	want, err := answer(ds, q, sparql.Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	free, err := sparql.Analyze(context.Background(), ds, q, sparql.Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	dir, pool := t.TempDir(), sparql.NewMemoryPool(1<<30)
	limit := free.Run.Peak * part / 100
	opts := []sparql.Option{sparql.MemoryLimit(limit), sparql.SharedMemory(pool), sparql.Spill(dir, 0), sparql.Workers(1)}
	p, err := sparql.Analyze(context.Background(), ds, q, opts...)
	if err != nil {
		t.Errorf("in %d percent of %d bytes: %v\n%s", part, free.Run.Peak, err, text)
		return 0
	}
	if p.Run.Peak > limit {
		t.Errorf("held %d bytes of %d\n%s", p.Run.Peak, limit, text)
	}
	got, err := answer(ds, q, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if !sameRows(got, want) {
		t.Errorf("other rows: %d, want %d\n%s", len(got.Set.Rows), len(want.Set.Rows), text)
	}
	if pool.Used() != 0 {
		t.Errorf("%d bytes are held\n%s", pool.Used(), text)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files left: %v %v", left, err)
	}
	return p.Run.Spill
}

// TestSpillTerms runs queries that make terms in less memory than these take.
func TestSpillTerms(t *testing.T) {
	ds := load(spillData(20000))
	for _, c := range madeQueries {
		if inLess(t, ds, c.text, c.part) == 0 {
			t.Errorf("nothing was written\n%s", c.text)
		}
	}
}

// failing fails at the k-th reading or writing of the files that it is put around.
type failing struct {
	mem.TempFile
	left *int
}

var errDisk = errors.New("disk failed")

func (f failing) fail() error {
	if *f.left--; *f.left == 0 {
		return errDisk
	}
	return nil
}

func (f failing) Read(p []byte) (int, error) {
	if err := f.fail(); err != nil {
		return 0, err
	}
	return f.TempFile.Read(p)
}

func (f failing) Write(p []byte) (int, error) {
	if err := f.fail(); err != nil {
		return 0, err
	}
	return f.TempFile.Write(p)
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fail(); err != nil {
		return 0, err
	}
	return f.TempFile.ReadAt(p, off)
}

// flipped changes a bit of what is read at the k-th time.
type flipped struct{ failing }

func (f flipped) Read(p []byte) (int, error) {
	n, err := f.TempFile.Read(p)
	if n > 0 && f.fail() != nil {
		p[n/2] ^= 4
	}
	return n, err
}

func (f flipped) Write(p []byte) (int, error) { return f.TempFile.Write(p) }

func (f flipped) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.TempFile.ReadAt(p, off)
	if n > 0 && f.fail() != nil {
		p[n/2] ^= 4
	}
	return n, err
}

// TestSpillFails lets the k-th reading or writing of a temporary file fail, or read
// something else: the query ends with an error, all memory comes back, and no file is
// left open.
func TestSpillFails(t *testing.T) {
	few, many := load(spillData(longtest.Pick(1000, 3000))), load(spillData(20000))
	files, _ := os.ReadDir("/proc/self/fd") // where that is not, nothing is counted
	for _, c := range spillQueries {
		allFail(t, few, c.text, func() sparql.Option {
			asked, joins := 0, 0
			return sparql.RefuseMemory(func(op string) bool {
				if op == "terms" || op == "rows" {
					return false
				}
				if op == "join" {
					joins++
					return joins == 1
				}
				asked++
				return asked == 4 || asked == 12 || asked == 40
			})
		})
	}
	c := madeQueries[0]
	p, err := sparql.Analyze(context.Background(), many, sparql.MustParse(fuzzquery.Prefixes+c.text), sparql.Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	allFail(t, many, c.text, func() sparql.Option { return sparql.MemoryLimit(p.Run.Peak * c.part / 100) })
	if now, _ := os.ReadDir("/proc/self/fd"); len(now) > len(files)+2 {
		t.Errorf("%d files are open, %d before", len(now), len(files))
	}
}

// allFail runs a query in little memory so often that each operation of its files has
// failed, or of the later ones some.
func allFail(t *testing.T, ds dataset.Dataset, text string, little func() sparql.Option) {
	t.Helper()
	q, pool, dir := sparql.MustParse(fuzzquery.Prefixes+text), sparql.NewMemoryPool(1<<30), t.TempDir()
	for kind, want := range []error{errDisk, damage.Err} {
		for k := 1; ; k += 1 + k/2 {
			left := k
			err := drain(ds, q, little(), sparql.SharedMemory(pool), sparql.Spill(dir, 0), sparql.Workers(1), sparql.TempFiles(func(f mem.TempFile) mem.TempFile {
				if kind == 0 {
					return failing{f, &left}
				}
				return flipped{failing{f, &left}}
			}))
			if pool.Used() != 0 {
				t.Fatalf("operation %d: %d bytes are held\n%s", k, pool.Used(), text)
			}
			if left > 0 {
				if err != nil {
					t.Errorf("%v\n%s", err, text)
				}
				if k == 1 {
					t.Errorf("no file was used\n%s", text)
				}
				break
			}
			if !errors.Is(err, want) {
				t.Fatalf("operation %d: error %v, want %v\n%s", k, err, want, text)
			}
		}
	}
}

// drain writes an answer to nowhere.
func drain(ds dataset.Dataset, q *sparql.Query, opts ...sparql.Option) error {
	return sparql.WriteTo(context.Background(), io.Discard, sparql.TSV, ds, q, opts...)
}
