package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rete-go/rete/server"
)

// callers asks a server in fake time, by any address.
type callers struct {
	t *testing.T
	s *server.Server
}

// inFairTime calls f with a server in a bubble.
func inFairTime(t *testing.T, store *fakeStore, opt *server.Options, f func(t *testing.T, c callers)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := server.New(store, opt)
		if err != nil {
			t.Fatal(err)
		}
		f(t, callers{t, s})
		s.Close()
		synctest.Wait()
	})
}

// ask sends a GET from an address, with headers, name and value one after the other.
func (c callers) ask(from, path string, headers ...string) *http.Response {
	r := httptest.NewRequest("GET", path, nil).WithContext(c.t.Context())
	r.RemoteAddr = from
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	c.s.ServeHTTP(w, r)
	return w.Result()
}

const (
	ann = "192.0.2.1:1000"
	bob = "192.0.2.2:1000"
)

// TestCallerTime: a caller whose queries ran for too long waits, and is told how long; others do
// not, nor does what ends queries.
func TestCallerTime(t *testing.T) {
	store, _ := stuckStore(t)
	inFairTime(t, store, &server.Options{QueryTime: 8 * time.Second, CallerTime: 10 * time.Second}, func(t *testing.T, c callers) {
		for _, step := range []struct {
			from   string
			wait   time.Duration
			status int
			retry  string
		}{
			{ann, 0, 504, ""},
			{ann, 0, 504, ""}, // 4.7 seconds more than it had
			{ann, 0, 429, "28"},
			{bob, 0, 504, ""},
			{ann, 0, 429, "20"},
			{ann, 20*time.Second + time.Millisecond, 504, ""},
		} {
			time.Sleep(step.wait)
			a := c.ask(step.from, everything)
			if a.StatusCode != step.status || a.Header.Get("Retry-After") != step.retry {
				t.Errorf("%+v: %d, Retry-After %s", step, a.StatusCode, a.Header.Get("Retry-After"))
			}
		}
		for _, path := range []string{"/health", "/ready", "/metrics", "/admin/queries"} {
			if a := c.ask(ann, path); a.StatusCode != 200 {
				t.Errorf("%s: %d", path, a.StatusCode)
			}
		}
	})
}

// TestCallerWaits: what a query waits for its client is not its work.
func TestCallerWaits(t *testing.T) {
	store := &fakeStore{data: readText(t, manyPeople())}
	inFakeTime(t, store, &server.Options{CallerTime: time.Second, QueryTime: time.Hour}, func(t *testing.T, p *pipes, _ func()) {
		conn, err := p.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", everything)
		part := make([]byte, 64<<10)
		for {
			time.Sleep(5 * time.Second)
			if _, err := conn.Read(part); err != nil {
				break
			}
		}
		if a := p.ask(t, "GET", ask1, ""); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

// TestCallerErrors: who fails too often waits; a token has an allowance of its own, and failing to
// show one costs that of the address.
func TestCallerErrors(t *testing.T) {
	tokens, err := server.OpenTokens(tokenFile(t, tokenLine("ann", "read", "secret")))
	if err != nil {
		t.Fatal(err)
	}
	inFairTime(t, &fakeStore{data: readText(t, people)}, &server.Options{Tokens: tokens, CallerErrors: 3}, func(t *testing.T, c callers) {
		const known, wrong = "Bearer secret", "Bearer guess"
		for i, step := range []struct {
			path, token string
			status      int
		}{
			{ask1, "", 401}, {ask1, "", 401}, // as clients do that log in when they are asked to
			{ask1, wrong, 401}, {ask1, "", 401}, {ask1, wrong, 401}, {"/metrics", wrong, 401}, {ask1, wrong, 429}, {"/metrics", wrong, 429},
			{ask1, known, 200}, {"/nothing", known, 404}, {"/store?graph=x:none", known, 404}, {"/update", known, 405},
			{"/query?query=SELECT", known, 400}, {"/query?query=SELECT", known, 400}, {ask1, known, 429}, {"/.well-known/void", known, 429}, {"/console/history", known, 429}, {"/console/session", known, 200}, {"/metrics", known, 200},
		} {
			headers := []string{"Authorization", step.token}
			if step.token == "" {
				headers = nil
			}
			if a := c.ask(ann, step.path, headers...); a.StatusCode != step.status || (step.status == 429) != (a.Header.Get("Retry-After") == "20") {
				t.Errorf("%d: %s: %d, Retry-After %q, want %d", i, step.path, a.StatusCode, a.Header.Get("Retry-After"), step.status)
			}
		}
		time.Sleep(20 * time.Second)
		if a := c.ask(ann, ask1, "Authorization", known); a.StatusCode != 200 {
			t.Errorf("after the time that it was told: %d", a.StatusCode)
		}
	})
}

func TestCallerRunning(t *testing.T) {
	store, _ := stuckStore(t)
	inFairTime(t, store, &server.Options{QueryTime: time.Minute, Running: 1, QueueTime: time.Hour, CallerRunning: 2}, func(t *testing.T, c callers) {
		for range 2 { // one waits
			go c.ask(ann, everything)
		}
		synctest.Wait()
		if a := c.ask(ann, everything); a.StatusCode != 429 || a.Header.Get("Retry-After") != "1" {
			t.Errorf("a third: %d", a.StatusCode)
		}
		go c.ask(bob, everything)
		synctest.Wait()
		if n := strings.Count(readAll(c.ask(ann, "/admin/queries")), `"id"`); n != 3 {
			t.Errorf("%d queries", n)
		}
		time.Sleep(3 * time.Minute)
		if a := c.ask(ann, everything); a.StatusCode != 504 {
			t.Errorf("later: %d", a.StatusCode)
		}
	})
}

func readAll(r *http.Response) string {
	b, _ := io.ReadAll(r.Body) // of a recorder
	return string(b)
}

// TestCallerAddress: behind proxies that are trusted the address is what they say, behind others
// their own; and nobody has many by having a network.
func TestCallerAddress(t *testing.T) {
	for _, c := range []struct {
		name               string
		one, oneFor        string
		another, anotherIs string
		same               bool
	}{
		{"another port", ann, "", "192.0.2.1:2000", "", true},
		{"another address", ann, "", bob, "", false},
		{"a client that says so itself", ann, "10.0.0.1", ann, "10.0.0.2", true},
		{"behind this machine", "127.0.0.1:1", "192.0.2.1", "127.0.0.1:1", "192.0.2.2", false},
		{"directly and behind a proxy", ann, "", "[::1]:1", "192.0.2.1", true},
		{"behind a trusted proxy", "10.1.2.3:1", "192.0.2.1", "10.1.2.4:1", "192.0.2.2", false},
		{"what the client adds", "10.1.2.3:1", "192.0.2.7, 192.0.2.1", "10.1.2.3:1", "192.0.2.8, 192.0.2.1", true},
		{"behind two proxies", "127.0.0.1:1", "192.0.2.1, 10.9.9.9", "127.0.0.1:1", "192.0.2.2, 10.9.9.9", false},
		{"nonsense", "127.0.0.1:1", "192.0.2.1, unknown", "127.0.0.1:1", "192.0.2.2, unknown", true},
		{"one network", "[2001:db8:1:2::3]:1", "", "[2001:db8:1:2:4:5:6:7]:1", "", true},
		{"two networks", "[2001:db8:1:2::3]:1", "", "[2001:db8:1:3::3]:1", "", false},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:1", "", ann, "", true},
	} {
		inFairTime(t, &fakeStore{data: readText(t, people)}, &server.Options{CallerErrors: 1, Proxies: []string{"10.0.0.0/8"}}, func(t *testing.T, s callers) {
			if a := s.ask(c.one, "/query?query=SELECT", "X-Forwarded-For", c.oneFor); a.StatusCode != 400 {
				t.Fatal(a.StatusCode)
			}
			want := map[bool]int{true: 429, false: 200}[c.same]
			if a := s.ask(c.another, ask1, "X-Forwarded-For", c.anotherIs); a.StatusCode != want {
				t.Errorf("%s: %d, want %d", c.name, a.StatusCode, want)
			}
		})
	}
}

// TestOwnerIsFree: commands of the owner of the process are not counted.
func TestOwnerIsFree(t *testing.T) {
	inFairTime(t, &fakeStore{data: readText(t, people)}, &server.Options{CallerErrors: 1, Secret: "secret"}, func(t *testing.T, c callers) {
		for range 3 {
			if a := c.ask(ann, "/query?query=SELECT", "Authorization", "Bearer secret"); a.StatusCode != 400 {
				t.Error(a.StatusCode)
			}
		}
	})
}
