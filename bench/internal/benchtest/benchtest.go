// Package benchtest opens data sets of the benchmarks as segments and runs their
// queries, for tests and `go test -bench`.
package benchtest

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/workload"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// Scale is the number of statements of the benchmarks, about: that of the environment
// variable RETE_BENCH_SCALE, or the given one.
func Scale(otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv("RETE_BENCH_SCALE")); err == nil {
		return n
	}
	return otherwise
}

// Open builds a segment of the data set and opens it until the test ends.
func Open(tb testing.TB, set *workload.Set) *rete.Snapshot {
	tb.Helper()
	ctx := context.Background()
	name := filepath.Join(tb.TempDir(), set.Name+".rete")
	if err := Build(ctx, set, name); err != nil {
		tb.Fatal(err)
	}
	return OpenFile(tb, name)
}

// OpenFile opens a segment until the test ends.
func OpenFile(tb testing.TB, name string) *rete.Snapshot {
	tb.Helper()
	ctx := context.Background()
	db, err := rete.Open(ctx, name, nil)
	if err != nil {
		tb.Fatal(err)
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		snap.Close()
		db.Close()
	})
	return snap
}

// Build writes a segment of the data set.
func Build(ctx context.Context, set *workload.Set, name string) error {
	r, w := io.Pipe()
	go func() {
		_, err := set.Write(w)
		w.CloseWithError(err)
	}()
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(ctx, r, rdf.Options{}, !set.Quads); err != nil {
		return err
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := b.WriteTo(ctx, out); err != nil {
		return err
	}
	return out.Close()
}

// Write answers a query as a server does: parsed, planned, and all rows as JSON or
// N-Triples.
func Write(tb testing.TB, snap *rete.Snapshot, w io.Writer, text string) {
	tb.Helper()
	q, err := sparql.Parse(text, nil)
	if err != nil {
		tb.Fatalf("%v\n%s", err, text)
	}
	f := sparql.JSON
	if q.Form() == sparql.FormConstruct || q.Form() == sparql.FormDescribe {
		f = sparql.NTriples
	}
	if err := snap.WriteTo(context.Background(), w, f, q); err != nil {
		tb.Fatalf("%v\n%s", err, text)
	}
}

// Rows returns the rows of a SELECT, a list of terms each.
func Rows(tb testing.TB, snap *rete.Snapshot, text string) (out [][]rdf.Term) {
	tb.Helper()
	rows, err := snap.Select(context.Background(), sparql.MustParse(text))
	if err != nil {
		tb.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			tb.Fatal(err)
		}
		var terms []rdf.Term
		for i := range rows.Vars() {
			terms = append(terms, row.At(i))
		}
		out = append(out, terms)
	}
	return out
}

// Queries runs every query of a set as a benchmark, with constants drawn anew for
// every run.
func Queries(b *testing.B, set *workload.Set) {
	snap := Open(b, set)
	for _, q := range set.Queries {
		b.Run(q.Name, func(b *testing.B) {
			texts := make([]string, 25)
			for i := range texts {
				texts[i] = set.Instance(q, 1, i)
			}
			b.ReportAllocs()
			var out bytes.Buffer
			size, n := 0, 0
			for b.Loop() {
				out.Reset()
				Write(b, snap, &out, texts[n%len(texts)])
				size += out.Len()
				n++
			}
			b.ReportMetric(float64(size)/float64(n), "bytes")
		})
	}
}
