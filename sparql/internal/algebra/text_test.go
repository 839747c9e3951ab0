package algebra_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

func TestText(t *testing.T) {
	term := func(x rdf.Term) string {
		if x.Kind() == rdf.KindIRI {
			return ":" + strings.TrimPrefix(x.Value(), "http://ex/")
		}
		return x.Value()
	}
	for text, want := range map[string]string{
		"?a + 1 > 2 * ?b":              "(?a + 1) > (2 * ?b)",
		"!(?a || ?b && ?c)":            "!(?a || (?b && ?c))",
		"!BOUND(?a)":                   "!BOUND(?a)",
		"-?a IN (1, ?b)":               "-?a IN (1, ?b)",
		"!?a IN ()":                    "!?a IN ()",
		"!(?a IN ())":                  "!(?a IN ())",
		"?a NOT IN (1)":                "?a NOT IN (1)",
		"IF(?a, :f(?b), 'x')":          "IF(?a, :f(?b), x)",
		"NOT EXISTS { ?a :p ?b } && 1": "NOT EXISTS {…} && 1",
		"EXISTS { ?a :p ?b }":          "EXISTS {…}",
	} {
		a := translate(t, "ASK { FILTER("+text+") }")
		if got := algebra.ExprText(a.Root.(*algebra.Filter).Exprs[0], a.Vars, term); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for text, want := range map[string]string{
		":p*":                  "?s :p* ?o",
		"(:p/^:q|:r)+":         "?s ((:p/^:q)|:r)+ ?o",
		"(:p*)?":               "?s (:p*)? ?o",
		"(!(:p|^:q))*":         "?s !(:p|^:q)* ?o",
		"(^:p)+":               "?s (^:p)+ ?o",
		"(:p+/(:q?|^:r)*/:t)*": "?s (:p+/(:q?|^:r)*/:t)* ?o",
	} {
		a := translate(t, "ASK { ?s "+text+" ?o }")
		p := a.Root.(*algebra.Path)
		got := algebra.VarText(p.S.Variable(), a.Vars) + " " + algebra.PathText(p.Path, term) + " " + algebra.VarText(p.O.Variable(), a.Vars)
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for text, want := range map[string]string{
		"COUNT(*)": "COUNT(*)", "COUNT(DISTINCT *)": "COUNT(DISTINCT *)", "SUM(DISTINCT ?a + 1)": "SUM(DISTINCT ?a + 1)",
	} {
		a := translate(t, "SELECT ("+text+" AS ?n) { ?a :p ?b }")
		var got string
		algebra.Walk(a.Root, func(o algebra.Op) {
			if g, ok := o.(*algebra.Group); ok {
				got = algebra.AggregateText(&g.Aggs[0], a.Vars, term)
			}
		})
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
