package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/server"
)

// haltingDataset gives one batch of each scan, and then nothing until the query ends.
type haltingDataset struct {
	dataset.Dataset
	begun chan struct{}
}

func (d haltingDataset) Scan(ctx context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	c, err := d.Dataset.Scan(ctx, p, o, opt)
	return &haltingCursor{Cursor: c, begun: d.begun}, err
}

type haltingCursor struct {
	dataset.Cursor
	begun chan struct{}
	given bool
}

func (c *haltingCursor) Next(ctx context.Context, b *dataset.Batch) error {
	if c.given {
		c.begun <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	c.given = true
	return c.Cursor.Next(ctx, b)
}

// running asks a server what runs.
func running(t *testing.T, url string) []server.Running {
	t.Helper()
	a := ask(t, "GET", url+"/admin/queries", "")
	var list struct{ Queries []server.Running }
	if err := json.Unmarshal([]byte(a.body), &list); a.status != 200 || err != nil {
		t.Fatalf("%v: %d %s", err, a.status, a.body)
	}
	return list.Queries
}

// TestProgressOfQueries: the list says how many rows there are, and what is held.
func TestProgressOfQueries(t *testing.T) {
	for _, c := range []struct {
		path         string
		rows, memory bool
	}{
		{"/sparql?query=SELECT*%7B?s+?p+?o%7D", true, false},
		{"/sparql?query=SELECT*%7B?s+?p+?o%7DORDER+BY+?o", false, true},
		{"/store", true, false},
	} {
		store := &fakeStore{data: readText(t, manyPeople())}
		begun := make(chan struct{}, 100)
		store.wrap = func(ds dataset.Dataset) dataset.Dataset { return haltingDataset{ds, begun} }
		srv := start(t, store, &server.Options{Memory: 64 << 20})
		answers := make(chan answer)
		go func() { answers <- ask(t, "GET", srv.URL+c.path, "") }()
		<-begun
		list := running(t, srv.URL)
		if len(list) != 1 {
			t.Fatalf("%s: %v", c.path, list)
		}
		if q := list[0]; (q.Rows > 0) != c.rows || c.memory && q.Memory <= 0 {
			t.Errorf("%s: %d rows, %d bytes", c.path, q.Rows, q.Memory)
		}
		if a := ask(t, "DELETE", srv.URL+"/admin/queries/"+list[0].ID, ""); a.status != 204 {
			t.Errorf("%s: %d %s", c.path, a.status, a.body)
		}
		if a := <-answers; a.status != 503 || !strings.Contains(a.body, "problem:ended") {
			t.Errorf("%s: %d %.200s", c.path, a.status, a.body)
		}
		if left := running(t, srv.URL); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	}
}

// TestEndingUpdates: an update that was ended tells its client so, and changes nothing.
func TestEndingUpdates(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), &server.Options{Memory: 64 << 20})
	var data strings.Builder
	for i := range 400 {
		fmt.Fprintf(&data, "<x:s%d> <x:p> %d .\n", i, i)
	}
	if a := ask(t, "POST", srv.URL+"/update", "INSERT DATA {"+data.String()+"}", "Content-Type", change); a.status != 204 {
		t.Fatal(a.status, a.body)
	}
	state := ask(t, "GET", srv.URL+ask1, "").header.Get("Rete-State")
	answers := make(chan answer, 1)
	go func() {
		const endless = "INSERT { ?a <x:q> ?d } WHERE { ?a <x:p> ?x . ?b <x:p> ?y . ?c <x:p> ?z . ?d <x:p> ?w }"
		answers <- ask(t, "POST", srv.URL+"/update", endless, "Content-Type", change)
	}()
	for {
		list := running(t, srv.URL)
		if len(list) == 0 || list[0].Rows == 0 || list[0].Memory == 0 {
			if len(answers) > 0 {
				break // it has ended too early
			}
			continue
		}
		if q := list[0]; q.Kind != "update" || q.State != "running" {
			t.Errorf("%+v", q)
		}
		if a := ask(t, "DELETE", srv.URL+"/admin/queries/"+list[0].ID, ""); a.status != 204 {
			t.Errorf("%d %s", a.status, a.body)
		}
		break
	}
	if a := <-answers; a.status != 503 || !strings.Contains(a.body, "problem:ended") {
		t.Errorf("%d %.200s", a.status, a.body)
	}
	if now := ask(t, "GET", srv.URL+ask1, "").header.Get("Rete-State"); now != state {
		t.Errorf("the state is %s after an update that was ended in %s", now, state)
	}
}

// TestListingWhileQueriesRun lists and ends at random moments; the race detector watches.
func TestListingWhileQueriesRun(t *testing.T) {
	srv, _ := startFake(t, manyPeople(), &server.Options{Memory: 64 << 20})
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			for range 5 {
				a := ask(t, "GET", srv.URL+"/sparql?query=SELECT+DISTINCT*%7B?s+?p+?o.?s+?q+?v%7D", "")
				if a.err == nil && a.status != 200 && !strings.Contains(a.body, "problem:ended") {
					t.Errorf("%d %.200s", a.status, a.body)
				}
			}
		})
	}
	for range 20 {
		for _, q := range running(t, srv.URL) {
			if a := ask(t, "DELETE", srv.URL+"/admin/queries/"+q.ID, ""); a.status != 204 && a.status != 404 {
				t.Errorf("%d %s", a.status, a.body)
			}
		}
	}
	clients.Wait()
	if left := running(t, srv.URL); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
