package turtle

import "github.com/rete-go/rete/internal/lex"

// Surfaces of the vocabulary that the syntax itself produces.
var (
	rdfType    = []byte("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>")
	rdfFirst   = []byte("<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>")
	rdfRest    = []byte("<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>")
	rdfNil     = []byte("<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>")
	rdfReifies = []byte("<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>")
)

// step goes on by one move of the state machine, which finds one statement at
// most (besides those of reifiers). done is true at the end of the document.
func (r *Reader) step() (done bool, err *lex.Error) {
	if err := r.skip(); err != nil {
		return false, err
	}
	if r.depth == 0 {
		return r.begin()
	}
	f := &r.stack[r.depth-1]
	switch f.state {
	case wantVerb:
		return false, r.verb(f)
	case wantVerbOrEnd:
		return false, r.verbOrEnd(f)
	case wantObject:
		f.state = afterObject
		return false, r.object(f, f.p)
	case afterObject:
		return false, r.afterObject(f)
	case wantElement:
		f.state = afterElement
		return false, r.object(f, rdfFirst)
	case afterElement:
		return false, r.afterElement(f)
	default: // movedToElement
		f.s, f.o = f.o, f.s
		f.state = afterElement
		return false, r.object(f, rdfFirst)
	}
}

func (r *Reader) verb(f *frame) (err *lex.Error) {
	f.state = wantObject
	if r.peek(0) == 'a' && r.isA() {
		r.i++
		f.p = append(f.p[:0], rdfType...)
		return nil
	}
	f.p, err = r.iri(f.p[:0], "a predicate (an IRI, a prefixed name or 'a')")
	return err
}

// isA reports whether the 'a' at the window is the whole word.
func (r *Reader) isA() bool {
	r.need(1 + slack)
	b := r.window()
	return len(b) == 1 || b[1] != ':' && b[1] != '.' && lex.NameRune(b, 1, false) == 0
}

func (r *Reader) verbOrEnd(f *frame) *lex.Error {
	switch c := r.peek(0); {
	case c == ';' && len(f.p) > 0:
		r.i++
		return nil
	case c == '.' && f.kind == inStatement,
		c == '}' && f.kind == inStatement && r.inGraph,
		c == ']' && f.kind == inBrackets,
		c == '|' && f.kind == inAnnotation:
		return r.end(f)
	}
	return r.verb(f)
}

func (r *Reader) afterObject(f *frame) *lex.Error {
	switch c := r.peek(0); {
	case c == ',':
		r.i++
		f.state, f.hasReifier = wantObject, false
		return nil
	case c == ';':
		r.i++
		f.state, f.hasReifier = wantVerbOrEnd, false
		return nil
	case c == '~':
		r.i++
		return r.reifier(f)
	case c == '{' && r.peek(1) == '|':
		r.i += 2
		return r.annotation(f)
	}
	return r.end(f)
}

// end takes what closes the frame.
func (r *Reader) end(f *frame) *lex.Error {
	c := r.peek(0)
	switch {
	case f.kind == inStatement && c == '.':
		r.i++
	case f.kind == inStatement && c == '}' && r.inGraph: // left for begin
	case f.kind == inBrackets && c == ']':
		r.i++
	case f.kind == inAnnotation && c == '|' && r.peek(1) == '}':
		r.i += 2
	default:
		closing := map[uint8]string{inStatement: "'.'", inBrackets: "']'", inAnnotation: "'|}'"}[f.kind]
		return r.fault("',', ';', an annotation or " + closing)
	}
	r.depth--
	return nil
}

// object takes one object of the frame's subject and the predicate p. Brackets
// get frames of their own, which are open when it returns.
func (r *Reader) object(f *frame, p []byte) (err *lex.Error) {
	switch c := r.peek(0); c {
	case '[':
		r.i++
		if err := r.skip(); err != nil {
			return err
		}
		f.o = r.labels.Fresh(f.o[:0])
		r.emit(f.s, p, f.o)
		if r.peek(0) == ']' {
			r.i++
			return nil
		}
		_, err = r.push(inBrackets, wantVerb, f.o)
		return err
	case '(':
		r.i++
		if err := r.skip(); err != nil {
			return err
		}
		if r.peek(0) == ')' {
			r.i++
			f.o = append(f.o[:0], rdfNil...)
			r.emit(f.s, p, f.o)
			return nil
		}
		f.o = r.labels.Fresh(f.o[:0])
		r.emit(f.s, p, f.o)
		_, err = r.push(inList, wantElement, f.o)
		return err
	}
	if f.o, err = r.term(f.o[:0]); err != nil {
		return err
	}
	r.emit(f.s, p, f.o)
	return nil
}

func (r *Reader) afterElement(f *frame) *lex.Error {
	if r.peek(0) == ')' {
		r.i++
		r.depth--
		r.emit(f.s, rdfRest, rdfNil)
		return nil
	}
	if r.peek(0) == 0 {
		return r.fault("')' at the end of a collection")
	}
	f.o = r.labels.Fresh(f.o[:0])
	r.emit(f.s, rdfRest, f.o)
	f.state = movedToElement
	return nil
}
