package sparql_test

import "testing"

// TestSpillDistinctAggregates counts and adds distinct values of one group, or of few,
// in less memory than the values take: they are sorted in files.
func TestSpillDistinctAggregates(t *testing.T) {
	ds := load(spillData(20000))
	for _, c := range []struct {
		text string
		part int64
	}{
		{"SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o }", 50},
		{"SELECT (COUNT(DISTINCT *) AS ?n) { ?s ?p ?o }", 50},
		{"SELECT (SUM(DISTINCT ?o) AS ?n) (COUNT(DISTINCT ?s) AS ?k) { ?s ?p ?o }", 25},
		{"SELECT (STRLEN(GROUP_CONCAT(DISTINCT STR(?o))) AS ?n) { ?s ?p ?o }", 45},
		{"SELECT ?p (COUNT(DISTINCT ?o) AS ?n) (SUM(DISTINCT ?o + 1) AS ?k) { ?s ?p ?o } GROUP BY ?p", 60},
		{"SELECT ?p (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o OPTIONAL { ?s :none ?z } } GROUP BY ?p ?z", 60},
	} {
		if inLess(t, ds, c.text, c.part) == 0 {
			t.Errorf("nothing was written\n%s", c.text)
		}
	}
}
