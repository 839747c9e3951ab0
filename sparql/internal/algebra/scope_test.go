package algebra_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/parse"
)

func translate(t *testing.T, text string) *algebra.Query {
	t.Helper()
	q, err := parse.Query(prefixes+text, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := algebra.Translate(q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestScope has the variables that a pattern binds surely, and those that it may
// bind besides, in parentheses.
func TestScope(t *testing.T) {
	for text, want := range map[string]string{
		"?s :p ?o":                                  "s o",
		"?s :p ?o OPTIONAL { ?o :q ?x }":            "s o (x)",
		"{ ?s :p ?o } UNION { ?s :q ?x }":           "s (o x)",
		"{ ?s :p ?o } UNION { ?o :q ?s }":           "s o",
		"{ ?s :p ?o } UNION {}":                     "(s o)",
		"?s :p ?o MINUS { ?s :q ?x }":               "s o",
		"?s :p ?o FILTER EXISTS { ?s :q ?x }":       "s o",
		"GRAPH ?g {}":                               "g",
		"GRAPH ?g { ?s :p ?o }":                     "g s o",
		"?s :p ?o BIND(?o AS ?x)":                   "s o x",
		"?s :p ?o BIND(?o + 1 AS ?x)":               "s o (x)",
		"?s :p ?o BIND(?y AS ?x)":                   "s o (x)",
		"BIND(1 AS ?x)":                             "x",
		"BIND(BOUND(?y) AS ?x)":                     "x",
		"BIND(isIRI(?y) AS ?x)":                     "(x)",
		"BIND(COALESCE(?y, 1) AS ?x)":               "x",
		"VALUES (?a ?b) { (1 2) (3 UNDEF) }":        "a (b)",
		"VALUES ?a {}":                              "a",
		"SERVICE :e { ?s :p ?o }":                   "s o",
		"SERVICE SILENT :e { ?s :p ?o }":            "(s o)",
		"OPTIONAL { ?s :p ?o } FILTER(?s = 1)":      "s (o)",
		"OPTIONAL { ?s :p ?o } FILTER(BOUND(?o))":   "o (s)",
		"OPTIONAL { ?s :p ?o } FILTER(!BOUND(?o))":  "(s o)",
		"OPTIONAL { ?s :p ?o } FILTER(?s || ?o)":    "(s o)",
		"OPTIONAL { ?s :p ?o } FILTER(?s<1 && ?o)":  "s (o)",
		"{ SELECT ?s { ?s :p ?o } }":                "s",
		"{ SELECT ?s ?z { ?s :p ?o } }":             "s",
		"{ SELECT (COUNT(?o) AS ?n) { ?s :p ?o } }": "n",
		"{ SELECT (MAX(?o) AS ?n) { ?s :p ?o } }":   "(n)",
		"{ SELECT ?s { ?s :p ?o } GROUP BY ?s }":    "s",
		"?s :p* ?o":                                 "s o",
		"?s ?p <<( ?a :b ?c )>>":                    "s p a c",
	} {
		t.Run(text, func(t *testing.T) {
			a := translate(t, "ASK { "+text+" }")
			names := func(s algebra.VarSet) string {
				var list []string
				for _, v := range s.List() {
					if a.Vars[v].Kind == algebra.Named {
						list = append(list, a.Vars.Name(v))
					}
				}
				return strings.Join(list, " ")
			}
			certain, possible := algebra.Certain(a.Root), algebra.Possible(a.Root)
			got := names(certain)
			if more := names(possible.Minus(certain)); more != "" {
				got = strings.TrimSpace(got + " (" + more + ")")
			}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if !certain.Within(possible) {
				t.Error("a certain variable is not possible")
			}
		})
	}
}

func TestMentioned(t *testing.T) {
	a := translate(t, "ASK { ?s :p ?o FILTER(?f || EXISTS { ?e :q ?s }) MINUS { ?m :r ?s } GRAPH ?g { BIND(?x AS ?y) } { SELECT (SUM(?z) AS ?n) { ?z :p 1 } GROUP BY ?k } }")
	var got []string
	for _, v := range algebra.Mentioned(a.Root).List() {
		if a.Vars[v].Kind == algebra.Named {
			got = append(got, a.Vars.Name(v))
		}
	}
	slices.Sort(got)
	if s := strings.Join(got, " "); s != "e f g k m n o s x y z" {
		t.Errorf("got %s", s)
	}
}

// TestVarSet compares sets with maps.
func TestVarSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (algebra.VarSet, map[algebra.Var]bool) {
			m := map[algebra.Var]bool{}
			var s algebra.VarSet
			for _, v := range rapid.SliceOf(rapid.IntRange(-1, 200)).Draw(t, name) {
				s.Add(algebra.Var(v))
				m[algebra.Var(v)] = v >= 0
			}
			for _, v := range rapid.SliceOfN(rapid.IntRange(-1, 200), 0, 3).Draw(t, name+" removed") {
				s.Remove(algebra.Var(v))
				m[algebra.Var(v)] = false
			}
			return s, m
		}
		a, ma := draw("a")
		b, mb := draw("b")
		n, within, meets := 0, true, false
		for v := algebra.Var(-1); v <= 201; v++ {
			x, y := ma[v], mb[v]
			if a.Has(v) != x || a.And(b).Has(v) != (x && y) || a.Or(b).Has(v) != (x || y) || a.Minus(b).Has(v) != (x && !y) {
				t.Fatalf("variable %d: %v %v", v, x, y)
			}
			within = within && (!x || y)
			meets = meets || x && y
			if x {
				n++
			}
		}
		if a.Within(b) != within || a.Meets(b) != meets || a.Len() != n || !slices.IsSorted(a.List()) {
			t.Fatalf("sets %v and %v", a.List(), b.List())
		}
	})
}
