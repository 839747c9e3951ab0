package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// laneHandler does what its path says.
func laneHandler(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	switch r.URL.Path {
	case "/echo":
		body, err := io.ReadAll(r.Body)
		h.Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s %s %s %q %v %d", r.Method, r.RequestURI, r.Host, r.Proto, body, err, r.ContentLength)
	case "/none":
		w.WriteHeader(http.StatusNoContent)
		if _, err := w.Write([]byte("x")); err != http.ErrBodyNotAllowed {
			panic(err)
		}
	case "/same":
		h.Set("ETag", `"x"`)
		w.WriteHeader(http.StatusNotModified)
	case "/empty":
	case "/status":
		h["X-Split"] = []string{"a\r\nSet-Cookie: b", " c "}
		h["Bad Name"] = []string{"x"}
		http.Error(w, "no", http.StatusTeapot)
	case "/odd":
		w.WriteHeader(799)
	case "/sniff":
		io.WriteString(w, "<html><body>")
		io.WriteString(w, "</body></html>")
	case "/coded":
		h.Set("Content-Encoding", "gzip")
		w.Write([]byte{0x1f, 0x8b})
	case "/long", "/longer":
		n := map[string]int{"/long": 700, "/longer": 70_000}[r.URL.Path]
		h.Set("Content-Type", "text/plain")
		for i := range 5 {
			w.Write(bytes.Repeat([]byte{byte('a' + i)}, n))
		}
	case "/exact":
		h.Set("Content-Type", "text/plain")
		h.Set("Content-Length", "10")
		io.WriteString(w, "12345")
		io.WriteString(w, "67890")
		if _, err := io.WriteString(w, "!"); err != http.ErrContentLength {
			panic(err)
		}
	case "/short":
		h.Set("Content-Length", "10")
		io.WriteString(w, "12345")
	case "/flush":
		h.Set("Content-Type", "text/plain")
		io.WriteString(w, "a")
		http.NewResponseController(w).Flush()
		io.WriteString(w, "b")
		http.NewResponseController(w).Flush()
		http.NewResponseController(w).Flush()
		io.WriteString(w, "c")
	case "/cut":
		h.Set("Content-Type", "text/plain")
		io.WriteString(w, "begun")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "/abort":
		panic(http.ErrAbortHandler)
	case "/panic":
		panic("a bug")
	case "/close":
		h.Set("Connection", "close")
		io.WriteString(w, "bye")
	default:
		http.NotFound(w, r)
	}
}

// laneServer serves a handler, through a lane or without one.
func laneServer(t *testing.T, h http.Handler, withLane bool) (address string) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ReadHeaderTimeout = headTime
	srv.Config.MaxHeaderBytes = headBytes
	if withLane {
		l := newLane(h, 10*time.Second)
		srv.Listener = l.listener(srv.Listener)
		t.Cleanup(l.end)
	}
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// laneSay sends bytes, in pieces, and returns all that comes back until the other side
// closes the connection, without dates.
func laneSay(t *testing.T, address string, pieces ...string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i, p := range pieces {
		if i > 0 {
			time.Sleep(5 * time.Millisecond)
		}
		if _, err := io.WriteString(c, p); err != nil {
			break // it was closed, which the answer shows
		}
	}
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	var out strings.Builder
	var fields []string // of a head, whose order means nothing
	in := bufio.NewReader(c)
	for {
		line, err := in.ReadString('\n')
		if strings.HasPrefix(line, "Date: ") {
			line = "Date: now\r\n"
		}
		if name, _, ok := strings.Cut(line, ": "); ok && plainName([]byte(name)) {
			fields = append(fields, line)
			continue
		}
		slices.Sort(fields)
		out.WriteString(strings.Join(fields, "") + line)
		fields = nil
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			return out.String() + "(broken)"
		}
	}
}

// TestLaneSame asks two servers, of which one has a lane, and compares every byte of
// what they answer.
func TestLaneSame(t *testing.T) {
	h := http.HandlerFunc(laneHandler)
	plain, lane := laneServer(t, h, false), laneServer(t, h, true)
	const head = " HTTP/1.1\r\nHost: a\r\n"
	const bye = "GET /echo" + head + "Connection: close\r\n\r\n"
	get := func(path string) string { return "GET " + path + head + "\r\n" }
	post := func(path, body string) string {
		return fmt.Sprintf("POST %s%sContent-Length: %d\r\n\r\n%s", path, head, len(body), body)
	}
	cases := [][]string{
		{get("/echo"), bye}, {get("/echo?a=b%20c&d=%"), bye}, {get("/echo%"), bye}, {get("//echo"), bye},
		{post("/echo", ""), bye}, {post("/echo", "body"), bye}, {post("/echo", strings.Repeat("long ", 10_000)), bye},
		{post("/echo", strings.Repeat("long ", 40_000)), bye},
		{get("/none"), bye}, {get("/same"), bye}, {get("/empty"), bye}, {get("/status"), bye}, {get("/odd"), bye},
		{get("/sniff"), bye}, {get("/coded"), bye}, {get("/exact"), bye}, {get("/nothing"), bye},
		{get("/short"), bye}, {get("/abort"), bye}, {get("/close"), bye}, {get("/cut"), bye},
		{get("/echo") + get("/none") + post("/echo", "x") + get("/empty") + bye}, // without waiting
		{get("/none") + "POST /echo" + head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + get("/empty") + bye},
		{"POST /echo" + head + "Content-Length: 4\r\n\r\n", "bo", "dy", bye},
		{"GET /ec", "ho" + head + "\r\n", bye},
		{"POST /echo" + head + "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n", "body", bye},
		{"HEAD /echo" + head + "\r\n" + bye},
		{"GET /echo HTTP/1.0\r\nHost: a\r\n\r\n"}, {"GET /echo HTTP/1.1\r\n\r\n"}, {"GET /echo" + head + "Host: b\r\n\r\n"},
		{"GET /echo HTTP/1.1\r\nHost: a b\r\n\r\n"}, {"GET /echo HTTP/1.1\r\nhOsT: a\r\n\r\n", bye},
		{"GET http://b/echo" + head + "\r\n", bye}, {"GET  /echo" + head + "\r\n"}, {"GET /echo HTTP/2.0\r\nHost: a\r\n\r\n"},
		{"POST /echo" + head + "Content-Length: 4\r\nContent-Length: 4\r\n\r\nbody" + bye},
		{"POST /echo" + head + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody" + bye},
		{"POST /echo" + head + "Content-Length: +4\r\n\r\nbody" + bye}, {"POST /echo" + head + "Content-Length: 4,4\r\n\r\nbody" + bye},
		{"POST /echo" + head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + bye},
		{"POST /echo" + head + "\r\n" + bye}, {"GET /echo" + head + "Content-Length: 4\r\n\r\nbody" + bye},
		{"GET /echo" + head + "X : y\r\n\r\n"}, {"GET /echo" + head + " X: y\r\n\r\n", bye}, {"GET /echo" + head + "X: a\x00b\r\n\r\n"},
		{"GET /echo" + head + "X: a\nY: b\r\n\r\n", bye}, {"GET /echo" + head + "X:y\r\n\r\n" + bye}, {"GET /echo" + head + "X:  y \r\n\r\n" + bye},
		{"GET /echo" + head + "X: \xc3\xa4\r\n\r\n" + bye}, {"GET /\xc3\xa4" + head + "\r\n" + bye}, {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
		{"\r\n\r\n" + bye}, {"nonsense\r\n\r\n"}, {"GET /echo" + head + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 100) + "\r\n"},
		{"GET /echo" + head + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 20) + "\r\n", bye},
		{"GET /echo" + head + "Upgrade: websocket\r\nConnection: upgrade\r\n\r\n" + bye},
		{"GET /echo" + head + "Connection: keep-alive\r\n\r\n" + bye},
	}
	for _, pieces := range cases {
		a, b := laneSay(t, plain, pieces...), laneSay(t, lane, pieces...)
		if a != b {
			t.Errorf("%.300q\nhttp.Server %.1000q\nlane        %.1000q", pieces, a, b)
		}
	}
	// How long bodies are cut into chunks may differ.
	for _, path := range []string{"/long", "/longer", "/flush"} {
		var got [2]string
		for i, address := range []string{plain, lane} {
			resp, err := http.Get("http://" + address + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			resp.Header.Del("Date")
			got[i] = fmt.Sprint(resp.Status, resp.Header, resp.ContentLength, resp.TransferEncoding, string(body), err)
		}
		if got[0] != got[1] {
			t.Errorf("%s: http.Server %.300s, lane %.300s", path, got[0], got[1])
		}
	}
}

// TestLaneGone: the context of a request ends when its client goes away, and a request
// of a client that stays is let be.
func TestLaneGone(t *testing.T) {
	ended, began := make(chan error, 2), make(chan bool, 2)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- true
		select {
		case <-r.Context().Done():
		case <-time.After(map[bool]time.Duration{true: 20 * time.Second, false: 6 * lookEvery}[r.URL.Path == "/gone"]):
		}
		ended <- r.Context().Err()
	})
	address := laneServer(t, h, true)
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, path := range []string{"/stays", "/gone"} {
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path)
		<-began
		if path == "/gone" {
			c.Close()
		}
		if err := <-ended; (err == context.Canceled) != (path == "/gone") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestLaneHandsOn: the deadline of an answer of the lane is none of the answers that
// http.Server gives on the same connection afterwards.
func TestLaneHandsOn(t *testing.T) {
	const idle = 40 * time.Millisecond
	h := http.HandlerFunc(laneHandler)
	srv := httptest.NewUnstartedServer(h)
	l := newLane(h, idle)
	srv.Listener = l.listener(srv.Listener)
	t.Cleanup(l.end)
	srv.Start()
	t.Cleanup(srv.Close)
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	for i, method := range []string{"GET", "HEAD", "GET"} {
		if i > 0 {
			time.Sleep(2 * idle)
		}
		fmt.Fprintf(c, "%s /none HTTP/1.1\r\nHost: a\r\n\r\n", method)
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode != http.StatusNoContent {
			t.Fatalf("request %d, %s: %v, %v", i, method, resp, err)
		}
	}
}

// TestLanePanic: a connection whose handler panics is closed and forgotten.
func TestLanePanic(t *testing.T) {
	h := http.HandlerFunc(laneHandler)
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	l := newLane(h, time.Second)
	srv.Listener = l.listener(srv.Listener)
	t.Cleanup(l.end)
	srv.Start()
	t.Cleanup(srv.Close)
	for _, path := range []string{"/panic", "/abort"} {
		if got := laneSay(t, srv.Listener.Addr().String(), "GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n"); got != "" {
			t.Errorf("%s: %q", path, got)
		}
	}
	srv.Close() // waits for what serves them
	if len(l.conns) > 0 || l.busy.Load() != 0 {
		t.Errorf("%d connections are kept, %d requests are not over", len(l.conns), l.busy.Load())
	}
}

// TestLaneStop: connections that are idle are closed at once, those with a request when
// it is answered.
func TestLaneStop(t *testing.T) {
	began, proceed := make(chan bool), make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/waits" {
			began <- true
			<-proceed
		}
		w.WriteHeader(http.StatusNoContent)
	})
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l, srv := newLane(h, time.Second), &http.Server{Handler: h}
	defer l.end()
	var served sync.WaitGroup
	served.Go(func() { srv.Serve(l.listener(inner)) })
	var idle, busy net.Conn
	for i, c := range []*net.Conn{&idle, &busy} {
		if *c, err = net.Dial("tcp", inner.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer (*c).Close()
		io.WriteString(*c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if resp, err := http.ReadResponse(bufio.NewReader(*c), nil); err != nil || resp.StatusCode != 204 {
			t.Fatal(i, resp, err)
		}
	}
	io.WriteString(busy, "GET /waits HTTP/1.1\r\nHost: a\r\n\r\n")
	<-began
	stopped := make(chan error, 1)
	go func() { l.stop(); stopped <- shutdown(srv, l, 20*time.Second) }()
	if n, err := idle.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("%d bytes on a connection that was idle", n)
	}
	select {
	case err := <-stopped:
		t.Errorf("it did not wait for a request: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(proceed)
	text, err := io.ReadAll(busy)
	if err != nil || !bytes.HasPrefix(text, []byte("HTTP/1.1 204")) || !bytes.Contains(text, []byte("Connection: close")) {
		t.Errorf("%q, %v", text, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	served.Wait()
}

// FuzzSimpleRequest: what is simple is one request to net/http too, of that length.
func FuzzSimpleRequest(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.Add([]byte("POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nX-y: z\r\n\r\nabcGET"))
	f.Fuzz(func(t *testing.T, b []byte) {
		size, ok := simpleRequest(b)
		if !ok || size > len(b) {
			return
		}
		in := bufio.NewReader(bytes.NewReader(b))
		r, err := http.ReadRequest(in)
		if err != nil {
			return // http.Server answers it
		}
		body, err := io.ReadAll(r.Body)
		left, _ := io.ReadAll(in)
		if err != nil || len(b)-len(left) != size || len(r.TransferEncoding) > 0 || r.Close || !r.ProtoAtLeast(1, 1) || r.Host == "" {
			t.Errorf("%q: %d bytes, the request has %d with a body of %d: %v", b, size, len(b)-len(left), len(body), err)
		}
	})
}
