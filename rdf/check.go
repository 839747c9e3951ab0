package rdf

import (
	"bytes"
	"fmt"

	"github.com/rete-go/rete/internal/lex"
)

// InvalidError says why a quad cannot be added to a graph.
type InvalidError struct {
	Part     string // "subject", "predicate", "object" or "graph name"; "" if it is the quad as a whole
	Term     string // surface of that part, of which messages show the beginning
	Detail   string
	TooLarge bool // the quad has more than MaxQuad bytes
}

func (e *InvalidError) Error() string {
	if e.Part == "" {
		return "invalid quad: " + e.Detail
	}
	return fmt.Sprintf("invalid quad: %s %.100q: %s", e.Part, e.Term, e.Detail)
}

// parts names the parts of a quad in messages.
var parts = [4]string{"subject", "predicate", "object", "graph name"}

// MoveTo puts a quad of the default graph into the graph with that surface, which q refers to
// from then on. A quad of a named graph is an [*InvalidError].
func (q *RawQuad) MoveTo(graph []byte) error {
	if len(q.G) > 0 {
		return &InvalidError{Part: parts[3], Term: string(q.G), Detail: "its document is to go into the graph " + string(graph) + ", and may name no other"}
	}
	q.G = graph
	return nil
}

// Check reports whether q can be added to a graph: each part is of a kind that may
// stand there, each term passes [CheckTerm], and the quad has at most [MaxQuad]
// bytes. Written as a line of N-Quads it is then read back as it is. The error is
// an [*InvalidError].
func (q *RawQuad) Check() error {
	if err := q.CheckParts(); err != nil {
		return err
	}
	for i, surface := range [4][]byte{q.S, q.P, q.O, q.G} {
		if i == 3 && len(surface) == 0 {
			continue
		}
		if err := CheckTerm(surface); err != nil {
			return invalidPart(i, string(surface), err)
		}
	}
	return nil
}

// CheckParts is [RawQuad.Check] without a look into the terms: the kinds of the
// parts, by their first bytes, and the size.
func (q *RawQuad) CheckParts() error { return checkParts([4][]byte{q.S, q.P, q.O, q.G}) }

// CheckParts is [RawQuad.CheckParts].
func (q *Quad) CheckParts() error { return checkParts([4]string{q.S.s, q.P.s, q.O.s, q.G.s}) }

// CheckPart is [CheckTerm] for part i of a quad: subject, predicate, object, graph
// name. The error is an [*InvalidError] that names the part.
func CheckPart(i int, surface []byte) error {
	if err := CheckTerm(surface); err != nil {
		return invalidPart(i, string(surface), err)
	}
	return nil
}

func invalidPart(i int, surface string, err error) error {
	return &InvalidError{Part: parts[i], Term: surface, Detail: err.Error()}
}

// CheckTerm reports whether surface is a term in its canonical spelling that the
// readers of documents take. [Canonical] is wider: it knows what older files have
// too, triple terms as subjects of triple terms and language tags of any length.
func CheckTerm(surface []byte) error {
	var buf [256]byte
	p := termParser{text: surface, strict: true}
	b, end, fault := p.term(buf[:0], 0, 0)
	switch {
	case fault == nil && end != len(surface):
		fault = lex.Fault(surface, end, "the end of the term")
		fallthrough
	case fault != nil:
		return fmt.Errorf("expected %s, found %s", fault.Expected, fault.Found)
	case !bytes.Equal(b, surface):
		return fmt.Errorf("expected its canonical spelling, %.100q", b)
	}
	return nil
}

func checkParts[T ~string | ~[]byte](q [4]T) error {
	size := 0
	for i, t := range q {
		kind, expected := kindOf(t), ""
		switch {
		case i == 1 && kind != KindIRI:
			expected = "an IRI"
		case i == 2 && kind == NoTerm:
			expected = "a term"
		case (i == 0 || i == 3 && len(t) > 0) && kind != KindIRI && kind != KindBlank:
			expected = "an IRI or a blank node"
		}
		if expected != "" {
			return &InvalidError{Part: parts[i], Term: string(t), Detail: fmt.Sprintf("expected %s, found %s", expected, describe(kind))}
		}
		size += len(t)
	}
	// No term is more than twice as long in N-Quads as its surface.
	if size <= MaxQuad/2-16 {
		return nil
	}
	size = len(".\n")
	for _, t := range q {
		if len(t) > 0 {
			size += len(AppendNTriples(nil, []byte(t))) + 1
		}
	}
	if size > MaxQuad {
		return &InvalidError{TooLarge: true, Detail: fmt.Sprintf("as a line of N-Quads it has %d bytes, at most %d are taken", size, MaxQuad)}
	}
	return nil
}

func describe(k Kind) string {
	switch k {
	case KindIRI:
		return "an IRI"
	case NoTerm:
		return "no term"
	}
	return "a " + k.String()
}
