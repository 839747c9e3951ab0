package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/server"
)

// TestInexpressible asks for formats that cannot hold the answer: that is no failure of
// the server.
func TestInexpressible(t *testing.T) {
	srv, _ := startFake(t, `PREFIX : <http://ex/> :a :b "x\u0001" , <<( :a :b :c )>> ; :1 2 .`, nil)
	for _, path := range []string{
		"/sparql?query=SELECT*%7B?s+?p+?o%7D&format=xml",
		"/sparql?query=CONSTRUCT+WHERE%7B?s+?p+?o%7D&format=rdfxml",
		"/sparql?query=CONSTRUCT+WHERE%7B?s+:b+?o%7D&format=rdfxml",
		"/sparql?query=CONSTRUCT+WHERE%7B?s+?p+?o%7D&format=jsonld",
		"/store?default&format=rdfxml", "/store?format=jsonld",
	} {
		a := ask(t, "GET", srv.URL+strings.ReplaceAll(path, ":b", "%3Chttp://ex/b%3E"), "")
		if a.status != 406 || !strings.Contains(a.body, "urn:rete:problem:not-acceptable") || !strings.Contains(a.body, "cannot hold it") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := ask(t, "POST", srv.URL+"/sparql", "SELECT * { ?s ?p ?o LATERAL { SELECT * { ?s ?q ?r } LIMIT 1 } }", "Content-Type", "application/sparql-query"); a.status != 200 {
		t.Errorf("LATERAL: %d %s", a.status, a.body)
	}
	for _, format := range []string{"json", "csv", "tsv", "html"} {
		if a := ask(t, "GET", srv.URL+"/sparql?query=SELECT*%7B?s+?p+?o%7D&format="+format, ""); a.status != 200 {
			t.Errorf("%s: %d %s", format, a.status, a.body)
		}
	}
}

func TestNegotiation(t *testing.T) {
	srv, _ := startFake(t, people, nil)
	const rows, triples = "query=SELECT*%7B?s+?p+?o%7D", "query=CONSTRUCT+WHERE%7B?s+?p+?o%7D"
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, c := range []struct{ query, accept, want string }{
		{rows, "", "application/sparql-results+json"},
		{rows, "*/*", "application/sparql-results+json"},
		{rows, "application/json", "application/sparql-results+json"},
		{rows, "application/xml", "application/sparql-results+xml"},
		{rows, "application/sparql-results+xml", "application/sparql-results+xml"},
		{rows, "text/csv", "text/csv; charset=utf-8; header=present"},
		{rows, "text/tab-separated-values", "text/tab-separated-values; charset=utf-8"},
		{rows, browser, "text/html; charset=utf-8"},
		{rows, "text/csv;q=0.5, text/tab-separated-values;q=0.6", "text/tab-separated-values; charset=utf-8"},
		{rows, "text/*;q=0.9, text/csv;q=0.1, */*;q=0.2", "text/tab-separated-values; charset=utf-8"},
		{rows, "application/sparql-results+json;q=0, */*", "application/sparql-results+xml"},
		{rows + "&format=csv", "application/json", "text/csv; charset=utf-8; header=present"},
		{rows + "&output=xml", "", "application/sparql-results+xml"},
		{rows + "&results=tsv", "", "text/tab-separated-values; charset=utf-8"},
		{"query=ASK%7B%7D", "text/html", "text/html; charset=utf-8"},
		{triples, "", "text/turtle; charset=utf-8"},
		{triples, "*/*", "text/turtle; charset=utf-8"},
		{triples, "application/n-triples", "application/n-triples"},
		{triples, "application/trig", "application/trig"},
		{triples, "application/n-quads", "application/n-quads"},
		{triples, "application/ld+json", "application/ld+json"},
		{triples, "application/json", "application/ld+json"},
		{triples, "application/rdf+xml", "application/rdf+xml"},
		{triples, "application/xml", "application/rdf+xml"},
		{triples + "&format=rdf%2Bxml", "", "application/rdf+xml"},
		{triples + "&format=n3", "", "text/turtle; charset=utf-8"},
		{triples + "&format=json-ld", "", "application/ld+json"},
		{"", browser, "text/html; charset=utf-8"},
		{"", "application/rdf+xml", "application/rdf+xml"},
		{"format=turtle", browser, "text/turtle; charset=utf-8"},
	} {
		var headers []string
		if c.accept != "" {
			headers = []string{"Accept", c.accept}
		}
		a := ask(t, "GET", srv.URL+"/sparql?"+c.query, "", headers...)
		if got := a.header.Get("Content-Type"); a.status != 200 || got != c.want {
			t.Errorf("%s, Accept %q: %d %s, want %s", c.query, c.accept, a.status, got, c.want)
		}
		// POST chooses the same.
		if c.query == "" || strings.HasPrefix(c.query, "format") {
			continue
		}
		a = ask(t, "POST", srv.URL+"/sparql", c.query, append(headers, "Content-Type", form)...)
		if got := a.header.Get("Content-Type"); a.status != 200 || got != c.want {
			t.Errorf("POST %s, Accept %q: %d %s, want %s", c.query, c.accept, a.status, got, c.want)
		}
	}
}

func TestCodings(t *testing.T) {
	srv, _ := startFake(t, people, nil)
	for _, c := range []struct {
		accept, want string
		short        string // of an answer that fits into one packet
	}{
		{"gzip", "gzip", ""}, {"x-gzip", "gzip", ""}, {"zstd", "zstd", ""}, {"gzip, zstd", "zstd", ""}, {"gzip, zstd;q=0.5", "gzip", ""},
		{"br, gzip;q=0.1", "gzip", ""}, {"*", "zstd", ""}, {"identity", "", ""}, {"br", "", ""}, {"gzip;q=0", "", ""}, {"*;q=0, gzip", "gzip", "gzip"},
		{"identity, gzip;q=0.5", "", ""}, {"", "", ""}, {"identity;q=0, *", "zstd", "zstd"}, {"identity;q=0.1, gzip", "gzip", ""},
	} {
		for size, want := range map[int]string{1: c.short, 1300: c.short, 1500: c.want, 40_000: c.want, 100_000: c.want} {
			value := strings.Repeat("x", size)
			a := ask(t, "POST", srv.URL+"/sparql?format=csv", "SELECT ('"+value+"' AS ?a) {}", "Content-Type", "application/sparql-query", "Accept-Encoding", c.accept)
			coding := a.header.Get("Content-Encoding")
			if a.status != 200 || coding != want || unpack(t, coding, a.body) != "a\r\n"+value+"\r\n" {
				t.Errorf("Accept-Encoding %q, %d bytes: %d %q, want %q", c.accept, size, a.status, coding, want)
			}
		}
	}
}

func TestPackedBodies(t *testing.T) {
	srv, store := startFake(t, "", nil)
	a := ask(t, "PUT", srv.URL+"/store?default", gzipped("<x:a> <x:b> <x:c> ."), "Content-Type", turtle, "Content-Encoding", "gzip")
	if a.status != 201 && a.status != 204 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	a = ask(t, "POST", srv.URL+"/sparql", gzipped("INSERT DATA { <x:d> <x:e> <x:f> }"), "Content-Type", change, "Content-Encoding", "gzip")
	if a.status != 204 || len(store.data.Quads()) != 2 {
		t.Errorf("%d %s, %d quads", a.status, a.body, len(store.data.Quads()))
	}
}

// countingDataset counts the scans of queries.
type countingDataset struct {
	dataset.Dataset
	scans *atomic.Int64
}

func (d countingDataset) Scan(ctx context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	d.scans.Add(1)
	return d.Dataset.Scan(ctx, p, o, opt)
}

func TestETag(t *testing.T) {
	srv, store := startFake(t, people, nil)
	var scans atomic.Int64
	store.wrap = func(ds dataset.Dataset) dataset.Dataset { return countingDataset{ds, &scans} }
	tags := map[string]bool{}
	urls := []struct{ path, accept, coding string }{
		{"/sparql?query=SELECT*%7B?s+?p+?o%7D", "", "identity"},
		{"/sparql?query=SELECT*%7B?s+?p+?o%7D", "text/csv", "identity"},
		{"/sparql?query=SELECT*%7B?s+?p+?o%7D", "", "gzip"},
		{"/sparql?query=SELECT*%7B?s+?p+?o%7D+", "", "identity"},
		{"/sparql?query=SELECT*%7B?s+?p+?o%7D&default-graph-uri=http://ex/g", "", "identity"},
		{"/sparql?query=SELECT*%7B?s+?p+?o%7D&named-graph-uri=http://ex/g", "", "identity"},
		{"/store?default", "", "identity"},
		{"/store?graph=http://ex/g", "", "identity"},
	}
	for _, u := range urls {
		a := ask(t, "GET", srv.URL+u.path, "", "Accept", u.accept, "Accept-Encoding", u.coding)
		tag := a.header.Get("ETag")
		if a.status != 200 || !strings.HasPrefix(tag, `W/"`) || tags[tag] {
			t.Fatalf("%v: %d, ETag %s", u, a.status, tag)
		}
		if a.header.Get("Cache-Control") != "no-cache" || a.header.Get("Vary") != "Accept, Accept-Encoding, Authorization" || a.header.Get("Rete-State") != "state-0" {
			t.Errorf("%v: %v", u, a.header)
		}
		tags[tag] = true
		scans.Store(0)
		for _, list := range []string{tag, strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*"} {
			b := ask(t, "GET", srv.URL+u.path, "", "Accept", u.accept, "Accept-Encoding", u.coding, "If-None-Match", list)
			if b.status != 304 || b.body != "" || b.header.Get("ETag") != tag {
				t.Errorf("%v with %s: %d", u, list, b.status)
			}
		}
		h := ask(t, "HEAD", srv.URL+u.path, "", "Accept", u.accept, "Accept-Encoding", u.coding)
		if h.status != 200 || h.header.Get("ETag") != tag || h.header.Get("Content-Type") != a.header.Get("Content-Type") {
			t.Errorf("HEAD %v: %d %v", u, h.status, h.header)
		}
		if strings.HasPrefix(u.path, "/sparql") && scans.Load() != 0 {
			t.Errorf("%v: 304 and HEAD scanned %d times", u, scans.Load())
		}
	}
	if a := ask(t, "POST", srv.URL+"/sparql", "INSERT DATA { <x:a> <x:b> 1 }", "Content-Type", change); a.status != 204 {
		t.Fatal(a)
	}
	for _, u := range urls {
		if a := ask(t, "GET", srv.URL+u.path, "", "Accept", u.accept); tags[a.header.Get("ETag")] {
			t.Errorf("%v: the same ETag in another state", u)
		}
	}
	union := start(t, store, &server.Options{UnionDefaultGraph: true})
	for _, u := range urls[:6] {
		a, b := ask(t, "GET", srv.URL+u.path, "", "Host", "localhost"), ask(t, "GET", union.URL+u.path, "", "Host", "localhost")
		if a.status != 200 || b.status != 200 || a.header.Get("ETag") == b.header.Get("ETag") {
			t.Errorf("%v: the same ETag with another default graph", u)
		}
	}
	for _, q := range []string{"SELECT(NOW()AS+?x)%7B%7D", "SELECT(RAND()AS+?x)%7B%7D", "SELECT(UUID()AS+?x)%7B%7D", "SELECT(BNODE()AS+?x)%7B%7D"} {
		a := ask(t, "GET", srv.URL+"/sparql?query="+q, "", "If-None-Match", "*")
		if a.status != 200 || a.header.Get("ETag") != "" {
			t.Errorf("%s: %d, ETag %s", q, a.status, a.header.Get("ETag"))
		}
	}
}

func TestConditionalWrites(t *testing.T) {
	srv, store := startFake(t, people, nil)
	state := ask(t, "GET", srv.URL+ask1, "").header.Get("Rete-State")
	a := ask(t, "POST", srv.URL+"/sparql", "INSERT DATA { <x:a> <x:b> 1 }", "Content-Type", change, "Rete-If-State", state)
	if a.status != 204 || a.header.Get("Rete-State") == state {
		t.Fatalf("%d %v", a.status, a.header)
	}
	for _, again := range []answer{
		ask(t, "POST", srv.URL+"/sparql", "INSERT DATA { <x:a> <x:b> 2 }", "Content-Type", change, "Rete-If-State", state),
		ask(t, "DELETE", srv.URL+"/store?default", "", "Rete-If-State", state),
	} {
		if again.status != 412 || store.state != 1 {
			t.Errorf("%d %s", again.status, again.body)
		}
	}
	// The preconditions of HTTP that a graph can have.
	put := func(graph string, headers ...string) int {
		return ask(t, "PUT", srv.URL+"/store?graph="+graph, "<x:a> <x:b> <x:c> .", append(headers, "Content-Type", turtle)...).status
	}
	if s := put("http://ex/new", "If-Match", "*"); s != 412 {
		t.Errorf("If-Match: * of no graph: %d", s)
	}
	if s := put("http://ex/new", "If-None-Match", "*"); s != 201 {
		t.Errorf("If-None-Match: * of no graph: %d", s)
	}
	if s := put("http://ex/new", "If-Match", "*"); s != 204 {
		t.Errorf("If-Match: * of a graph: %d", s)
	}
}

// TestUncheckedConditions: no change is made without the condition that it was asked
// for with, whatever kind of change.
func TestUncheckedConditions(t *testing.T) {
	srv, store := startFake(t, people, nil)
	state := ask(t, "GET", srv.URL+ask1, "").header.Get("Rete-State")
	for _, c := range []struct{ method, path, media, body string }{
		{"POST", "/sparql", change, "INSERT DATA { <x:a> <x:b> 1 }"},
		{"POST", "/update", change, "INSERT DATA { <x:a> <x:b> 1 }"},
		{"POST", "/update", form, "update=CLEAR+ALL"},
		{"PUT", "/store?default", turtle, "<x:a> <x:b> 1 ."},
		{"POST", "/store?default", turtle, "<x:a> <x:b> 1 ."},
		{"POST", "/store", turtle, "<x:a> <x:b> 1 ."},
		{"POST", "/store", "application/trig", "<x:a> <x:b> 1 ."},
		{"DELETE", "/store?default", "", ""},
	} {
		for _, h := range []struct {
			name   string
			values []string
			status int
		}{
			{"If-Match", []string{`"a"`}, 412},
			{"If-Match", []string{`W/"a", "b"`}, 412},
			{"If-Match", []string{"*", `"a"`}, 412},
			{"If-Match", []string{""}, 412},
			{"If-None-Match", []string{`"a"`}, 412},
			{"If-None-Match", []string{`"a"`, "*"}, 412},
			{"If-None-Match", []string{`*, "a"`}, 412},
			{"Rete-If-State", []string{"elsewhere"}, 412},
			{"Rete-If-State", []string{""}, 400},
			{"Rete-If-State", []string{state, "elsewhere"}, 400},
		} {
			headers := []string{"Content-Type", c.media}
			for _, v := range h.values {
				headers = append(headers, h.name, v)
			}
			if a := ask(t, c.method, srv.URL+c.path, c.body, headers...); a.status != h.status || store.state != 0 {
				t.Errorf("%v with %s %q: %d %s, state %d", c, h.name, h.values, a.status, a.body, store.state)
			}
		}
	}
	for _, path := range []string{"/update", "/store"} {
		media := map[string]string{"/update": change, "/store": "application/trig"}[path]
		if a := ask(t, "POST", srv.URL+path, "", "Content-Type", media, "If-None-Match", "*"); a.status != 412 {
			t.Errorf("%s with If-None-Match: *: %d", path, a.status)
		}
		if a := ask(t, "POST", srv.URL+path, "", "Content-Type", media, "If-Match", "*"); a.status != 204 {
			t.Errorf("%s with If-Match: *: %d %s", path, a.status, a.body)
		}
	}
}

func TestOptions(t *testing.T) {
	srv, store := startFake(t, people, nil)
	want := map[string]string{
		"/sparql":           "GET, HEAD, POST, OPTIONS",
		"/query":            "GET, HEAD, POST, OPTIONS",
		"/update":           "POST, OPTIONS",
		"/store?default":    "GET, HEAD, PUT, POST, DELETE, OPTIONS",
		"/health":           "GET, HEAD, OPTIONS",
		"/metrics":          "GET, HEAD, OPTIONS",
		"/admin/queries":    "GET, HEAD, OPTIONS",
		"/admin/queries/ab": "DELETE, OPTIONS",
		"/admin/seal":       "POST, OPTIONS",
	}
	for path, allow := range want {
		if a := ask(t, "OPTIONS", srv.URL+path, ""); a.status != 204 || a.header.Get("Allow") != allow {
			t.Errorf("%s: %d %s", path, a.status, a.header.Get("Allow"))
		}
	}
	store.readOnly = true
	if a := ask(t, "OPTIONS", srv.URL+"/store", ""); a.header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("read-only: %s", a.header.Get("Allow"))
	}
}

func TestReadOnly(t *testing.T) {
	srv, store := startFake(t, people, nil)
	store.readOnly = true
	for _, c := range []struct {
		method, path, media string
		status              int
	}{
		{"POST", "/sparql", change, 403}, {"POST", "/update", change, 403},
		{"PUT", "/store?default", turtle, 405}, {"POST", "/store?default", turtle, 405}, {"DELETE", "/store?default", "", 405},
		{"POST", "/admin/seal", "", 403},
	} {
		a := ask(t, c.method, srv.URL+c.path, "CLEAR ALL", "Content-Type", c.media)
		if a.status != c.status || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%v: %d %s", c, a.status, a.body)
		}
	}
	if a := ask(t, "GET", srv.URL+"/sparql", "", "Accept", turtle); strings.Contains(a.body, "Update") {
		t.Error("the service description offers updates")
	}
}

func TestRemoteHosts(t *testing.T) {
	other, _ := startFake(t, people, nil)
	host := strings.TrimPrefix(other.URL, "http://")
	srv, store := startFake(t, "", &server.Options{Hosts: []string{host}})
	q := "SELECT * { SERVICE <" + other.URL + "/sparql> { ?s <http://ex/age> ?age } }"
	a := ask(t, "POST", srv.URL+"/sparql", q, "Content-Type", direct)
	if a.status != 200 || !strings.Contains(a.body, "http://ex/ann") || a.header.Get("ETag") != "" {
		t.Errorf("SERVICE: %d %s", a.status, a.body)
	}
	a = ask(t, "POST", srv.URL+"/sparql", "LOAD <"+other.URL+"/store?graph=http://ex/g>", "Content-Type", change)
	if a.status != 204 || len(store.data.Quads()) != 1 {
		t.Errorf("LOAD: %d %s", a.status, a.body)
	}
	for _, c := range []struct{ text, media, detail string }{
		{"SELECT * { SERVICE <" + other.URL + "/nothing> { ?s ?p ?o } }", direct, "404"},
		{"LOAD <" + other.URL + "/nothing>", change, "404"},
	} {
		a := ask(t, "POST", srv.URL+"/sparql", c.text, "Content-Type", c.media)
		if a.status != http.StatusBadGateway || !strings.Contains(a.body, c.detail) {
			t.Errorf("%s: %d %s", c.text, a.status, a.body)
		}
	}
	for _, c := range []struct{ text, media string }{
		{"SELECT * { SERVICE <http://localhost:1/> { ?s ?p ?o } }", direct},
		{"LOAD <http://localhost:1/>", change},
	} {
		if a := ask(t, "POST", srv.URL+"/sparql", c.text, "Content-Type", c.media); a.status != 403 {
			t.Errorf("%s: %d %s", c.text, a.status, a.body)
		}
	}
}
