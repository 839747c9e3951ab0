package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/server"
)

// stuckDataset blocks scans until their query ends. Each one is reported.
type stuckDataset struct {
	dataset.Dataset
	begun chan struct{}
}

func (d stuckDataset) Scan(ctx context.Context, _ dataset.Pattern, _ dataset.Order, _ *dataset.ScanOptions) (dataset.Cursor, error) {
	d.begun <- struct{}{}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

const everything = "/sparql?query=SELECT*%7B?s+?p+?o%7D"

// stuckStore is a store whose queries run until they are ended. closed gets a
// value for each snapshot that is closed.
func stuckStore(t testing.TB) (store *fakeStore, begun chan struct{}) {
	store = &fakeStore{data: readText(t, people)}
	begun = make(chan struct{}, 100)
	store.wrap = func(ds dataset.Dataset) dataset.Dataset { return stuckDataset{ds, begun} }
	return store, begun
}

func TestMemoryLimit(t *testing.T) {
	srv, _ := startFake(t, manyPeople(), &server.Options{Memory: 64 << 10, Spill: -1})
	a := ask(t, "GET", srv.URL+"/sparql?query=SELECT+DISTINCT+?a+?c%7B?a+?b+?x.+?c+?d+?y%7D", "")
	if a.status != 422 || !strings.Contains(a.body, "problem:memory") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestCancellation: a client that goes away ends its query, and the server answers
// the next one.
func TestCancellation(t *testing.T) {
	store, begun := stuckStore(t)
	srv := start(t, store, &server.Options{Running: 1, QueueTime: time.Hour})
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "GET", srv.URL+everything, nil)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			<-begun
			cancel()
		}()
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			t.Errorf("a cancelled request got %s", resp.Status)
		}
	}
	// There is one slot: it is free only if all three have ended.
	store.mu.Lock()
	store.wrap = nil
	store.mu.Unlock()
	if a := ask(t, "GET", srv.URL+everything, ""); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestEndingQueries(t *testing.T) {
	store, begun := stuckStore(t)
	srv := start(t, store, nil)
	answers := make(chan answer)
	go func() { answers <- ask(t, "GET", srv.URL+everything, "") }()
	<-begun
	var list struct{ Queries []server.Running }
	a := ask(t, "GET", srv.URL+"/admin/queries", "")
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || len(list.Queries) != 1 {
		t.Fatalf("%v: %s", err, a.body)
	}
	q := list.Queries[0]
	if q.Kind != "query" || q.State != "running" || q.Text != "SELECT*{?s ?p ?o}" || q.Client == "" || q.Started.IsZero() {
		t.Errorf("%+v", q)
	}
	if a := ask(t, "DELETE", srv.URL+"/admin/queries/"+q.ID, ""); a.status != 204 {
		t.Errorf("%d %s", a.status, a.body)
	}
	a = <-answers
	if a.status != 503 || !strings.Contains(a.body, "problem:ended") || !strings.Contains(a.body, q.ID) || a.header.Get("Rete-Query-Id") != q.ID {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := ask(t, "DELETE", srv.URL+"/admin/queries/"+q.ID, ""); a.status != 404 {
		t.Errorf("ended twice: %d", a.status)
	}
}

// TestNoQueue: without a queue nothing waits.
func TestNoQueue(t *testing.T) {
	store, begun := stuckStore(t)
	srv := start(t, store, &server.Options{Running: 1, Queue: -1, QueueTime: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", srv.URL+everything, nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-begun
	if a := ask(t, "GET", srv.URL+everything, ""); a.status != 503 || !strings.Contains(a.body, "queue is full") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestWrongOptions(t *testing.T) {
	for _, o := range []server.Options{
		{QueryTime: -1}, {Running: -1}, {QueueTime: -1}, {Writers: -1}, {MaxBody: -1}, {MaxQuery: -1}, {MaxUpdate: -1},
		{PublicURL: "http://x/ y"}, {IdleTime: -1}, {StopTime: -1}, {RefreshTime: -1},
	} {
		if _, err := server.New(&fakeStore{}, &o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestSmallTimeouts: a time that is asked for is one, however short.
func TestSmallTimeouts(t *testing.T) {
	store, _ := stuckStore(t)
	srv := start(t, store, &server.Options{QueryTime: time.Hour})
	for _, v := range []string{"1e-12", "0.0000000001", "1ns", "1e-300"} {
		if a := ask(t, "GET", srv.URL+everything+"&timeout="+v, ""); a.status != 504 {
			t.Errorf("timeout=%s: %d %s", v, a.status, a.body)
		}
	}
}

// TestWholeAnswers: an answer to HTTP/1.0, which is kept until it is whole, takes no
// more of the disk than a query may.
func TestWholeAnswers(t *testing.T) {
	const long = "GET /sparql?format=csv&query=SELECT?o?r%7B?a+?p+?o.?b+?q+?r%7DLIMIT+40000 HTTP/1.0"
	for _, c := range []struct {
		spill  int64
		status int
	}{{0, 200}, {1 << 30, 200}, {-1, 422}, {2 << 20, 422}} {
		dir := t.TempDir()
		store := &fakeStore{data: readText(t, manyPeople())}
		addr := serve(t, store, &server.Options{Spill: c.spill, TempDir: dir})
		resp, body, err := badRequest{head: long + "\nAccept-Encoding: identity"}.send(t, addr)
		if err != nil || resp.StatusCode != c.status || resp.ContentLength != int64(len(body)) {
			t.Errorf("spill %d: %v, %d bytes, %v", c.spill, resp.StatusCode, len(body), err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("files are left: %v %v", left, err)
		}
	}
}

// TestSlowReader: a client that takes nothing of its answer is dropped, and its
// query ends.
func TestSlowReader(t *testing.T) {
	store := &fakeStore{data: readText(t, manyPeople())}
	closed := make(chan struct{}, 10)
	store.closed = closed
	addr := serve(t, store, &server.Options{IdleTime: 30 * time.Millisecond})
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4096)
	// A cross product: no buffer of the system holds it.
	io.WriteString(conn, "GET /sparql?query=SELECT*%7B?a+?b+?c.+?d+?e+?f%7D HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-closed
}

// TestWatch: commits of others are looked for, in fake time, also after failures.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{data: readText(t, people)}
		var at []time.Duration
		begin := time.Now()
		store.refresh = func() (bool, error) {
			at = append(at, time.Since(begin))
			if len(at) == 2 {
				return false, io.ErrUnexpectedEOF
			}
			return true, nil
		}
		var log strings.Builder
		s, err := server.New(store, &server.Options{Logger: textLogger(&log)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2100*time.Millisecond)
		defer cancel()
		s.Watch(ctx)
		if len(at) != 4 || at[0] > time.Second || at[3]-at[2] > time.Second {
			t.Errorf("refreshed at %v", at)
		}
		if n := strings.Count(log.String(), "looking for commits failed"); n != 1 {
			t.Errorf("logged %d times: %s", n, log.String())
		}
	})
}

// TestSlowReadersLendTheirPlaces: clients that do not read do not keep others from being
// answered, and get the rest of their answers when they do.
func TestSlowReadersLendTheirPlaces(t *testing.T) {
	const running = 1
	addr := serve(t, &fakeStore{data: readText(t, manyPeople())}, &server.Options{Running: running, QueueTime: time.Hour, QueryTime: time.Hour, IdleTime: time.Hour})
	const rows = 400_000 // no buffer of the system holds them
	var slow []net.Conn
	for range 2 * running {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /sparql?query=SELECT*%%7B?a+?b+?c.+?d+?e+?f%%7DLIMIT+%d HTTP/1.1\r\nHost: localhost\r\nAccept: text/csv\r\nConnection: close\r\n\r\n", rows)
		slow = append(slow, conn)
	}
	for range 5 {
		if a := ask(t, "GET", "http://"+addr+"/sparql?query=ASK%7B%7D", ""); a.status != 200 {
			t.Fatalf("%d %s %v", a.status, a.body, a.err)
		}
	}
	for _, conn := range slow {
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if n := bytes.Count(body, []byte("\n")); err != nil || n != rows+1 {
			t.Errorf("%d lines, %v", n, err)
		}
	}
}
