package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// TestPrefixes: the prefixes of the store fill in those that a query leaves undeclared, and graphs
// are written with them; other stores have none.
func TestPrefixes(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), nil)
	c := client(t)
	if s, b, err := send(c, "POST", srv.URL+"/update", change, "PREFIX ex: <http://ex/> INSERT DATA { ex:a ex:p 1 }"); s != 204 || err != nil {
		t.Fatal(s, b, err)
	}
	for _, q := range []string{"ASK { ex:a ex:p 1 }", "ASK { ex:a ex:p 1 }", "PREFIX : <http://ex/> ASK { :a ex:p 1 }"} {
		if s, b, err := send(c, "POST", srv.URL+"/sparql", "application/sparql-query", q); s != 200 || !strings.Contains(b, "true") {
			t.Errorf("%s: %d %s %v", q, s, b, err)
		}
	}
	if s, b, _ := send(c, "POST", srv.URL+"/sparql", "application/sparql-query", "ASK { no:a ex:p 1 }"); s != 400 || !strings.Contains(b, "no:") {
		t.Errorf("a prefix that nobody declares: %d %s", s, b)
	}
	turtle := func(path, query string) string {
		t.Helper()
		req, err := http.NewRequest("GET", srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if query != "" {
			req.URL.RawQuery = "query=" + query
		}
		req.Header.Set("Accept", "text/turtle")
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text := make([]byte, 1000)
		n, _ := resp.Body.Read(text)
		return string(text[:n])
	}
	for _, text := range []string{turtle("/store?default", ""), turtle("/sparql", "CONSTRUCT+WHERE+%7B+%3Fs+%3Fp+%3Fo+%7D")} {
		if !strings.HasPrefix(text, "@prefix ex: <http://ex/> .\n") || !strings.Contains(text, "ex:a ex:p 1 .") {
			t.Errorf("Turtle:\n%s", text)
		}
	}
	if s, b, err := send(c, "POST", srv.URL+"/store?default", "text/turtle", "PREFIX new: <http://ex/new/> new:a new:b new:c ."); s != 204 || err != nil {
		t.Fatal(s, b, err)
	}
	if text := turtle("/store?default", ""); !strings.Contains(text, "@prefix new:") {
		t.Errorf("after a change:\n%s", text)
	}
	other := start(t, &fakeStore{data: readText(t, people)}, nil)
	if s, _, _ := send(c, "POST", other.URL+"/sparql", "application/sparql-query", "ASK { ex:a ex:p 1 }"); s != 400 {
		t.Errorf("a store without prefixes: %d", s)
	}
}
