package sparql_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/value"
)

var oxigraphPython = flag.String("diff.oxigraph", "", "a Python with the package pyoxigraph, for TestOxigraph")

// oxigraph is Oxigraph in a Python process.
type oxigraph struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

// oxigraphAnswer is a line of the process.
type oxigraphAnswer struct {
	Missing bool
	Version string
	Error   string
	Vars    []string
	Rows    [][]*string
}

func startOxigraph(t *testing.T) *oxigraph {
	if *oxigraphPython == "" {
		t.Skip("-diff.oxigraph names no Python with pyoxigraph")
	}
	cmd := exec.Command(*oxigraphPython, filepath.Join("testdata", "oxigraph.py"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	o := &oxigraph{in: in, out: bufio.NewScanner(out)}
	o.out.Buffer(nil, 64<<20)
	hello, err := o.read()
	if err != nil {
		t.Fatal(err)
	}
	if hello.Missing {
		t.Skipf("%s has no pyoxigraph", *oxigraphPython)
	}
	t.Logf("Oxigraph %s", hello.Version)
	return o
}

func (o *oxigraph) read() (*oxigraphAnswer, error) {
	if !o.out.Scan() {
		return nil, errors.New("the process ended")
	}
	a := new(oxigraphAnswer)
	return a, json.Unmarshal(o.out.Bytes(), a)
}

// answer runs a query over quads.
func (o *oxigraph) answer(quads []rdf.Quad, query string) (*oxigraphAnswer, error) {
	var data []byte
	for _, q := range quads {
		raw := q.Raw()
		data = nquads.AppendQuad(data, &raw)
	}
	line, err := json.Marshal(map[string]string{"data": string(data), "query": query})
	if err != nil {
		return nil, err
	}
	if _, err := o.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	a, err := o.read()
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, err
}

// byValue spells terms so that two spellings of a number are one, as Oxigraph
// stores them, and blank nodes are one.
func byValue(t rdf.Term) rdf.Term {
	switch t.Kind() {
	case rdf.KindBlank:
		return rdf.Blank("_")
	case rdf.KindLiteral:
		if f, ok := value.FromTerm(t).Float64(); ok {
			return rdf.Typed(fmt.Sprintf("%.12g", f), t.Datatype())
		}
	}
	return t
}

// oxigraphDiffers compares one case.
func (o *oxigraph) differs(quads []rdf.Quad, text string) (what string, bad bool) {
	text = fuzzquery.Prefixes + text
	q, err := sparql.Parse(text, nil)
	if err != nil {
		return "", false
	}
	got, err := answer(load(quads), q)
	if err != nil {
		return err.Error(), true
	}
	theirs, err := o.answer(quads, text)
	if err != nil {
		return "Oxigraph: " + err.Error(), true
	}
	for _, row := range got.Set.Rows {
		for i := range row {
			row[i] = byValue(row[i])
		}
	}
	var rows [][]rdf.Term
	for _, row := range theirs.Rows {
		terms := make([]rdf.Term, len(row))
		for i, cell := range row {
			if cell == nil {
				continue
			}
			term, err := rdf.ParseTerm(*cell)
			if err != nil {
				return fmt.Sprintf("Oxigraph: %q: %v", *cell, err), true
			}
			terms[i] = byValue(term)
		}
		rows = append(rows, terms)
	}
	g, w := lines(got.Set.Vars, got.Set.Rows, got.Set.Vars), lines(theirs.Vars, rows, got.Set.Vars)
	if slices.Equal(g, w) {
		return "", false
	}
	return fmt.Sprintf("rete     %q\nOxigraph %q", g, w), true
}

// TestOxigraph compares the engine with Oxigraph on the cases of
// TestDifferential, and prints each difference, shrunk. docs/oxigraph.md lists
// their kinds with the sections that decide.
//
//	go test ./sparql -run TestOxigraph -v -diff.oxigraph VENV/bin/python -diff.cases 2000
func TestOxigraph(t *testing.T) {
	o := startOxigraph(t)
	kinds := make(map[string]int)
	for i := range diffCases() {
		seed := *diffSeed + uint64(i)
		quads, q := randomCase(seed)
		test := func(quads []rdf.Quad, q fuzzquery.Query) (string, bool) { return o.differs(quads, q.String()) }
		if _, bad := test(quads, q); !bad {
			continue
		}
		quads, q = shrink(quads, q, test)
		what, _ := test(quads, q)
		kind := differenceKind(q.String())
		if kinds[kind]++; kinds[kind] <= 3 || kind == "" {
			t.Logf("seed %d (%s):\n%s\n%s\n%s", seed, kind, q, dump(quads), what)
		}
	}
	for kind, n := range kinds {
		t.Logf("%d cases: %s", n, kind)
		if kind == "" {
			t.Errorf("%d cases differ in a way that docs/oxigraph.md does not name", n)
		}
	}
}

// differenceKinds are the kinds of differences that docs/oxigraph.md explains, by
// what the shrunk query has. The first one that fits counts.
var differenceKinds = []struct {
	query *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`GRAPH `), "GRAPH over patterns without triples"},
	{regexp.MustCompile(`[a-z)][*?]( |/|\))`), "zero-length paths of terms that are not in the graph"},
	{regexp.MustCompile(`!\(:p\|\^:q\)`), "negated property sets in both directions"},
	{regexp.MustCompile(`:p\|:q|!:p`), "multiplicities of alternatives and negated property sets"},
	{regexp.MustCompile(`ORDER BY|MAX\(|MIN\(`), "the order of terms of different kinds"},
	{regexp.MustCompile(`MINUS `), "MINUS without shared variables"},
	{regexp.MustCompile(`STR\(`), "lexical forms of numbers"},
	{regexp.MustCompile(` (<|=|!=|IN) `), "comparison of terms of different kinds"},
}

// differenceKind names the kind of a difference; empty for others.
func differenceKind(query string) string {
	for _, k := range differenceKinds {
		if k.query.MatchString(query) {
			return k.name
		}
	}
	return ""
}
