package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/server"
)

// grown makes a database with a quad more in each generation, and serves it.
func grown(t *testing.T, n int) (*rete.DB, string) {
	t.Helper()
	db := newDatabase(t)
	srv := start(t, server.Database(db), nil)
	for i := 2; i <= n; i++ {
		if a := ask(t, "POST", srv.URL+"/update", fmt.Sprintf("INSERT DATA { <x:a> <x:b> %d }", i), "Content-Type", change); a.status != 204 {
			t.Fatal(a.status, a.body)
		}
		if a := ask(t, "POST", srv.URL+"/admin/seal", ""); a.status != 200 {
			t.Fatal(a.status, a.body)
		}
	}
	return db, srv.URL
}

// TestEarlierOnlyRead: what asks for a plan or for an earlier generation changes nothing, and a graph
// of an earlier generation is that of then.
func TestEarlierOnlyRead(t *testing.T) {
	db, url := grown(t, 4)
	before := ask(t, "HEAD", url+"/store", "").header.Get("Rete-State")
	const insert = "INSERT DATA { <x:a> <x:b> 99 }"
	for _, c := range []struct{ method, path, body, media string }{
		{"POST", "/update?generation=2", insert, change}, {"POST", "/sparql?plan=explain", insert, change},
		{"POST", "/sparql", "plan=analyze&update=CLEAR+ALL", "application/x-www-form-urlencoded"},
		{"PUT", "/store?default&generation=2", "<x:a> <x:b> 99 .", "text/turtle"}, {"PUT", "/store?plan=explain", "", "application/trig"},
		{"DELETE", "/store?default&generation=3", "", ""}, {"GET", "/store?plan=explain", "", ""},
		{"POST", "/admin/revert?generation=2&dry-run=true", "", ""}, {"POST", "/admin/compact?dry-run", "", ""}, {"POST", "/admin/seal?dry-run=1", "", ""},
	} {
		if a := ask(t, c.method, url+c.path, c.body, "Content-Type", c.media); a.status != 400 || !strings.Contains(a.body, "problem:parameter") {
			t.Errorf("%s %s: %d %s", c.method, c.path, a.status, a.body)
		}
	}
	if after := ask(t, "HEAD", url+"/store", "").header.Get("Rete-State"); after != before || db.Engine().Manifest().Generation != 4 {
		t.Errorf("state %s, was %s", after, before)
	}
	old := ask(t, "GET", url+"/store?generation=3", "", "Accept", "application/n-quads")
	if n := strings.Count(old.body, "\n"); old.status != 200 || n != 2 || old.header.Get("Etag") == ask(t, "GET", url+"/store", "", "Accept", "application/n-quads").header.Get("Etag") {
		t.Errorf("%d, %d quads, ETag %s", old.status, n, old.header.Get("Etag"))
	}
}

// TestEarlierShared: requests of one earlier generation have one snapshot, and few are open.
func TestEarlierShared(t *testing.T) {
	db, _ := grown(t, 6)
	store := server.Database(db).(interface {
		server.Store
		At(ctx context.Context, generation int64) (server.Snapshot, error)
	})
	var open []server.Snapshot
	for _, g := range []int64{1, 2, 2, 3, 2, 4} {
		s, err := store.At(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
	}
	if n := db.Engine().Stats().Snapshots; n != 4 {
		t.Errorf("%d snapshots", n)
	}
	if _, err := store.At(t.Context(), 5); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("a fifth: %v", err)
	}
	open[1].Close()
	open[1].Close() // which is once
	if n := db.Engine().Stats().Snapshots; n != 4 {
		t.Errorf("%d snapshots: one that is still used was closed", n)
	}
	for _, s := range open {
		s.Close()
	}
	if _, err := store.At(t.Context(), 99); err == nil {
		t.Error("a generation that there is not")
	}
	if n := db.Engine().Stats().Snapshots; n != 0 {
		t.Errorf("%d snapshots are left", n)
	}
}

// TestLongChanges: what differs is listed within few bytes, and counted whole.
func TestLongChanges(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), nil)
	var b strings.Builder
	for i := range 6 {
		fmt.Fprintf(&b, "<x:a> <x:b> \"%d%s\" . ", i, strings.Repeat("long ", 80_000))
	}
	ask(t, "POST", srv.URL+"/update", "INSERT DATA { "+b.String()+"}", "Content-Type", change)
	a := ask(t, "GET", srv.URL+"/console/changes?from=1&limit=1000", "")
	var got struct {
		Added   int
		Changes []struct{ S, O string }
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Added != 6 || len(got.Changes) != 2 || len(a.body) > 1<<20 {
		t.Errorf("%d: %v, %d added, %d listed in %d bytes", a.status, err, got.Added, len(got.Changes), len(a.body))
	}
}

// TestConsoleCounts: what the console asks for itself is not counted as anybody's query.
func TestConsoleCounts(t *testing.T) {
	_, url := grown(t, 2)
	before := value(t, url, `rete_queries_total{kind="update",outcome="ok"}`)
	for _, path := range []string{"/console/history", "/console/overview", "/console/changes?from=1"} {
		if a := ask(t, "GET", url+path, ""); a.status != 200 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if page := ask(t, "GET", url+"/metrics", "").body; strings.Contains(page, `kind="console"`) || before != 1 {
		t.Errorf("updates %v; %s", before, page)
	}
}
