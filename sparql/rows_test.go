package sparql_test

import (
	"context"
	"testing"

	"github.com/rete-go/rete/sparql"
)

// TestRowValues: a value is there in each Go type that can hold it, and in no other.
func TestRowValues(t *testing.T) {
	q := sparql.MustParse(`SELECT ?b ?i ?f ?t { BIND(true AS ?b) BIND(7 AS ?i) BIND(2.5 AS ?f) BIND("x" AS ?t) }`)
	rows, err := sparql.Select(context.Background(), acquaintances(), q)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"b", "i", "f", "t", "none"} {
			b, isBool := row.Bool(name)
			i, isInt := row.Int64(name)
			f, isNumber := row.Float64(name)
			if isBool != (name == "b") || isInt != (name == "i") || isNumber != (name == "i" || name == "f") {
				t.Errorf("?%s: boolean %v, integer %v, number %v", name, isBool, isInt, isNumber)
			}
			if isBool && !b || isInt && i != 7 || isNumber && f != map[string]float64{"i": 7, "f": 2.5}[name] {
				t.Errorf("?%s: %v %v %v", name, b, i, f)
			}
		}
	}
}
