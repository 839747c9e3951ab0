package sparql_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// wideQueries have unbound cells, made terms, and a column that is never bound.
var wideQueries = []string{
	"SELECT ?s ?o ?x ?n ?never { ?s <http://ex/p> ?o OPTIONAL { ?s <http://ex/q> ?x BIND(CONCAT('made ', STR(?x)) AS ?n) } } ORDER BY ?o ?s ?x",
	"SELECT ?never { ?s ?p ?o }",
	"SELECT ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 4000 OFFSET 11",
}

// TestWidePages writes and reads answers in wide pages, in much memory and in little: they
// are those of narrow ones.
func TestWidePages(t *testing.T) {
	quads := orderedData(rand.New(rand.NewPCG(6, 6)), longtest.Pick(6_000, 12_000))
	formats := []sparql.Format{sparql.TSV, sparql.JSON, sparql.XML}
	for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads)} {
		for at, text := range wideQueries {
			q := sparql.MustParse(text)
			rows, err := answer(ds, q)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]string, len(formats))
			for i, f := range formats {
				var b strings.Builder
				if err := sparql.WriteTo(t.Context(), &b, f, ds, q); err != nil {
					t.Fatal(err)
				}
				want[i] = b.String()
			}
			pool := sparql.NewMemoryPool(24 << 20)
			for n, opts := range [][]sparql.Option{
				{},
				{sparql.SharedMemory(pool), sparql.Spill(t.TempDir(), 0)},
				{sparql.MemoryLimit(9 << 20), sparql.Spill(t.TempDir(), 0)},
				{sparql.MemoryLimit(2 << 20), sparql.Spill(t.TempDir(), 0)},
				{sparql.Spill(t.TempDir(), 0), sparql.MemoryLimit(64 << 20), sparql.RefuseMemory(func(op string) bool { return op == "rows" })},
			} {
				opts = append(opts, sparql.DoubtEstimates())
				got, err := answer(ds, q, opts...)
				if err != nil {
					t.Fatal(err)
				}
				if !sameRows(got, rows) {
					t.Errorf("options %d: %d rows, want %d\n%s", n, len(got.Set.Rows), len(rows.Set.Rows), text)
				}
				for i, f := range formats {
					if !longtest.On() && (n+i+at)%3 > 0 {
						continue // another format with each query and option
					}
					var b bytes.Buffer
					if err := sparql.WriteTo(t.Context(), &b, f, ds, q, opts...); err != nil {
						t.Fatal(err)
					}
					if b.String() != want[i] {
						t.Errorf("options %d: another text in %s: %d bytes, want %d\n%s", n, f, b.Len(), len(want[i]), text)
					}
				}
			}
			if n := pool.Used(); n != 0 {
				t.Errorf("%d bytes of the pool were not given back", n)
			}
		}
	}
}

// TestWidePagesOfLongText reads literals of 64 kB after many short ones: pages become
// narrow there.
func TestWidePagesOfLongText(t *testing.T) {
	var quads []rdf.Quad
	for i := range 20_000 {
		text := fmt.Sprint("short ", i)
		if i >= 9000 && i < 9800 {
			text = strings.Repeat(fmt.Sprintf("%08d", i), 8<<10)
		}
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/%05d", i)), P: rdf.IRI("http://ex/p"), O: rdf.String(text)})
	}
	ds := &decodeMeter{Dataset: load(quads)}
	a, err := answer(ds, sparql.MustParse("SELECT * { ?s ?p ?o } ORDER BY ?s"), sparql.DoubtEstimates(), sparql.MemoryLimit(32<<20))
	if err != nil {
		t.Fatal(err)
	}
	sameQuads(t, a.Set.Rows, quads)
	if ds.most > 64<<20 {
		t.Errorf("%d bytes decoded at once", ds.most)
	}

	// Operators that drop rows leave columns that are longer than their batch.
	q := sparql.MustParse("SELECT * { ?s ?p ?o FILTER(!STRENDS(STR(?s), '7') && !STRENDS(STR(?s), '0')) }")
	want, err := answer(ds, q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := answer(ds, q, sparql.DoubtEstimates(), sparql.MemoryLimit(32<<20))
	if err != nil {
		t.Fatal(err)
	}
	if !sameRows(got, want) {
		t.Errorf("%d rows, want %d", len(got.Set.Rows), len(want.Set.Rows))
	}
}

// TestWidePagesFail lets every read of a query fail: all rows, or an error.
func TestWidePagesFail(t *testing.T) {
	quads := orderedData(rand.New(rand.NewPCG(4, 6)), 6000)
	ds := load(quads)
	q := sparql.MustParse("SELECT * { ?s ?p ?o }")
	all, err := answer(ds, q)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for k := 1; ; k++ {
		f := &faulty{Dataset: ds, left: k, err: func() error { return broken }}
		got, err := answer(f, q, sparql.DoubtEstimates(), sparql.Workers(1))
		if f.left > 0 {
			if err != nil || !sameRows(got, all) {
				t.Errorf("%d rows, error %v", len(got.Set.Rows), err)
			}
			t.Logf("%d reads", k-f.left)
			return
		}
		if !errors.Is(err, broken) {
			t.Fatalf("read %d failed: %v", k, err)
		}
	}
}

// TestWidePagesReadLess counts the chunks that an answer decodes whose terms lie in a
// dictionary larger than the cache, far from each other.
func TestWidePagesReadLess(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	var quads []rdf.Quad
	for i, o := range r.Perm(60_000) {
		s, text := fmt.Sprintf("http://ex/%06d", i), fmt.Sprintf("%06d %x %x %x %x", o, r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64())
		quads = append(quads, rdf.Quad{S: rdf.IRI(s), P: rdf.IRI("http://ex/p"), O: rdf.String(text)})
	}
	data, built := segtest.Build(t, surfaces(quads), nil)
	decoded := func(where string, opts ...sparql.Option) (string, int64) {
		c := cache.New(1 << 20)
		defer c.Close()
		view := enginetest.NewView([]enginetest.Entry{{Adds: enginetest.SegmentLayer(segtest.OpenObject(t, blob.Bytes("base", data), built, c))}}, nil)
		var count reads.Counter
		var b strings.Builder
		err := sparql.WriteTo(reads.With(t.Context(), &count), &b, sparql.TSV, view, sparql.MustParse("SELECT ?s ?o { "+where+" }"), opts...)
		if err != nil {
			t.Fatal(err)
		}
		return b.String(), count.Decoded.Load()
	}
	for where, least := range map[string]int64{
		"?s ?p ?o": 3,
		// Batches that are not full; the test of the subjects reads them, too.
		"?s ?p ?o FILTER(!STRENDS(STR(?s), '7'))": 3,
		"?s ?p ?o FILTER(CONTAINS(STR(?s), '7'))": 2,
	} {
		narrow, many := decoded(where, sparql.MemoryLimit(4<<20))
		wide, few := decoded(where, sparql.MemoryLimit(64<<20))
		t.Logf("%d chunks decoded in narrow pages, %d in wide ones", many, few)
		if narrow != wide || few > many/least {
			t.Errorf("%s: %d chunks decoded in narrow pages, %d in wide ones; the same text: %v", where, many, few, narrow == wide)
		}
	}
}
