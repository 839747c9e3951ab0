package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
	"github.com/rete-go/rete/sparql"
)

// TestGraphWithinMemory: a graph that is larger than the memory of a query is taken in, and
// nothing is held then. What it found no memory for became entries of the log.
func TestGraphWithinMemory(t *testing.T) {
	db := newDatabase(t)
	pool := sparql.NewMemoryPool(16 << 20)
	addr := "http://" + serve(t, server.Database(db), &server.Options{Memory: 2 << 20, Pool: pool})
	var doc strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&doc, "<http://ex/subject/%d> <http://ex/p> %d .\n", i, i)
	}
	for range 2 { // the second time nothing changes
		if a := ask(t, "PUT", addr+"/store?graph=http://ex/g", doc.String(), "Content-Type", turtle); a.status >= 300 {
			t.Fatal(a.status, a.body)
		}
		if n := len(db.Engine().Manifest().Log); n < 2 {
			t.Errorf("%d entries", n)
		}
		if a := ask(t, "GET", addr+"/sparql?query=SELECT(COUNT(*)AS?n){GRAPH<http://ex/g>{?s?p?o}}", "", "Accept", "text/csv"); !strings.Contains(a.body, "20000") {
			t.Error(a.status, a.body)
		}
		if pool.Used() != 0 {
			t.Errorf("%d bytes are held", pool.Used())
		}
	}
}
