package server_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/server"
)

// TestCacheMetrics: the figures of the cache are there, and say what the warming did.
func TestCacheMetrics(t *testing.T) {
	db, err := rete.Init(t.Context(), filepath.Join(t.TempDir(), "g.rete-manifest.json"),
		&engine.InitOptions{Bases: []engine.Source{{Name: "a.ttl", Reader: strings.NewReader("<x:a> <x:b> <x:c>, <x:d>, \"e\" .")}}},
		&rete.Options{Warm: &engine.WarmOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Warmed(t.Context()); err != nil {
		t.Fatal(err)
	}
	srv := start(t, server.Database(db), nil)
	ask(t, "GET", srv.URL+"/sparql?query=SELECT*{?s+?p+?o}", "")
	a := ask(t, "GET", srv.URL+"/metrics", "")
	for _, want := range []string{
		`rete_cache_warming 0`, `rete_cache_warmed_total [1-9]\d*`, `rete_cache_bytes [1-9].*`,
		`rete_cache_hits_total [1-9]\d*`, `rete_cache_misses_total [1-9]\d*`, `rete_cache_evictions_total 0`,
	} {
		if !regexp.MustCompile(`(?m)^` + want + `$`).MatchString(a.body) {
			t.Errorf("no %s in\n%s", want, a.body)
		}
	}
}
