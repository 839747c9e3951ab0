package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// TestMounted serves everything below a path, as programs do: with and without a slash at the
// end of what is taken off, and several handlers deep.
func TestMounted(t *testing.T) {
	ask1 := "?query=" + url.QueryEscape("ASK { <http://ex/ann> ?p ?o }")
	for name, mount := range map[string]func(http.Handler) http.Handler{
		"without a slash": func(h http.Handler) http.Handler { return http.StripPrefix("/a/b", h) },
		"with a slash":    func(h http.Handler) http.Handler { return http.StripPrefix("/a/b/", h) },
		"twice":           func(h http.Handler) http.Handler { return http.StripPrefix("/a", http.StripPrefix("/b", h)) },
	} {
		s, err := server.New(&fakeStore{data: readText(t, people)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		mux.Handle("/a/b/", mount(s))
		srv := httptest.NewServer(mux)
		defer srv.Close()
		base := srv.URL + "/a/b"
		for _, c := range []struct {
			method, path, body string
			headers            []string
			status             int
			want               string // in the body
		}{
			{"GET", "/", "", []string{"Accept", "text/html"}, 200, `src="/a/b/console/console.js"`},
			{"GET", "/", "", nil, 200, "sd:endpoint <" + base + "/sparql>"},
			{"GET", "/sparql", "", nil, 200, "sd:endpoint <" + base + "/sparql>"},
			{"GET", "/sparql" + ask1, "", nil, 200, "true"},
			{"GET", "/" + ask1, "", nil, 200, "true"},
			{"GET", "/query" + ask1, "", nil, 200, "true"},
			{"POST", "/query", "SELECT (IRI('x') AS ?x) {}", []string{"Content-Type", direct, "Accept", "text/csv"}, 200, base + "/x"},
			{"POST", "/update", "INSERT DATA { <x> <http://ex/p> <http://ex/here> }", []string{"Content-Type", change}, 204, ""},
			{"GET", "/store?default&format=nt", "", nil, 200, "<" + base + "/x>"},
			{"GET", "/store?graph=http://ex/g", "", nil, 200, "Cyd"},
			{"PUT", "/store/own%20graph", "<http://ex/s> <http://ex/p> 1 .", []string{"Content-Type", turtle}, 201, ""},
			{"GET", "/store/own%20graph", "", nil, 200, "http://ex/s"},
			{"GET", "/store?format=nq", "", nil, 200, "<" + base + "/store/own%20graph>"},
			{"GET", "/health", "", nil, 200, ""},
			{"GET", "/ready", "", nil, 200, ""},
			{"GET", "/metrics", "", nil, 200, "rete_http_requests_total"},
			{"GET", "/admin/queries", "", nil, 200, "queries"},
			{"DELETE", "/admin/queries/none", "", nil, 404, ""},
			{"POST", "/admin/seal", "", nil, 403, ""}, // this store is none that can be tended
			{"POST", "/admin/compact", "", nil, 403, ""},
			{"GET", "/nowhere", "", nil, 404, "/sparql"},
		} {
			a := ask(t, c.method, base+c.path, c.body, c.headers...)
			if a.status != c.status || !strings.Contains(a.body, c.want) {
				t.Errorf("%s: %s %s: %d %v %s", name, c.method, c.path, a.status, a.err, a.body)
			}
		}
		a := ask(t, "POST", base+"/store", "<http://ex/s> <http://ex/p> 2 .", "Content-Type", turtle)
		location := a.header.Get("Location")
		if a.status != 201 || !strings.HasPrefix(location, base+"/store/") {
			t.Fatalf("%s: POST /store: %d, Location %q", name, a.status, location)
		}
		if a := ask(t, "GET", location, ""); a.status != 200 || !strings.Contains(a.body, "http://ex/s") {
			t.Errorf("%s: GET %s: %d %s", name, location, a.status, a.body)
		}
		// A proxy that takes a prefix off puts it in front.
		a = ask(t, "GET", base+"/sparql", "", "X-Forwarded-Prefix", "/x", "X-Forwarded-Host", "example.org", "X-Forwarded-Proto", "https")
		if want := "<https://example.org/x/a/b/sparql>"; !strings.Contains(a.body, want) {
			t.Errorf("%s: no %s in %s", name, want, a.body)
		}
	}
}

// TestMountedAlone serves at a path without a slash at its end.
func TestMountedAlone(t *testing.T) {
	s, err := server.New(&fakeStore{data: readText(t, people)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.StripPrefix("/rdf", s))
	defer srv.Close()
	a := ask(t, "GET", srv.URL+"/rdf", "")
	if want := "<" + srv.URL + "/rdf/sparql>"; a.status != 200 || !strings.Contains(a.body, want) {
		t.Errorf("%d: no %s in %s", a.status, want, a.body)
	}
	// A request that no server has read has no request line.
	r := httptest.NewRequest("GET", "/sparql", nil)
	r.RequestURI = ""
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), "<http://example.com/sparql>") {
		t.Errorf("%s", w.Body)
	}
	// A public address has the path.
	public, err := server.New(&fakeStore{data: readText(t, people)}, &server.Options{PublicURL: "https://example.org/rdf"})
	if err != nil {
		t.Fatal(err)
	}
	w = httptest.NewRecorder()
	http.StripPrefix("/rdf", public).ServeHTTP(w, httptest.NewRequest("GET", "/rdf/sparql", nil))
	if !strings.Contains(w.Body.String(), "<https://example.org/rdf/sparql>") {
		t.Errorf("%s", w.Body)
	}
}
