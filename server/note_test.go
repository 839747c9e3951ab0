package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// Why an answer is empty stands in a header, in printable ASCII, and nowhere else.
func TestNotes(t *testing.T) {
	srv, _ := startFake(t, "<http://ex/g> { <http://ex/a> <http://ex/p> \"x\" }", nil)
	quiet, _ := startFake(t, "<http://ex/g> { <http://ex/a> <http://ex/p> \"x\" }", &server.Options{NoNotes: true})
	for _, c := range []struct{ query, format, note string }{
		{"SELECT * { ?s ?p ?o }", "json", `the default graph is empty, the named graphs are not; use GRAPH ?g { \u2026 } or --union-default-graph`},
		{"SELECT * { ?s ?p ?o }", "csv", "the default graph is empty"},
		{"ASK { ?s ?p ?o }", "json", "the default graph is empty"},
		{"CONSTRUCT WHERE { ?s ?p ?o }", "turtle", "the default graph is empty"},
		{"DESCRIBE ?s { ?s ?p ?o }", "nt", "the default graph is empty"},
		{"SELECT ?nmae { GRAPH ?g { ?s ?p ?o } }", "json", "?nmae occurs nowhere in the pattern"},
		{"PREFIX é: <http://é/> SELECT * { GRAPH ?g { ?s é:x ?o } }", "json", `nothing in the data begins with <http://\u00e9/>, the namespace of the prefix \u00e9:`},
		{`SELECT * { GRAPH ?g { ?s ?p "a\r\nSet-Cookie: x=y" } }`, "json", `"a\r\nSet-Cookie: x=y" is not in the data`},
		{"SELECT * { GRAPH ?g { ?s ?p \"\u0000\u007f\u2028\" } }", "json", `is not in the data`},
		{"SELECT * { GRAPH ?g { ?s ?p '" + strings.Repeat("é", 5000) + "' } }", "json", `\u00e9\u00e9...`},
		{`SELECT * { GRAPH ?g { ?s ?p ?o FILTER REGEX("a", CONCAT(?o, "(?=b)")) } }`, "json", "look-ahead"},
		{"SELECT * { GRAPH ?g { ?s ?p ?o } }", "json", ""},
		{"ASK { GRAPH ?g { ?s ?p ?o } }", "json", ""},
	} {
		target := "/sparql?format=" + c.format + "&query=" + url.QueryEscape(c.query)
		a, b := ask(t, "GET", srv.URL+target, ""), ask(t, "GET", quiet.URL+target, "")
		if a.status != http.StatusOK || b.status != http.StatusOK || a.body != b.body {
			t.Errorf("%s: %d, %d, %q, %q", c.query, a.status, b.status, a.body, b.body)
		}
		notes := a.header.Values("Rete-Note")
		if all := strings.Join(notes, "|"); !strings.Contains(all, c.note) || (c.note == "") != (all == "") {
			t.Errorf("%.100s: %q, want %q", c.query, notes, c.note)
		}
		for _, n := range notes {
			if len(n) > 500 || strings.ContainsFunc(n, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("%.100s: %d bytes, %q", c.query, len(n), n)
			}
		}
		if got := b.header.Values("Rete-Note"); got != nil {
			t.Errorf("%s, quiet: %q", c.query, got)
		}
		if cookie := a.header.Get("Set-Cookie"); cookie != "" {
			t.Errorf("injected: %q", cookie)
		}
	}
}
