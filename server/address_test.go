package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// TestSemicolons sends raw semicolons wherever a parameter can have one: they part nothing.
func TestSemicolons(t *testing.T) {
	const query = "ASK{<http://ex/ann>+<http://ex/age>+41;<http://ex/knows>+?x}"
	const insert = "INSERT+DATA{<http://ex/s>+<http://ex/p>+1;<http://ex/q>+2.GRAPH<http://ex/a;b>{<http://ex/s>+<http://ex/p>+3}}"
	raw := func(text string) string {
		return strings.NewReplacer("<", "%3C", ">", "%3E", "{", "%7B", "}", "%7D").Replace(text)
	}
	for _, c := range []struct {
		name, method, path, media, body string
		status                          int
		want                            string
	}{
		{"query in an address", "GET", "/sparql?query=" + raw(query), "", "", 200, "true"},
		{"and other parameters", "GET", "/query?a;b=c;d&query=" + raw(query) + "&format=json;x&", "", "", 406, "json;x"},
		{"query in a form", "POST", "/sparql", form, "query=" + query, 200, "true"},
		{"query in an address, by POST", "POST", "/query?query=" + raw(query), "", "", 200, "true"},
		{"graphs of a query", "GET", "/sparql?default-graph-uri=http://ex/a;b&query=" + raw("ASK{?s+?p+3;?q+3}"), "", "", 200, "true"},
		{"direct query with graphs", "POST", "/sparql?named-graph-uri=http://ex/a;b", direct, "ASK { GRAPH ?g { ?s ?p 3 ; ?q 3 } }", 200, "true"},
		{"update in a form", "POST", "/update", form, "update=" + insert, 204, ""},
		{"update in an address", "POST", "/update?update=" + raw(insert), "", "", 204, ""},
		{"direct update with graphs", "POST", "/update?using-graph-uri=http://ex/a;b", change, "DELETE { ?s ?p 4 } WHERE { ?s ?p 3 ; ?q 4 }", 204, ""},
		{"graph", "GET", "/store?graph=http://ex/a;b&format=nt", "", "", 200, "\"3\""},
		{"written graph", "POST", "/store?graph=http://ex/c;d&timeout=5;", turtle, "<http://ex/s> <http://ex/p> 4 .", 400, "timeout=5;"},
		{"put graph", "PUT", "/store?graph=http://ex/c;d", turtle, "<http://ex/s> <http://ex/p> 4 ; <http://ex/q> 5 .", 201, ""},
		{"deleted graph", "DELETE", "/store?graph=http://ex/c;d", "", "", 204, ""},
		{"graph and others", "DELETE", "/store?graph=http://ex/c;d&x;y=z", "", "", 400, "x;y="},
		{"default graph", "GET", "/store?default&a;b", "", "", 200, "Ann"},
		{"default graph and a semicolon", "GET", "/store?default;&format=nq", "", "", 200, "/g>"},
		{"running queries", "GET", "/admin/queries?a;b", "", "", 200, "queries"},
		{"metrics", "GET", "/metrics?a;b", "", "", 200, "rete_"},
		{"bad escape next to one", "GET", "/sparql?a;b=%zz&query=ASK%7B%7D", "", "", 400, "malformed"},
	} {
		srv, _ := startFake(t, people+"GRAPH <http://ex/a;b> { <http://ex/s> <http://ex/p> 3 }\nGRAPH <http://ex/c;d> { <http://ex/s> <http://ex/p> 3 }\n", nil)
		if c.name == "put graph" {
			srv, _ = startFake(t, people, nil)
		}
		headers := []string{}
		if c.media != "" {
			headers = append(headers, "Content-Type", c.media)
		}
		a := ask(t, c.method, srv.URL+c.path, c.body, headers...)
		if a.status != c.status || !strings.Contains(a.body, c.want) {
			t.Errorf("%s: %d %v %s", c.name, a.status, a.err, a.body)
		}
	}
}

// TestBodiless asks by POST with everything in the address, in each way of having no body.
func TestBodiless(t *testing.T) {
	text := url.QueryEscape("ASK { <http://ex/ann> ?p ?o }")
	for _, headers := range []string{"", "Content-Type: " + form, "Content-Type: " + direct, "Content-Type: application/json", "Transfer-Encoding: chunked",
		"Transfer-Encoding: chunked\nContent-Type: text/plain", "Content-Type: a/b/c; =;"} {
		addr := serve(t, &fakeStore{data: readText(t, people)}, &server.Options{Local: true})
		body := ""
		if strings.HasPrefix(headers, "Transfer") {
			body = "0\r\n\r\n"
		}
		for path, status := range map[string]int{"/sparql?query=" + text: 200, "/query?query=" + text + "&format=xml": 200, "/?query=" + text: 200,
			"/sparql?update=CLEAR+ALL": 204, "/update?update=CLEAR+ALL": 204} {
			head := "POST " + path + " HTTP/1.1"
			if headers != "" {
				head += "\n" + headers
			}
			resp, got, err := badRequest{head: head, body: body}.send(t, addr)
			if err != nil || resp.StatusCode != status || status == 200 && !strings.Contains(got, "boolean") {
				t.Errorf("%s with %q: %v %s", path, headers, err, got)
			}
		}
	}
}

// TestForwarded asks for the address of the endpoint as through proxies that took a prefix
// off, on trusted and other connections.
func TestForwarded(t *testing.T) {
	forwarded := func(proto, host string, prefixes ...string) http.Header {
		h := http.Header{"X-Forwarded-Prefix": prefixes}
		if proto != "" {
			h.Set("X-Forwarded-Proto", proto)
		}
		if host != "" {
			h.Set("X-Forwarded-Host", host)
		}
		return h
	}
	for _, c := range []struct {
		name, from, public string
		header             http.Header
		want               string // below it is /sparql; a status if it is one
	}{
		{"no proxy", "127.0.0.1:1", "", nil, "http://inside"},
		{"all three", "127.0.0.1:1", "", forwarded("https", "data.example", "/rdf"), "https://data.example/rdf"},
		{"prefix alone", "[::1]:1", "", forwarded("", "", "/rdf"), "http://inside/rdf"},
		{"mapped address", "[::ffff:127.0.0.1]:1", "", forwarded("", "", "/rdf"), "http://inside/rdf"},
		{"slash at its end", "127.0.0.1:1", "", forwarded("", "", "/rdf/"), "http://inside/rdf"},
		{"no slash", "127.0.0.1:1", "", forwarded("", "", "rdf"), "http://inside/rdf"},
		{"only a slash", "127.0.0.1:1", "", forwarded("", "", "/"), "http://inside"},
		{"empty", "127.0.0.1:1", "", forwarded("", "", ""), "http://inside"},
		{"two proxies", "127.0.0.1:1", "", forwarded("https, http", "data.example:8443, inner", "/a", "/b/c"), "https://data.example:8443/a/b/c"},
		{"two in one field", "127.0.0.1:1", "", forwarded("HTTPS", "", "/a, /b"), "https://inside/a/b"},
		{"escapes", "127.0.0.1:1", "", forwarded("", "", "/a%20b"), "http://inside/a%20b"},
		{"IPv6 host", "127.0.0.1:1", "", forwarded("", "[2001:db8::1]:80", "/a"), "http://[2001:db8::1]:80/a"},
		{"trusted network", "10.1.2.3:1", "", forwarded("https", "data.example", "/rdf"), "https://data.example/rdf"},
		{"trusted address", "192.0.2.7:1", "", forwarded("https", "data.example", "/rdf"), "https://data.example/rdf"},
		{"another address", "192.0.2.8:1", "", forwarded("https", "data.example", "/rdf"), "http://inside"},
		{"bad fields from another address", "192.0.2.8:1", "", forwarded("gopher", "a b", "?"), "http://inside"},
		{"no address", "@", "", forwarded("https", "data.example", "/rdf"), "http://inside"},
		{"public URL", "127.0.0.1:1", "https://public.example/x/", forwarded("http", "data.example", "/rdf"), "https://public.example/x"},
		{"bad scheme", "127.0.0.1:1", "", forwarded("javascript", "", ""), "400"},
		{"bad host", "127.0.0.1:1", "", forwarded("", "evil/x", ""), "400"},
		{"user in the host", "127.0.0.1:1", "", forwarded("", "a@b", ""), "400"},
		{"blank in the prefix", "127.0.0.1:1", "", forwarded("", "", "/a b"), "400"},
		{"query in the prefix", "127.0.0.1:1", "", forwarded("", "", "/a?b"), "400"},
		{"host in the prefix", "127.0.0.1:1", "", forwarded("", "", "//evil.example"), "400"},
		{"dots in the prefix", "127.0.0.1:1", "", forwarded("", "", "/a/.."), "400"},
		{"injection", "127.0.0.1:1", "", forwarded("", "", "/a>.<x:s> <x:p> <x:o"), "400"},
	} {
		h, err := server.New(&fakeStore{data: readText(t, people)}, &server.Options{PublicURL: c.public, Proxies: []string{"10.0.0.0/8", "192.0.2.7"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/", "/sparql", "/query?query=SELECT(IRI('')AS?i)%7B%7D"} {
			r := httptest.NewRequest("GET", "http://inside"+path, nil)
			r.RemoteAddr = c.from
			for name, list := range c.header {
				r.Header[name] = list
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			want := "<" + c.want + "/sparql>"
			if strings.HasPrefix(path, "/query") {
				want = `"` + c.want + `/query"`
			}
			if c.want == "400" {
				want = "X-Forwarded-"
			}
			if (w.Code == 400) != (c.want == "400") || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s, %s: %d without %s: %s", c.name, path, w.Code, want, w.Body)
			}
		}
	}
	for _, bad := range []string{"", "proxy", "10.0.0.0/33", "127.0.0.1:80", "fe80::1%eth0"} {
		if _, err := server.New(&fakeStore{data: readText(t, people)}, &server.Options{Proxies: []string{bad}}); err == nil {
			t.Errorf("the proxy %q is taken", bad)
		}
	}
}
