package server_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/server"
)

// mover notes which metrics were seen to move.
type mover struct {
	t    *testing.T
	seen map[string]bool
	url  string // of the server at hand
}

// read returns the metrics of the server, those with labels added up.
func (m *mover) read() map[string]float64 {
	m.t.Helper()
	out := map[string]float64{}
	for line := range strings.Lines(ask(m.t, "GET", m.url+"/metrics", "").body) {
		name, v, _ := strings.Cut(strings.TrimSpace(line), " ")
		if i := strings.IndexByte(name, '{'); i >= 0 {
			v = line[strings.LastIndexByte(line, ' ')+1:]
			name = name[:i]
		}
		if n, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			out[name] += n
		}
	}
	return out
}

// by calls f, which must make each of the metrics of a list grow, or fall where it has a minus.
func (m *mover) by(what, metrics string, f func()) {
	m.t.Helper()
	before := m.read()
	f()
	after := m.read()
	for _, name := range strings.Fields(metrics) {
		name, falls := strings.CutPrefix(name, "-")
		if moved := after[name] - before[name]; falls && moved >= 0 || !falls && moved <= 0 {
			m.t.Errorf("%s: %s was %v and is %v", what, name, before[name], after[name])
		}
		m.seen[name] = true
	}
}

func (m *mover) post(path, body string) answer {
	m.t.Helper()
	a := ask(m.t, "POST", m.url+path, body, "Content-Type", change)
	if a.status/100 != 2 {
		m.t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	return a
}

// TestEachMetricMoves: each metric of docs/metrics.md is moved by something.
func TestEachMetricMoves(t *testing.T) {
	m := &mover{t: t, seen: map[string]bool{"rete_build_info": true}}
	m.ofLog()
	m.ofFailures()
	m.ofCache()
	m.ofSpills()
	m.ofRequests()
	m.ofCallers()
	m.ofQueue()
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile("(?m)^\\| `(rete_[a-z_]+)` \\| [a-z]+").FindAllStringSubmatch(string(page), -1) {
		if !m.seen[name[1]] && !m.seen[name[1]+"_count"] {
			t.Errorf("nothing was seen to move %s", name[1])
		}
	}
}

// ofLog writes, seals, compacts, and reads.
func (m *mover) ofLog() {
	db := newDatabase(m.t)
	m.url = start(m.t, server.Database(db), nil).URL
	m.by("insert", "rete_journal_bytes rete_journal_changes rete_journal_age_seconds rete_journal_syncs_total rete_journal_sync_seconds_total "+
		"rete_queries_total rete_http_requests_total rete_http_request_seconds_count", func() {
		m.post("/update", "INSERT DATA { <x:a> <x:b> <x:c>, <x:d> }")
	})
	m.by("seal", "rete_generation rete_log_entries rete_log_segments rete_log_bytes rete_seals_total rete_seal_seconds_total -rete_journal_changes -rete_journal_age_seconds -rete_journal_bytes", func() {
		m.post("/admin/seal", "")
	})
	m.post("/admin/seal", "") // there is nothing to do
	m.by("seal of a delete", "rete_log_deletion_segments rete_log_deletion_bytes", func() {
		m.post("/update", "DELETE DATA { <x:a> <x:b> <x:c> }")
		m.post("/admin/seal", "")
	})
	m.post("/update", "INSERT DATA { <x:a> <x:b> <x:e> }")
	// The age of what is not sealed goes on.
	m.by("compaction", "rete_journal_age_seconds rete_compactions_total rete_compaction_seconds_total -rete_log_deletion_segments -rete_log_entries", func() {
		m.post("/admin/compact", "")
	})
	var open []*rete.Snapshot
	m.by("snapshots", "rete_snapshots_open rete_snapshot_oldest_seconds", func() {
		for range 3 {
			s, err := db.Snapshot(m.t.Context())
			if err != nil {
				m.t.Fatal(err)
			}
			open = append(open, s)
		}
	})
	for _, s := range []*rete.Snapshot{open[1], open[0]} { // the middle one and the oldest one
		m.by("a snapshot less", "-rete_snapshots_open", func() { s.Close() })
	}
	m.by("the last snapshot", "-rete_snapshots_open -rete_snapshot_oldest_seconds", func() { open[2].Close() })
	if s := db.Engine().Stats(); s.Seals != 2 || s.SealFailures != 0 || s.Compactions != 1 || s.CompactionFailures != 0 {
		m.t.Errorf("%+v", s)
	}
}

// ofFailures damages the manifest, and has a disk that does not sync.
func (m *mover) ofFailures() {
	var failing atomic.Bool
	fsys := vfs.NewFault(vfs.OS(), func(c vfs.Call) error {
		if failing.Load() && c.Op == vfs.OpSync && strings.HasSuffix(c.Name, ".changes") {
			return vfs.ErrInjected
		}
		return nil
	})
	name := filepath.Join(m.t.TempDir(), "g.rete-manifest.json")
	db, err := rete.Create(m.t.Context(), name, &rete.Options{Writer: true, FS: fsys})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { db.Close() })
	m.url = start(m.t, server.Database(db), nil).URL
	for _, text := range []string{"INSERT DATA { <x:a> <x:b> 1 }", "INSERT DATA { <x:a> <x:b> 2 }"} {
		m.post("/update", text)
		m.post("/admin/seal", "")
	}
	m.post("/update", "INSERT DATA { <x:a> <x:b> 3 }")
	whole, err := os.ReadFile(name)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("no manifest"), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.by("damaged manifest", "rete_seal_failures_total rete_compaction_failures_total", func() {
		for _, path := range []string{"/admin/seal", "/admin/compact"} {
			if a := ask(m.t, "POST", m.url+path, ""); a.status/100 == 2 {
				m.t.Errorf("%s: %d", path, a.status)
			}
		}
	})
	if err := os.WriteFile(name, whole, 0o600); err != nil {
		m.t.Fatal(err)
	}
	failing.Store(true)
	m.by("failed sync", "rete_journal_sync_failures_total rete_queries_total", func() {
		if a := ask(m.t, "POST", m.url+"/update", "INSERT DATA { <x:a> <x:b> 4 }", "Content-Type", change); a.status != 500 {
			m.t.Errorf("a failed sync: %d %s", a.status, a.body)
		}
	})
}

// ofCache reads from a cache that is too small, and warms one.
func (m *mover) ofCache() {
	name := newGraph(m.t, "g").Name()
	var reading sync.WaitGroup
	reading.Add(1)
	db, err := rete.Open(m.t.Context(), name, &rete.Options{Warm: &engine.WarmOptions{}, FS: vfs.NewFault(vfs.OS(), func(c vfs.Call) error {
		if c.Op == vfs.OpRead && strings.HasSuffix(c.Name, ".rete") {
			reading.Wait()
		}
		return nil
	})})
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	m.url = start(m.t, server.Database(db), nil).URL
	m.by("warming", "-rete_cache_warming rete_cache_warmed_total rete_cache_bytes rete_cache_misses_total", func() {
		reading.Done()
		if err := db.Engine().Warmed(m.t.Context()); err != nil {
			m.t.Error(err)
		}
	})
	m.by("query", "rete_cache_hits_total rete_http_response_bytes_total", func() { ask(m.t, "GET", m.url+"/sparql?query=SELECT*{?s+?p+?o}", "") })

	small, err := retetest.Init(m.t.Context(), filepath.Join(m.t.TempDir(), "g.rete-manifest.json"),
		&engine.InitOptions{Bases: []engine.Source{{Name: "a.ttl", Reader: strings.NewReader(manyPeople())}}}, &rete.Options{CacheBytes: 64 << 10})
	if err != nil {
		m.t.Fatal(err)
	}
	defer small.Close()
	m.url = start(m.t, server.Database(small), nil).URL
	m.by("small cache", "rete_cache_evictions_total", func() {
		ask(m.t, "GET", m.url+"/sparql?query=SELECT*{?s+?p+?o}", "")
	})
}

// ofSpills has too little memory for a query and for a transaction.
func (m *mover) ofSpills() {
	db, err := rete.Create(m.t.Context(), filepath.Join(m.t.TempDir(), "g.rete-manifest.json"), &rete.Options{Writer: true, WriteMemory: 1})
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	m.url = start(m.t, server.Database(db), nil).URL
	m.by("large update", "rete_write_spills_total", func() {
		m.post("/update", "INSERT DATA { <x:a> <x:b> 1 } ; DELETE DATA { <x:a> <x:b> 2 } ; INSERT DATA { <x:a> <x:b> 3 }")
	})
	srv, _ := startFake(m.t, manyPeople(), &server.Options{Memory: 256 << 10})
	m.url = srv.URL
	m.by("large query", "rete_queries_spilled_total rete_query_spill_bytes_total", func() {
		if a := ask(m.t, "GET", m.url+"/sparql?query=SELECT*{?s+?p+?o}ORDER+BY+?o", ""); a.status != 200 {
			m.t.Error(a.status, a.body)
		}
	})
}

// ofRequests cuts an answer off.
func (m *mover) ofRequests() {
	store, at := &fakeStore{data: readText(m.t, manyPeople())}, int64(0)
	store.wrap = func(ds dataset.Dataset) dataset.Dataset {
		return faultyDataset{ds, new(atomic.Int64), at, vfs.ErrInjected}
	}
	m.url = start(m.t, store, nil).URL
	m.by("failure in an answer", "rete_http_answers_cut_off_total", func() {
		for at = range 30 { // the first ones are before the answer
			if a := ask(m.t, "GET", m.url+"/sparql?query=SELECT*{?s+?p+?o}", ""); a.err != nil {
				return
			}
		}
	})
}

// ofCallers has a caller who may fail once a minute.
func (m *mover) ofCallers() {
	srv, _ := startFake(m.t, people, &server.Options{CallerErrors: 1})
	m.url = srv.URL
	m.by("errors", "rete_requests_refused_total", func() {
		for _, want := range []int{400, 429} {
			if a := ask(m.t, "GET", m.url+"/query?query=SELECT", ""); a.status != want {
				m.t.Errorf("%d %s, want %d", a.status, a.body, want)
			}
		}
	})
}

// ofQueue has a query that does not end, one that waits for it, and an update that does not end.
func (m *mover) ofQueue() {
	begun, writing, free := make(chan struct{}, 8), make(chan struct{}), make(chan struct{})
	store := &fakeStore{data: readText(m.t, people)}
	store.wrap = func(ds dataset.Dataset) dataset.Dataset { return haltingDataset{ds, begun} }
	store.commit = func() error { close(writing); <-free; return nil }
	srv := start(m.t, store, &server.Options{Running: 1})
	m.url = srv.URL
	ctx, cancel := context.WithCancel(m.t.Context())
	var asking sync.WaitGroup
	send := func(method, path, body string) (answered chan struct{}) {
		answered = make(chan struct{})
		req, err := http.NewRequestWithContext(ctx, method, srv.URL+path, strings.NewReader(body))
		if err != nil {
			m.t.Fatal(err)
		}
		req.Header.Set("Content-Type", change)
		asking.Go(func() {
			defer close(answered)
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
		})
		return answered
	}
	wait := func(begun, answered chan struct{}) {
		select {
		case <-begun:
		case <-answered:
			m.t.Error("it was answered before it began")
		}
	}
	const all = "/query?query=SELECT*%7B?s+?p+?o%7D"
	m.by("query that does not end", "rete_queries_running rete_http_requests_in_flight", func() {
		wait(begun, send("GET", all, ""))
	})
	m.by("query that waits", "rete_queries_waiting", func() {
		answered := send("GET", all, "")
		for value(m.t, srv.URL, "rete_queries_waiting") == 0 {
			select {
			case <-answered:
				m.t.Error("it did not wait")
				return
			default:
			}
		}
	})
	m.by("update that does not end", "rete_updates_running", func() {
		wait(writing, send("POST", "/update", "INSERT DATA { <x:a> <x:b> 1 }"))
	})
	cancel()
	close(free)
	asking.Wait()
	http.DefaultClient.CloseIdleConnections()
}
