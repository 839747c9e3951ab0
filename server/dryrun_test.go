package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// tried is the answer to a write that is only tried.
type tried struct {
	State          string
	Added, Removed int64
	First          []quadObject `json:"first_added"`
	Gone           []quadObject `json:"first_removed"`
}

type quadObject struct {
	Subject, Predicate, Object string
	Graph                      *string
}

// TestDryRun: a write that is only tried tells what it would change, in whatever way it is sent,
// and the graph, its state and its generation stay.
func TestDryRun(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), nil)
	setup := ask(t, "POST", srv.URL+"/update", `INSERT DATA { <x:a> <x:b> 1, 2 . GRAPH <x:g> { <x:a> <x:b> 3 } }`, "Content-Type", change)
	if setup.status != 204 {
		t.Fatal(setup.status, setup.body)
	}
	state := setup.header.Get("Rete-State")
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		added, removed           int64
		first                    string // object of the first quad that is added, and its graph
	}{
		{name: "update", method: "POST", path: "/update?dry-run=true", body: `DELETE { ?s ?p 1 } INSERT { GRAPH <x:h> { ?s ?p 9, 3 } } WHERE { ?s ?p 1 }`, headers: []string{"Content-Type", change}, added: 2, removed: 1, first: `"9"^^<http://www.w3.org/2001/XMLSchema#integer> <x:h>`},
		{name: "form", method: "POST", path: "/sparql", body: "dry-run=1&update=CLEAR+ALL", headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, removed: 3},
		{name: "other spelling", method: "POST", path: "/update?dry_run&update=CLEAR+DEFAULT", removed: 2},
		{name: "in its state", method: "POST", path: "/update?dry-run=true", body: `INSERT DATA { <x:a> <x:b> 1 }`, headers: []string{"Content-Type", change, "Rete-If-State", state}},
		{name: "PUT", method: "PUT", path: "/store?graph=x:g&dry-run=true", body: `<x:a> <x:b> 3, "new" .`, headers: []string{"Content-Type", "text/turtle"}, added: 1, first: `"new" <x:g>`},
		{name: "POST of quads", method: "POST", path: "/store?dry-run=true", body: `<x:a> <x:b> <x:c> .`, headers: []string{"Content-Type", "application/n-quads"}, added: 1, first: `<x:c>`},
		{name: "DELETE", method: "DELETE", path: "/store?graph=x:g&dry-run=true", removed: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ask(t, c.method, srv.URL+c.path, c.body, c.headers...)
			var got tried
			if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 || a.header.Get("Content-Type") != "application/json" {
				t.Fatal(a.status, a.header, a.body, err)
			}
			first := ""
			if len(got.First) > 0 {
				if first = got.First[0].Object; got.First[0].Graph != nil {
					first += " " + *got.First[0].Graph
				}
			}
			if got.Added != c.added || got.Removed != c.removed || first != c.first || int64(len(got.Gone)) != c.removed || got.State != state || a.header.Get("Rete-State") != state {
				t.Errorf("%s, want %d and %d, first %s", a.body, c.added, c.removed, c.first)
			}
			if strings.Contains(a.body, "null,") || strings.Contains(a.body, `_added":null`) {
				t.Errorf("a list is null: %s", a.body)
			}
		})
	}
	if a := ask(t, "HEAD", srv.URL+"/store", ""); a.header.Get("Rete-State") != state || db.Engine().Manifest().Generation != 1 {
		t.Errorf("state %s, was %s; generation %d", a.header.Get("Rete-State"), state, db.Engine().Manifest().Generation)
	}
}

// TestDryRunRefused: what may not write may not try, and a write that was to be tried is never
// carried out for want of understanding.
func TestDryRunRefused(t *testing.T) {
	db := newDatabase(t)
	reading := start(t, server.Database(db), &server.Options{Anonymous: server.ScopeRead})
	writing := start(t, server.Database(db), nil)
	fake, store := startFake(t, people, nil)
	const insert = "INSERT DATA { <x:a> <x:b> 1 }"
	for _, c := range []struct {
		name, url, body string
		headers         []string
		status          int
		word            string
	}{
		{"scope", reading.URL + "/update?dry-run=true", insert, nil, http.StatusForbidden, "forbidden"},
		{"value", writing.URL + "/update?dry-run=yes", insert, nil, http.StatusBadRequest, "parameter"},
		{"state", writing.URL + "/update?dry-run=true", insert, []string{"Rete-If-State", "another"}, http.StatusPreconditionFailed, "conflict"},
		{"other page", writing.URL + "/update?dry-run=true", insert, []string{"Origin", "http://other.example"}, http.StatusForbidden, "cross-origin"},
		{"syntax", writing.URL + "/update?dry-run=true", "INSERT", nil, http.StatusBadRequest, "syntax"},
		{"operation", writing.URL + "/update?dry-run=true", "CREATE GRAPH <x:g> ; CREATE GRAPH <x:g>", nil, http.StatusBadRequest, "graph-exists"},
		{"store", fake.URL + "/update?dry-run=true", insert, nil, http.StatusBadRequest, "parameter"},
	} {
		a := ask(t, "POST", c.url, c.body, append(c.headers, "Content-Type", change)...)
		if a.status != c.status || !strings.Contains(a.body, "urn:rete:problem:"+c.word+`"`) {
			t.Errorf("%s: %d %s", c.name, a.status, a.body)
		}
	}
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n, err := s.Len(t.Context()); err != nil || n != 0 || store.state != 0 {
		t.Errorf("%d quads, %v; state %d", n, err, store.state)
	}
}
