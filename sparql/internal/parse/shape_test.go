package parse_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

var slots = regexp.MustCompile("\x00([0-9]+)(\"(@[a-z0-9-]+|\\^\\^<[^>]*>)?)?")

// filled is the text of a shape with terms in its slots.
func filled(shape string, term func(i int, literal string) string) string {
	return slots.ReplaceAllStringFunc(shape, func(slot string) string {
		m := slots.FindStringSubmatch(slot)
		i, _ := strconv.Atoi(m[1])
		return term(i, m[2])
	})
}

// TestShapeOfRealQueries puts other constants into queries that people published: they have
// the same shape, and the constants in its slots.
func TestShapeOfRealQueries(t *testing.T) {
	found := 0
	for id, text := range realQueries(t) {
		q, err := parse.Query(text, nil)
		if err != nil {
			continue
		}
		shape, terms := q.Shape()
		full := filled(shape, func(i int, _ string) string { return terms[i].String() })
		if r, err := parse.Query(full, nil); err != nil || r.String() != q.String() {
			t.Errorf("%s: the shape with its constants is\n%s\nnot\n%s: %v", id, full, q, err)
		}
		if len(terms) == 0 {
			continue
		}
		found++
		other := filled(shape, func(i int, literal string) string {
			if literal != "" {
				return fmt.Sprintf("\"other%d%s", i, literal)
			}
			return fmt.Sprintf("<urn:other%d>", i)
		})
		r, err := parse.Query(other, nil)
		if err != nil {
			t.Errorf("%s: %v\n%s", id, err, other)
			continue
		}
		again, rest := r.Shape()
		if again != shape || len(rest) != len(terms) {
			t.Errorf("%s: %d slots, not %d, in\n%s\nnot\n%s", id, len(rest), len(terms), again, shape)
			continue
		}
		for i, term := range rest {
			if want := fmt.Sprint("other", i); term.Value() != want && term.Value() != "urn:"+want {
				t.Errorf("%s: %s in slot %d", id, term, i)
			}
		}
	}
	if found < 30 {
		t.Errorf("%d queries with slots", found)
	}
}

// TestShape: which constants have slots.
func TestShape(t *testing.T) {
	const head = "PREFIX : <http://ex/> PREFIX x: <http://x/> "
	for _, c := range []struct {
		text string
		want []string
	}{
		{"SELECT * { :a :p x:b ; :q <http://ex/c>, <d> }", []string{"a", "http://x/b", "c", "http://base/d"}},
		{"SELECT * { VALUES ?u { :a <urn:b> 1 } ?u :p ?v } VALUES (?w ?v) { (:c UNDEF) }", []string{"a", "urn:b", "c"}},
		{"SELECT * { :a :p* :b . { SELECT ?x { ?x :p :c } } OPTIONAL { :d ?p ?x } MINUS { :e ?p ?x } { ?x :p :f } UNION { ?x :p :g } GRAPH :h { :i ?p ?x } }", []string{"a", "b", "c", "d", "e", "f", "g", "i"}},
		{"SELECT * { :a.b :p :c-d, :e%20f, :g\\-h, :i:j, :, x:é, :1 . }", []string{"a.b", "c-d", "e%20f", "g-h", "i:j", "http://ex/", "http://x/é", "1"}},
		{"SELECT * { :a :p ?x FILTER(?x != :b) BIND(:c AS ?y) }", []string{"a"}},
		{"SELECT * { ?x :p ( :a ) }", []string{"a"}},
		{"ASK { :a a [ :p :b ] }", []string{"a", "b"}},
		{"CONSTRUCT { :x :p ?y } { :a :p ?y }", []string{"a"}},
		{"CONSTRUCT WHERE { :a :p ?y }", nil},
		{"DESCRIBE :a ?x <urn:b> { ?x :p :c }", []string{"a", "urn:b", "c"}},
		{"DESCRIBE :a", []string{"a"}},
		{"SELECT * { :a :p ?x FILTER EXISTS { ?x :p :b } }", nil},
		{"SELECT * { :a :p ?x SERVICE :s { ?x :p :b } }", nil},
		{"SELECT * { << :a :p :b >> :q :c }", []string{"c"}},
		{"SELECT * { << :a :p ?b >> :q :c }", nil},
		{"SELECT * { VALUES ?t { <<( :a :p :b )>> } :c :q ?t }", nil},
		{"SELECT * { :a :p :b, :a, :p . :b :q :b }", []string{"a", "b"}},
		{"SELECT * { ?x :p 'x', 'x'@en, 7, '7', true ; :q 7 FILTER(?x != true) }", []string{"x", "x", "7", "7"}},
		{"CONSTRUCT { ?x :q :b } { ?x :p :a, :b }", []string{"a"}},
		{"SELECT * { :1 :p :2, :3, :4, :5, :6, :7, :8, :9, :10, :11, :12, :13, :14, :15, :16, :17 }", nil},
		{"SELECT * { <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> :p ?x }", nil},
	} {
		q, err := parse.Query(head+c.text, &ast.Options{Base: "http://base/"})
		if err != nil {
			t.Fatal(err)
		}
		_, terms := q.Shape()
		var got []string
		for _, term := range terms {
			got = append(got, shortened(term))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: slots of %q, want %q", c.text, got, c.want)
		}
	}
}

func shortened(t rdf.Term) string {
	v := t.Value()
	if len(v) > 10 && v[:10] == "http://ex/" {
		return v[10:]
	}
	return v
}
