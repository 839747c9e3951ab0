package server_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/server"
)

// newRemote makes a graph on a web server and returns its name.
func newRemote(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(&blobtest.Server{})
	t.Cleanup(srv.Close)
	name := srv.URL + "/g/g.rete-manifest.json"
	db, err := rete.Create(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// openRemote opens a graph on a web server, without a journal.
func openRemote(t *testing.T, name string) *rete.DB {
	t.Helper()
	db, err := rete.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestRemoteCounter: clients of several servers of one graph without a journal add 1 to one counter; each
// is told that it has, and nothing is lost.
func TestRemoteCounter(t *testing.T) {
	servers, clients, each := 4, 16, longtest.Pick(1, 8)
	name := newRemote(t)
	c := client(t)
	var urls []string
	for range servers {
		urls = append(urls, start(t, server.Database(openRemote(t, name)), nil).URL)
	}
	if s, b, err := send(c, "POST", urls[0]+"/update", change, "INSERT DATA { <x:counter> <x:is> 0 }"); s != 204 || err != nil {
		t.Fatal(s, b, err)
	}
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for range each {
				s, b, err := send(c, "POST", urls[i%servers]+"/update", change, "DELETE { ?c <x:is> ?n } INSERT { ?c <x:is> ?m } WHERE { ?c <x:is> ?n BIND(?n + 1 AS ?m) }")
				if s != 204 || err != nil {
					t.Error(s, b, err)
				}
			}
		})
	}
	all.Wait()
	want := []string{fmt.Sprintf(`<x:counter>_<x:is>_"%d"^^<http://www.w3.org/2001/XMLSchema#integer>`, clients*each)}
	if got := quadsOf(t, start(t, server.Database(openRemote(t, name)), nil).URL); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// overtaken is a Store whose next write finds that another one was faster, each time that it is made up to
// left times.
type overtaken struct {
	server.Store
	by    *rete.DB
	left  int
	calls int
}

func (o *overtaken) Write(ctx context.Context, ifState string, change func(dataset.Tx) error) (server.Written, error) {
	return o.Store.Write(ctx, ifState, func(tx dataset.Tx) error {
		o.calls++
		err := change(tx)
		if o.left--; o.left >= 0 {
			_, by := o.by.Update(ctx, fmt.Sprintf("INSERT DATA { <x:other> <x:wrote> %q GRAPH <x:g> { <x:other> <x:wrote> %[1]q } }", fmt.Sprint(o.calls)))
			if by != nil {
				return by
			}
		}
		return err
	})
}

// TestOvertakenWrites: without a condition of the client's, what another writer overtakes is made again, on what that
// has committed.
func TestOvertakenWrites(t *testing.T) {
	name := newRemote(t)
	store := &overtaken{Store: server.Database(openRemote(t, name)), by: openRemote(t, name)}
	h, err := server.New(store, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	state := func() string { return ask(t, "GET", srv.URL+ask1, "").header.Get("Rete-State") }
	var long strings.Builder // whose quads are in blocks
	for i := range 3000 {
		fmt.Fprintf(&long, "<x:long/%d> <x:is> \"%s\" .\n", i, strings.Repeat("x", 100))
	}
	form := "--b\r\nContent-Type: text/turtle\r\n\r\n<x:a> <x:form> 1 .\r\n--b\r\nContent-Type: text/turtle\r\n\r\n<x:b> <x:form> 2 .\r\n--b--\r\n"
	const other, inGraph = `<x:other>_<x:wrote>_"1"`, `<x:other>_<x:wrote>_"1"_<x:g>`
	for what, c := range map[string]struct {
		method, path, media, body string
		headers                   []string
		status, calls             int
		want                      []string // nil: not compared
	}{
		"update":           {"POST", "/update", change, "DELETE WHERE { ?s <x:wrote> ?o } ; INSERT DATA { <x:a> <x:b> 'c' }", nil, 204, 2, []string{`<x:a>_<x:b>_"c"`, inGraph}},
		"long update":      {"POST", "/update", change, "CLEAR ALL ; INSERT DATA {" + long.String() + "}", nil, 204, 2, nil},
		"PUT":              {"PUT", "/store?graph=x:g", turtle, "<x:a> <x:b> 'c' .", nil, 204, 2, []string{other, `<x:a>_<x:b>_"c"_<x:g>`}},
		"long PUT":         {"PUT", "/store?default", turtle, long.String(), nil, 204, 2, nil},
		"PUT of the store": {"PUT", "/store", "application/n-quads", "<x:a> <x:b> <x:c> <x:h> .", nil, 204, 2, []string{"<x:a>_<x:b>_<x:c>_<x:h>"}},
		"POST":             {"POST", "/store?graph=x:g", turtle, "<x:a> <x:b> 'c' .", nil, 204, 2, []string{other, `<x:a>_<x:b>_"c"_<x:g>`, inGraph}},
		"a form":           {"POST", "/store?default", "multipart/form-data; boundary=b", form, nil, 204, 2, nil},
		"DELETE":           {"DELETE", "/store?graph=x:g", "", "", nil, 204, 2, []string{other}},
		"a new graph":      {"PUT", "/store?graph=x:n", turtle, "<x:a> <x:b> 'c' .", []string{"If-None-Match", "*"}, 201, 2, nil},
		"no longer new":    {"PUT", "/store?graph=x:g", turtle, "<x:a> <x:b> 'c' .", []string{"If-None-Match", "*"}, 412, 2, []string{other, inGraph}},
		"a state":          {"POST", "/update", change, "INSERT DATA { <x:a> <x:b> 'c' }", []string{"Rete-If-State", "now"}, 412, 1, []string{other, inGraph}},
	} {
		if a := ask(t, "PUT", srv.URL+"/store", "", "Content-Type", "application/n-quads"); a.status != 204 {
			t.Fatal(a.status, a.body)
		}
		if what == "DELETE" { // which the first call must find
			ask(t, "PUT", srv.URL+"/store?graph=x:g", "<x:old> <x:b> 'c' .", "Content-Type", turtle)
		}
		for i, h := range c.headers {
			if h == "now" {
				c.headers[i] = state()
			}
		}
		store.left, store.calls = 1, 0
		a := ask(t, c.method, srv.URL+c.path, c.body, append([]string{"Content-Type", c.media}, c.headers...)...)
		if a.status != c.status || store.calls != c.calls {
			t.Errorf("%s: %d %s after %d calls, want %d after %d", what, a.status, a.body, store.calls, c.status, c.calls)
		}
		if _, err := store.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		slices.Sort(c.want)
		if got := slices.Sorted(slices.Values(quadsOf(t, srv.URL))); c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%s: there is %v, want %v", what, got, c.want)
		}
	}
}

// TestOvertakenForGood: a change that others overtake each time is worth another attempt; a condition of the
// client's has failed.
func TestOvertakenForGood(t *testing.T) {
	srv, store := startFake(t, people, nil)
	store.commit = func() error { return fmt.Errorf("on generation 3: %w", rete.ErrConflict) }
	for _, c := range []struct {
		headers []string
		status  int
		retry   string
	}{{nil, 503, "1"}, {[]string{"Rete-If-State", "state-0"}, 412, ""}} {
		for _, method := range []string{"PUT", "POST", "DELETE"} {
			a := ask(t, method, srv.URL+"/store?default", "", append([]string{"Content-Type", turtle}, c.headers...)...)
			if a.status != c.status || a.header.Get("Retry-After") != c.retry || !strings.Contains(a.body, "generation 3") {
				t.Errorf("%s %v: %d %v %s", method, c.headers, a.status, a.header, a.body)
			}
		}
		if a := ask(t, "POST", srv.URL+"/update", "CLEAR ALL", append([]string{"Content-Type", change}, c.headers...)...); a.status != c.status {
			t.Errorf("update %v: %d %s", c.headers, a.status, a.body)
		}
	}
}
