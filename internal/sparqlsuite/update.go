package sparqlsuite

import (
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/sparql"
)

// Updater carries out an update on quads and returns what they are then.
type Updater func(quads []rdf.Quad, u *sparql.Update) ([]rdf.Quad, error)

// Updates reports whether a case carries out an update.
func (c *Case) Updates() bool { return c.Type == "UpdateEvaluationTest" }

// store reads what an update test says of a store: the files of the default graph
// and of named graphs.
func store(n node, g map[rdf.Term]node) (data, graphs []File) {
	for _, x := range n[utNS+"data"] {
		data = append(data, file(x))
	}
	for _, x := range n[utNS+"graphData"] {
		f := file(g[x][utNS+"graph"][0])
		f.Graph = g[x]["http://www.w3.org/2000/01/rdf-schema#label"][0].Value()
		graphs = append(graphs, f)
	}
	return data, graphs
}

// RunUpdates runs all update evaluation tests of the suite.
func (s *Suite) RunUpdates(t *testing.T, run Updater) {
	for _, c := range s.Cases {
		if c.Updates() {
			t.Run(c.Folder+"/"+c.Name, func(t *testing.T) { s.runUpdate(t, &c, run) })
		}
	}
}

func (s *Suite) runUpdate(t *testing.T, c *Case, run Updater) {
	text, err := s.text(c.Query)
	if err != nil {
		t.Fatal(err)
	}
	u, err := sparql.ParseUpdate(text, &sparql.ParseOptions{Base: c.Query.iRI()})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	before, err := s.quads(c.Data, c.Graphs)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.quads(c.After, c.AfterGraphs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(before, u)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !isomorphic.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s\n%s", list(got), list(want), text)
	}
}

// quads reads the files of a store.
func (s *Suite) quads(data, graphs []File) ([]rdf.Quad, error) {
	var out []rdf.Quad
	for _, f := range data {
		quads, err := s.Read(f, rdf.Term{})
		if err != nil {
			return nil, err
		}
		out = append(out, quads...)
	}
	for _, f := range graphs {
		quads, err := s.Read(f, rdf.IRI(f.Graph))
		if err != nil {
			return nil, err
		}
		out = append(out, quads...)
	}
	return out, nil
}
