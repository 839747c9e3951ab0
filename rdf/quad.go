package rdf

import "io"

// Quad is a statement. G is zero in the default graph.
type Quad struct{ S, P, O, G Term }

// String returns the quad as a line of N-Quads without its end.
func (q Quad) String() string {
	s := q.S.String() + " " + q.P.String() + " " + q.O.String()
	if !q.G.IsZero() {
		s += " " + q.G.String()
	}
	return s + " ."
}

// Raw returns q as surfaces, in memory of its own.
func (q Quad) Raw() RawQuad {
	return RawQuad{S: []byte(q.S.s), P: []byte(q.P.s), O: []byte(q.O.s), G: []byte(q.G.s)}
}

// RawQuad is a statement as canonical surfaces. G is empty in the default
// graph. The caller that filled it in owns the bytes: a [Reader] overwrites them at
// its next Read.
type RawQuad struct{ S, P, O, G []byte }

// Quad returns a copy of q that lives on its own.
func (q *RawQuad) Quad() Quad {
	return Quad{Term{string(q.S)}, Term{string(q.P)}, Term{string(q.O)}, Term{string(q.G)}}
}

// Reader delivers statements one by one, in the order of the document, repeats
// included.
type Reader interface {
	// Read fills in q. The bytes are valid until the next Read. It returns
	// io.EOF after the last statement, a [*SyntaxError] for text that is not of
	// the syntax, and the error of the underlying reader otherwise. After an
	// error every Read returns the same one.
	Read(q *RawQuad) error
}

// Writer writes statements in some syntax. It does not check surfaces: they
// must be canonical, as those of a Reader and of [Term.Surface] are.
type Writer interface {
	// WriteQuad writes one statement. It keeps no reference to q. A syntax
	// without graphs refuses a statement of a named graph.
	WriteQuad(q *RawQuad) error
	// Close ends the document and hands everything to the underlying writer,
	// which it does not close. It may be called twice; a quad after it is an
	// error that matches rete.ErrClosed.
	Close() error
}

// ReadAll returns what is left in r. It is for small inputs.
func ReadAll(r Reader) ([]Quad, error) {
	var quads []Quad
	var q RawQuad
	for {
		if err := r.Read(&q); err == io.EOF {
			return quads, nil
		} else if err != nil {
			return quads, err
		}
		quads = append(quads, q.Quad())
	}
}

// WriteAll writes quads and closes w.
func WriteAll(w Writer, quads []Quad) error {
	for _, q := range quads {
		raw := q.Raw()
		if err := w.WriteQuad(&raw); err != nil {
			return err
		}
	}
	return w.Close()
}
