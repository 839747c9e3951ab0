package server_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// badRequest is a request as text, and what it gets. Lines end with LF here; Host,
// Connection and Content-Length are filled in where they are missing. A status of 0
// stands for a connection that is closed without an answer.
type badRequest struct {
	name, head, body string
	status           int
	detail           string // a part of the problem's detail
	ends             bool   // the client ends its side after the request
}

// post is a head of a POST with a Content-Type.
func post(path, contentType string, headers ...string) string {
	h := "POST " + path + " HTTP/1.1\nContent-Type: " + contentType
	return strings.Join(append([]string{h}, headers...), "\n")
}

func get(path string, headers ...string) string {
	return strings.Join(append([]string{"GET " + path + " HTTP/1.1"}, headers...), "\n")
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

const (
	form   = "application/x-www-form-urlencoded"
	direct = "application/sparql-query"
	change = "application/sparql-update"
	turtle = "text/turtle"
	ask1   = "/sparql?query=ASK%7B%7D"
)

func bad(name, head, body string, status int, detail string) badRequest {
	return badRequest{name: name, head: head, body: body, status: status, detail: detail}
}

// badRequests is the list: texts, parameters, methods, media types, codings,
// bodies, heads, names, origins.
var badRequests = []badRequest{
	// the text
	bad("syntax error", get("/sparql?query=ASK%7B"), "", 400, "1:5: expected"),
	bad("not SPARQL at all", get("/sparql?query=hello"), "", 400, "1:1: expected"),
	bad("empty query", get("/sparql?query="), "", 400, "1:1: expected"),
	bad("update as query", get("/sparql?query=CLEAR+ALL"), "", 400, "1:1"),
	bad("query as update", post("/sparql", change), "ASK {}", 400, "1:1"),
	bad("undeclared prefix", get("/sparql?query=ASK%7B?s+foaf:name+?o%7D"), "", 400, "foaf"),
	bad("NUL in the text", post("/sparql", direct), "ASK {\x00}", 400, "1:6"),
	bad("not UTF-8, direct", post("/sparql", direct), "ASK { ?s ?p '\xff' }", 400, "not UTF-8"),
	bad("not UTF-8, in a form", post("/sparql", form), "query=ASK%7B?s+?p+'%FF'%7D", 400, "not UTF-8"),
	bad("nested too deep", post("/sparql", direct), "ASK "+strings.Repeat("{", 10000), 400, "nest"),
	bad("unbound projection", get("/sparql?query=SELECT+(1+AS+?a)+(2+AS+?a)+%7B%7D"), "", 400, "?a"),
	bad("blank node in two groups", get("/sparql?query=ASK%7B_:a+?p+1.+OPTIONAL%7B_:a+?p+2%7D%7D"), "", 400, "_:a"),
	bad("variable in INSERT DATA", post("/sparql", change), "INSERT DATA { ?s <x:p> 1 }", 400, "1:15"),
	bad("blank node in DELETE DATA", post("/sparql", change), "DELETE DATA { _:a <x:p> 1 }", 400, "1:15"),
	bad("long query", post("/sparql", direct), "ASK {} #"+strings.Repeat("x", 70000), 413, "more than 65536 bytes"),
	// parameters
	bad("two queries", get(ask1+"&query=ASK%7B%7D"), "", 400, "query= is given 2 times"),
	bad("two updates", post("/sparql", form), "update=CLEAR+ALL&update=CLEAR+ALL", 400, "update= is given 2 times"),
	bad("query and update", post("/sparql", form), "query=ASK%7B%7D&update=CLEAR+ALL", 400, "both given"),
	bad("direct and parameter", post(ask1, direct), "ASK {}", 400, "a parameter gives another"),
	bad("neither", post("/sparql", form), "quer=ASK%7B%7D", 400, "neither query= nor update="),
	bad("bad percent", get("/sparql?query=ASK%7B%7"), "", 400, "malformed"),
	bad("semicolon before a parameter", get("/sparql?query=ASK%7B%7D;format=json"), "", 400, "1:6: expected"),
	bad("too many parameters", post("/sparql", form), strings.Repeat("a&", 20_000), 400, "more than 10000 parameters"),
	bad("POST of nothing", "POST /sparql HTTP/1.1", "", 400, "neither query= nor update="),
	bad("POST of nothing in chunks", "POST /update HTTP/1.1\nTransfer-Encoding: chunked", "0\r\n\r\n", 400, "neither query= nor update="),
	bad("update in the address of /query", "POST /query?update=CLEAR+ALL HTTP/1.1", "", 400, "updates go to /update"),
	bad("query in the address of /update", "POST /update?query=ASK%7B%7D HTTP/1.1", "", 400, "queries go to /query"),
	bad("update in the address, by a page", "POST /update?update=CLEAR+ALL HTTP/1.1\nSec-Fetch-Site: cross-site", "", 403, "another origin"),
	bad("graph without a body", "PUT /store?graph=http://ex/g HTTP/1.1", "", 415, "no body and no Content-Type"),
	bad("bad timeout", get(ask1+"&timeout=soon"), "", 400, "timeout=soon"),
	bad("negative timeout", get(ask1+"&timeout=-1"), "", 400, "timeout=-1"),
	bad("timeout that is no number", get(ask1+"&timeout=NaN"), "", 400, "timeout=NaN"),
	bad("unknown format", get(ask1+"&format=docx"), "", 406, "format=docx is none of these"),
	bad("format of rows for a graph", get("/sparql?query=DESCRIBE+%3Cx:a%3E&format=csv"), "", 406, "text/turtle"),
	bad("relative default graph", get(ask1+"&default-graph-uri=people"), "", 400, "no absolute IRI"),
	bad("graph with a blank", get(ask1+"&named-graph-uri=http://ex/a%20b"), "", 400, "no absolute IRI"),
	bad("injection by a graph name", get("/store?graph=http://ex/a%3E%7D;CLEAR%20ALL"), "", 400, ""),
	bad("USING of a query", get(ask1+"&using-graph-uri=http://ex/g"), "", 400, "for updates"),
	bad("default graph of an update", post("/sparql?default-graph-uri=http://ex/g", change), "CLEAR ALL", 400, "default-graph-uri= is no parameter of an update"),
	bad("USING twice", post("/sparql?using-graph-uri=http://ex/g", change), "WITH <x:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", 400, "do not go with WITH"),
	// negotiation
	bad("nothing acceptable", get(ask1, "Accept: image/png"), "", 406, "application/sparql-results+json"),
	bad("all refused", get(ask1, "Accept: */*;q=0"), "", 406, "text/csv"),
	bad("no coding", get(ask1, "Accept-Encoding: identity;q=0, br"), "", 406, "zstd, gzip and identity"),
	// methods and places
	bad("PUT of a query", "PUT "+ask1+" HTTP/1.1", "", 405, "PUT is not one of"),
	bad("DELETE of the endpoint", "DELETE /sparql HTTP/1.1", "", 405, "DELETE"),
	bad("unknown method", "FROB /sparql HTTP/1.1", "", 405, "FROB"),
	bad("PATCH of a graph", "PATCH /store?default HTTP/1.1\nContent-Type: application/sparql-update", "CLEAR ALL", 405, "PATCH"),
	bad("update by GET", get("/sparql?update=CLEAR+ALL"), "", 405, "POST"),
	bad("GET of the update endpoint", get("/update"), "", 405, "POST"),
	bad("update at /query", post("/query", change), "CLEAR ALL", 400, "updates go to /update"),
	bad("query at /update", post("/update", direct), "ASK {}", 400, "queries go to /query"),
	bad("no such place", get("/etc/passwd"), "", 404, "there are /sparql"),
	bad("dots in the path", get("/sparql/../../etc/passwd"), "", 404, ""),
	bad("GET of a seal", get("/admin/seal"), "", 405, "POST"),
	bad("no such query to end", "DELETE /admin/queries/0000 HTTP/1.1", "", 404, "no query with this id"),
	// media types and codings
	bad("no media type", "POST /sparql HTTP/1.1", "ASK {}", 415, "no Content-Type"),
	bad("plain text", post("/sparql", "text/plain"), "ASK {}", 415, "text/plain is not one of"),
	bad("broken media type", post("/sparql", "a/b/c; =;"), "ASK {}", 415, "is none"),
	bad("UTF-16", post("/sparql", direct+"; charset=UTF-16"), "ASK {}", 415, "UTF-16"),
	bad("unknown coding", post("/sparql", direct, "Content-Encoding: br"), "ASK {}", 415, "br"),
	bad("two codings", post("/sparql", direct, "Content-Encoding: gzip, gzip"), "ASK {}", 415, "gzip, gzip"),
	bad("not gzip", post("/sparql", direct, "Content-Encoding: gzip"), "ASK {}", 400, "body"),
	bad("gzip cut off", post("/sparql", direct, "Content-Encoding: gzip"), gzipped("ASK {}")[:20], 400, "body"),
	bad("gzip and one byte", post("/sparql", direct, "Content-Encoding: gzip"), gzipped("ASK {}")+"x", 400, "data that is not gzip"),
	bad("gzip and a text", post("/sparql", direct, "Content-Encoding: gzip"), gzipped("ASK {}")+"more than a header has", 400, "data that is not gzip"),
	bad("gzip, zeros and a text", post("/store?default", turtle, "Content-Encoding: gzip"), gzipped("<a> <b> 1 .")+"\x00\x00x", 400, "data that is not gzip"),
	bad("gzip and a text without saying so", post("/store?default", turtle), gzipped("<http://ex/a> <http://ex/b> 1 .")+"x", 400, "data that is not gzip"),
	bad("gzip with a wrong sum", post("/sparql", direct, "Content-Encoding: gzip"), strings.Replace(gzipped("ASK {}"), gzipped("ASK {}")[len(gzipped("ASK {}"))-8:], "12345678", 1), 400, "body"),
	bad("not zstd", post("/sparql", direct, "Content-Encoding: zstd"), "ASK {}", 400, "body"),
	bad("empty gzip", post("/sparql", direct, "Content-Encoding: gzip"), "", 400, "empty"),
	bad("empty zstd", post("/store?default", turtle, "Content-Encoding: zstd"), "", 400, "empty"),
	bad("packed twice", post("/store?default", turtle), gzipped(gzipped("<http://ex/a> <http://ex/b> 1 .")), 400, "holds gzip data"),
	bad("packed three times", post("/store?default", turtle, "Content-Encoding: gzip"), gzipped(gzipped(gzipped(strings.Repeat(" ", 4<<20)))), 400, "holds gzip data"),
	bad("gzip bomb", post("/store?default", turtle, "Content-Encoding: gzip"), gzipped(strings.Repeat(" ", 4<<20)), 413, "more than 1048576 bytes"),
	bad("gzip bomb as update", post("/sparql", change, "Content-Encoding: gzip"), gzipped(strings.Repeat(" ", 4<<20)), 413, "more than 1048576 bytes"),
	// bodies
	bad("body too long", "POST /sparql HTTP/1.1\nContent-Type: "+direct+"\nContent-Length: 99999999999", "", 413, "more than 1048576 bytes"),
	bad("chunks too long", post("/sparql", direct, "Transfer-Encoding: chunked"), fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", 2<<20, strings.Repeat(" ", 2<<20)), 413, "the query has more than 65536 bytes"),
	bad("chunks of a document too long", post("/store?default", turtle, "Transfer-Encoding: chunked"), fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", 2<<20, strings.Repeat(" ", 2<<20)), 413, "more than 1048576 bytes"),
	bad("packed query too long", post("/sparql", direct, "Content-Encoding: gzip"), gzipped(strings.Repeat(" ", 4<<20)), 413, "the query has more than 65536 bytes"),
	bad("broken chunks", post("/sparql", direct, "Transfer-Encoding: chunked"), "zz\r\nASK {}\r\n0\r\n\r\n", 400, ""),
	{name: "body cut off", head: post("/sparql", direct, "Content-Length: 100"), body: "ASK {}", status: 400, ends: true},
	bad("length and chunks", post("/sparql", direct, "Transfer-Encoding: chunked", "Content-Length: 4"), "0\r\n\r\n", 400, "1:1"),
	bad("negative length", post("/sparql", direct, "Content-Length: -5"), "", 400, ""),
	// graphs
	bad("malformed Turtle", post("/store?default", turtle), "<x:a> <x:b>\n  oops .", 400, "body:2:3"),
	bad("broken gzip without saying so", post("/store?default", turtle), "\x1f\x8b\b\x0000000000000", 400, "corrupt"),
	bad("Turtle in UTF-16", post("/store?default", turtle), "\xff\xfe<\x00", 400, "UTF-16"),
	bad("TriG in UTF-16", post("/store", "application/trig"), "\xfe\xff\x00<", 400, "UTF-16"),
	bad("a part of a graph", "PUT /store?default HTTP/1.1\nContent-Type: "+turtle+"\nContent-Range: bytes 0-15/200", "<x:a> <x:b> 1 .\n", 400, "Content-Range"),
	bad("a part of an update", post("/update", "application/sparql-update", "Content-Range: bytes 0-9/200"), "CLEAR ALL", 400, "Content-Range"),
	bad("quads into a graph", post("/store?graph=http://ex/g", "application/n-quads"), "<x:a> <x:b> <x:c> <x:d> .", 400, "named graphs"),
	bad("JSON-LD in", post("/store?default", "application/ld+json"), "{}", 415, "application/ld+json"),
	bad("graph and default", get("/store?graph=http://ex/g&default"), "", 400, "both given"),
	bad("two graphs", get("/store?graph=http://ex/g&graph=http://ex/h"), "", 400, "graph= is given 2 times"),
	bad("relative graph", get("/store?graph=g"), "", 400, "no absolute IRI"),
	bad("path and parameter", get("/store/a?graph=http://ex/g"), "", 400, "by the path and by a parameter"),
	bad("no such graph", get("/store?graph=http://ex/none"), "", 404, "has no quad"),
	bad("PUT of the store", "PUT /store HTTP/1.1\nContent-Type: "+turtle, "", 400, "name a graph"),
	bad("PUT of the store as a form", "PUT /store HTTP/1.1\nContent-Type: multipart/form-data; boundary=b", "--b\r\nContent-Type: application/trig\r\n\r\n\r\n--b\r\nContent-Type: text/turtle\r\n\r\n\r\n--b--", 400, "name a graph"),
	bad("PUT of the store with a misspelled graph", "PUT /store?Graph=http://ex/g HTTP/1.1\nContent-Type: application/trig", "", 400, "Graph= is no parameter"),
	bad("DELETE of the store", "DELETE /store HTTP/1.1", "", 400, "name a graph"),
	bad("DELETE of no graph", "DELETE /store?graph=http://ex/none HTTP/1.1", "", 404, "has no quad"),
	bad("PUT into the union", "PUT /store?graph=urn:x-arq:UnionGraph HTTP/1.1\nContent-Type: "+turtle, "", 400, "union"),
	bad("form without a boundary", post("/store?default", "multipart/form-data"), "x", 400, "no boundary"),
	bad("form without parts", post("/store?default", "multipart/form-data; boundary=b"), "--b--\r\n", 400, "no part"),
	bad("form cut off", post("/store?default", "multipart/form-data; boundary=b"), "--b\r\nContent-Type: text/turtle\r\n\r\n<x:a>", 400, "part 1: unexpected EOF"),
	bad("mistake in a part", post("/store?default", "multipart/form-data; boundary=b"), "--b\r\nContent-Type: text/turtle\r\n\r\n\r\n--b\r\nContent-Type: text/turtle\r\n\r\n<x:a> oops\r\n--b--\r\n", 400, "part 2:1:7"),
	bad("part of no type", post("/store?default", "multipart/form-data; boundary=b"), "--b\r\n\r\n<x:a> <x:b> 1 .\r\n--b--\r\n", 415, "what has no media type is no RDF syntax"),
	bad("If-Match", "PUT /store?default HTTP/1.1\nContent-Type: "+turtle+"\nIf-Match: \"a\"", "", 412, "weak"),
	bad("If-None-Match", "PUT /store?graph=http://ex/g HTTP/1.1\nContent-Type: "+turtle+"\nIf-None-Match: *", "", 412, "there already"),
	bad("other state", post("/sparql", change, "Rete-If-State: elsewhere"), "CLEAR ALL", 412, "state"),
	// who asks
	bad("Host of another site", get(ask1, "Host: evil.example"), "", 403, "localhost"),
	bad("Host like ours", get(ask1, "Host: localhost.evil.example"), "", 403, "localhost"),
	bad("update by a page of another site", post("/sparql", form, "Origin: https://evil.example"), "update=CLEAR+ALL", 403, "another origin"),
	bad("update by a cross-site form", post("/sparql", form, "Sec-Fetch-Site: cross-site"), "update=CLEAR+ALL", 403, "another origin"),
	bad("graph write by a page", post("/store?default", "text/plain", "Sec-Fetch-Site: cross-site"), "<x:a> <x:b> <x:c> .", 403, "another origin"),
	bad("seal by a page", "POST /admin/seal HTTP/1.1\nSec-Fetch-Site: cross-site", "", 403, "another origin"),
	bad("ending a query by a page", "DELETE /admin/queries/1 HTTP/1.1\nSec-Fetch-Site: cross-site", "", 403, "another origin"),
	bad("SERVICE to another host", get("/sparql?query=SELECT*%7BSERVICE%3Chttp://169.254.169.254/%3E%7B?s+?p+?o%7D%7D"), "", 403, "SERVICE and LOAD"),
	bad("SERVICE of an unbound endpoint", get("/sparql?query=SELECT*%7BSERVICE+?x%7B?s+?p+?o%7D%7D"), "", 400, "nothing binds ?x"),
	bad("SERVICE of a literal", get("/sparql?query=SELECT*%7BVALUES?x%7B%221%22%7DSERVICE+?x%7B?s+?p+?o%7D%7D"), "", 400, "expected an IRI"),
	bad("literal as a subject", post("/sparql", change), "INSERT DATA { 'x' <x:p> 1 }", 400, "expected an IRI or a blank node"),
	bad("literal as a subject in a graph", post("/sparql", change), "INSERT DATA { GRAPH <x:g> { 1 <x:p> 1 } }", 400, "expected an IRI or a blank node"),
	bad("literal as the subject of a triple term", post("/sparql", change), "INSERT DATA { <x:s> <x:p> <<('x' <x:p> 1)>> }", 400, "triple term"),
	bad("LOAD of another host", post("/sparql", change), "LOAD <http://127.0.0.1:1/x.ttl>", 403, "SERVICE and LOAD"),
	bad("LOAD of a file", post("/sparql", change), "LOAD <file:///etc/passwd>", 403, "SERVICE and LOAD"),
	bad("CREATE of a graph", post("/sparql", change), "CREATE GRAPH <http://ex/g>", 400, "exists"),
	bad("COPY of no graph", post("/sparql", change), "COPY <http://ex/none> TO <http://ex/h>", 404, "no such graph"),
	// heads
	bad("no Host", "GET "+ask1+" HTTP/1.1\nHost:-", "", 400, ""),
	bad("no HTTP", "hello", "", 400, ""),
	bad("unknown version", "GET "+ask1+" HTTP/3.7", "", 505, ""),
	bad("header without a colon", get(ask1, "Frob"), "", 400, ""),
	bad("header with a blank name", get(ask1, "A b: c"), "", 400, ""),
	bad("control in a header", get(ask1, "Accept: a\x01b"), "", 400, ""),
	bad("large head", get(ask1, "Frob: "+strings.Repeat("x", 100<<10)), "", 431, ""),
	bad("large address", get("/sparql?query="+strings.Repeat("x", 100<<10)), "", 431, ""),
	bad("control in the path", "GET /sp\x00arql HTTP/1.1", "", 400, ""),
}

// send sends a request as it stands and reads the answer.
func (b badRequest) send(t *testing.T, addr string) (*http.Response, string, error) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	head := b.head
	if strings.HasSuffix(head, "Host:-") {
		head = strings.TrimSuffix(head, "\nHost:-")
	} else if !strings.Contains(head, "\nHost:") {
		head += "\nHost: " + addr
	}
	head += "\nConnection: close"
	if !strings.Contains(head, "\nContent-Length:") && !strings.Contains(head, "\nTransfer-Encoding:") {
		head += fmt.Sprintf("\nContent-Length: %d", len(b.body))
	}
	text := strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + b.body
	go func() { // the server may answer before it has read all
		io.WriteString(conn, text)
		if b.ends {
			conn.(*net.TCPConn).CloseWrite()
		}
	}()
	method, _, _ := strings.Cut(b.head, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func TestBadRequests(t *testing.T) {
	if len(badRequests) < 60 {
		t.Fatalf("only %d requests", len(badRequests))
	}
	store := &fakeStore{data: readText(t, people)}
	addr := serve(t, store, &server.Options{Local: true, MaxBody: 1 << 20, MaxQuery: 64 << 10})
	good := ask(t, "GET", "http://"+addr+ask1, "").body
	before := store.name()
	for _, b := range badRequests {
		t.Run(b.name, func(t *testing.T) {
			resp, body, err := b.send(t, addr)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != b.status {
				t.Errorf("status %d, want %d: %s", resp.StatusCode, b.status, body)
			}
			if resp.Header.Get("Content-Type") == "application/problem+json" {
				checkProblem(t, resp, body, b.detail)
			} else if b.detail != "" {
				t.Errorf("no problem document: %s", body)
			}
			if a := ask(t, "GET", "http://"+addr+ask1, ""); a.status != 200 || a.body != good || a.err != nil {
				t.Errorf("the next good request got %d %s %v", a.status, a.body, a.err)
			}
		})
	}
	if store.name() != before {
		t.Error("a bad request changed the store")
	}
}

// checkProblem checks that a problem document is whole and says what is wrong.
func checkProblem(t *testing.T, resp *http.Response, body, detail string) {
	t.Helper()
	var p server.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if p.Status != resp.StatusCode || p.Title == "" || !strings.HasPrefix(p.Type, "urn:rete:problem:") {
		t.Errorf("status %d with the problem %+v", resp.StatusCode, p)
	}
	if !strings.Contains(p.Detail, detail) {
		t.Errorf("the detail is %q, without %q", p.Detail, detail)
	}
	if strings.HasPrefix(p.Detail, "1:") && (p.Line != 1 || p.Column == 0) {
		t.Errorf("no place in %+v", p)
	}
}
