package sparql_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestBind compares bound parameters with the same terms written in the text.
func TestBind(t *testing.T) {
	var quads []rdf.Quad
	for i := range 30 {
		s := rdf.IRI(fmt.Sprintf("http://ex/s%d", i))
		quads = append(quads,
			rdf.Quad{S: s, P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(i % 5))},
			rdf.Quad{S: s, P: rdf.IRI("http://ex/q"), O: rdf.IRI(fmt.Sprintf("http://ex/s%d", (i+1)%30))})
	}
	ds := load(quads)
	for _, c := range []struct {
		query, name string
		term        rdf.Term
	}{
		{"SELECT ?x { ?x :p ?k }", "k", rdf.Integer(3)},
		{"SELECT ?x ?k { ?x :p ?k }", "k", rdf.Integer(3)},
		{"SELECT ?x ?k { ?x :p ?k }", "?k", rdf.Integer(3)},
		{"SELECT ?x ?k { ?x :p ?k }", "$k", rdf.Integer(3)},
		{"SELECT (COUNT(*) AS ?n) { ?x :p ?k }", "k", rdf.Integer(3)},
		{"SELECT ?k (COUNT(*) AS ?n) { ?x :p ?k } GROUP BY ?k", "k", rdf.Integer(3)},
		{"SELECT DISTINCT ?y { ?x :q+ ?y . ?y :p ?v FILTER(?v < ?k) } ORDER BY ?y LIMIT 4", "k", rdf.Integer(2)},
		{"SELECT ?x { ?x :p ?v FILTER NOT EXISTS { ?x :q ?y . ?y :p ?k } }", "k", rdf.Integer(2)},
		{"SELECT ?x { { SELECT ?x { ?x :p ?k } } ?x :q ?y }", "k", rdf.Integer(2)},
		{"SELECT ?y { ?x :q ?y OPTIONAL { ?y :p ?v FILTER(?v = ?k) } FILTER(!BOUND(?v)) }", "k", rdf.Integer(2)},
		{"SELECT ?y { ?x :q ?y MINUS { ?y :p ?k } }", "k", rdf.Integer(2)},
		{"SELECT * { ?x :q* ?y }", "x", rdf.IRI("http://ex/s3")},
		{"SELECT * { ?x :p ?v }", "x", rdf.IRI("http://ex/none")},
		{"SELECT * { VALUES ?x { :s1 :s2 UNDEF } ?x :p ?v }", "x", rdf.IRI("http://ex/s2")},
	} {
		text := "PREFIX : <http://ex/> " + c.query
		q := sparql.MustParse(text)
		got, err := answer(ds, q, sparql.Bind(c.name, c.term))
		if err != nil {
			t.Fatal(err)
		}
		// The same, with a table next to the pattern and inside sub-patterns.
		want := 0
		for _, row := range rowsBound(t, ds, c.query, strings.TrimLeft(c.name, "?$"), c.term) {
			want++
			if !slices.ContainsFunc(got.Set.Rows, func(r []rdf.Term) bool { return slices.Equal(r, row) }) {
				t.Errorf("%s: no row %v", c.query, row)
			}
		}
		if len(got.Set.Rows) != want {
			t.Errorf("%s: %d rows, want %d", c.query, len(got.Set.Rows), want)
		}
	}
}

// TestBindProjected: a bound variable that is projected has its value in every row, whatever
// binds it or does not, also where a plan is used again with another value.
func TestBindProjected(t *testing.T) {
	p := rdf.IRI("http://ex/p")
	ds := load([]rdf.Quad{{S: rdf.IRI("http://ex/a"), P: p, O: rdf.Integer(1)}, {S: rdf.IRI("http://ex/b"), P: p, O: rdf.Integer(2)}})
	plans := sparql.NewPlanCache(10)
	for query, rows := range map[string]int{
		"SELECT ?s {}": 1,
		"SELECT DISTINCT ?s {} ORDER BY ?s LIMIT 3": 1,
		"SELECT ?s { BIND(1 AS ?y) }":               1,
		"SELECT ?s ?x { ?x :p ?y }":                 2,
		"SELECT ?s { { SELECT ?s {} } }":            1,
		"SELECT ?s { { SELECT ?y { ?x :p ?y } } }":  2,
		"SELECT ?s { OPTIONAL { ?s :p ?y } }":       1,
		"SELECT ?s { { ?s :p ?y } UNION {} }":       2,
		"SELECT ?s { {} UNION {} FILTER(?s = ?s) }": 2,
		"SELECT ?s {} GROUP BY ?s":                  1,
		"SELECT ?s { ?x :p ?y MINUS { ?s :q ?y } }": 2,
		"SELECT (?s AS ?t) ?s {}":                   1,
		"SELECT ?s { ?s :p ?y }":                    1,
	} {
		q := sparql.MustParse("PREFIX : <http://ex/> " + query)
		for _, s := range []rdf.Term{rdf.IRI("http://ex/a"), rdf.IRI("http://ex/b"), rdf.IRI("http://ex/a")} {
			got, err := answer(ds, q, sparql.Bind("s", s), sparql.CachePlans(plans))
			if err != nil {
				t.Fatal(query, err)
			}
			at := slices.Index(got.Set.Vars, "s")
			for _, row := range got.Set.Rows {
				if row[at] != s {
					t.Errorf("%s: ?s is %v, not %v", query, row[at], s)
				}
			}
			if len(got.Set.Rows) != rows {
				t.Errorf("%s: %d rows, want %d", query, len(got.Set.Rows), rows)
			}
		}
	}
}

// rowsBound runs a query in which the variable has been replaced in the text by
// the term, but where it is projected.
func rowsBound(t *testing.T, ds dataset.Dataset, query, name string, term rdf.Term) [][]rdf.Term {
	t.Helper()
	q := sparql.MustParse("PREFIX : <http://ex/> " + query)
	text := replaceVar(query, name, term.String())
	a, err := answer(ds, sparql.MustParse("PREFIX : <http://ex/> "+text))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]rdf.Term
	for _, row := range a.Set.Rows {
		var line []rdf.Term
		for _, v := range q.Vars() {
			at := slices.Index(a.Set.Vars, v)
			switch {
			case v == name:
				line = append(line, term)
			case at >= 0:
				line = append(line, row[at])
			}
		}
		out = append(out, line)
	}
	return out
}

// replaceVar writes a term for a variable, and leaves it out where it is
// projected, grouped by, or the variable of a table.
func replaceVar(query, name, term string) string {
	v := "?" + name
	for _, cut := range []string{"GROUP BY " + v, "SELECT " + v + " (", "VALUES " + v} {
		switch {
		case !strings.Contains(query, cut):
		case strings.HasPrefix(cut, "GROUP"):
			query = strings.Replace(query, cut, "", 1)
		case strings.HasPrefix(cut, "SELECT"):
			query = strings.Replace(query, cut, "SELECT (", 1)
		default:
			query = strings.Replace(query, "VALUES ?x { :s1 :s2 UNDEF }", "VALUES ?z { 1 2 }", 1)
		}
	}
	head, rest, _ := strings.Cut(query, "{")
	head = strings.Replace(head, " "+v+" ", " ", 1)
	return head + "{" + strings.ReplaceAll(rest, v, term)
}
