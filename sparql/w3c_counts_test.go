package sparql_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/sparqlsuite"
)

// TestW3CCounts guards against entries that are not found, and so not run.
func TestW3CCounts(t *testing.T) {
	got := make(map[string]int)
	for _, suite := range []string{"sparql10", "sparql11", "sparql12"} {
		for _, c := range sparqlsuite.Load(t, suite).Cases {
			if c.Evaluation() {
				got[c.Folder+" "+c.Type]++
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if got[k] != evaluationTests[k] {
			t.Errorf("%s: %d entries, want %d", k, got[k], evaluationTests[k])
		}
	}
	for k, n := range evaluationTests {
		if got[k] == 0 {
			t.Errorf("%s: no entries, want %d", k, n)
		}
	}
}

// evaluationTests are the entries that evaluate a query, by folder and type.
var evaluationTests = map[string]int{
	"sparql10/algebra QueryEvaluationTest":                 14,
	"sparql10/ask QueryEvaluationTest":                     4,
	"sparql10/basic QueryEvaluationTest":                   27,
	"sparql10/bnode-coreference QueryEvaluationTest":       1,
	"sparql10/boolean-effective-value QueryEvaluationTest": 7,
	"sparql10/bound QueryEvaluationTest":                   1,
	"sparql10/cast QueryEvaluationTest":                    7,
	"sparql10/construct QueryEvaluationTest":               5,
	"sparql10/dataset QueryEvaluationTest":                 12,
	"sparql10/distinct QueryEvaluationTest":                11,
	"sparql10/expr-builtin QueryEvaluationTest":            25,
	"sparql10/expr-equals QueryEvaluationTest":             15,
	"sparql10/expr-ops QueryEvaluationTest":                18,
	"sparql10/graph QueryEvaluationTest":                   17,
	"sparql10/i18n QueryEvaluationTest":                    5,
	"sparql10/open-world QueryEvaluationTest":              18,
	"sparql10/optional QueryEvaluationTest":                7,
	"sparql10/optional-filter QueryEvaluationTest":         5,
	"sparql10/reduced QueryEvaluationTest":                 2,
	"sparql10/regex QueryEvaluationTest":                   21,
	"sparql10/solution-seq QueryEvaluationTest":            13,
	"sparql10/sort QueryEvaluationTest":                    14,
	"sparql10/triple-match QueryEvaluationTest":            4,
	"sparql10/type-promotion QueryEvaluationTest":          30,
	"sparql11/aggregates QueryEvaluationTest":              42,
	"sparql11/bind QueryEvaluationTest":                    10,
	"sparql11/bindings QueryEvaluationTest":                11,
	"sparql11/cast QueryEvaluationTest":                    6,
	"sparql11/construct QueryEvaluationTest":               5,
	"sparql11/csv-tsv-res CSVResultFormatTest":             3,
	"sparql11/csv-tsv-res QueryEvaluationTest":             3,
	"sparql11/entailment QueryEvaluationTest":              70,
	"sparql11/exists QueryEvaluationTest":                  6,
	"sparql11/functions QueryEvaluationTest":               75,
	"sparql11/grouping QueryEvaluationTest":                4,
	"sparql11/json-res QueryEvaluationTest":                4,
	"sparql11/negation QueryEvaluationTest":                12,
	"sparql11/project-expression QueryEvaluationTest":      7,
	"sparql11/property-path QueryEvaluationTest":           33,
	"sparql11/service QueryEvaluationTest":                 7,
	"sparql11/subquery QueryEvaluationTest":                14,
	"sparql12/codepoint-escapes QueryEvaluationTest":       5,
	"sparql12/eval-triple-terms QueryEvaluationTest":       38,
	"sparql12/expression QueryEvaluationTest":              5,
	"sparql12/grouping QueryEvaluationTest":                2,
	"sparql12/lang-basedir QueryEvaluationTest":            10,
	"sparql12/rdf11 QueryEvaluationTest":                   3,
}
