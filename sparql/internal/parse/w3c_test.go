package parse_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

var update = flag.Bool("update", false, "rewrite golden files in testdata")

const (
	mf = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	qt = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	ut = "http://www.w3.org/2009/sparql/tests/test-update#"
)

// w3cTest is an entry of a manifest that has a text of SPARQL.
type w3cTest struct {
	name, kind string // kind: the local name of its type
	file       string
}

// readManifest returns the entries of a manifest in the order of the file.
func readManifest(t *testing.T, file string) []w3cTest {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := "http://w3c/" + filepath.ToSlash(filepath.Dir(file)) + "/"
	r := turtle.NewReader(f, rdf.Options{File: file, Base: dir + "manifest.ttl"})
	graph := map[string]map[string][]rdf.Term{}
	for {
		var q rdf.RawQuad
		if err := r.Read(&q); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		s, p := string(q.S), string(q.P)
		if graph[s] == nil {
			graph[s] = map[string][]rdf.Term{}
		}
		graph[s][p] = append(graph[s][p], rdf.FromSurface(string(q.O)))
	}
	one := func(s rdf.Term, p string) rdf.Term {
		if v := graph[s.Surface()]["<"+p+">"]; len(v) > 0 {
			return v[0]
		}
		return rdf.Term{}
	}
	var heads []rdf.Term
	for _, props := range graph {
		heads = append(heads, props["<"+mf+"entries>"]...)
	}
	var tests []w3cTest
	for _, list := range heads {
		for ; !one(list, rdf.RDF+"first").IsZero(); list = one(list, rdf.RDF+"rest") {
			entry := one(list, rdf.RDF+"first")
			kind := one(entry, rdf.RDF+"type").Value()
			action := one(entry, mf+"action")
			for _, p := range []string{qt + "query", ut + "request"} {
				if a := one(action, p); !a.IsZero() {
					action = a
				}
			}
			name := strings.TrimPrefix(action.Value(), dir)
			tests = append(tests, w3cTest{entry.Value()[strings.LastIndexAny(entry.Value(), "#/")+1:],
				kind[strings.IndexByte(kind, '#')+1:], filepath.Join(filepath.Dir(file), name)})
		}
	}
	return tests
}

// TestW3C runs the syntax tests of the three suites; the texts of evaluation
// tests must parse and have a translation. The number of entries per folder and
// type is in testdata/w3c.txt.
func TestW3C(t *testing.T) {
	root := reteshared.W3C(t, "sparql")
	counts := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "manifest.ttl" {
			return err
		}
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		folder = filepath.ToSlash(folder)
		for _, test := range readManifest(t, path) {
			counts[folder+" "+test.kind]++
			t.Run(folder+"/"+test.name, func(t *testing.T) { test.run(t) })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for k, n := range counts {
		lines = append(lines, fmt.Sprintf("%s %d\n", k, n))
	}
	slices.Sort(lines)
	golden(t, "w3c.txt", strings.Join(lines, ""))
}

func (test w3cTest) run(t *testing.T) {
	negative := strings.HasPrefix(test.kind, "Negative")
	isUpdate := strings.Contains(test.kind, "Update")
	if !isUpdate && !strings.Contains(test.kind, "Query") && !strings.Contains(test.kind, "Syntax") && !strings.Contains(test.kind, "CSV") {
		t.Skip("protocol, graph store and service description: no text of SPARQL")
	}
	b, err := os.ReadFile(test.file)
	if err != nil {
		t.Fatal(err)
	}
	opt := &ast.Options{Base: "http://w3c/" + filepath.Base(test.file)}
	if isUpdate {
		err = parseUpdate(t, string(b), opt)
	} else {
		err = parseQuery(t, string(b), opt)
	}
	var se *ast.SyntaxError
	switch {
	case negative && err == nil:
		t.Error("the text parses, and should not")
	case negative && (!errors.As(err, &se) || se.Line < 1 || se.Column < 1 || se.Excerpt == ""):
		t.Errorf("the error %v has no position", err)
	case !negative && err != nil:
		t.Error(err)
	}
}

// parseQuery parses and translates a text, and checks that it is the same after
// printing.
func parseQuery(t *testing.T, text string, opt *ast.Options) error {
	t.Helper()
	q, err := parse.Query(text, opt)
	if err != nil {
		return err
	}
	if _, err := algebra.Translate(q); err != nil {
		t.Errorf("no translation: %v", err)
	}
	again, err := parse.Query(q.String(), nil)
	if err != nil {
		t.Errorf("printed, it does not parse: %v\n%s", err, q)
		return nil
	}
	sameTree(t, q, again)
	return nil
}

func parseUpdate(t *testing.T, text string, opt *ast.Options) error {
	t.Helper()
	u, err := parse.Update(text, opt)
	checkFed(t, text, opt, u, err)
	if err != nil {
		return err
	}
	if _, err := algebra.TranslateUpdate(u); err != nil {
		t.Errorf("no translation: %v", err)
	}
	again, err := parse.Update(u.String(), nil)
	if err != nil {
		t.Errorf("printed, it does not parse: %v\n%s", err, u)
		return nil
	}
	sameTree(t, u, again)
	return nil
}

// golden compares got with a file of testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the change\ngot:\n%s", file, got)
	}
}
