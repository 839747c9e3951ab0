package segment_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// listReader reads quads from a list.
type listReader []rdf.Quad

func (l *listReader) Read(q *rdf.RawQuad) error {
	if len(*l) == 0 {
		return io.EOF
	}
	*q = (*l)[0].Raw()
	*l = (*l)[1:]
	return nil
}

// TestBuilderRefusesInvalidQuads: each is refused, and leaves nothing.
func TestBuilderRefusesInvalidQuads(t *testing.T) {
	one := rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.IRI("x:o"), G: rdf.IRI("x:g")}
	b, want := segment.NewBuilder(nil), segment.NewBuilder(nil)
	for _, c := range append(quadtest.Invalid(), quadtest.Case{Name: "once more", Quad: quadtest.Invalid()[20].Quad}) {
		raw := c.Quad.Raw()
		var invalid *rdf.InvalidError
		if err := b.AddQuad(&raw); !errors.As(err, &invalid) {
			t.Errorf("%s: AddQuad says %v", c.Name, err)
		}
		if err := segment.NewBuilder(nil).AddReader(t.Context(), &listReader{one, c.Quad}); !errors.As(err, &invalid) {
			t.Errorf("%s: AddReader says %v", c.Name, err)
		}
	}
	for _, b := range []*segment.Builder{b, want} {
		raw := one.Raw()
		if err := b.AddQuad(&raw); err != nil {
			t.Fatal(err)
		}
		for _, c := range quadtest.Valid() {
			raw := c.Quad.Raw()
			if err := b.AddQuad(&raw); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
	got, built := finish(t, b)
	if wanted, _ := finish(t, want); !bytes.Equal(got, wanted) {
		t.Error("invalid quads left something in the file")
	}
	s := open(t, got, &segment.Options{Pin: built.Pin()})
	if err := errors.Join(s.Verify(t.Context(), nil), s.VerifyTerms(t.Context(), nil)); err != nil {
		t.Error(err)
	}
}

// TestVerifyTermsFinds: a file with one invalid quad is whole, but not deep down.
func TestVerifyTermsFinds(t *testing.T) {
	for _, c := range quadtest.Invalid() {
		q := quad{c.Quad.S.Surface(), c.Quad.P.Surface(), c.Quad.O.Surface(), c.Quad.G.Surface()}
		if q[0] == "" || q[1] == "" || q[2] == "" {
			continue
		}
		file, built := build(t, nil, append([]quad{q}, exampleQuads...))
		s := open(t, file, &segment.Options{Pin: built.Pin()})
		if err := s.Verify(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if err := s.VerifyTerms(t.Context(), nil); !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "mem.rete") || !strings.Contains(err.Error(), "invalid terms: ") {
			t.Errorf("%s: VerifyTerms says %v", c.Name, err)
		}
	}
}

// TestVerifyTermsOfOtherPrograms: another spelling is no fault where none is excluded.
func TestVerifyTermsOfOtherPrograms(t *testing.T) {
	qs := [][4]string{{"<http://e/\\u00e9>", "<http://e/p>", `"\u0041"@EN`, "<http://e/g>"}, {"_:a", "<http://e/p>", `"a"^^<http://www.w3.org/2001/XMLSchema#string>`, ""}}
	for _, c := range []struct {
		opt  segment.WriterOptions
		fine bool
	}{{segment.WriterOptions{Plain: true}, true}, {segment.WriterOptions{}, true}, {segment.WriterOptions{Canonical: true}, false}} {
		file, built := segtest.Build(t, qs, &c.opt)
		s := open(t, file, &segment.Options{Pin: built.Pin()})
		if err := s.VerifyTerms(t.Context(), nil); (err == nil) != c.fine {
			t.Errorf("%+v: %v", c.opt, err)
		}
	}
}

// TestInvalidQuadHasItsPlace: what a document makes too long is refused with the
// place in the document.
func TestInvalidQuadHasItsPlace(t *testing.T) {
	// Escapes make six bytes of one.
	text := strings.Repeat("\x01", rdf.MaxQuad/6)
	for name, doc := range map[string]string{
		"a.nt":  "<x:s> <x:p> <x:o> .\n<x:s> <x:p> \"" + text + "\" .\n",
		"a.ttl": "<x:s> <x:p> <x:o> .\n<x:s> <x:p> \"" + text + "\" .\n",
	} {
		b := segment.NewBuilder(nil)
		err := b.AddInput(t.Context(), name, strings.NewReader(doc), rdfio.Unknown, rdf.Options{})
		var invalid *rdf.InvalidError
		if !errors.As(err, &invalid) || !invalid.TooLarge || !strings.HasPrefix(err.Error(), name) || len(err.Error()) > 300 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}
