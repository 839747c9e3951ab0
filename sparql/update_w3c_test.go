package sparql_test

import (
	"context"
	"maps"
	"testing"

	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// update carries out an update on quads in memory.
func update(quads []rdf.Quad, u *sparql.Update, opts ...sparql.Option) ([]rdf.Quad, error) {
	tx := load(quads).Begin("test")
	if _, err := sparql.Execute(context.Background(), tx, u, opts...); err != nil {
		return nil, err
	}
	return tx.Commit().Quads(), nil
}

func TestW3CUpdate(t *testing.T) {
	for _, suite := range []string{"sparql11", "sparql12"} {
		sparqlsuite.Load(t, suite).RunUpdates(t, func(quads []rdf.Quad, u *sparql.Update) ([]rdf.Quad, error) {
			return update(quads, u)
		})
	}
}

// TestW3CUpdateCounts guards against entries that are not found, and so not run.
func TestW3CUpdateCounts(t *testing.T) {
	got := make(map[string]int)
	for _, suite := range []string{"sparql11", "sparql12"} {
		for _, c := range sparqlsuite.Load(t, suite).Cases {
			if c.Updates() {
				got[c.Folder]++
			}
		}
	}
	if !maps.Equal(got, updateTests) {
		t.Errorf("got %v, want %v", got, updateTests)
	}
}

// updateTests are the entries that carry out an update, by folder.
var updateTests = map[string]int{
	"sparql11/add":               8,
	"sparql11/basic-update":      13,
	"sparql11/clear":             4,
	"sparql11/copy":              6,
	"sparql11/delete":            19,
	"sparql11/delete-data":       6,
	"sparql11/delete-insert":     9,
	"sparql11/delete-where":      6,
	"sparql11/drop":              4,
	"sparql11/move":              6,
	"sparql11/update-silent":     13,
	"sparql12/eval-triple-terms": 3,
}
