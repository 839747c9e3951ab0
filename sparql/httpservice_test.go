package sparql_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

const serviceJSON = `{"head":{"vars":["o","s"]},"results":{"bindings":[
	{"s":{"type":"uri","value":"http://ex/a"},"o":{"type":"literal","value":"1"}},
	{"s":{"type":"uri","value":"http://ex/b"}}]}}`

const serviceXML = `<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="s"/><variable name="o"/></head>
	<results><result><binding name="s"><uri>http://ex/a</uri></binding><binding name="o"><literal>1</literal></binding></result>
	<result><binding name="s"><uri>http://ex/b</uri></binding></result></results></sparql>`

// askService runs a query with SERVICE at an endpoint and returns its rows as
// text.
func askService(ctx context.Context, t *testing.T, endpoint, pattern string, opt *sparql.ServiceOptions) ([]string, error) {
	t.Helper()
	q, err := sparql.Parse("PREFIX : <http://ex/>\nSELECT ?s ?o { "+strings.ReplaceAll(pattern, "ENDPOINT", "<"+endpoint+">")+" }", nil)
	if err != nil {
		t.Fatal(err)
	}
	data := load([]rdf.Quad{{S: rdf.IRI("http://ex/x"), P: rdf.IRI("http://ex/p"), O: rdf.IRI("http://ex/a")}})
	rows, err := sparql.Select(ctx, data, q, sparql.HTTPService(nil, opt))
	if err != nil {
		return nil, err
	}
	var out []string
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		s, _ := row.Term("s")
		o, _ := row.Term("o")
		out = append(out, fmt.Sprintf("%v %v", s, o))
	}
	slices.Sort(out)
	return out, nil
}

func TestHTTPService(t *testing.T) {
	var got *http.Request
	var query string
	answer, media, status := serviceJSON, "application/sparql-results+json", 200
	mux := http.NewServeMux()
	mux.HandleFunc("/sparql", func(w http.ResponseWriter, r *http.Request) {
		got, query = r, r.FormValue("query")
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		io.WriteString(w, answer)
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, answer)
		z.Close()
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		io.WriteString(w, answer+strings.Repeat(" ", 100_000))
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, answer)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/sparql?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	want := []string{`<http://ex/a> "1"`, "<http://ex/b> "}

	t.Run("GET", func(t *testing.T) {
		rows, err := askService(t.Context(), t, server.URL+"/sparql?key=1#x", "SERVICE ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } }", nil)
		if err != nil || !slices.Equal(rows, want) {
			t.Errorf("rows %q, error %v", rows, err)
		}
		if got.Method != "GET" || got.URL.Query().Get("key") != "1" || !strings.Contains(got.Header.Get("Accept"), "sparql-results+json") {
			t.Errorf("request %v", got)
		}
		if q, err := sparql.Parse(query, nil); err != nil || !slices.Equal(q.Vars(), []string{"s", "o"}) {
			t.Errorf("sent %q: %v", query, err)
		}
	})
	t.Run("POST of a long query", func(t *testing.T) {
		long := "SERVICE ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } FILTER(?s != '" + strings.Repeat("x", 3000) + "') }"
		rows, err := askService(t.Context(), t, server.URL+"/sparql", long, nil)
		if err != nil || !slices.Equal(rows, want) || got.Method != "POST" {
			t.Errorf("rows %q, error %v, method %s", rows, err, got.Method)
		}
	})
	t.Run("joined with the data", func(t *testing.T) {
		rows, err := askService(t.Context(), t, server.URL+"/sparql", ":x :p ?s SERVICE ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } }", nil)
		if err != nil || !slices.Equal(rows, want[:1]) {
			t.Errorf("rows %q, error %v", rows, err)
		}
	})
	t.Run("XML", func(t *testing.T) {
		answer, media = serviceXML, "application/sparql-results+xml; charset=utf-8"
		rows, err := askService(t.Context(), t, server.URL+"/sparql", "SERVICE ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } }", nil)
		if err != nil || !slices.Equal(rows, want) {
			t.Errorf("rows %q, error %v", rows, err)
		}
	})
	answer, media = serviceJSON, "application/sparql-results+json"
	t.Run("a redirect and a compressed answer", func(t *testing.T) {
		for _, path := range []string{"/moved", "/gzip"} {
			rows, err := askService(t.Context(), t, server.URL+path, "SERVICE ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } }", nil)
			if err != nil || !slices.Equal(rows, want) {
				t.Errorf("%s: rows %q, error %v", path, rows, err)
			}
		}
	})

	// failing asks an endpoint that fails: an error that names it, and with
	// SILENT one solution.
	failing := func(name, path, says string, opt *sparql.ServiceOptions) {
		t.Run(name, func(t *testing.T) {
			_, err := askService(t.Context(), t, server.URL+path, "SERVICE ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } }", opt)
			var se *sparql.ServiceError
			if !errors.As(err, &se) || se.Endpoint != server.URL+path || !strings.Contains(err.Error(), says) {
				t.Errorf("error %v, want %q", err, says)
			}
			rows, err := askService(t.Context(), t, server.URL+path, "SERVICE SILENT ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } }", opt)
			if err != nil || !slices.Equal(rows, []string{" "}) {
				t.Errorf("SILENT: rows %q, error %v", rows, err)
			}
		})
	}
	status, answer = 503, "come\nback   later\x1b"
	failing("a status", "/sparql", "status 503 Service Unavailable: come back later", nil)
	status, answer = 200, serviceJSON[:60]
	failing("an answer cut off", "/sparql", "cut off", nil)
	answer = serviceJSON
	failing("a connection cut off", "/cut", "cut off", nil)
	failing("an answer too long", "/long", "longer than 1000 bytes", &sparql.ServiceOptions{MaxBytes: 1000})
	refuse := &sparql.ServiceOptions{Allow: func(u *url.URL) error {
		if u.Path != "/moved" {
			return errors.New("not on the list")
		}
		return nil
	}}
	failing("an address that is not allowed", "/sparql", "not on the list", refuse)
	failing("a redirect that is not allowed", "/moved", "not on the list", refuse)
	media = "text/html"
	failing("a type that is none for results", "/sparql", `"text/html"`, nil)
	media = "text/csv"
	failing("CSV has no IRIs", "/sparql", `"text/csv"`, nil)
	media = "application/sparql-results+json"
	answer = `{"head":{},"boolean":true}`
	failing("a boolean", "/sparql", "that of an ASK", nil)

	t.Run("an address that is not http", func(t *testing.T) {
		_, err := askService(t.Context(), t, "file:///etc/passwd", "SERVICE ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } }", nil)
		if err == nil || !strings.Contains(err.Error(), "no http or https address") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a context that ends is no failure that SILENT forgives", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		}))
		defer slow.Close()
		_, err := askService(ctx, t, slow.URL, "SERVICE SILENT ENDPOINT { ?s a :T OPTIONAL { ?s :p ?o } }", nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}
