package server_test

import (
	"strings"
	"testing"
)

// TestUnknownParameters: a change that has a parameter which it does not know is refused, and named: it may be
// a misspelled one. Queries, and reading, pass over those of clients.
func TestUnknownParameters(t *testing.T) {
	srv, store := startFake(t, people, nil)
	for _, c := range []struct {
		method, path, media, body string
		refused                   string // empty: it is done
	}{
		{"PUT", "/store?default&Graph=http://ex/g", turtle, "<x:a> <x:b> 1 .", "Graph="},
		{"PUT", "/store?graph=http://ex/g&defualt", turtle, "<x:a> <x:b> 1 .", "defualt="},
		{"PUT", "/store/x?dry-rum", turtle, "<x:a> <x:b> 1 .", "dry-rum="},
		{"POST", "/store?graph=http://ex/g&dry-rum=true", turtle, "<x:a> <x:b> 1 .", "dry-rum="},
		{"POST", "/store?using-graph-uri=http://ex/g", turtle, "<x:a> <x:b> 1 .", "using-graph-uri="},
		{"DELETE", "/store?graph=http://ex/g&dryRum", "", "", "dryRum="},
		{"DELETE", "/store?Graph=http://ex/g", "", "", "Graph="},
		{"DELETE", "/store?default&update=x", "", "", "update="},
		{"POST", "/update?dry-rum=true", change, "CLEAR ALL", "dry-rum="},
		{"POST", "/update?default-graph-uri=http://ex/g", change, "CLEAR ALL", "default-graph-uri="},
		{"POST", "/update?graph=http://ex/g", change, "CLEAR ALL", "graph="},
		{"POST", "/update", form, "using-graphs-uri=http://ex/g&update=CLEAR+ALL", "using-graphs-uri="},
		{"POST", "/sparql", form, "plan=&update=CLEAR+ALL", "plan="},
		{"POST", "/update?" + strings.Repeat("x", 1000), change, "CLEAR ALL", strings.Repeat("x", 40) + "="},

		{"PUT", "/store?default&graphs=a", "text/turtle", "", "graphs="},
		{"PUT", "/store?graph=http://ex/h&timeout=5&output=json", turtle, "<x:a> <x:b> 1 .", ""},
		{"POST", "/update?using-named-graph-uri=http://ex/g&timeout=5s&format=json&results=json", change, "DELETE { ?s ?p 9 } WHERE { ?s ?p 9 }", ""},
		{"POST", "/update", form, "dry-run=false&using-graph-uri=http://ex/g&update=DELETE+{?s+?p+9}+WHERE+{?s+?p+9}", ""},
		{"DELETE", "/store?graph=http://ex/g&dry_run=0", "", "", ""},
		{"GET", "/sparql?infer=true&dry-rum&query=ASK{}", "", "", ""},
		{"GET", "/store?default&nocache=1", "", "", ""},
	} {
		before := store.name()
		a := ask(t, c.method, srv.URL+c.path, c.body, "Content-Type", c.media)
		if c.refused == "" && a.status < 300 {
			continue
		}
		if a.status != 400 || !strings.Contains(a.body, `"`+c.refused+" is no parameter of ") || store.name() != before {
			t.Errorf("%s %.60s: %d %s; want 400 for %s", c.method, c.path, a.status, a.body, c.refused)
		}
	}
}
