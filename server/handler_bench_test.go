package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/server"
)

// BenchmarkHandler is what a small request costs in addition to the network and the disk.
func BenchmarkHandler(b *testing.B) {
	db, err := rete.Create(b.Context(), filepath.Join(b.TempDir(), "m.rete-manifest.json"), &rete.Options{Sync: engine.SyncNever})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	s, err := server.New(server.Database(db), &server.Options{Anonymous: server.ScopeAdmin, Local: true})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	ask := func(b *testing.B, method, target, media, body string, want int) {
		r := httptest.NewRequest(method, "http://127.0.0.1:7878"+target, strings.NewReader(body))
		r.Header.Set("Accept", "application/sparql-results+json, */*;q=0.1")
		if media != "" {
			r.Header.Set("Content-Type", media)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want {
			b.Fatal(w.Code, w.Body)
		}
	}
	update := func(b *testing.B) {
		n++
		ask(b, http.MethodPost, "/update", "application/sparql-update", fmt.Sprintf("INSERT DATA { <http://ex/person/%d> <http://ex/p1> %d }", n%1000, n), 204)
	}
	b.Run("none", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ask(b, http.MethodGet, "/health", "", "", 200)
		}
	})
	b.Run("update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			update(b)
		}
	})
	const row = "SELECT ?p ?o { <http://ex/person/7> ?p ?o } LIMIT 1"
	update(b)
	for n < 10 {
		update(b)
	}
	b.Run("get", func(b *testing.B) {
		b.ReportAllocs()
		target := "/sparql?query=" + url.QueryEscape(row)
		for b.Loop() {
			ask(b, http.MethodGet, target, "", "", 200)
		}
	})
	b.Run("others", func(b *testing.B) {
		k := 0
		for b.Loop() {
			k++
			ask(b, http.MethodGet, "/sparql?query="+url.QueryEscape(fmt.Sprintf("SELECT ?p ?o { <http://ex/person/%d> ?p ?o } LIMIT 1", 1+k%9)), "", "", 200)
		}
	})
	b.Run("post", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ask(b, http.MethodPost, "/sparql", "application/sparql-query", row, 200)
		}
	})
}
