package sparql_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// decodeCount is a dataset that counts the terms that are decoded.
type decodeCount struct {
	dataset.Dataset
	terms int
}

func (d *decodeCount) Decode(ctx context.Context, ids []dataset.ID, out *dataset.Terms) error {
	d.terms += len(ids)
	return d.Dataset.Decode(ctx, ids, out)
}

// repeatedQuery adds made terms and unbound ones to the paths of two edges.
const repeatedQuery = "SELECT ?a ?c ?n ?never { ?a <http://ex/p> ?b . ?b <http://ex/p> ?c OPTIONAL { ?c <http://ex/q> ?v BIND(CONCAT('made ', STR(?v)) AS ?n) } }"

// repeated is a graph whose paths of two edges have each end many times.
func repeated(nodes int) (quads []rdf.Quad) {
	node := func(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/node/%05d", i%nodes)) }
	for i := range nodes {
		for k := range 4 {
			quads = append(quads, rdf.Quad{S: node(i), P: rdf.IRI("http://ex/p"), O: node(i*7 + k*11)})
		}
		if i%3 == 0 {
			quads = append(quads, rdf.Quad{S: node(i), P: rdf.IRI("http://ex/q"), O: rdf.Integer(int64(i % 10))})
		}
	}
	return quads
}

// TestRepeatedTerms reads rows in which terms come again: each is decoded about
// once, and with little memory the rows are the same.
func TestRepeatedTerms(t *testing.T) {
	const nodes = 3000
	ds := &decodeCount{Dataset: load(repeated(nodes))}
	q := sparql.MustParse(repeatedQuery)
	rowsOf := func(opts ...sparql.Option) (rows []string) {
		answer, err := sparql.Select(t.Context(), ds, q, append(opts, sparql.Workers(1))...)
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range answer.All() {
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(row.Surface(1)), row.At(1).Surface(); got != want || got == "" {
				t.Fatalf("surface %q of the term %q", got, want)
			}
			if !row.At(3).IsZero() || row.Surface(3) != nil {
				t.Fatal("a column that is never bound has a term")
			}
			rows = append(rows, fmt.Sprint(row.At(0), row.At(1), row.At(2)))
		}
		return rows
	}
	want := rowsOf()
	if len(want) != 16*nodes {
		t.Errorf("%d rows", len(want))
	}
	if ds.terms > nodes+100 {
		t.Errorf("%d terms decoded of %d", ds.terms, nodes)
	}
	ds.terms = 0
	got := rowsOf(sparql.MemoryLimit(4<<20), sparql.Spill(t.TempDir(), 0))
	if ds.terms < 2*nodes {
		t.Errorf("%d terms decoded: the texts have no bound", ds.terms)
	}
	if len(got) != len(want) {
		t.Fatalf("%d rows, not %d", len(got), len(want))
	}
	count := make(map[string]int)
	for i, row := range want {
		count[row]++
		count[got[i]]--
	}
	for row, n := range count {
		if n != 0 {
			t.Fatalf("%d times less often: %s", n, row)
		}
	}
}

// TestRepeatedTermsFaults fails every call of the dataset in turn, where rows have
// terms that are kept: what came before the error is the beginning of the answer,
// whether the terms are read, or only some, or the rows are written.
func TestRepeatedTermsFaults(t *testing.T) {
	ds := load(repeated(300))
	q := sparql.MustParse(repeatedQuery)
	for _, way := range []struct {
		name string
		read func(ds dataset.Dataset) ([]string, error)
	}{
		{"no term", func(ds dataset.Dataset) (out []string, err error) { return readRows(ds, q) }},
		{"one term", func(ds dataset.Dataset) (out []string, err error) { return readRows(ds, q, 2) }},
		{"all terms", func(ds dataset.Dataset) (out []string, err error) { return readRows(ds, q, 0, 1, 2, 3) }},
		{"TSV", func(ds dataset.Dataset) (out []string, err error) {
			var b bytes.Buffer
			err = sparql.WriteTo(context.Background(), &b, sparql.TSV, ds, q, sparql.Workers(1), sparql.MemoryLimit(4<<20))
			for line := range bytes.Lines(b.Bytes()) {
				out = append(out, string(line))
			}
			return out, err
		}},
	} {
		want, err := way.read(ds)
		if err != nil {
			t.Fatal(err)
		}
		late := 0
		for k := 1; ; k++ {
			f := &faulty{Dataset: ds, left: k, err: func() error { return errDamage }}
			got, err := way.read(f)
			if f.left > 0 {
				break
			}
			if !errors.Is(err, errDamage) {
				t.Fatalf("%s: call %d fails: error %v", way.name, k, err)
			}
			if len(got) > 0 {
				late++
			}
			for i, row := range got {
				if row != want[i] {
					t.Fatalf("%s: call %d fails: row %d is %s, not %s", way.name, k, i, row, want[i])
				}
			}
		}
		if late == 0 {
			t.Errorf("%s: no call failed after the first row", way.name)
		}
	}
}

// readRows reads some columns of the rows.
func readRows(ds dataset.Dataset, q *sparql.Query, columns ...int) (out []string, err error) {
	rows, err := sparql.Select(context.Background(), ds, q, sparql.Workers(1), sparql.MemoryLimit(4<<20))
	if err != nil {
		return nil, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return out, err
		}
		text := ""
		for _, c := range columns {
			text += row.At(c).Surface() + " "
		}
		out = append(out, text)
	}
	return out, nil
}
