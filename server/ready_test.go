package server_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/server"
)

// The states of the files of a graph, what queries of a server that has opened none of
// them meet, and what /ready says of that.
func TestReadyBySegments(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), nil)
	if a := ask(t, "POST", srv.URL+"/update", "INSERT DATA { <x:a> <x:b> <x:c> }", "Content-Type", change); a.status != 204 {
		t.Fatal(a.status, a.body)
	}
	if a := ask(t, "POST", srv.URL+"/admin/seal", ""); a.status != 200 {
		t.Fatal(a.status, a.body)
	}
	manifest := db.Name()
	file := filepath.Join(filepath.Dir(manifest), db.Engine().Manifest().Log[0].Adds.URL)
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("something else"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		away   string // the file that is moved away
		put    string // what is put in its place; "" for nothing
		status int    // of a query
		word   string
		ready  string // in the answer of /ready to anybody
	}{
		"missing segment":  {file, "", 500, "missing-segment", "a segment is missing"},
		"wrong segment":    {file, other, 500, "wrong-segment", "a segment is not the one"},
		"missing manifest": {manifest, "", 200, "", "the manifest is not there"},
	} {
		for _, local := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				reader, err := rete.Open(t.Context(), manifest, &rete.Options{ReadOnly: true})
				if err != nil {
					t.Fatal(err)
				}
				defer reader.Close()
				srv := start(t, server.Database(reader), &server.Options{Local: local})
				if c.away == manifest {
					ask(t, "GET", srv.URL+"/ready", "") // which opens what it names
				}
				if err := os.Rename(c.away, c.away+".aside"); err != nil {
					t.Fatal(err)
				}
				if c.put != "" {
					text, err := os.ReadFile(c.put)
					if err == nil {
						err = os.WriteFile(c.away, text, 0o666)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				a := ask(t, "GET", srv.URL+"/ready", "")
				told := strings.Contains(a.body, filepath.Base(c.away))
				if a.status != 503 || !strings.Contains(a.body, "not-ready") || told != local || !local && !strings.Contains(a.body, c.ready) {
					t.Errorf("ready: %d %s", a.status, a.body)
				}
				if a := ask(t, "GET", srv.URL+"/sparql?query=ASK%7B%7D", ""); a.status != c.status || !strings.Contains(a.body, c.word) {
					t.Errorf("query: %d %s", a.status, a.body)
				}
				if a := ask(t, "HEAD", srv.URL+"/ready", ""); a.status != 503 || a.body != "" {
					t.Errorf("HEAD: %d %s", a.status, a.body)
				}
				if err := os.Rename(c.away+".aside", c.away); err != nil {
					t.Fatal(err)
				}
				if a := ask(t, "GET", srv.URL+"/ready", ""); a.status != 200 {
					t.Errorf("ready again: %d %s", a.status, a.body)
				}
				if a := ask(t, "GET", srv.URL+"/sparql?query=ASK%7B%7D", ""); a.status != 200 {
					t.Errorf("query: %d %s", a.status, a.body)
				}
			})
		}
	}
}

// A server of a state that was collected shows the newest one.
func TestExpiredState(t *testing.T) {
	db := newDatabase(t)
	srv := start(t, server.Database(db), nil)
	put := func(text string) {
		t.Helper()
		if a := ask(t, "POST", srv.URL+"/update", text, "Content-Type", change); a.status != 204 {
			t.Fatal(a.status, a.body)
		}
		if a := ask(t, "POST", srv.URL+"/admin/seal", ""); a.status != 200 {
			t.Fatal(a.status, a.body)
		}
	}
	put("INSERT DATA { <x:a> <x:b> 1 }")
	reader, err := rete.Open(t.Context(), db.Name(), &rete.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	readers := start(t, server.Database(reader), nil)
	put("DELETE DATA { <x:a> <x:b> 1 }")
	if a := ask(t, "POST", srv.URL+"/admin/compact", ""); a.status != 200 {
		t.Fatal(a.status, a.body)
	}
	for range 2 {
		put("DELETE { ?s ?p ?o } INSERT { ?s ?p 2 . <x:a> <x:b> 2 } WHERE { OPTIONAL { ?s ?p ?o } }")
		put("INSERT DATA { <x:a> <x:c> 3 }")
		if _, err := db.Engine().Collect(t.Context(), &engine.CollectOptions{Keep: 1, Grace: 1, Yes: true}); err != nil {
			t.Fatal(err)
		}
	}
	if a := ask(t, "GET", readers.URL+"/sparql?query=ASK%7B%3Cx:a%3E+%3Cx:c%3E+3%7D&format=json", ""); a.status != 200 || !strings.Contains(a.body, "true") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// failing is a store without a snapshot.
type failing struct {
	server.Store
	err error
}

func (f failing) Snapshot(context.Context) (server.Snapshot, error) { return nil, f.err }

// Each kind of state that cannot be had has its status and its word.
func TestProblemsOfSegments(t *testing.T) {
	_, fake := startFake(t, people, nil)
	for _, c := range []struct {
		err    error
		status int
		word   string
		retry  string
	}{
		{rete.ErrExpired, 503, "expired", "1"},
		{rete.ErrMissingSegment, 500, "missing-segment", ""},
		{rete.ErrWrongSegment, 500, "wrong-segment", ""},
		{rete.ErrDamaged, 500, "damaged", ""},
		{engine.ErrOwned, 503, "owned", "5"},
	} {
		srv := start(t, failing{fake, fmt.Errorf("x: %w", c.err)}, nil)
		a := ask(t, "GET", srv.URL+"/sparql?query=ASK%7B%7D", "")
		if a.status != c.status || !strings.Contains(a.body, `"urn:rete:problem:`+c.word+`"`) || a.header.Get("Retry-After") != c.retry {
			t.Errorf("%v: %d %v %s", c.err, a.status, a.header, a.body)
		}
		if a := ask(t, "GET", srv.URL+"/ready", ""); a.status != 503 || !strings.Contains(a.body, "not-ready") {
			t.Errorf("%v: ready: %d %s", c.err, a.status, a.body)
		}
	}
}
