package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// TestStatusOfRequests: what a request asks for and cannot have is no failure of the server,
// and changes nothing.
func TestStatusOfRequests(t *testing.T) {
	trig := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/trig")
		fmt.Fprint(w, "<x:g> { <x:a> <x:b> <x:c> }")
	}))
	defer trig.Close()
	addr := "http://" + serve(t, server.Database(newDatabase(t)), &server.Options{Hosts: []string{"127.0.0.1"}, Memory: 256 << 20})
	var data strings.Builder
	for i := range 100 {
		fmt.Fprintf(&data, "<x:s> <x:p> %d .", i)
	}
	if a := ask(t, "POST", addr+"/update", "INSERT DATA {"+data.String()+"}", "Content-Type", change); a.status != 204 {
		t.Fatal(a.status, a.body)
	}
	state := ask(t, "GET", addr+ask1, "").header.Get("Rete-State")
	times := func(n int, v string) string { return "CONCAT(" + strings.Repeat(v+",", n-1) + v + ")" }
	long := "BIND('" + strings.Repeat("x", 16<<10) + "' AS ?a) BIND(" + times(32, "?a") + " AS ?b) BIND(" + times(32, "?b") +
		" AS ?c) BIND(STRLEN(" + times(17, "?c") + ") AS ?d)"
	const union = "<urn:x-arq:UnionGraph>"
	for _, c := range []struct {
		text, media string
		status      int
		word        string
	}{
		{"INSERT DATA { 'a' <x:p> 1 }", change, 400, "syntax"},
		{"INSERT DATA { <x:s> 'p' 1 }", change, 400, "syntax"},
		{"INSERT DATA { <x:s> <x:p> 'x'@abcdefghi }", change, 400, "data"},
		{"INSERT DATA { GRAPH " + union + " { <x:s> <x:p> 1 } }", change, 400, "operation"},
		{"DELETE DATA { GRAPH " + union + " { <x:s> <x:p> 1 } }", change, 400, "operation"},
		{"INSERT { GRAPH " + union + " { <x:s> <x:p> ?o } } WHERE { ?s ?p ?o }", change, 400, "operation"},
		{"WITH " + union + " DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", change, 400, "operation"},
		{"CLEAR GRAPH " + union, change, 400, "operation"},
		{"COPY DEFAULT TO " + union, change, 400, "operation"},
		{"LOAD <" + trig.URL + "> INTO GRAPH <x:h>", change, 400, "operation"},
		{"CREATE GRAPH <x:g> ; CREATE GRAPH <x:g>", change, 400, "graph-exists"},
		{"COPY <x:none> TO <x:g>", change, 404, "graph"},
		{"LOAD <http://other.example/>", change, 403, "remote"},
		{"LOAD <file:///etc/hostname>", change, 403, "remote"},
		{"INSERT { ?s <x:q> ?d } WHERE { ?s ?p ?o . " + long + " }", change, 422, "memory"},
		{"SELECT ?d { " + long + " }", direct, 422, "memory"},
		{"SELECT * { SERVICE ?e { ?s ?p ?o } }", direct, 400, "endpoint"},
		{"SELECT * { ?s ?p", direct, 400, "syntax"},
	} {
		a := ask(t, "POST", addr+"/sparql", c.text, "Content-Type", c.media)
		if a.status != c.status || !strings.Contains(a.body, "problem:"+c.word+`"`) {
			t.Errorf("%.80s: %d %.300s", c.text, a.status, a.body)
		}
		if got := ask(t, "GET", addr+ask1, "").header.Get("Rete-State"); got != state {
			t.Fatalf("%.80s: the state has changed", c.text)
		}
	}
	for _, text := range []string{
		"CLEAR SILENT GRAPH " + union, "COPY SILENT DEFAULT TO " + union, "LOAD SILENT <" + trig.URL + "> INTO GRAPH <x:h>",
	} {
		if a := ask(t, "POST", addr+"/sparql", text, "Content-Type", change); a.status != 204 {
			t.Errorf("%s: %d %s", text, a.status, a.body)
		}
	}
}
