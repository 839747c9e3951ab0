package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/server"
	"github.com/rete-go/rete/sparql/results"
)

// The vocabularies of the manifests.
const (
	mf        = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	ht        = "http://www.w3.org/2011/http#"
	hts       = "http://www.w3.org/2011/http-statusCodes#"
	cnt       = "http://www.w3.org/2011/content#"
	ut        = "http://www.w3.org/2009/sparql/tests/test-update#"
	rdfsLabel = "http://www.w3.org/2000/01/rdf-schema#label"
)

// graph is a manifest that can be walked.
type graph map[rdf.Term]map[string][]rdf.Term

func readGraph(t *testing.T, file string) graph {
	t.Helper()
	f, err := rdfio.OpenFile(file, rdfio.Turtle, rdf.Options{Base: "http://manifest/"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	quads, err := rdf.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	g := graph{}
	for _, q := range quads {
		if g[q.S] == nil {
			g[q.S] = map[string][]rdf.Term{}
		}
		g[q.S][q.P.Value()] = append(g[q.S][q.P.Value()], q.O)
	}
	return g
}

func (g graph) one(s rdf.Term, p string) rdf.Term {
	if l := g[s][p]; len(l) > 0 {
		return l[0]
	}
	return rdf.Term{}
}

func (g graph) text(s rdf.Term, p string) string { return g.one(s, p).Value() }

func (g graph) list(s rdf.Term) []rdf.Term {
	var out []rdf.Term
	for s.Value() != rdf.RDF+"nil" && !s.IsZero() {
		out = append(out, g.one(s, rdf.RDF+"first"))
		s = g.one(s, rdf.RDF+"rest")
	}
	return out
}

// tests returns the tests of a manifest in a fixed order: all of a class, also
// those that mf:entries lacks.
func (g graph) tests(class string) []rdf.Term {
	var out []rdf.Term
	for s, p := range g {
		if slices.Contains(p[rdf.RDF+"type"], rdf.IRI(mf+class)) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b rdf.Term) int { return strings.Compare(a.Value(), b.Value()) })
	return out
}

func testName(s rdf.Term) string {
	v := s.Value()
	return v[strings.LastIndexByte(v, '#')+1:]
}

// serveEmpty serves a database of its own without quads.
func serveEmpty(t *testing.T) *httptest.Server {
	return start(t, server.Database(newDatabase(t)), nil)
}

func TestW3CProtocol(t *testing.T) {
	dir := reteshared.W3C(t, "sparql", "sparql11", "protocol")
	g := readGraph(t, filepath.Join(dir, "manifest.ttl"))
	tests := g.tests("ProtocolTest")
	if len(tests) != 34 {
		t.Errorf("%d tests, want 34", len(tests))
	}
	for _, test := range tests {
		t.Run(testName(test), func(t *testing.T) {
			srv := serveEmpty(t)
			for _, data := range g[test][ut+"graphData"] {
				file := filepath.Join(dir, filepath.Base(g.text(data, ut+"graph")))
				body, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				a := ask(t, "PUT", srv.URL+"/store?graph="+g.text(data, rdfsLabel), string(body), "Content-Type", "application/n-triples")
				if a.status != 201 {
					t.Fatalf("put of %s: %d %s", file, a.status, a.body)
				}
			}
			run(t, g, test, func(path string) string { return srv.URL + "/sparql" + strings.TrimPrefix(path, "/sparql/") })
		})
	}
}

func TestW3CGraphStoreProtocol(t *testing.T) {
	dir := reteshared.W3C(t, "sparql", "sparql11", "graph-store-protocol")
	total := 0
	for _, name := range []string{"manifest-direct.ttl", "manifest-indirect.ttl"} {
		g := readGraph(t, filepath.Join(dir, name))
		tests := g.tests("GraphStoreProtocolTest")
		total += len(tests)
		for _, test := range tests {
			t.Run(testName(test), func(t *testing.T) {
				srv := serveEmpty(t)
				run(t, g, test, func(path string) string { return srv.URL + "/store" + strings.TrimPrefix(path, "/gsp") })
			})
		}
	}
	if total != 14 {
		t.Errorf("%d tests, want 14", total)
	}
}

// run sends the requests of a test, one after the other.
func run(t *testing.T, g graph, test rdf.Term, url func(path string) string) {
	location := ""
	requests := g.list(g.one(g.one(test, mf+"action"), ht+"requests"))
	if len(requests) == 0 {
		t.Fatal("the test has no requests")
	}
	for i, r := range requests {
		expand := strings.NewReplacer("$LOCATION$", location).Replace
		body := g.one(r, ht+"body")
		content := expand(g.text(body, cnt+"chars"))
		if g.text(body, cnt+"characterEncoding") == "UTF-16" {
			content = toUTF16(content)
		}
		req, err := http.NewRequestWithContext(t.Context(), g.text(r, ht+"methodName"), url(expand(g.text(r, ht+"absolutePath"))), strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range g.list(g.one(r, ht+"headers")) {
			req.Header.Set(g.text(h, ht+"fieldName"), g.text(h, ht+"fieldValue"))
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := g.one(r, ht+"resp")
		if msg := compare(g, want, resp, string(got)); msg != "" {
			t.Fatalf("request %d, %s %s: %s\n%s", i+1, req.Method, req.URL, msg, got)
		}
		if !g.one(want, mf+"expectedLocation").IsZero() {
			if location = resp.Header.Get("Location"); location == "" {
				t.Fatalf("request %d: no Location", i+1)
			}
		}
	}
}

func toUTF16(s string) string {
	b := []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u>>8), byte(u))
	}
	return string(b)
}

// compare says what of a response is not as it must be.
func compare(g graph, want rdf.Term, resp *http.Response, body string) string {
	if !slices.ContainsFunc(g[want][mf+"expectedStatus"], func(s rdf.Term) bool { return statusIs(resp.StatusCode, s.Value()) }) {
		return fmt.Sprintf("status %d, want %v", resp.StatusCode, g[want][mf+"expectedStatus"])
	}
	content := resp.Header.Get("Content-Type")
	media, _, _ := strings.Cut(content, ";")
	switch format := g.text(want, mf+"expectedFormat"); format {
	case "":
	case "RDF":
		if _, err := rdfio.ParseFormat(media); err != nil {
			return "the Content-Type is " + content
		}
	default:
		f, ok := results.ParseFormat(media)
		if !ok {
			return "the Content-Type is " + content
		}
		reader, err := results.NewReader(strings.NewReader(body), f)
		if err != nil {
			return err.Error()
		}
		yes, is := reader.Boolean()
		if is != (format == "boolean") {
			return "the answer is not " + format
		}
		if b := g.text(want, mf+"expectedBoolean"); b != "" && b != strconv.FormatBool(yes) {
			return fmt.Sprintf("the answer is %v", yes)
		}
	}
	for _, h := range g.list(g.one(want, ht+"headers")) {
		name := g.text(h, ht+"fieldName")
		if got := resp.Header.Get(name); got != g.text(h, ht+"fieldValue") {
			return fmt.Sprintf("%s is %q", name, got)
		}
	}
	if b := g.one(want, ht+"body"); !b.IsZero() {
		return compareGraphs(body, g.text(b, cnt+"chars"))
	}
	return ""
}

func statusIs(got int, want string) bool {
	switch name := strings.TrimPrefix(want, hts); name {
	case "OK":
		return got == 200
	case "Created":
		return got == 201
	case "NoContent":
		return got == 204
	case "NotFound":
		return got == 404
	default:
		return name == fmt.Sprintf("StatusCode%dxx", got/100)
	}
}

func compareGraphs(got, want string) string {
	var both [2][]rdf.Quad
	for i, text := range []string{got, want} {
		r, err := rdfio.Open("graph", strings.NewReader(text), rdfio.Turtle, rdf.Options{Base: "http://www.example/gsp/"})
		if err == nil {
			both[i], err = rdf.ReadAll(r)
		}
		if err != nil {
			return err.Error()
		}
	}
	if !isomorphic.Equal(both[0], both[1]) {
		return "the graphs differ"
	}
	return ""
}

// TestW3CServiceDescription does what the three tests of the folder say in words.
func TestW3CServiceDescription(t *testing.T) {
	dir := reteshared.W3C(t, "sparql", "sparql11", "service-description")
	tests := readGraph(t, filepath.Join(dir, "manifest.ttl")).tests("ServiceDescriptionTest")
	if len(tests) != 3 {
		t.Errorf("%d tests, want 3", len(tests))
	}
	srv := serveEmpty(t)
	const sd = "http://www.w3.org/ns/sparql-service-description#"
	for _, media := range []string{"", "text/turtle", "application/rdf+xml", "application/n-triples"} {
		a := ask(t, "GET", srv.URL+"/sparql", "", "Accept", media)
		content, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
		f, err := rdfio.ParseFormat(content)
		if a.status != 200 || err != nil {
			t.Fatalf("%s: status %d, type %q", media, a.status, content)
		}
		file := filepath.Join(t.TempDir(), "description")
		if err := os.WriteFile(file, []byte(a.body), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := rdfio.OpenFile(file, f, rdf.Options{Base: "http://ex/"})
		if err != nil {
			t.Fatal(err)
		}
		quads, err := rdf.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		t.Run("returns-rdf", func(t *testing.T) {
			if len(quads) == 0 {
				t.Error("no triples")
			}
		})
		t.Run("has-endpoint-triple", func(t *testing.T) {
			if !slices.ContainsFunc(quads, func(q rdf.Quad) bool {
				return q.P.Value() == sd+"endpoint" && q.O == rdf.IRI(srv.URL+"/sparql")
			}) {
				t.Errorf("no endpoint: %v", quads)
			}
		})
		t.Run("conforms-to-schema", func(t *testing.T) { checkSchema(t, quads) })
	}
}

// checkSchema checks what the vocabulary says of the properties in a description.
func checkSchema(t *testing.T, quads []rdf.Quad) {
	const sd = "http://www.w3.org/ns/sparql-service-description#"
	types := map[rdf.Term]string{}
	for _, q := range quads {
		if q.P.Value() == rdf.RDF+"type" {
			types[q.S] = q.O.Value()
		}
	}
	// Domain and range; an empty range is any IRI.
	schema := map[string][2]string{
		sd + "endpoint":          {sd + "Service", ""},
		sd + "feature":           {sd + "Service", ""},
		sd + "supportedLanguage": {sd + "Service", ""},
		sd + "resultFormat":      {sd + "Service", ""},
		sd + "inputFormat":       {sd + "Service", ""},
		sd + "defaultDataset":    {sd + "Service", sd + "Dataset"},
		sd + "defaultGraph":      {sd + "Dataset", sd + "Graph"},
	}
	for _, q := range quads {
		if !strings.HasPrefix(q.P.Value(), sd) { // of another vocabulary, whose rules these are not
			continue
		}
		rule, known := schema[q.P.Value()]
		if !known || types[q.S] != rule[0] {
			t.Errorf("not in the schema: %v", q)
		}
		if rule[1] == "" && q.O.Kind() != rdf.KindIRI || rule[1] != "" && types[q.O] != rule[1] {
			t.Errorf("wrong object: %v", q)
		}
	}
}
