package server_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/metrics"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/server"
)

// newGraph makes a database of a name with three quads, with warming that has ended.
func newGraph(t *testing.T, name string) *rete.DB {
	t.Helper()
	db, err := retetest.Init(t.Context(), filepath.Join(t.TempDir(), name+".rete-manifest.json"),
		&engine.InitOptions{Bases: []engine.Source{{Name: "a.ttl", Reader: strings.NewReader("<x:a> <x:b> <x:c>, <x:d>, \"e\" .")}}},
		&rete.Options{Warm: &engine.WarmOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Engine().Warmed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestDatabaseMetrics: the figures of the database are there, and say what the warming did.
func TestDatabaseMetrics(t *testing.T) {
	srv := start(t, server.Database(newGraph(t, "g")), nil)
	ask(t, "GET", srv.URL+"/sparql?query=SELECT*{?s+?p+?o}", "")
	a := ask(t, "GET", srv.URL+"/metrics", "")
	for _, want := range []string{
		`rete_cache_warming{graph="g"} 0`, `rete_cache_warmed_total{graph="g"} [1-9]\d*`, `rete_cache_bytes{graph="g"} [1-9].*`,
		`rete_cache_hits_total{graph="g"} [1-9]\d*`, `rete_cache_misses_total{graph="g"} [1-9]\d*`, `rete_cache_evictions_total{graph="g"} 0`,
		`rete_generation{graph="g"} 1`, `rete_log_entries{graph="g"} 1`,
	} {
		if !regexp.MustCompile(`(?m)^` + want + `$`).MatchString(a.body) {
			t.Errorf("no %s in\n%s", want, a.body)
		}
	}
}

// gathered are the names of the metrics of a registry that is checked for consistency.
func gathered(t *testing.T, reg *prometheus.Registry) map[string]int {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, f := range families {
		names[f.GetName()] = len(f.GetMetric())
	}
	return names
}

// TestRegisterer serves two databases in one process, with metrics in a registry of the program.
func TestRegisterer(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	one, two := newGraph(t, "one"), newGraph(t, "two")
	under := func(name string) prometheus.Registerer {
		return prometheus.WrapRegistererWith(prometheus.Labels{"server": name}, reg)
	}
	a, err := server.New(server.Database(one), &server.Options{Registerer: under("a")})
	if err != nil {
		t.Fatal(err)
	}
	b, err := server.New(server.Database(two), &server.Options{Registerer: under("b")})
	if err != nil {
		t.Fatal(err)
	}
	names := gathered(t, reg)
	for _, want := range []string{"rete_http_requests_in_flight", "rete_http_response_bytes_total", "rete_queries_running", "rete_cache_hits_total", "rete_generation"} {
		if names[want] != 2 {
			t.Errorf("%d of %s", names[want], want)
		}
	}
	if n := names["go_goroutines"] + names["process_cpu_seconds_total"]; n != 0 {
		t.Error("the metrics of Go and the process are the program's own")
	}

	// Without labels the second one is refused, and leaves nothing of itself.
	if _, err := server.New(server.Database(two), &server.Options{Registerer: under("a")}); err == nil || !strings.Contains(err.Error(), "Registerer") {
		t.Errorf("a second server in one registry: %v", err)
	}
	if again := gathered(t, reg); again["rete_generation"] != 2 {
		t.Errorf("%d generations after a server that was refused", again["rete_generation"])
	}
	a.Close()
	b.Close()
	if left := gathered(t, reg); len(left) != 0 {
		t.Errorf("left after Close: %v", left)
	}
	if a.Close() != nil {
		t.Error("Close fails a second time")
	}
}

// TestRegistererOwnCollector: the program may register the database too.
func TestRegistererOwnCollector(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	one, two := newGraph(t, "one"), newGraph(t, "two")
	reg.MustRegister(metrics.New(one.Engine()), metrics.New(two.Engine()))
	s, err := server.New(server.Database(one), &server.Options{Registerer: reg})
	if err != nil {
		t.Fatal(err)
	}
	if n := gathered(t, reg)["rete_generation"]; n != 2 {
		t.Errorf("%d generations", n)
	}
	s.Close()
	if names := gathered(t, reg); names["rete_generation"] != 2 || names["rete_queries_running"] != 0 {
		t.Errorf("after Close: %v", names)
	}
}

// TestServeEndsMetrics: the end of Serve takes the metrics out.
func TestServeEndsMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	t.Cleanup(func() { // after the end of Serve
		if left := gathered(t, reg); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	})
	serve(t, &fakeStore{data: readText(t, people)}, &server.Options{Registerer: reg})
	if len(gathered(t, reg)) == 0 {
		t.Error("there are no metrics")
	}
}

// value reads a metric of /metrics by its name and labels, as they are spelled there; 0 if it is not there.
func value(t *testing.T, url, metric string) float64 {
	t.Helper()
	for line := range strings.Lines(ask(t, "GET", url+"/metrics", "").body) {
		if rest, ok := strings.CutPrefix(line, metric+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	return 0
}

// TestOutcomeMetrics counts queries and updates by how they ended.
func TestOutcomeMetrics(t *testing.T) {
	srv, _ := startFake(t, manyPeople(), &server.Options{Memory: 64 << 10, Spill: -1})
	ask(t, "GET", srv.URL+ask1, "")
	ask(t, "GET", srv.URL+"/query?query=SELECT", "")
	ask(t, "GET", srv.URL+"/sparql?query=SELECT+DISTINCT+?a+?c%7B?a+?b+?x.+?c+?d+?y%7D", "")
	ask(t, "POST", srv.URL+"/update", "CREATE GRAPH <x:g> ; CREATE GRAPH <x:g>", "Content-Type", change)
	ask(t, "GET", srv.URL+"/store?graph=x:none", "")
	for _, labels := range []string{
		`kind="query",outcome="ok"`, `kind="query",outcome="syntax"`, `kind="query",outcome="memory"`,
		`kind="update",outcome="graph-exists"`, `kind="graph",outcome="graph"`,
	} {
		if v := value(t, srv.URL, "rete_queries_total{"+labels+"}"); v != 1 {
			t.Errorf("%s: %v", labels, v)
		}
	}
}
