package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
)

// Every subject has about the same chance, names alone are drawn, and no more than the bound.
func TestDrawing(t *testing.T) {
	d := drawing{random: rand.New(rand.NewPCG(1, 2))}
	const n = 20 * sampled
	for i := range n {
		s := fmt.Appendf(nil, "<urn:s%d>", i)
		for _, o := range []string{"_:b", `"x"`, `"y"`} {
			d.add(&rdf.RawQuad{S: s, P: []byte("<urn:p>"), O: []byte(o)})
		}
		d.add(&rdf.RawQuad{S: s, P: []byte("<urn:q>"), O: []byte("_:b"), G: []byte("<urn:g>")})
		d.add(&rdf.RawQuad{S: fmt.Appendf(nil, "_:s%d", i), P: []byte("<urn:p>"), O: []byte("<urn:o>")})
	}
	d.end()
	if d.Quads != 5*n || d.Named != n || len(d.subjects) != sampled {
		t.Errorf("%d quads, %d named, %d subjects", d.Quads, d.Named, len(d.subjects))
	}
	late := 0
	for _, s := range d.subjects {
		var number int
		if _, err := fmt.Sscanf(s.name, "<urn:s%d>", &number); err != nil {
			t.Fatalf("%q was drawn", s.name)
		}
		if number >= n/2 {
			late++
		}
		if s.predicates[0] == "<urn:p>" && s.objects[0] != `"x"` || s.predicates[0] == "<urn:q>" && s.objects[0] != "" {
			t.Fatalf("%+v", s)
		}
	}
	if late < sampled*4/10 || late > sampled*6/10 {
		t.Errorf("%d of %d are of the second half", late, sampled)
	}
}

func TestTogether(t *testing.T) {
	s := Sample{subjects: []subject{{predicates: []string{"a", "b", "c"}}, {predicates: []string{"b", "c"}}, {predicates: []string{"a"}}}}
	if p, q := s.together(); p != "b" || q != "c" {
		t.Errorf("%s and %s", p, q)
	}
	if p, q := new(Sample).together(); p != "" || q != "" {
		t.Errorf("%s and %s of nothing", p, q)
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]answer{
		`{"head":{},"boolean":true}`:                                              {},
		`{"results":{"bindings":[]}}`:                                             {},
		`{"results":{"bindings":[{"n":{"type":"literal","value":"42"}}]}}`:        {rows: 1, value: "42"},
		`{"results":{"bindings":[{"a":{"value":"1"}},{"a":{"value":"2"}}]}}`:      {rows: 2},
		`{"results":{"bindings":[{"a":{"value":"1"},"b":{"value":"2"}},{},{}]}} `: {rows: 3},
	} {
		if got, err := read([]byte(text)); err != nil || *got != want {
			t.Errorf("%s is %+v (%v)", text, got, err)
		}
	}
	if _, err := read([]byte("<html>")); err == nil {
		t.Error("a page is an answer")
	}
}

func TestCommand(t *testing.T) {
	e := &engine{dir: "/d", address: "127.0.0.1:99", self: true}
	c := e.command(t.Context(), []string{"/bin/x", "--loc=STORE", "--port=PORT", "ADDRESS", "DATA"}, "/f.nq")
	if got := strings.Join(c.Args, " "); got != "rete --loc=/d --port=99 127.0.0.1:99 /f.nq" {
		t.Error(got)
	}
	if got := lastLine([]byte("a\nb\n")); got != "b" {
		t.Error(got)
	}
}

// The data that are made are N-Triples of as many quads as the help says.
func TestGenerate(t *testing.T) {
	var out bytes.Buffer
	if err := Generate(&out); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte(" .\n")); n != 110_500 {
		t.Errorf("%d quads", n)
	}
}
