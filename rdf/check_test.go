package rdf_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

// readBack writes a quad as a line and reads it as the readers of documents do.
func readBack(q rdf.RawQuad) (rdf.Quad, error) {
	r := nquads.NewBlockReader(nquads.AppendQuad(nil, &q), 1, rdf.Options{Blank: rdf.Verbatim})
	var got rdf.RawQuad
	if err := r.Read(&got); err != nil {
		return rdf.Quad{}, err
	}
	quad := got.Quad()
	if err := r.Read(&got); err != io.EOF {
		return quad, errors.New("more than one statement")
	}
	return quad, nil
}

func TestCheckRefuses(t *testing.T) {
	for _, c := range quadtest.Invalid() {
		raw := c.Quad.Raw()
		err := raw.Check()
		var invalid *rdf.InvalidError
		if !errors.As(err, &invalid) || len(err.Error()) > 1000 {
			t.Errorf("%s: error %v", c.Name, err)
		}
		if back, err := readBack(raw); err == nil && back == c.Quad {
			t.Errorf("%s: it can be written and read", c.Name)
		}
	}
}

func TestCheckTakes(t *testing.T) {
	for _, c := range quadtest.Valid() {
		raw := c.Quad.Raw()
		if err := raw.Check(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if back, err := readBack(raw); err != nil || back != c.Quad {
			t.Errorf("%s: read back as %v, %v", c.Name, back, err)
		}
	}
}

// TestCheckIsRoundTrip: what passes is read back as it was, and nothing else is.
func TestCheckIsRoundTrip(t *testing.T) {
	pieces := []string{"<", ">", "<<", ">>", "a:", "\"", "@", "en", "abcdefghi", "--ltr", "^^", " ", "_:", "b", ".", "\\", "\\n", "\\u0041", "\n", "\xff", "é", "\ufffe"}
	surface := rapid.OneOf(
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12), func(s []string) string { return strings.Join(s, "") }),
		rapid.SampledFrom([]string{"<a:>", "_:b", `"x"`, `"x"@en`, `"x"^^<a:>`, "<<_:b <a:> <a:>>>", `"x"@abcdefghi`, "<<<<_:b <a:> _:c>> <a:> _:d>>", "<a>"}))
	quad := rapid.Custom(func(t *rapid.T) (q rdf.Quad) {
		for _, to := range []*rdf.Term{&q.S, &q.P, &q.O} {
			*to = rdf.FromSurface(surface.Draw(t, "term"))
		}
		if rapid.Bool().Draw(t, "named") {
			q.G = rdf.FromSurface(surface.Draw(t, "graph"))
		}
		return q
	})
	rapid.Check(t, func(t *rapid.T) {
		for _, q := range rapid.SliceOfN(quad, 1, 100).Draw(t, "quads") {
			raw := q.Raw()
			err := raw.Check()
			back, rerr := readBack(raw)
			if (err == nil) != (rerr == nil && back == q) {
				t.Fatalf("%q: Check says %v, read back as %q, %v", q, err, back, rerr)
			}
		}
	})
}

// TestCheckSize: the limit is that of the line.
func TestCheckSize(t *testing.T) {
	rest := len("<a:> <a:> \"\" <a:g> .\n")
	long := strings.Repeat("x", rdf.MaxQuad)
	for _, c := range []struct {
		name string
		text string
		more int // bytes of the line that are not of the surfaces
	}{{"plain", "", 0}, {"noncharacters", strings.Repeat("\ufffe", 100), 300}} {
		for over := -1; over <= 1; over++ {
			fill := rdf.MaxQuad - rest - len(c.text) - c.more + over
			o := rdf.FromSurface(`"` + c.text + long[len(long)-fill:] + `"`)
			q := rdf.Quad{S: rdf.IRI("a:"), P: rdf.IRI("a:"), O: o, G: rdf.IRI("a:g")}
			err := q.CheckParts()
			var invalid *rdf.InvalidError
			if over <= 0 && err != nil || over > 0 && !(errors.As(err, &invalid) && invalid.TooLarge) {
				t.Errorf("%s, %+d: %v", c.name, over, err)
			}
		}
	}
}
