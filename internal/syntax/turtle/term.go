package turtle

import (
	"fmt"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

// iri appends the surface of the IRI or prefixed name at the window.
func (r *Reader) iri(dst []byte, expected string) ([]byte, *lex.Error) {
	if r.peek(0) == '<' && r.peek(1) != '<' {
		return r.iriRef(dst)
	}
	dst, ok, err := r.name(dst)
	if err == nil && !ok {
		err = r.fault(expected)
	}
	return dst, err
}

// term appends the surface of a term that is no bracket.
func (r *Reader) term(dst []byte) ([]byte, *lex.Error) {
	switch c := r.peek(0); {
	case c == '<':
		if r.peek(1) == '<' {
			return r.angles(dst, 0)
		}
		return r.iriRef(dst)
	case c == '"' || c == '\'':
		return r.literal(dst)
	case c == '_':
		return r.blank(dst)
	case c >= '0' && c <= '9', c == '+', c == '-', c == '.' && lex.Class[r.peek(1)]&lex.ClassDigit != 0:
		return r.number(dst)
	}
	dst, ok, err := r.name(dst)
	switch {
	case ok || err != nil:
		return dst, err
	case r.word("true", false):
		return append(dst, `"true"^^<`+rdf.XSDBoolean+`>`...), nil
	case r.word("false", false):
		return append(dst, `"false"^^<`+rdf.XSDBoolean+`>`...), nil
	}
	return dst, r.fault("an object (an IRI, a blank node, a literal, '[', '(' or '<<')")
}

// anonymous takes [] at the window.
func (r *Reader) anonymous(dst []byte) ([]byte, *lex.Error) {
	r.i++
	if err := r.skip(); err != nil {
		return dst, err
	}
	if r.peek(0) != ']' {
		return dst, r.fault("']' (no property list may stand here)")
	}
	r.i++
	return r.labels.Fresh(dst), nil
}

// angles takes what begins with << at the window: a triple term, or a triple
// with a reifier, which stands for the reifier.
func (r *Reader) angles(dst []byte, depth int) ([]byte, *lex.Error) {
	if depth == rdf.MaxDepth {
		return dst, &lex.Error{Expected: fmt.Sprintf("at most %d nested triple terms", rdf.MaxDepth), Found: "one more"}
	}
	r.i += 2
	if r.peek(0) == '(' {
		r.i++
		return r.tripleTerm(dst, depth)
	}
	return r.reifiedTriple(dst, depth)
}

// tripleTerm takes a triple term after its <<( and appends its surface.
func (r *Reader) tripleTerm(dst []byte, depth int) ([]byte, *lex.Error) {
	dst, err := r.innerTriple(append(dst, "<<"...), depth, false)
	if err != nil {
		return dst, err
	}
	if r.peek(0) != ')' || r.peek(1) != '>' || r.peek(2) != '>' {
		return dst, r.fault("')>>' of a triple term")
	}
	r.i += 3
	return append(dst, ">>"...), nil
}

// reifiedTriple takes a triple in << >> after its << and appends the surface
// of its reifier.
func (r *Reader) reifiedTriple(dst []byte, depth int) ([]byte, *lex.Error) {
	triple, err := r.innerTriple([]byte("<<"), depth, true)
	if err != nil {
		return dst, err
	}
	mark := len(dst)
	if r.peek(0) == '~' {
		r.i++
		dst, err = r.reifierName(dst)
	} else {
		dst = r.labels.Fresh(dst)
	}
	if err == nil {
		err = r.skip()
	}
	if err != nil {
		return dst, err
	}
	if r.peek(0) != '>' || r.peek(1) != '>' {
		return dst, r.fault("'~' or '>>' of a triple")
	}
	r.i += 2
	r.reifies(dst[mark:], append(triple, ">>"...))
	return dst, nil
}

// innerTriple appends the three terms between the brackets of a triple, with
// blanks between them, and moves to what follows. With reified set, triples
// with reifiers may stand in it, too.
func (r *Reader) innerTriple(dst []byte, depth int, reified bool) (_ []byte, err *lex.Error) {
	if err = r.skip(); err != nil {
		return dst, err
	}
	switch c := r.peek(0); {
	case c == '_':
		dst, err = r.blank(dst)
	case c == '[':
		dst, err = r.anonymous(dst)
	case c == '<' && r.peek(1) == '<' && reified && r.peek(2) != '(':
		dst, err = r.angles(dst, depth+1)
	default:
		dst, err = r.iri(dst, "the subject of a triple (an IRI or a blank node)")
	}
	if err == nil {
		err = r.skip()
	}
	if err != nil {
		return dst, err
	}
	dst = append(dst, ' ')
	if r.peek(0) == 'a' && r.isA() {
		r.i++
		dst = append(dst, rdfType...)
	} else if dst, err = r.iri(dst, "the predicate of a triple (an IRI or 'a')"); err != nil {
		return dst, err
	}
	if err = r.skip(); err != nil {
		return dst, err
	}
	dst = append(dst, ' ')
	switch c := r.peek(0); {
	case c == '[':
		dst, err = r.anonymous(dst)
	case c == '<' && r.peek(1) == '<':
		if !reified && r.peek(2) != '(' {
			return dst, r.fault("the object of a triple term (a reifier may not stand in it)")
		}
		dst, err = r.angles(dst, depth+1)
	default:
		dst, err = r.term(dst)
	}
	if err == nil {
		err = r.skip()
	}
	return dst, err
}

// reifier takes what follows a '~' after an object.
func (r *Reader) reifier(f *frame) (err *lex.Error) {
	if f.reifier, err = r.reifierName(f.reifier[:0]); err != nil {
		return err
	}
	f.hasReifier = true
	r.reifiesStatement(f)
	return nil
}

// annotation opens the block after {|.
func (r *Reader) annotation(f *frame) *lex.Error {
	if !f.hasReifier {
		f.reifier = r.labels.Fresh(f.reifier[:0])
		r.reifiesStatement(f)
	}
	f.hasReifier = false
	_, err := r.push(inAnnotation, wantVerb, f.reifier)
	return err
}

// reifierName appends the surface of the reifier at the window, a new blank
// node if none is named.
func (r *Reader) reifierName(dst []byte) ([]byte, *lex.Error) {
	if err := r.skip(); err != nil {
		return dst, err
	}
	switch c := r.peek(0); {
	case c == '_':
		return r.blank(dst)
	case c == '[':
		return r.anonymous(dst)
	case c == '<' && r.peek(1) != '<':
		return r.iriRef(dst)
	}
	dst, ok, err := r.name(dst)
	if !ok && err == nil {
		dst = r.labels.Fresh(dst)
	}
	return dst, err
}

func (r *Reader) reifiesStatement(f *frame) {
	var triple []byte
	triple = append(append(append(triple, "<<"...), f.s...), ' ')
	triple = append(append(append(triple, f.p...), ' '), f.o...)
	r.reifies(f.reifier, append(triple, ">>"...))
}

// reifies queues the statement that node reifies triple, which it keeps.
func (r *Reader) reifies(node, triple []byte) {
	r.pending = append(r.pending, rdf.RawQuad{S: append([]byte(nil), node...), P: rdfReifies, O: triple, G: r.graph})
}
