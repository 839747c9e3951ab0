// Package sparqlsuite reads the W3C SPARQL suites and runs their query
// evaluation tests on an engine. Only tests import it.
package sparqlsuite

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// base is the IRI below which the files of the suites are known.
const base = "http://w3c.test/"

const (
	mfNS = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	qtNS = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	utNS = "http://www.w3.org/2009/sparql/tests/test-update#"
)

// File is a file of a suite, and the graph that it is loaded into.
type File struct {
	Name     string // below the suites' folder, with slashes
	Endpoint string // of service data: the endpoint that has it
	Graph    string // of update tests: the name of the graph that it is
}

// iRI returns the IRI of the file.
func (f File) iRI() string { return base + f.Name }

// Case is one entry of a manifest.
type Case struct {
	Folder  string // such as "sparql11/aggregates"
	Name    string // the last part of its IRI
	Type    string // such as "QueryEvaluationTest"
	Query   File
	Data    []File // loaded into the default graph
	Graphs  []File // named graphs
	Service []File // data of endpoints
	Result  File
	Lax     bool // duplicates in the result do not count
	Regime  bool // needs entailment

	// Of update tests, in addition to Query (the request), Data and Graphs:
	After       []File // the default graph that is wanted
	AfterGraphs []File // the named graphs that are wanted
}

// Suite is all cases of one suite, by folder.
type Suite struct {
	dir   string
	Cases []Case
}

// Load reads the manifests of a suite, such as "sparql11".
func Load(t testing.TB, suite string) *Suite {
	t.Helper()
	dir := reteshared.W3C(t, "sparql")
	s := &Suite{dir: dir}
	list, err := filepath.Glob(filepath.Join(dir, suite, "*", "manifest.ttl"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no manifests of %s in %s", suite, dir)
	}
	slices.Sort(list)
	for _, name := range list {
		folder := suite + "/" + filepath.Base(filepath.Dir(name))
		if err := s.manifest(folder); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// node is the properties of a subject.
type node map[string][]rdf.Term

// manifest reads one manifest.
func (s *Suite) manifest(folder string) error {
	quads, err := s.Read(File{Name: folder + "/manifest.ttl"}, rdf.Term{})
	if err != nil {
		return err
	}
	g := make(map[rdf.Term]node)
	for _, q := range quads {
		if g[q.S] == nil {
			g[q.S] = make(node)
		}
		g[q.S][q.P.Value()] = append(g[q.S][q.P.Value()], q.O)
	}
	for _, n := range g {
		for _, list := range n[mfNS+"entries"] {
			for list.Value() != rdf.RDF+"nil" {
				entry := g[list][rdf.RDF+"first"][0]
				s.Cases = append(s.Cases, newCase(folder, entry, g))
				list = g[list][rdf.RDF+"rest"][0]
			}
		}
	}
	return nil
}

func newCase(folder string, entry rdf.Term, g map[rdf.Term]node) Case {
	c := Case{Folder: folder, Name: entry.Value()}
	if i := strings.LastIndexAny(c.Name, "#/"); i >= 0 {
		c.Name = c.Name[i+1:]
	}
	n := g[entry]
	if len(n[rdf.RDF+"type"]) > 0 {
		c.Type = strings.TrimPrefix(n[rdf.RDF+"type"][0].Value(), mfNS)
	}
	for _, x := range n[mfNS+"resultCardinality"] {
		c.Lax = x.Value() == mfNS+"LaxCardinality"
	}
	for _, x := range n[mfNS+"result"] {
		c.Result = file(x)
	}
	for _, result := range n[mfNS+"result"] {
		c.After, c.AfterGraphs = store(g[result], g)
	}
	for _, action := range n[mfNS+"action"] {
		a := g[action]
		if len(a[utNS+"request"]) > 0 {
			c.Query = file(a[utNS+"request"][0])
			c.Data, c.Graphs = store(a, g)
			continue
		}
		if len(a[qtNS+"query"]) == 0 {
			c.Query = file(action)
		}
		for _, x := range a[qtNS+"query"] {
			c.Query = file(x)
		}
		for _, x := range a[qtNS+"data"] {
			c.Data = append(c.Data, file(x))
		}
		for _, x := range a[qtNS+"graphData"] {
			c.Graphs = append(c.Graphs, file(x))
		}
		for _, x := range a[qtNS+"serviceData"] {
			f := file(g[x][qtNS+"data"][0])
			f.Endpoint = g[x][qtNS+"endpoint"][0].Value()
			c.Service = append(c.Service, f)
		}
		c.Regime = len(a["http://www.w3.org/ns/sparql-service-description#entailmentRegime"]) > 0
	}
	return c
}

func file(t rdf.Term) File { return File{Name: strings.TrimPrefix(t.Value(), base)} }

// text returns the content of a file.
func (s *Suite) text(f File) (string, error) {
	b, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(f.Name)))
	return string(b), err
}

// Read returns the quads of a file, all in the graph g unless g is zero. Blank
// nodes are named after the file.
func (s *Suite) Read(f File, g rdf.Term) ([]rdf.Quad, error) {
	in, err := os.Open(filepath.Join(s.dir, filepath.FromSlash(f.Name)))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	format := rdfio.FormatOf(f.Name)
	r, err := rdfio.Open(path.Base(f.Name), in, format, rdf.Options{File: f.Name, Base: f.iRI()})
	if err != nil {
		return nil, err
	}
	prefix := strings.NewReplacer("/", "_", ".", "_", "#", "_").Replace(f.Name) + "_"
	rename := func(b []byte) rdf.Term { return renamed(rdf.FromSurface(string(b)), prefix) }
	var out []rdf.Quad
	var q rdf.RawQuad
	for {
		if err := r.Read(&q); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		quad := rdf.Quad{S: rename(q.S), P: rename(q.P), O: rename(q.O), G: g}
		if len(q.G) > 0 {
			quad.G = rename(q.G)
		}
		out = append(out, quad)
	}
}

// renamed puts a prefix before the labels of blank nodes in a term.
func renamed(t rdf.Term, prefix string) rdf.Term {
	switch t.Kind() {
	case rdf.KindBlank:
		return rdf.Blank(prefix + t.Value())
	case rdf.KindTriple:
		s, p, o, _ := t.Triple()
		return rdf.TripleTerm(renamed(s, prefix), p, renamed(o, prefix))
	}
	return t
}
