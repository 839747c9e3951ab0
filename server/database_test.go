package server_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/server"
)

// client is a client that keeps its connections, for tests of many requests.
func client(t testing.TB) *http.Client {
	tr := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// send does one request with a client and returns status and body.
func send(c *http.Client, method, url, media, body string) (int, string, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// TestCounter: clients add 1 to one counter at the same time; nothing is lost.
func TestCounter(t *testing.T) {
	clients, each := 16, longtest.Pick(10, 60)
	srv := start(t, server.Database(newDatabase(t)), nil)
	c := client(t)
	if s, b, err := send(c, "POST", srv.URL+"/update", change, "INSERT DATA { <x:counter> <x:is> 0 }"); s != 204 || err != nil {
		t.Fatal(s, b, err)
	}
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range each {
				s, b, err := send(c, "POST", srv.URL+"/update", change, "DELETE { ?c <x:is> ?n } INSERT { ?c <x:is> ?m } WHERE { ?c <x:is> ?n BIND(?n + 1 AS ?m) }")
				if s != 204 || err != nil {
					t.Error(s, b, err)
					return
				}
			}
		})
	}
	all.Wait()
	_, b, err := send(c, "GET", srv.URL+"/sparql?format=csv&query=SELECT+?n%7B?c+%3Cx:is%3E+?n%7D", "", "")
	if want := fmt.Sprintf("n\r\n%d\r\n", clients*each); b != want || err != nil {
		t.Errorf("%q %v, want %q", b, err, want)
	}
}

// TestTransfers: readers that sum over two graphs never see the middle of a
// transfer between them, also while the journal is sealed and the log compacted.
func TestTransfers(t *testing.T) {
	rounds := longtest.Pick(30, 150)
	srv := start(t, server.Database(newDatabase(t)), nil)
	c := client(t)
	must := func(method, path, media, body string, want int) string {
		s, b, err := send(c, method, srv.URL+path, media, body)
		if s != want || err != nil {
			t.Errorf("%s %s: %d %s %v", method, path, s, b, err)
		}
		return b
	}
	must("POST", "/update", change, "INSERT DATA { GRAPH <x:a> { <x:account> <x:has> 500 } GRAPH <x:b> { <x:account> <x:has> 500 } }", 204)
	var done atomic.Bool
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			from, to := "x:a", "x:b"
			if i == 1 {
				from, to = to, from
			}
			for n := range rounds {
				must("POST", "/update", change, fmt.Sprintf("DELETE { GRAPH <%[1]s> { ?c <x:has> ?f } GRAPH <%[2]s> { ?c <x:has> ?t } } "+
					"INSERT { GRAPH <%[1]s> { ?c <x:has> ?g } GRAPH <%[2]s> { ?c <x:has> ?u } } "+
					"WHERE { GRAPH <%[1]s> { ?c <x:has> ?f } GRAPH <%[2]s> { ?c <x:has> ?t } BIND(?f - %[3]d AS ?g) BIND(?t + %[3]d AS ?u) }", from, to, n%7+1), 204)
				if n%40 == 20 {
					must("POST", "/admin/seal", "", "", 200)
				}
				if i == 0 && n%75 == 50 { // two at a time would be in each other's way
					must("POST", "/admin/compact", "", "", 200)
				}
			}
		})
	}
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !done.Load() {
				if b := must("GET", "/sparql?format=csv&query=SELECT(SUM(?n)AS+?s)%7BGRAPH?g%7B?c+?p+?n%7D%7D", "", "", 200); b != "s\r\n1000\r\n" {
					t.Errorf("a reader saw the sum %q", b)
				}
			}
		})
	}
	all.Wait()
	done.Store(true)
	readers.Wait()
}

// TestOtherWriter: what another program commits to the manifest of a server is
// there soon.
func TestOtherWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "g.rete-manifest.json")
	db, err := rete.Create(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	addr := serve(t, server.Database(db), nil)
	other, err := rete.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	state := ask(t, "GET", "http://"+addr+ask1, "").header.Get("Rete-State")
	file := filepath.Join(t.TempDir(), "more.nt")
	writeFile(t, file, "<x:a> <x:b> <x:c> .\n")
	if _, err := other.Engine().Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: file}}}, nil); err != nil {
		t.Fatal(err)
	}
	for { // the deadline of the test ends it
		a := ask(t, "GET", "http://"+addr+everything+"&format=csv", "")
		if a.header.Get("Rete-State") != state {
			if a.body != "s,p,o\r\nx:a,x:b,x:c\r\n" {
				t.Errorf("%q", a.body)
			}
			return
		}
	}
}
