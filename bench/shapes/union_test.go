package shapes_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/shapes"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/bench/workload"
	"github.com/rete-go/rete/sparql"
)

// openUnion builds the data set with graphs and opens it.
func openUnion(tb testing.TB, statements int) *rete.Snapshot {
	tb.Helper()
	ctx := context.Background()
	name := filepath.Join(tb.TempDir(), "graphs.rete")
	if err := build(ctx, name, social.Options{Persons: social.PersonsFor(statements), Graphs: true}); err != nil {
		tb.Fatal(err)
	}
	return benchtest.OpenFile(tb, name)
}

// sorted returns the lines of an answer, sorted.
func sorted(tb testing.TB, snap *rete.Snapshot, q *sparql.Query, opts ...sparql.Option) []string {
	tb.Helper()
	f := sparql.TSV
	switch q.Form() {
	case sparql.FormConstruct, sparql.FormDescribe:
		f = sparql.NTriples
	case sparql.FormAsk:
		f = sparql.JSON
	}
	var out bytes.Buffer
	if err := snap.WriteTo(context.Background(), &out, f, q, opts...); err != nil {
		tb.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	slices.Sort(lines)
	return lines
}

// TestUnion runs the shapes over the union of the graphs of communities: the answers are
// those over one graph.
func TestUnion(t *testing.T) {
	one, union := open(t), openUnion(t, scale())
	for _, s := range shapes.All {
		q := sparql.MustParse(s.Text())
		want, got := sorted(t, one, q), sorted(t, union, q, sparql.UnionDefaultGraph())
		if open := (workload.Query{Text: s.Query}).Open(); open && len(want) != len(got) || !open && !slices.Equal(want, got) {
			t.Errorf("%s: %d lines over the union, %d over one graph", s.Name, len(got), len(want))
		}
	}
}

// BenchmarkUnion runs the shapes over the union of the graphs of communities.
func BenchmarkUnion(b *testing.B) {
	snap := openUnion(b, scale())
	for _, s := range shapes.All {
		b.Run(s.Name, func(b *testing.B) {
			q := sparql.MustParse(s.Text())
			for b.Loop() {
				if err := snap.WriteTo(context.Background(), io.Discard, formOf(q), q, sparql.UnionDefaultGraph()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
