package rete_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/sparql"
)

// TestAnalyzeCountsUnits runs a query cold and then warm: the first run decodes
// units of the segment, the second one nothing.
func TestAnalyzeCountsUnits(t *testing.T) {
	name, remove := initPeople(t.Context())
	defer remove()
	db, err := rete.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	q := sparql.MustParse("SELECT ?s ?o { ?s <http://xmlns.com/foaf/0.1/name> ?o FILTER(STRLEN(?o) > 1) } ORDER BY ?o")
	cold, err := snap.Analyze(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if cold.Run.Rows != 3 || cold.Run.Bytes == 0 || !strings.Contains(cold.String(), "decoded") {
		t.Errorf("cold: %+v\n%s", cold.Run, cold)
	}
	warm, err := snap.Analyze(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if warm.Run.Units != 0 || warm.Run.Bytes != 0 {
		t.Errorf("warm: %+v", warm.Run)
	}
}
