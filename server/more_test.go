package server_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/server"
)

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestLog(t *testing.T) {
	var log lockedBuffer
	tokens, err := server.OpenTokens(tokenFile(t, tokenLine("ann", "write", "hidden-secret")))
	if err != nil {
		t.Fatal(err)
	}
	srv, _ := startFake(t, people, &server.Options{Logger: textLogger(&log), SlowQuery: time.Nanosecond, Tokens: tokens})
	long := "ASK {} # " + strings.Repeat("é", 3000)
	ask(t, "POST", srv.URL+"/sparql", long, "Content-Type", direct, "Authorization", "Bearer hidden-secret")
	ask(t, "GET", srv.URL+"/sparql", "")
	got := log.String()
	for _, want := range []string{
		`msg=request method=POST path=/sparql status=200`, `user=ann`, `query_id=`, `msg="slow query"`, `text="ASK {} # é`, `…"`,
		`msg=request method=GET path=/sparql status=401`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the log has no %s:\n%s", want, got)
		}
	}
	if strings.Contains(got, "hidden-secret") || len(got) > 4000 {
		t.Errorf("the log has too much: %d bytes", len(got))
	}
}

// TestSlowLog: the log of a slow query says what it held and how it was planned, also where its time
// was over; that of an update says what it did; and neither is long. It is in fake time, since a plan
// for the log may take only so long.
func TestSlowLog(t *testing.T) {
	var log lockedBuffer
	store := &fakeStore{data: readText(t, manyPeople())}
	slowly := func(wrap func(dataset.Dataset) dataset.Dataset) {
		store.wrap = func(ds dataset.Dataset) dataset.Dataset { time.Sleep(time.Microsecond); return wrap(ds) }
	}
	slowly(func(ds dataset.Dataset) dataset.Dataset { return ds })
	store.commit = func() error { time.Sleep(time.Microsecond); return nil }
	line := func(id string) string {
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, `msg="slow `) && strings.Contains(line, "query_id="+id) {
				return line
			}
		}
		return ""
	}
	opt := &server.Options{Logger: textLogger(&log), SlowQuery: time.Nanosecond, Memory: 2 << 20}
	inFakeTime(t, store, opt, func(t *testing.T, p *pipes, _ func()) {
		check := func(a answer, want ...string) {
			t.Helper()
			id := a.header.Get("Rete-Query-Id")
			if m := regexp.MustCompile(`"query_id":"(\w+)"`).FindStringSubmatch(a.body); m != nil {
				id = m[1]
			}
			got := line(id)
			for _, w := range want {
				if !regexp.MustCompile(w).MatchString(got) {
					t.Errorf("%d %.2000s\nhas no %s in %s", a.status, a.body, w, got)
				}
			}
			if len(got) > 20_000 {
				t.Errorf("%d bytes", len(got))
			}
		}
		check(p.ask(t, "GET", "/query?query=SELECT*%7B?s+?p+?o%7DORDER+BY+?o", ""),
			`level=WARN msg="slow query"`, ` status=200 rows=4000 memory=[1-9]\d{4,} spilled=\d+ `, ` text="SELECT`, ` plan="plan .*est.*sort.*scan`)
		check(p.ask(t, "POST", "/update", "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(STRENDS(STR(?s), '7')) }", "Content-Type", change),
			`msg="slow update"`, ` status=204 rows=400 memory=[1-9]`, `text="DELETE`)
		var long strings.Builder
		for i := range 120 {
			fmt.Fprintf(&long, "UNION { ?subject%d <http://ex/name> ?object%d } ", i, i)
		}
		check(p.ask(t, "POST", "/query", "SELECT * { {} "+long.String()+"} LIMIT 1", "Content-Type", direct), `plan="plan .*…"`)
		slowly(func(ds dataset.Dataset) dataset.Dataset { return stuckDataset{ds, make(chan struct{}, 100)} })
		check(p.ask(t, "GET", "/query?timeout=0.05&query=SELECT+(COUNT(*)+AS+?n)%7B?s+?p+?o.+?a+?b+?c+FILTER(?o!=?c)%7D", ""), ` status=504 `, ` plan="plan .*scan`)
		slowly(func(ds dataset.Dataset) dataset.Dataset {
			return faultyDataset{ds, new(atomic.Int64), 1, errors.New("broken")}
		})
		check(p.ask(t, "GET", everything, ""), ` status=500 `, ` text=`)
	})
}

// panicDataset is a dataset with a mistake in it.
type panicDataset struct{ dataset.Dataset }

func (panicDataset) Scan(context.Context, dataset.Pattern, dataset.Order, *dataset.ScanOptions) (dataset.Cursor, error) {
	panic("a mistake")
}

func TestPanic(t *testing.T) {
	var log lockedBuffer
	srv, store := startFake(t, people, &server.Options{Logger: textLogger(&log)})
	store.wrap = func(ds dataset.Dataset) dataset.Dataset { return panicDataset{ds} }
	a := ask(t, "GET", srv.URL+everything, "")
	if a.status != 500 || strings.Contains(a.body, "mistake") || !strings.Contains(a.body, "query_id") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if !strings.Contains(log.String(), "a mistake") {
		t.Error("the log does not say it")
	}
	store.wrap = nil
	if a := ask(t, "GET", srv.URL+everything, ""); a.status != 200 || store.open != 0 {
		t.Errorf("%d, %d snapshots open", a.status, store.open)
	}
}

func TestMetrics(t *testing.T) {
	srv, _ := startFake(t, people, nil)
	ask(t, "GET", srv.URL+ask1, "")
	ask(t, "GET", srv.URL+"/sparql?query=x", "")
	ask(t, "FROB", srv.URL+"/nowhere", "")
	a := ask(t, "GET", srv.URL+"/metrics", "")
	for _, want := range []string{
		`rete_http_requests_total{method="GET",resource="sparql",status="200"} 1`,
		`rete_http_requests_total{method="GET",resource="sparql",status="400"} 1`,
		`rete_http_requests_total{method="other",resource="other",status="404"} 1`,
		`rete_http_request_seconds_count{resource="sparql"} 2`,
		`rete_queries_running 0`, `rete_queries_waiting 0`, `go_goroutines`,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestTLS(t *testing.T) {
	store := &fakeStore{data: readText(t, people)}
	s, err := server.New(store, nil)
	if err != nil {
		t.Fatal(err)
	}
	kit := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	defer kit.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- s.ServeTLS(ctx, l, &tls.Config{Certificates: kit.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}})
	}()
	base := "https://" + l.Addr().String()
	resp, err := kit.Client().Get(base + "/sparql?format=turtle")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(b.String(), "<"+base+"/sparql>") {
		t.Errorf("%v %s", err, b.String())
	}
	kit.Client().CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLargeTexts: texts that do not fit into memory while they wait.
func TestLargeTexts(t *testing.T) {
	srv, store := startFake(t, "", &server.Options{TempDir: t.TempDir()})
	padding := "#" + strings.Repeat("x", 3<<20) + "\n"
	a := ask(t, "POST", srv.URL+"/sparql", padding+"INSERT DATA { <x:a> <x:b> <x:c> }", "Content-Type", change)
	if a.status != 204 || len(store.data.Quads()) != 1 {
		t.Errorf("update: %d %s", a.status, a.body)
	}
	a = ask(t, "PUT", srv.URL+"/store?graph=http://ex/g", padding+"<x:a> <x:b> <x:c> .", "Content-Type", turtle)
	if a.status != 201 || len(store.data.Quads()) != 2 {
		t.Errorf("graph: %d %s", a.status, a.body)
	}
	a = ask(t, "POST", srv.URL+"/sparql", padding+"ASK {}", "Content-Type", direct)
	if a.status != 200 {
		t.Errorf("query: %d %s", a.status, a.body)
	}
}

// longText is a comment of n bytes.
func longText(n int) string { return "#" + strings.Repeat("x", n) + "\n" }

// TestLongTexts: the bounds of texts.
func TestLongTexts(t *testing.T) {
	srv, _ := startFake(t, "", &server.Options{MaxQuery: 1 << 20, MaxUpdate: 2 << 20})
	for _, c := range []struct {
		text, media string
		status      int
		detail      string
	}{
		{longText(3<<20) + "ASK {}", direct, 413, "the query has more than 1048576 bytes"},
		{longText(1<<20) + "ASK {}", direct, 413, "the query has more than 1048576 bytes"},
		{longText(3<<20) + "CLEAR ALL", change, 413, "the update has more than 2097152 bytes"},
		{"update=" + longText(3<<20), form, 413, "the text has more than 2097152 bytes"},
		{longText(1<<20) + "CLEAR ALL", change, 204, ""},
	} {
		if a := ask(t, "POST", srv.URL+"/sparql", c.text, "Content-Type", c.media); a.status != c.status || !strings.Contains(a.body, c.detail) {
			t.Errorf("%d bytes of %s: %d %s", len(c.text), c.media, a.status, a.body)
		}
	}
}

// TestFarTooLong: a client can send all of a text far beyond its bound, and is told.
func TestFarTooLong(t *testing.T) {
	addr := serve(t, &fakeStore{data: readText(t, people)}, &server.Options{Local: true, MaxQuery: 1 << 20, MaxUpdate: 1 << 20})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := longText(40 << 20)
	if _, err := fmt.Fprintf(c, "POST /sparql HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", addr, direct, len(body), body); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Errorf("the answer is %s", resp.Status)
	}
}

func TestControl(t *testing.T) {
	tokens, err := server.OpenTokens(tokenFile(t, tokenLine("cyd", "admin", "a")))
	if err != nil {
		t.Fatal(err)
	}
	srv, _ := startFake(t, people, &server.Options{
		Tokens: tokens, Secret: "inside",
		Control: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }),
	})
	for header, want := range map[string]int{"Bearer inside": 418, "Bearer a": 403, "Bearer x": 401} {
		if a := ask(t, "POST", srv.URL+"/admin/control", "", "Authorization", header); a.status != want {
			t.Errorf("%s: %d, want %d", header, a.status, want)
		}
	}
}

// TestRedirects: a listed host may not send the server elsewhere.
func TestRedirects(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the inside was asked") }))
	defer inside.Close()
	gate := httptest.NewServer(http.RedirectHandler(inside.URL, http.StatusTemporaryRedirect))
	defer gate.Close()
	srv, _ := startFake(t, people, &server.Options{Hosts: []string{strings.TrimPrefix(gate.URL, "http://")}})
	for _, c := range []struct{ text, media string }{
		{"SELECT * { SERVICE <" + gate.URL + "> { ?s ?p ?o } }", direct},
		{"LOAD <" + gate.URL + ">", change},
	} {
		if a := ask(t, "POST", srv.URL+"/sparql", c.text, "Content-Type", c.media); a.status != 403 {
			t.Errorf("%s: %d %s", c.text, a.status, a.body)
		}
	}
	if _, err := server.New(&fakeStore{}, &server.Options{Hosts: []string{"http://ex/"}}); err == nil {
		t.Error("a malformed host is taken")
	}
}

// TestBrokenDocuments: a document that cannot be loaded is a bad gateway, whatever is
// wrong with it.
func TestBrokenDocuments(t *testing.T) {
	bodies := map[string]string{
		"/packed": "\x1f\x8b\b\x0000000000000",
		"/syntax": "<x:a> <x:b>",
		"/cut":    strings.Repeat("# comment\n", 10),
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", turtle)
		if r.URL.Path == "/cut" {
			w.Header().Set("Content-Length", "10000")
		}
		w.Write([]byte(bodies[r.URL.Path]))
	}))
	defer other.Close()
	srv, store := startFake(t, people, &server.Options{Hosts: []string{"127.0.0.1"}})
	for path := range bodies {
		a := ask(t, "POST", srv.URL+"/sparql", "CLEAR ALL ;\nLOAD <"+other.URL+path+">", "Content-Type", change)
		if a.status != 502 || !strings.Contains(a.body, `"line":2,"column":1`) || store.state != 0 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		if a := ask(t, "POST", srv.URL+"/sparql", "LOAD SILENT <"+other.URL+path+">", "Content-Type", change); a.status != 204 {
			t.Errorf("%s, SILENT: %d %s", path, a.status, a.body)
		}
		store.state = 0
	}
}

func TestNotReady(t *testing.T) {
	srv, store := startFake(t, people, nil)
	store.failing = errors.New("no such segment")
	for path, want := range map[string]int{"/ready": 503, "/health": 200, ask1: 500, "/store?default": 500} {
		if a := ask(t, "GET", srv.URL+path, ""); a.status != want {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestStoreForms reads graphs in the ways that they can be sent and named.
// TestParts: a part of a form is what its media type says, or the name of its file
// where nothing says more than that it is a file.
func TestParts(t *testing.T) {
	srv, store := startFake(t, "", nil)
	const quad = "<x:a> <x:b> \"\u00e9\" ."
	for _, c := range []struct {
		headers, body string
		status        int
	}{
		{"Content-Disposition: form-data; name=f; filename=a.ttl\r\nContent-Type: application/octet-stream", quad, 204},
		{"Content-Disposition: form-data; name=f; filename=a.nt", quad, 204},
		{"Content-Disposition: form-data; name=f; filename=a.ttl\r\nContent-Type: application/n-triples", quad, 204},
		{"Content-Disposition: form-data; name=f; filename=a.ttl.gz\r\nContent-Type: application/octet-stream", gzipped(quad), 204},
		{"Content-Disposition: form-data; name=f; filename=a.nq\r\nContent-Type: application/octet-stream", quad[:len(quad)-1] + "<x:g> .", 400},
		{"Content-Disposition: form-data; name=f; filename=a.jsonld\r\nContent-Type: application/octet-stream", "{}", 415},
		{"Content-Disposition: form-data; name=f; filename=a.png\r\nContent-Type: application/octet-stream", quad, 415},
		{"Content-Disposition: form-data; name=f; filename=a.ttl\r\nContent-Type: image/png", quad, 415},
		{"Content-Disposition: form-data; name=f\r\nContent-Type: text/turtle; charset=UTF-8", quad, 204},
		{"Content-Disposition: form-data; name=f\r\nContent-Type: text/turtle; charset=iso-8859-1", "<x:a> <x:b> \"\xe9\" .", 415},
		{"Content-Disposition: form-data; name=f\r\nContent-Type: a/b/c", quad, 415},
	} {
		store.state = 0
		body := "--b\r\n" + c.headers + "\r\n\r\n" + c.body + "\r\n--b--\r\n"
		a := ask(t, "POST", srv.URL+"/store?default", body, "Content-Type", "multipart/form-data; boundary=b")
		if a.status != c.status {
			t.Errorf("%q: %d %s", c.headers, a.status, a.body)
		}
	}
}

func TestStoreForms(t *testing.T) {
	srv, store := startFake(t, people, nil)
	for media, body := range map[string]string{
		"text/turtle":                "<http://ex/x> a <http://ex/T> .",
		"application/x-turtle":       "<http://ex/x> a <http://ex/T> .",
		"application/n-triples":      "<http://ex/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://ex/T> .",
		"text/plain":                 "<http://ex/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://ex/T> .",
		"application/trig":           "<http://ex/x> a <http://ex/T> .",
		"application/x-trig":         "<http://ex/x> a <http://ex/T> .",
		"text/x-nquads":              "<http://ex/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://ex/T> .",
		"application/rdf+xml":        `<T xmlns="http://ex/" xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" r:about="http://ex/x"/>`,
		"text/xml":                   `<T xmlns="http://ex/" xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" r:about="http://ex/x"/>`,
		"TEXT/TURTLE; charset=UTF-8": "<http://ex/x> a <http://ex/T> .",
		"application/rdf+xml; charset=UTF-16": "\xfe\xff\x00" + strings.Join(strings.Split(
			`<T xmlns="http://ex/" xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" r:about="http://ex/x"/>`, ""), "\x00"),
	} {
		if a := ask(t, "PUT", srv.URL+"/store?graph=http://ex/in", body, "Content-Type", media); a.status/100 != 2 {
			t.Errorf("%s: %d %s", media, a.status, a.body)
		}
		a := ask(t, "GET", srv.URL+"/store?graph=http://ex/in&format=nt", "")
		if a.body != "<http://ex/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://ex/T> .\n" {
			t.Errorf("%s: %q", media, a.body)
		}
		ask(t, "DELETE", srv.URL+"/store?graph=http://ex/in", "")
	}
	for path, want := range map[string]int{
		"/store?graph=urn:x-arq:UnionGraph&format=nt":   1,
		"/store?graph=urn:x-arq:DefaultGraph&format=nt": 4,
		"/store?default=&format=nt":                     4,
		"/store?format=nq":                              5,
	} {
		if a := ask(t, "GET", srv.URL+path, ""); strings.Count(a.body, "\n") != want {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if store.open != 0 {
		t.Errorf("%d snapshots are open", store.open)
	}
}
