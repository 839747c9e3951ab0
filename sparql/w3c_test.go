package sparql_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/resultset"
	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/naive"
	"github.com/rete-go/rete/sparql/memory"
)

// answer runs a query of any form on a dataset.
func answer(ds dataset.Dataset, q *sparql.Query, opts ...sparql.Option) (sparqlsuite.Answer, error) {
	ctx := context.Background()
	switch q.Form() {
	case sparql.FormAsk:
		b, err := sparql.Ask(ctx, ds, q, opts...)
		return sparqlsuite.Answer{Set: &resultset.Set{Boolean: &b}}, err
	case sparql.FormSelect:
		rows, err := sparql.Select(ctx, ds, q, opts...)
		if err != nil {
			return sparqlsuite.Answer{}, err
		}
		set := &resultset.Set{Vars: rows.Vars()}
		for row, err := range rows.All() {
			if err != nil {
				return sparqlsuite.Answer{}, err
			}
			terms := make([]rdf.Term, len(set.Vars))
			for i := range terms {
				terms[i] = row.At(i)
			}
			set.Rows = append(set.Rows, terms)
		}
		return sparqlsuite.Answer{Set: set}, nil
	}
	run := sparql.Construct
	if q.Form() == sparql.FormDescribe {
		run = sparql.Describe
	}
	triples, err := run(ctx, ds, q, opts...)
	if err != nil {
		return sparqlsuite.Answer{}, err
	}
	var out []rdf.Quad
	for t, err := range triples.All() {
		if err != nil {
			return sparqlsuite.Answer{}, err
		}
		out = append(out, t)
	}
	return sparqlsuite.Answer{Graph: out}, nil
}

// load makes a dataset in memory.
func load(quads []rdf.Quad) memory.Dataset {
	var b memory.Builder
	for _, q := range quads {
		b.Add(q)
	}
	return b.Build()
}

// onMemory answers the suite's queries over a dataset in memory.
func onMemory(quads []rdf.Quad, q *sparql.Query, service map[string][]rdf.Quad) (sparqlsuite.Answer, error) {
	return answer(load(quads), q, sparql.WithService(inProcess(service)))
}

// inProcess answers SERVICE from the data of the endpoints.
func inProcess(data map[string][]rdf.Quad) func(ctx context.Context, endpoint, group string, vars []string) ([][]rdf.Term, error) {
	var ask func(ctx context.Context, endpoint, group string, vars []string) ([][]rdf.Term, error)
	ask = func(_ context.Context, endpoint, group string, vars []string) ([][]rdf.Term, error) {
		quads, ok := data[endpoint]
		if !ok {
			return nil, fmt.Errorf("no endpoint %s", endpoint)
		}
		q, err := sparql.Parse("SELECT * "+group, nil)
		if err != nil {
			return nil, err
		}
		a, err := answer(load(quads), q, sparql.WithService(ask))
		if err != nil {
			return nil, err
		}
		rows := make([][]rdf.Term, len(a.Set.Rows))
		for i, row := range a.Set.Rows {
			rows[i] = make([]rdf.Term, len(vars))
			for c, v := range vars {
				if at := slices.Index(a.Set.Vars, v); at >= 0 {
					rows[i][c] = row[at]
				}
			}
		}
		return rows, nil
	}
	return ask
}

func TestW3C(t *testing.T) {
	for _, suite := range []string{"sparql10", "sparql11", "sparql12"} {
		s := sparqlsuite.Load(t, suite)
		s.Run(t, onMemory, skips)
	}
}

// skips are the cases that are not run, with the reason.
var skips = map[string]string{
	"sparql11/entailment": "entailment regimes are not part of this engine",
}

// onNaive answers the suite's queries with the naive evaluator.
func onNaive(quads []rdf.Quad, q *sparql.Query, _ map[string][]rdf.Quad) (sparqlsuite.Answer, error) {
	a, err := naive.Run(quads, q.Text(), q.Base())
	if err != nil {
		return sparqlsuite.Answer{}, err
	}
	switch q.Form() {
	case sparql.FormAsk:
		return sparqlsuite.Answer{Set: &resultset.Set{Boolean: &a.Boolean}}, nil
	case sparql.FormSelect:
		return sparqlsuite.Answer{Set: &resultset.Set{Vars: a.Vars, Rows: a.Rows}}, nil
	}
	return sparqlsuite.Answer{Graph: a.Graph}, nil
}

func TestW3CNaive(t *testing.T) {
	for _, suite := range []string{"sparql10", "sparql11", "sparql12"} {
		s := sparqlsuite.Load(t, suite)
		s.Run(t, onNaive, naiveSkips)
	}
}

// naiveSkips are the cases that the naive evaluator is not made for.
var naiveSkips = map[string]string{
	"sparql11/entailment":        "entailment regimes are not part of this engine",
	"sparql11/service":           "the naive evaluator has no SERVICE",
	"sparql11/functions/bnode01": "the naive evaluator has no labels for BNODE",
}
