package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rete-go/rete/server"
)

// The tests of this file run a whole server in the fake time of a bubble: times that the
// options bound pass when all goroutines wait, however slow the machine is.

// pipes is a listener whose connections are pipes, which fake time knows.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7878} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// ask is [ask] over a pipe.
func (p *pipes) ask(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	return askOver(t, &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: p.dial},
		method, "http://"+p.Addr().String()+path, body, headers...)
}

// send writes a request as it is and returns the answer up to the end of the connection.
func (p *pipes) send(t *testing.T, request string) string {
	t.Helper()
	conn, err := p.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go io.WriteString(conn, request)
	b, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// inFakeTime serves a store in a bubble while f runs, or until f calls stop.
func inFakeTime(t *testing.T, store *fakeStore, opt *server.Options, f func(t *testing.T, p *pipes, stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := server.New(store, opt)
		if err != nil {
			t.Fatal(err)
		}
		p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(ctx, p) }()
		f(t, p, stop)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
}

func TestTimeLimit(t *testing.T) {
	store, _ := stuckStore(t)
	inFakeTime(t, store, &server.Options{QueryTime: time.Minute}, func(t *testing.T, p *pipes, _ func()) {
		for query, want := range map[string]time.Duration{
			"": time.Minute, "&timeout=0.02": 20 * time.Millisecond, "&timeout=20ms": 20 * time.Millisecond, "&timeout=3600": time.Minute,
		} {
			begin := time.Now()
			a := p.ask(t, "GET", everything+query, "")
			if took := time.Since(begin); a.status != 504 || !strings.Contains(a.body, "problem:timeout") || took != want {
				t.Errorf("%q: %d %s after %v", query, a.status, a.body, took)
			}
		}
	})
}

func TestQueue(t *testing.T) {
	store, _ := stuckStore(t)
	opt := &server.Options{Running: 1, Queue: 1, QueueTime: 5 * time.Second, QueryTime: time.Hour}
	inFakeTime(t, store, opt, func(t *testing.T, p *pipes, _ func()) {
		go p.ask(t, "GET", everything, "")
		synctest.Wait()
		begin := time.Now()
		a := p.ask(t, "GET", everything, "") // waits, in vain
		if a.status != 503 || a.header.Get("Retry-After") == "" || !strings.Contains(a.body, "problem:busy") || time.Since(begin) != opt.QueueTime {
			t.Errorf("%d %s after %v", a.status, a.body, time.Since(begin))
		}
		// What needs no slot is answered meanwhile.
		for _, path := range []string{"/health", "/ready", "/metrics", "/admin/queries", "/sparql"} {
			if a := p.ask(t, "GET", path, ""); a.status != 200 {
				t.Errorf("%s: %d", path, a.status)
			}
		}
	})
}

// TestWholeAnswersHoldNoSlot: a query that has ended while its client does not read keeps
// nothing waiting.
func TestWholeAnswersHoldNoSlot(t *testing.T) {
	query := "SELECT ('" + strings.Repeat("x", 30_000) + "' AS ?a) {}"
	store := &fakeStore{data: readText(t, people)}
	for _, version := range []string{"1.1", "1.0"} {
		inFakeTime(t, store, &server.Options{Running: 1, Queue: 10}, func(t *testing.T, p *pipes, _ func()) {
			var slow [3]net.Conn
			for i := range slow {
				conn, err := p.dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_, _ = fmt.Fprintf(conn, "POST /sparql HTTP/%s\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/sparql-query\r\nContent-Length: %d\r\n\r\n%s",
					version, len(query), query)
				slow[i] = conn
			}
			synctest.Wait() // nothing of their answers is read
			begin := time.Now()
			if a := p.ask(t, "GET", everything, ""); a.status != 200 || time.Since(begin) != 0 {
				t.Errorf("HTTP/%s: %d after %v", version, a.status, time.Since(begin))
			}
			for _, conn := range slow {
				if b, err := io.ReadAll(conn); err != nil || len(b) < 30_000 {
					t.Errorf("HTTP/%s: %d bytes, %v", version, len(b), err)
				}
			}
		})
	}
}

// TestSlowSender: a client that stops in the middle of its body is dropped.
func TestSlowSender(t *testing.T) {
	store := &fakeStore{data: readText(t, people)}
	inFakeTime(t, store, &server.Options{IdleTime: 30 * time.Second}, func(t *testing.T, p *pipes, _ func()) {
		b := p.send(t, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-update\r\nContent-Length: 100\r\n\r\nCLEAR")
		if !strings.HasPrefix(b, "HTTP/1.1 408 ") {
			t.Errorf("%s", b)
		}
	})
}

// TestUnreadBody: a body that stops, and that is refused before it is read, keeps
// the connection no longer.
func TestUnreadBody(t *testing.T) {
	store := &fakeStore{data: readText(t, people)}
	inFakeTime(t, store, &server.Options{IdleTime: 30 * time.Second}, func(t *testing.T, p *pipes, _ func()) {
		begin := time.Now()
		b := p.send(t, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nCLEAR")
		if took := time.Since(begin); !strings.HasPrefix(b, "HTTP/1.1 415 ") || took > 31*time.Second {
			t.Errorf("%s after %v", b, took)
		}
	})
}

// TestStop: a server that is stopped lets what runs go on, then ends it with a
// status, and takes nothing new.
func TestStop(t *testing.T) {
	store, begun := stuckStore(t)
	inFakeTime(t, store, &server.Options{StopTime: 30 * time.Second, QueryTime: time.Hour}, func(t *testing.T, p *pipes, stop func()) {
		answers := make(chan answer)
		go func() { answers <- p.ask(t, "GET", everything, "") }()
		<-begun
		begin := time.Now()
		stop()
		if a := <-answers; a.status != 503 || !strings.Contains(a.body, "problem:shutdown") || time.Since(begin) < 30*time.Second {
			t.Errorf("%d %s %v after %v", a.status, a.body, a.err, time.Since(begin))
		}
		if a := p.ask(t, "GET", "/health", ""); a.err == nil {
			t.Error("a stopped server answers")
		}
	})
}

// TestLongControl: what a command hands over may take longer than a client may be
// silent, and ends when the command goes away.
func TestLongControl(t *testing.T) {
	gone := make(chan error, 1)
	opt := &server.Options{
		Secret: "inside", IdleTime: 30 * time.Second,
		Control: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, err := io.ReadAll(r.Body)
			if err != nil || string(text) == "for ever" {
				<-r.Context().Done()
				gone <- err
				return
			}
			select {
			case <-r.Context().Done():
				w.WriteHeader(http.StatusTeapot)
			case <-time.After(time.Hour):
			}
		}),
	}
	store := &fakeStore{data: readText(t, people)}
	inFakeTime(t, store, opt, func(t *testing.T, p *pipes, _ func()) {
		if a := p.ask(t, "POST", "/admin/control", "long", "Authorization", "Bearer inside"); a.status != 200 {
			t.Errorf("got %d", a.status)
		}
		conn, err := p.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "POST /admin/control HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer inside\r\nContent-Length: 8\r\n\r\nfor ever")
		time.Sleep(time.Hour) // in fake time
		conn.Close()
		if err := <-gone; err != nil {
			t.Error(err)
		}
	})
}

// TestLongTextsTogether: the texts that are in memory at one time have a bound.
func TestLongTextsTogether(t *testing.T) {
	store, begun := stuckStore(t)
	opt := &server.Options{MaxQuery: 3 << 20, MaxUpdate: 3 << 20, QueueTime: 5 * time.Second, QueryTime: time.Hour}
	inFakeTime(t, store, opt, func(t *testing.T, p *pipes, _ func()) {
		ask := func(text string) answer { return p.ask(t, "POST", "/sparql", text, "Content-Type", direct) }
		go ask(longText(2<<20) + "SELECT * { ?s ?p ?o }")
		<-begun
		if a := ask(longText(2<<20) + "ASK {}"); a.status != 503 {
			t.Errorf("a second long text: %d %s", a.status, a.body)
		}
		if a := ask("ASK {}"); a.status != 200 {
			t.Errorf("a short text: %d %s", a.status, a.body)
		}
	})
}
