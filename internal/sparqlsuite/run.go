package sparqlsuite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/resultset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// Answer is what a query gives: rows or a boolean, or a graph.
type Answer struct {
	Set   *resultset.Set
	Graph []rdf.Quad
}

// engine answers a query over quads. service has the quads of endpoints.
type engine func(quads []rdf.Quad, q *sparql.Query, service map[string][]rdf.Quad) (Answer, error)

// Evaluation reports whether a case evaluates a query.
func (c *Case) Evaluation() bool {
	return c.Type == "QueryEvaluationTest" || c.Type == "CSVResultFormatTest"
}

// Run runs all evaluation tests of the suite for which skip has no reason. A
// key of skip is a folder, or a folder and the name of a case.
func (s *Suite) Run(t *testing.T, e engine, skip map[string]string) {
	for _, c := range s.Cases {
		if !c.Evaluation() {
			continue
		}
		t.Run(c.Folder+"/"+c.Name, func(t *testing.T) {
			for _, key := range []string{c.Folder, c.Folder + "/" + c.Name} {
				if why, ok := skip[key]; ok {
					t.Skip(why)
				}
			}
			s.run(t, &c, e)
		})
	}
}

func (s *Suite) run(t *testing.T, c *Case, e engine) {
	text, err := s.text(c.Query)
	if err != nil {
		t.Fatal(err)
	}
	q, err := sparql.Parse(text, &sparql.ParseOptions{Base: c.Query.iRI()})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	quads, err := s.data(c, q)
	if err != nil {
		t.Fatal(err)
	}
	service := make(map[string][]rdf.Quad)
	for _, f := range c.Service {
		if service[f.Endpoint], err = s.Read(f, rdf.Term{}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := e(quads, q, service)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff, err := s.compare(c, q, got); err != nil {
		t.Fatal(err)
	} else if diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
}

// data reads the data of a case, and the graphs that the query names.
func (s *Suite) data(c *Case, q *sparql.Query) ([]rdf.Quad, error) {
	var out []rdf.Quad
	add := func(f File, g rdf.Term) error {
		quads, err := s.Read(f, g)
		out = append(out, quads...)
		return err
	}
	for _, f := range c.Data {
		if err := add(f, rdf.Term{}); err != nil {
			return nil, err
		}
	}
	known := make(map[string]bool)
	for _, f := range c.Graphs {
		known[f.Name] = true
		if err := add(f, rdf.IRI(f.iRI())); err != nil {
			return nil, err
		}
	}
	for _, iri := range q.FromClauses() {
		f := file(iri)
		if known[f.Name] || !strings.HasPrefix(iri.Value(), base) {
			continue
		}
		known[f.Name] = true
		if err := add(f, iri); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compare returns what differs between an answer and the one that is wanted.
func (s *Suite) compare(c *Case, q *sparql.Query, got Answer) (string, error) {
	if f := q.Form(); f == sparql.FormConstruct || f == sparql.FormDescribe {
		want, err := s.Read(c.Result, rdf.Term{})
		if err != nil {
			return "", err
		}
		if isomorphic.Equal(got.Graph, want) {
			return "", nil
		}
		return fmt.Sprintf("got the triples\n%s\nwant\n%s", list(got.Graph), list(want)), nil
	}
	want, err := s.answer(c.Result)
	if err != nil {
		return "", err
	}
	opt := resultset.DiffOptions{Ordered: want.Ordered, Distinct: c.Lax, Lossy: strings.HasSuffix(c.Result.Name, ".csv"), ByValue: true}
	return resultset.Diff(got.Set, want, opt), nil
}

// answer reads an expected answer.
func (s *Suite) answer(f File) (*resultset.Set, error) {
	if format, ok := results.FormatOf(f.Name); ok {
		text, err := s.text(f)
		if err != nil {
			return nil, err
		}
		r, err := results.NewReader(strings.NewReader(text), format)
		if err != nil {
			return nil, err
		}
		return resultset.ReadAll(r)
	}
	quads, err := s.Read(f, rdf.Term{})
	if err != nil {
		return nil, err
	}
	return resultset.FromGraph(quads)
}

func list(quads []rdf.Quad) string {
	var b strings.Builder
	for _, q := range quads {
		fmt.Fprintf(&b, "  %v %v %v %v\n", q.S, q.P, q.O, q.G)
	}
	return b.String()
}
