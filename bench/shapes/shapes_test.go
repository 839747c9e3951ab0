package shapes_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/shapes"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// scale is the number of statements of the benchmarks, about.
func scale() int {
	if n, err := strconv.Atoi(os.Getenv("RETE_BENCH_SCALE")); err == nil {
		return n
	}
	return 100_000
}

var (
	built sync.Once
	file  string
)

// open builds the data set once and opens it.
func open(tb testing.TB) *rete.Snapshot {
	tb.Helper()
	ctx := context.Background()
	built.Do(func() {
		dir, err := os.MkdirTemp("", "shapes")
		if err != nil {
			tb.Fatal(err)
		}
		file = filepath.Join(dir, "social.rete")
		if err := build(ctx, file, social.Options{Persons: social.PersonsFor(scale())}); err != nil {
			tb.Fatal(err)
		}
	})
	return benchtest.OpenFile(tb, file)
}

// build writes a segment of the social data set.
func build(ctx context.Context, name string, opt social.Options) error {
	r, w := io.Pipe()
	go func() {
		_, err := social.Generate(w, opt)
		w.CloseWithError(err)
	}()
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(ctx, r, rdf.Options{}, !opt.Graphs); err != nil {
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

func TestMain(m *testing.M) {
	code := m.Run()
	if file != "" {
		os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(code)
}

// run answers a shape and returns the number of bytes of the answer.
func run(snap *rete.Snapshot, q *sparql.Query, w io.Writer) error {
	return snap.WriteTo(context.Background(), w, formOf(q), q)
}

// formOf is the format of an answer.
func formOf(q *sparql.Query) sparql.Format {
	if q.Form() == sparql.FormConstruct || q.Form() == sparql.FormDescribe {
		return sparql.NTriples
	}
	return sparql.JSON
}

// BenchmarkShapes runs every shape: plan and all rows, serialised.
func BenchmarkShapes(b *testing.B) {
	snap := open(b)
	for _, s := range shapes.All {
		b.Run(s.Name, func(b *testing.B) {
			q := sparql.MustParse(s.Text())
			b.ReportAllocs()
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := run(snap, q, &out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(out.Len()), "bytes")
		})
	}
}

// TestShapes runs every shape once.
func TestShapes(t *testing.T) {
	snap := open(t)
	for _, s := range shapes.All {
		var out bytes.Buffer
		if err := run(snap, sparql.MustParse(s.Text()), &out); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if out.Len() == 0 {
			t.Errorf("%s: no answer", s.Name)
		}
	}
}
