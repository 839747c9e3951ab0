package isomorphic_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/rdfgen"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"pgregory.net/rapid"
)

func read(t *testing.T, text string) []rdf.Quad {
	t.Helper()
	quads, err := rdf.ReadAll(turtle.NewTriGReader(strings.NewReader("PREFIX : <http://ex/> "+text), rdf.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return quads
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"nothing", "", "", true},
		{"repeats", ":a :b :c . :a :b :c .", ":a :b :c .", true},
		{"labels", "_:a :p _:b .", "_:x :p _:y .", true},
		{"one node or two", "_:a :p _:b .", "_:x :p _:x .", false},
		{"direction", "_:a :p _:b . _:b :q _:a .", "_:a :p _:b . _:a :q _:b .", false},
		{"graphs named by nodes", "_:g { :a :b _:g }", "_:h { :a :b _:g }", false},
		{"graphs", ":g { :a :b _:x } :h { :a :b _:x }", ":g { :a :b _:x } :h { :a :b _:y }", false},
		{"inside triple terms", ":a :b <<( _:x :p _:y )>> .", ":a :b <<( _:x :p _:x )>> .", false},
		{"order inside triple terms", ":a :b <<( _:x :p _:y )>> . _:x :q 1 .", ":a :b <<( _:y :p _:x )>> . _:x :q 1 .", false},
		{"two triangles or a hexagon", "_:a :p _:b . _:b :p _:c . _:c :p _:a . _:d :p _:e . _:e :p _:f . _:f :p _:d .",
			"_:a :p _:b . _:b :p _:c . _:c :p _:d . _:d :p _:e . _:e :p _:f . _:f :p _:a .", false},
		{"literals", `_:a :p "1" .`, `_:a :p 1 .`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := isomorphic.Equal(read(t, c.a), read(t, c.b)); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// Many nodes that look alike do not take exponential time.
func TestManyAlike(t *testing.T) {
	var a, b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&a, ":x :p _:a%d . _:a%d :q [] . ", i, i)
		fmt.Fprintf(&b, ":x :p _:b%d . _:b%d :q [] . ", 59-i, 59-i)
	}
	if !isomorphic.Equal(read(t, a.String()), read(t, b.String())) {
		t.Error("not equal")
	}
}

func TestRenamedAndShuffled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.SliceOfN(rdfgen.Quad(true), 0, 12).Draw(t, "quads")
		names := map[rdf.Term]rdf.Term{}
		var rename func(rdf.Term) rdf.Term
		rename = func(x rdf.Term) rdf.Term {
			if x.Kind() == rdf.KindBlank {
				if names[x].IsZero() {
					names[x] = rdf.Blank(fmt.Sprintf("renamed%d", len(names)))
				}
				return names[x]
			}
			if s, p, o, ok := x.Triple(); ok {
				return rdf.TripleTerm(rename(s), rename(p), rename(o))
			}
			return x
		}
		var other []rdf.Quad
		for _, q := range quads {
			other = append(other, rdf.Quad{S: rename(q.S), P: q.P, O: rename(q.O), G: rename(q.G)})
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		if !isomorphic.Equal(quads, other) {
			t.Fatalf("%v and %v", quads, other)
		}
		if len(other) > 0 {
			other[0].P = rdf.IRI("http://no/such")
			if isomorphic.Equal(quads, other) {
				t.Fatal("a changed predicate was not noticed")
			}
		}
	})
}
