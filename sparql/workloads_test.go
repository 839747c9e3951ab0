package sparql_test

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/bench/ecommerce"
	"github.com/rete-go/rete/bench/products"
	"github.com/rete-go/rete/bench/university"
	"github.com/rete-go/rete/bench/workload"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/naive"
)

// sample reads the statements between things that keep keeps.
func sample(t *testing.T, data []byte, keep func(name string) bool) []rdf.Quad {
	t.Helper()
	r := nquads.NewTriplesReader(bytes.NewReader(data), rdf.Options{})
	var out []rdf.Quad
	for {
		var raw rdf.RawQuad
		if err := r.Read(&raw); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		if q := raw.Quad(); keep(q.S.Value()) && (q.O.Kind() != rdf.KindIRI || keep(q.O.Value())) {
			out = append(out, q)
		}
	}
}

// TestWorkloads compares the answers of the benchmarks' queries with those of the
// naive evaluator, over samples that are small enough for it.
func TestWorkloads(t *testing.T) {
	var market, campus bytes.Buffer
	if _, err := ecommerce.Generate(&market, ecommerce.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := university.Generate(&campus, university.Options{Materialised: true}); err != nil {
		t.Fatal(err)
	}
	var shop bytes.Buffer
	if _, err := products.Generate(&shop, products.Options{Products: 2}); err != nil {
		t.Fatal(err)
	}
	instance := regexp.MustCompile(`/([A-Za-z]+)([0-9]+)$`)
	student := regexp.MustCompile(`Student([0-9]+)$`)
	for _, c := range []struct {
		set     *workload.Set
		queries []workload.Query
		quads   []rdf.Quad
		rows    int // queries with an answer, at least
	}{
		{ecommerce.Set(0), slices.Concat(ecommerce.Templates, ecommerce.Chains()), sample(t, market.Bytes(), func(name string) bool {
			m := instance.FindStringSubmatch(name)
			if m == nil {
				return true
			}
			n, _ := strconv.Atoi(m[2])
			count := ecommerce.Count(m[1], 1)
			return count < 250 && (m[1] != "Topic" && m[1] != "Website") || n*20 < count
		}), 8},
		{university.Set(0), university.Queries, sample(t, campus.Bytes(), func(name string) bool {
			if m := student.FindStringSubmatch(name); m != nil && len(m[1]) > 1 {
				return false
			}
			return len(name) < len(university.Prefix)+3 || name[len(university.Prefix)] != 'u' ||
				len(name) > len(university.Prefix)+5 && name[:len(university.Prefix)+6] == university.Prefix+"u0/d0/" ||
				name == university.Prefix+"u0/d0"
		}), 10},
		{products.Set(0), selects(products.Set(0)), sample(t, shop.Bytes(), func(name string) bool {
			m := instance.FindStringSubmatch(name)
			if m == nil {
				return true
			}
			n, _ := strconv.Atoi(m[2])
			return m[1] != "ProductFeature" && m[1] != "Offer" || n < 8
		}), 8},
	} {
		ds := load(c.quads)
		with := 0
		for _, q := range c.queries {
			text := c.set.Fixed(q)
			want, err := naive.Run(c.quads, text, "")
			if err != nil {
				t.Fatalf("%s: %v", q.Name, err)
			}
			vars, rows, err := selectAll(ds, text)
			if err != nil {
				t.Fatalf("%s: %v", q.Name, err)
			}
			if d := cmp.Diff(lines(want.Vars, want.Rows, want.Vars), lines(vars, rows, want.Vars)); d != "" {
				t.Errorf("%s %s (-naive +engine):\n%s", c.set.Name, q.Name, d)
			}
			if len(rows) > 0 {
				with++
			}
		}
		t.Logf("%s: %d statements, %d of %d queries have an answer", c.set.Name, len(c.quads), with, len(c.queries))
		if with < c.rows {
			t.Errorf("%s: %d queries have an answer, want %d", c.set.Name, with, c.rows)
		}
	}
}

// selects are the queries of a set that have rows.
func selects(set *workload.Set) []workload.Query {
	return slices.DeleteFunc(slices.Clone(set.Queries), func(q workload.Query) bool {
		return sparql.MustParse(set.Fixed(q)).Form() != sparql.FormSelect
	})
}

// selectAll returns all rows of a SELECT.
func selectAll(ds dataset.Dataset, text string) (vars []string, out [][]rdf.Term, err error) {
	rows, err := sparql.Select(context.Background(), ds, sparql.MustParse(text))
	if err != nil {
		return nil, nil, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return nil, nil, err
		}
		var terms []rdf.Term
		for i := range rows.Vars() {
			terms = append(terms, row.At(i))
		}
		out = append(out, terms)
	}
	return rows.Vars(), out, nil
}
