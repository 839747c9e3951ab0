package ast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// filled is the text with other words in its spots.
func filled(text string, spots []ast.Param, word string) string {
	var b strings.Builder
	at := uint32(0)
	for i, s := range spots {
		b.WriteString(text[at:s.Start])
		if s.Space == "" {
			b.WriteString("urn:")
		}
		fmt.Fprintf(&b, "%s%dz", word, i)
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// TestSpotsOfRealQueries puts words into the spots of queries that people published: the
// trees differ in these words only, and the spots are found again.
func TestSpotsOfRealQueries(t *testing.T) {
	found := 0
	for id, text := range realQueries(t) {
		q, err := ast.ParseQuery(text, nil)
		if err != nil {
			continue
		}
		spots, others := q.Params(text, nil)
		if len(spots) == 0 {
			continue
		}
		found++
		var trees [2]string
		for i, word := range []string{"qxa", "qxb"} {
			other := filled(text, spots, word)
			r, err := ast.ParseQuery(other, nil)
			if err != nil {
				t.Errorf("%s: %v\n%s", id, err, other)
				break
			}
			again, rest := r.Params(other, nil)
			if len(again) != len(spots) || !slices.Equal(rest, others) {
				t.Errorf("%s: other spots\n%s", id, other)
				break
			}
			for k, s := range again {
				w := other[s.Start:s.End]
				if s.Len(w) != len(w) || s.Space != spots[k].Space {
					t.Errorf("%s: %q is no word of its spot", id, w)
				}
			}
			trees[i] = strings.ReplaceAll(r.String(), word, "")
		}
		if trees[0] != trees[1] {
			t.Errorf("%s: other trees", id)
		}
	}
	if found < 30 {
		t.Errorf("%d queries with spots", found)
	}
}

func TestSpots(t *testing.T) {
	const head = "PREFIX : <http://ex/> PREFIX x: <http://x/> "
	for _, c := range []struct {
		text string
		want []string
	}{
		{"SELECT * { :a :p x:b ; :q <http://ex/c>, <d> }", []string{"a", "b", "http://ex/c"}},
		{"SELECT * { VALUES ?u { :a <urn:b> 1 } ?u :p ?v } VALUES (?w ?v) { (:c UNDEF) }", []string{"a", "urn:b", "c"}},
		{"SELECT * { :a :p* :b . { SELECT ?x { ?x :p :c } } OPTIONAL { :d ?p ?x } MINUS { :e ?p ?x } { ?x :p :f } UNION { ?x :p :g } GRAPH :h { :i ?p ?x } }", []string{"a", "b", "c", "d", "e", "f", "g", "i"}},
		{"SELECT * { :a.b :p :c-d, :e%20f, :g\\-h, :i:j, :, x:é, :1 . }", []string{"c-d", "1"}},
		{"SELECT * { :a :p ?x FILTER(?x != :b) BIND(:c AS ?y) }", []string{"a"}},
		{"SELECT * { ?x :p ( :a ) }", []string{"a"}},
		{"ASK { :a a [ :p :b ] }", []string{"a", "b"}},
		{"CONSTRUCT { :x :p ?y } { :a :p ?y }", []string{"a"}},
		{"CONSTRUCT WHERE { :a :p ?y }", nil},
		{"DESCRIBE :a ?x <urn:b> { ?x :p :c }", []string{"a", "urn:b", "c"}},
		{"DESCRIBE :a", []string{"a"}},
		{"SELECT * { :a :p ?x FILTER EXISTS { ?x :p :b } }", nil},
		{"SELECT * { :a :p ?x SERVICE :s { ?x :p :b } }", nil},
		{"SELECT * { << :a :p :b >> :q :c }", nil},
		{"SELECT * { :a :p :b ~ :r }", nil},
		{"SELECT * { <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> :p ?x }", nil},
	} {
		text := head + c.text
		q, err := ast.ParseQuery(text, &ast.Options{Base: "http://base/"})
		if err != nil {
			t.Fatal(err)
		}
		spots, _ := q.Params(text, &ast.Options{Base: "http://base/"})
		var got []string
		for _, s := range spots {
			got = append(got, text[s.Start:s.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: spots %q, want %q", c.text, got, c.want)
		}
	}
}
