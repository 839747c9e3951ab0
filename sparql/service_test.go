package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// endpoint answers queries over quads, and notes them.
type endpoint struct {
	quads []rdf.Quad
	opts  []sparql.Option

	mu      sync.Mutex
	queries []string
	fail    func(query string) bool
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := r.FormValue("query")
	e.mu.Lock()
	e.queries = append(e.queries, text)
	e.mu.Unlock()
	q, err := sparql.Parse(text, nil)
	if err == nil && e.fail != nil && e.fail(text) {
		err = fmt.Errorf("told to fail")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", sparql.JSON.MediaType())
	if err := sparql.WriteTo(r.Context(), w, sparql.JSON, load(e.quads), q, e.opts...); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// routed sends the requests for the hosts of the suite to the endpoints that the
// test started.
type routed map[string]http.Handler

func (r routed) RoundTrip(req *http.Request) (*http.Response, error) {
	h, ok := r["http://"+req.URL.Host+req.URL.Path]
	if !ok {
		return nil, fmt.Errorf("no such host %s", req.URL.Host)
	}
	server := httptest.NewServer(h)
	u, err := url.Parse(server.URL)
	if err != nil {
		return nil, err
	}
	out := req.Clone(req.Context())
	out.URL.Scheme, out.URL.Host = u.Scheme, u.Host
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		server.Close()
		return nil, err
	}
	resp.Body = closing{resp.Body, server.Close}
	return resp, nil
}

// closing ends the server with the answer.
type closing struct {
	io.ReadCloser
	end func()
}

func (c closing) Close() error {
	err := c.ReadCloser.Close()
	c.end()
	return err
}

// TestW3CServiceHTTP runs the suite's SERVICE tests against endpoints over HTTP.
func TestW3CServiceHTTP(t *testing.T) {
	s := sparqlsuite.Load(t, "sparql11")
	s.Cases = slices.DeleteFunc(s.Cases, func(c sparqlsuite.Case) bool { return c.Folder != "sparql11/service" })
	if len(s.Cases) != 7 {
		t.Errorf("%d cases, want 7", len(s.Cases))
	}
	s.Run(t, func(quads []rdf.Quad, q *sparql.Query, service map[string][]rdf.Quad) (sparqlsuite.Answer, error) {
		to := make(routed)
		opt := sparql.HTTPService(&http.Client{Transport: to}, nil)
		for name, data := range service {
			to[name] = &endpoint{quads: data, opts: []sparql.Option{opt}}
		}
		return answer(load(quads), q, opt)
	}, nil)
}

// numbers are quads s0 p 0, s1 p 1, and so on.
func numbers(n int) []rdf.Quad {
	var out []rdf.Quad
	for i := range n {
		out = append(out, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i)), P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(i))})
	}
	return out
}

// rowsOf runs a query with SERVICE at endpoints named e1, e2, and so on.
func rowsOf(ctx context.Context, quads []rdf.Quad, query string, endpoints ...*endpoint) ([]string, error) {
	to := make(routed)
	for i, e := range endpoints {
		to[fmt.Sprintf("http://e%d/", i+1)] = e
	}
	q, err := sparql.Parse("PREFIX : <http://ex/>\n"+query, nil)
	if err != nil {
		return nil, err
	}
	a, err := answer(load(quads), q, sparql.HTTPService(&http.Client{Transport: to}, nil))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, row := range a.Set.Rows {
		var cells []string
		for _, t := range row {
			cells = append(cells, caseTerm(t, false))
		}
		out = append(out, strings.Join(cells, " "))
	}
	slices.Sort(out)
	return out, nil
}

// TestServiceKeys: an endpoint is asked for the keys of the join, each once, 100 in
// a request.
func TestServiceKeys(t *testing.T) {
	e := &endpoint{quads: numbers(1000)}
	local := numbers(250)
	for i := range local {
		local[i].P = rdf.IRI("http://ex/q")
	}
	local = append(local, local...) // twice the same is once
	local = append(local, rdf.Quad{S: rdf.Blank("b"), P: rdf.IRI("http://ex/q"), O: rdf.Integer(1)})
	for _, c := range []struct {
		query      string
		rows, most int
	}{
		{"SELECT ?s ?o { ?s :q ?x SERVICE <http://e1/> { ?s :p ?o } }", 250, 4},
		{"SELECT ?s ?o { SERVICE <http://e1/> { ?s :p ?o } ?s :q ?x }", 250, 4},
		{"SELECT ?s ?o { ?s :q ?o SERVICE <http://e1/> { ?s :p ?o } }", 250, 4},
		{"SELECT ?s ?o { ?s :q ?x OPTIONAL { SERVICE <http://e1/> { ?s :p ?o } } }", 251, 4},
		{"SELECT ?s ?o { ?s :q 7 SERVICE <http://e1/> { ?s :p ?o } }", 1, 1},
		{"SELECT ?s ?o { ?s :none ?x SERVICE <http://e1/> { ?s :p ?o } }", 0, 0},
		{"SELECT ?s ?o { ?s :q ?x FILTER(isBlank(?s)) SERVICE <http://e1/> { ?s :p ?o } }", 0, 0},
		{"SELECT ?s ?o { VALUES ?s { :s1 UNDEF } SERVICE <http://e1/> { ?s :p ?o } }", 1001, 1},
		{"SELECT ?s ?o { ?s :q ?x SERVICE <http://e1/> { OPTIONAL { ?s :p ?o } } }", 250, 1},
		{"SELECT ?o (COUNT(*) AS ?n) { ?s :q ?x SERVICE <http://e1/> { ?s :p ?o } } GROUP BY ?o", 250, 4},
	} {
		e.queries = nil
		rows, err := rowsOf(t.Context(), local, c.query, e)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if len(rows) != c.rows || len(e.queries) > c.most {
			t.Errorf("%s: %d rows by %d requests, want %d by %d at most", c.query, len(rows), len(e.queries), c.rows, c.most)
		}
		seen := make(map[string]int)
		for _, q := range e.queries {
			_, table, ok := strings.Cut(q, "VALUES")
			if !ok {
				continue
			}
			table, _, _ = strings.Cut(table, "}")
			keys := strings.Split(table, "(")[2:]
			if len(keys) > 100 {
				t.Errorf("%s: %d keys in a request", c.query, len(keys))
			}
			for _, k := range keys {
				seen[k]++
			}
		}
		if n := slices.Max(append(slices.Collect(maps.Values(seen)), 0)); n > 1 {
			t.Errorf("%s: a key is sent %d times", c.query, n)
		}
	}
}

// TestServiceSilentKeys: a failed request leaves its keys as they are, and those of
// the others joined.
func TestServiceSilentKeys(t *testing.T) {
	local := numbers(150)
	local = append(local, rdf.Quad{S: rdf.Blank("b"), P: rdf.IRI("http://ex/p"), O: rdf.Integer(149)})
	e := &endpoint{quads: numbers(200), fail: func(q string) bool { return strings.Contains(q, "s149>") }}
	rows, err := rowsOf(t.Context(), local, "SELECT ?s ?x ?o { ?s :p ?x SERVICE SILENT <http://e1/> { ?s :p ?o } }", e)
	if err != nil {
		t.Fatal(err)
	}
	bound, unbound := 0, 0
	for _, r := range rows {
		if strings.Count(r, " ") == 2 && !strings.HasSuffix(r, "^^xsd:") {
			bound++
		} else {
			unbound++
		}
	}
	if len(rows) < 150 || bound == 0 || unbound == 0 || len(e.queries) < 2 {
		t.Errorf("%d rows, %d bound, %d not, by %d requests", len(rows), bound, unbound, len(e.queries))
	}
	if _, err := rowsOf(t.Context(), local, "SELECT * { ?s :p ?x SERVICE <http://e1/> { ?s :p ?o } }", e); err == nil {
		t.Error("without SILENT: no error")
	}
}

// TestServiceWithoutEndpoint: a SERVICE whose endpoint is unbound or not an IRI is an
// error of its own, and under SILENT one solution that binds nothing.
func TestServiceWithoutEndpoint(t *testing.T) {
	local, e := numbers(3), &endpoint{quads: numbers(3)}
	for _, c := range []struct{ silent, loud string }{
		{"SELECT ?s { ?s :p ?o SERVICE SILENT ?x { ?a ?b ?c } }", "SELECT ?s { ?s :p ?o SERVICE ?x { ?a ?b ?c } }"},
		{"SELECT ?s { SERVICE SILENT ?x { ?a ?b ?c } ?s :p ?o }", "SELECT ?s { SERVICE ?x { ?a ?b ?c } ?s :p ?o }"},
		{"SELECT ?s { ?s :p ?o OPTIONAL { SERVICE SILENT ?x { ?s ?b ?c } } }", "SELECT ?s { ?s :p ?o OPTIONAL { SERVICE ?x { ?s ?b ?c } } }"},
		{"SELECT ?o { ?s :p ?o SERVICE SILENT ?o { ?a ?b ?c } }", "SELECT ?o { ?s :p ?o SERVICE ?o { ?a ?b ?c } }"},
	} {
		if rows, err := rowsOf(t.Context(), local, c.silent, e); err != nil || len(rows) != 3 {
			t.Errorf("%s: %d rows, %v", c.silent, len(rows), err)
		}
		if _, err := rowsOf(t.Context(), local, c.loud, e); !errors.Is(err, sparql.ErrEndpoint) {
			t.Errorf("%s: %v", c.loud, err)
		}
	}
}

// TestServiceVariable: the endpoints of a variable get their own keys.
func TestServiceVariable(t *testing.T) {
	one, two := &endpoint{quads: numbers(10)}, &endpoint{quads: numbers(20)}
	text := ":s1 :at <http://e1/> . :s2 :at <http://e1/>, <http://e2/> . :s15 :at <http://e1/>, <http://e2/> ."
	rows, err := rowsOf(t.Context(), parse(t, "trig", text, exBase), "SELECT ?s ?o { ?s :at ?e SERVICE ?e { ?s :p ?o } }", one, two)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{":s1 1", ":s15 15", ":s2 2", ":s2 2"}; !slices.Equal(rows, want) {
		t.Errorf("got %v, want %v", rows, want)
	}
	if len(one.queries) != 1 || len(two.queries) != 1 || strings.Contains(two.queries[0], "s1>") {
		t.Errorf("asked %v and %v", one.queries, two.queries)
	}
}

func TestServiceTimeout(t *testing.T) {
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-done:
		}
	}))
	defer server.Close()
	defer close(done)
	_, err := askService(t.Context(), t, server.URL, "SERVICE ENDPOINT { ?s a :T }", &sparql.ServiceOptions{Timeout: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "no whole answer within 1ms") {
		t.Errorf("error %v", err)
	}
	allow, err := sparql.AllowHosts("example.org")
	if err != nil {
		t.Fatal(err)
	}
	_, err = askService(t.Context(), t, server.URL, "SERVICE ENDPOINT { ?s a :T }", &sparql.ServiceOptions{Allow: allow})
	if err == nil || !strings.Contains(err.Error(), "not among those") {
		t.Errorf("error %v", err)
	}
	if _, err := sparql.AllowHosts("http://example.org/"); err == nil {
		t.Error("a list with an address is taken")
	}
}
