package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	db, err := rete.Init(t.Context(), filepath.Join(t.TempDir(), "m.rete-manifest.json"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pool := sparql.NewMemoryPool(64 << 20)
	s, err := server.New(server.Database(db), &server.Options{Anonymous: server.ScopeAdmin, Memory: 2 << 20, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	var values, data strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&values, " %d", i)
		fmt.Fprintf(&data, "<urn:s> <urn:p> %d . ", i)
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
	if pool.Used() != 0 {
		t.Errorf("%d bytes are held", pool.Used())
	}
}
