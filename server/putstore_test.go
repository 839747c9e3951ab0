package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// quadsOf returns the lines of the whole store.
func quadsOf(t *testing.T, url string) []string {
	t.Helper()
	a := ask(t, "GET", url+"/store", "", "Accept", "application/n-quads")
	if a.status != 200 {
		t.Fatal(a.status, a.body)
	}
	return strings.Fields(strings.ReplaceAll(strings.ReplaceAll(a.body, " .\n", "\n"), " ", "_"))
}

// TestPutStore: a PUT of the whole store replaces all graphs in one commit, or changes nothing.
func TestPutStore(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), nil)
	put := func(body string, headers ...string) answer {
		t.Helper()
		return ask(t, "PUT", srv.URL+"/store", body, append([]string{"Content-Type", "application/trig"}, headers...)...)
	}
	check := func(what string, a answer, status int, want ...string) {
		t.Helper()
		if got := quadsOf(t, srv.URL); a.status != status || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d %s; there is %v, want %v", what, a.status, a.body, got, want)
		}
	}
	check("If-Match of an empty store", put(`<x:a> <x:b> "0" .`, "If-Match", "*"), http.StatusPreconditionFailed)
	first := put(`<x:a> <x:b> "1" . <x:g> { <x:a> <x:b> "2" } <x:h> { <x:a> <x:b> "3" }`, "If-None-Match", "*")
	check("first", first, 204, `<x:a>_<x:b>_"1"`, `<x:a>_<x:b>_"2"_<x:g>`, `<x:a>_<x:b>_"3"_<x:h>`)

	now := []string{`<x:a>_<x:b>_"1"`, `<x:a>_<x:b>_"9"_<x:i>`}
	check("second", put(`<x:a> <x:b> "1" . <x:i> { <x:a> <x:b> "9" }`, "If-Match", "*", "Rete-If-State", first.header.Get("Rete-State")), 204, now...)
	check("old state", put("", "Rete-If-State", first.header.Get("Rete-State")), http.StatusPreconditionFailed, now...)
	check("If-None-Match", put("", "If-None-Match", "*"), http.StatusPreconditionFailed, now...)
	check("another validator", put("", "If-Match", `W/"1"`), http.StatusPreconditionFailed, now...)
	check("mistake at the end", put(`<x:a> <x:b> "5" . <x:i> { <x:a> <x:b> `), http.StatusBadRequest, now...)
	check("a syntax without graphs", ask(t, "PUT", srv.URL+"/store", `<x:a> <x:b> "5" .`, "Content-Type", "text/turtle"), http.StatusBadRequest, now...)
	check("DELETE", ask(t, "DELETE", srv.URL+"/store", ""), http.StatusBadRequest, now...)
	if a := ask(t, "PUT", srv.URL+"/store?dry-run=true", "", "Content-Type", "application/n-quads"); a.status != 200 || !strings.Contains(a.body, `"removed":2`) {
		t.Errorf("dry run: %d %s", a.status, a.body)
	}
	check("after a dry run", answer{status: 204}, 204, now...)
	if g := db.Engine().Manifest().Generation; g != 1 {
		t.Errorf("generation %d", g)
	}
	check("N-Quads", ask(t, "PUT", srv.URL+"/store", "<x:a> <x:b> <x:c> <x:g> .\n", "Content-Type", "application/n-quads"), 204, `<x:a>_<x:b>_<x:c>_<x:g>`)
	check("nothing", put(""), 204)

	reading := start(t, server.Database(db), &server.Options{Anonymous: server.ScopeRead})
	check("scope", ask(t, "PUT", reading.URL+"/store", "", "Content-Type", "application/trig"), http.StatusForbidden)
}

// TestPutLargeStore: a store that is too large to be deleted quad by quad is replaced in one
// commit, and what was read of it comes back as it was.
func TestPutLargeStore(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), nil)
	var b strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&b, "<x:s%d> <x:p> \"%d\" <x:g%d> .\n", i, i, i%3)
	}
	const quads = "application/n-quads"
	if a := ask(t, "PUT", srv.URL+"/store", b.String(), "Content-Type", quads); a.status != 204 {
		t.Fatal(a.status, a.body)
	}
	whole := ask(t, "GET", srv.URL+"/store", "", "Accept", quads)
	if n := strings.Count(whole.body, "\n"); n != 12_000 {
		t.Fatalf("%d quads", n)
	}
	for _, body := range []string{"<x:a> <x:b> <x:c> .\n", whole.body} {
		if a := ask(t, "PUT", srv.URL+"/store", body, "Content-Type", quads, "If-Match", "*"); a.status != 204 {
			t.Fatal(a.status, a.body)
		}
		if got := ask(t, "GET", srv.URL+"/store", "", "Accept", quads).body; got != body {
			t.Errorf("%d bytes came back of %d", len(got), len(body))
		}
	}
}

// TestOriginHints: the log says once how a page could be let that its browser keeps from reading.
func TestOriginHints(t *testing.T) {
	var log lockedBuffer
	srv, _ := startFake(t, people, &server.Options{Logger: textLogger(&log), Origins: []string{"https://known.example"}})
	none, _ := startFake(t, people, &server.Options{Logger: textLogger(&log)})
	preflight := func(url, origin string) {
		ask(t, "OPTIONS", url+"/update", "", "Origin", origin, "Access-Control-Request-Method", "POST")
	}
	for range 2 {
		preflight(srv.URL, "https://other.example")
		preflight(srv.URL, "https://known.example")
		preflight(none.URL, "https://page.example")
		preflight(none.URL, "null")
		ask(t, "GET", srv.URL+ask1, "", "Origin", "https://reader.example", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "cross-site")
		ask(t, "GET", srv.URL+ask1, "", "Origin", "http://own.example", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "same-origin")
		ask(t, "GET", srv.URL+ask1, "", "Origin", "http://program.example")
		ask(t, "OPTIONS", srv.URL+"/update", "", "Origin", "http://program.example")
		preflight(srv.URL, "https://"+strings.Repeat("long", 100))
	}
	var flags []string
	for line := range strings.Lines(log.String()) {
		if _, flag, ok := strings.Cut(line, "kept from reading by its browser\" origin="); ok {
			flags = append(flags, flag[strings.Index(flag, "flag="):])
		}
	}
	want := []string{"flag=\"--cors https://other.example\"\n", "flag=\"--cors https://page.example\"\n", "flag=\"--cors '*'\"\n", "flag=\"--cors https://reader.example\"\n"}
	if fmt.Sprint(flags) != fmt.Sprint(want) {
		t.Errorf("%q", flags)
	}
	for i := range 300 {
		preflight(srv.URL, fmt.Sprintf("https://%d.example", i))
	}
	if n := strings.Count(log.String(), "kept from reading"); n > 110 {
		t.Errorf("%d hints", n)
	}
}
