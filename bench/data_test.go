package bench_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

var scale = flag.Int("scale", 200_000, "statements of the generated data, about")

// document returns the social data set as N-Triples.
func document(b testing.TB) ([]byte, int) {
	b.Helper()
	var out bytes.Buffer
	stats, err := social.Generate(&out, social.Options{Persons: social.PersonsFor(*scale)})
	if err != nil {
		b.Fatal(err)
	}
	return out.Bytes(), stats.Statements
}

func source(doc []byte) engine.Source {
	return engine.Source{Name: "generated", Reader: bytes.NewReader(doc), Format: rdfio.NTriples}
}

// database makes a manifest over the data set, and appends entries small entries
// of rows quads each: half of them new, half of them taken away from the base.
func database(b testing.TB, entries, rows int) (*rete.DB, int) {
	b.Helper()
	return databaseWith(b, entries, rows, &rete.Options{CacheBytes: 1 << 30})
}

func databaseWith(b testing.TB, entries, rows int, opt *rete.Options) (*rete.DB, int) {
	b.Helper()
	ctx := context.Background()
	doc, n := document(b)
	db, err := retetest.Init(ctx, b.TempDir()+"/g"+manifest.Suffix, &engine.InitOptions{Bases: []engine.Source{source(doc)}}, opt)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	lines := bytes.SplitAfter(doc, []byte("\n"))
	var steps []engine.Step
	for i := range entries {
		var adds, dels bytes.Buffer
		for j := range rows / 2 {
			at := (i*rows + j) * 7919 % (len(lines) - 1)
			dels.Write(lines[at])
			fmt.Fprintf(&adds, "<%sp%d> <%sknows> <%snew%d_%d> .\n", social.Prefix, at%1000, social.Prefix, social.Prefix, i, j)
		}
		a, d := source(adds.Bytes()), source(dels.Bytes())
		steps = append(steps, engine.Step{Adds: &a, Dels: &d})
	}
	if len(steps) > 0 {
		if _, err := db.Engine().Add(ctx, steps, nil); err != nil {
			b.Fatal(err)
		}
	}
	return db, n
}

func snapshot(b testing.TB, db *rete.DB) *rete.Snapshot {
	b.Helper()
	s, err := db.Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// drain reads a whole scan and returns its rows.
func drain(b testing.TB, v engine.View, p dataset.Pattern, o dataset.Order) int {
	b.Helper()
	ctx := context.Background()
	c, err := v.Scan(ctx, p, o, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	var batch dataset.Batch
	n := 0
	for {
		switch err := c.Next(ctx, &batch); err {
		case nil:
			n += batch.N
		case io.EOF:
			return n
		default:
			b.Fatal(err)
		}
	}
}

// count runs a query with one number as its answer.
func count(b testing.TB, s *rete.Snapshot, query string) int {
	b.Helper()
	q := sparql.MustParse(strings.ReplaceAll("PREFIX : <$> ", "$", social.Prefix) + query)
	rows, err := s.Select(context.Background(), q)
	if err != nil {
		b.Fatal(err)
	}
	n := -1
	for row, err := range rows.All() {
		if err != nil {
			b.Fatal(err)
		}
		if err := row.Scan(&n); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// openBeside opens a segment that a manifest names.
func openBeside(b testing.TB, manifest, url string) *segment.Segment {
	b.Helper()
	ctx := context.Background()
	dir, _ := blob.Split(manifest)
	mux, err := blob.NewMux(dir, blob.MuxOptions{})
	if err != nil {
		b.Fatal(err)
	}
	obj, err := mux.Open(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	pin, _, err := segment.PinOf(ctx, obj)
	if err != nil {
		b.Fatal(err)
	}
	seg, err := segment.Open(ctx, obj, &segment.Options{Pin: pin})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { seg.Close() })
	return seg
}

// report gives a benchmark its rate and its ratio to a limit: how many times the
// limit's time for the same rows it took.
func report(b *testing.B, rows int, limit time.Duration) {
	each := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(rows)/each.Seconds(), "quads/s")
	b.ReportMetric(float64(each)/float64(limit), "x-limit")
}

// best returns the shortest of a few runs.
func best(f func()) time.Duration {
	var least time.Duration
	for i := range 5 {
		start := time.Now()
		f()
		if d := time.Since(start); i == 0 || d < least {
			least = d
		}
	}
	return least
}
