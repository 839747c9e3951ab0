package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/server"
	"github.com/rete-go/rete/sparql"
)

// TestTextLimits sends texts whose reading alone takes more memory than a query may have, or
// more time: the answer is the problem of the limit, and nothing is held afterwards.
func TestTextLimits(t *testing.T) {
	db, err := rete.Create(t.Context(), filepath.Join(t.TempDir(), "m.rete-manifest.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pool := sparql.NewMemoryPool(64 << 20)
	opt := server.Options{Anonymous: server.ScopeAdmin, Memory: 2 << 20, Pool: pool, TempDir: t.TempDir()}
	s, err := server.New(server.Database(db), &opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Spill = -1
	fileless, err := server.New(server.Database(db), &opt)
	if err != nil {
		t.Fatal(err)
	}
	const quads = 40_000
	var values, data strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&values, " %d", i)
	}
	for i := range quads {
		fmt.Fprintf(&data, "<urn:%d> <urn:p> %d . ", i, i)
	}
	query, update := "SELECT * { VALUES ?x {"+values.String()+"} }", "INSERT DATA {"+data.String()+"}"
	send := func(ctx context.Context, path, media, text string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1:7878"+path, strings.NewReader(text))
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	if w := send(t.Context(), "/query", "application/sparql-query", query); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a text for which there is no memory: %d %.200s", w.Code, w.Body)
	}
	for path, c := range map[string][2]string{"/query": {"application/sparql-query", query}, "/update": {"application/sparql-update", update}} {
		if w := send(t.Context(), path+"?timeout=1ns", c[0], c[1]); w.Code != http.StatusGatewayTimeout {
			t.Errorf("%s after its time: %d %.200s", path, w.Code, w.Body)
		}
	}
	for _, c := range []struct {
		s      *server.Server
		text   string
		status int
	}{
		{s, update + " ; INSERT DATA { 'a' <urn:p> 1 }", http.StatusBadRequest},
		{s, update + " ; INSERT DATA { <urn:s> 'p' 1 }", http.StatusBadRequest},
		{s, update + longText(1<<20), http.StatusRequestEntityTooLarge},
		{fileless, update, http.StatusUnprocessableEntity},
		{fileless, "INSERT DATA {} ; INSERT { ?s <urn:q> ?o } WHERE {" + strings.Repeat("{ BIND(1 AS ?a) } UNION", 20_000) + "{} }", http.StatusUnprocessableEntity},
		{s, update, http.StatusNoContent},
	} {
		state := db.Engine().Manifest().Generation
		s = c.s
		if w := send(t.Context(), "/update", "application/sparql-update", c.text); w.Code != c.status {
			t.Errorf("an update of %d bytes: %d %.200s, want %d", len(c.text), w.Code, w.Body, c.status)
		}
		if c.status >= 300 && db.Engine().Manifest().Generation != state {
			t.Error("a refused update was committed")
		}
		if pool.Used() != 0 {
			t.Errorf("%d bytes are held", pool.Used())
		}
	}
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if n, err := snap.Len(t.Context()); n != quads || err != nil {
		t.Errorf("%d quads, %v", n, err)
	}
	if left, err := os.ReadDir(opt.TempDir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if pool.Used() != 0 {
		t.Errorf("%d bytes are held", pool.Used())
	}
}
