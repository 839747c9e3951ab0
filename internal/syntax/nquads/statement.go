package nquads

import (
	"bytes"
	"fmt"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

// statement parses the statement at b[i] up to and with its dot.
func (r *BlockReader) statement(i int, q *rdf.RawQuad) (int, *lex.Error) {
	b := r.b
	r.scratch = r.scratch[:0]
	var err *lex.Error
	q.G = nil
	switch b[i] {
	case '<':
		q.S, i, err = r.iri(i)
	case '_':
		q.S, i, err = r.blank(i)
	default:
		err = lex.Fault(b, i, "a subject (an IRI or a blank node)")
	}
	if err != nil {
		return 0, err
	}
	if i = lex.SkipSpace(b, i); i >= len(b) || b[i] != '<' {
		return 0, lex.Fault(b, i, "a predicate (an IRI)")
	}
	if q.P, i, err = r.iri(i); err != nil {
		return 0, err
	}
	if q.O, i, err = r.object(lex.SkipSpace(b, i)); err != nil {
		return 0, err
	}
	i = lex.SkipSpace(b, i)
	if i < len(b) && b[i] == '.' {
		return i + 1, nil
	}
	if r.triples {
		return 0, lex.Fault(b, i, "'.' at the end of the statement")
	}
	switch {
	case i < len(b) && b[i] == '<':
		q.G, i, err = r.iri(i)
	case i < len(b) && b[i] == '_':
		q.G, i, err = r.blank(i)
	default:
		err = lex.Fault(b, i, "a graph name (an IRI or a blank node) or '.'")
	}
	if err != nil {
		return 0, err
	}
	if i = lex.SkipSpace(b, i); i >= len(b) || b[i] != '.' {
		return 0, lex.Fault(b, i, "'.' at the end of the statement")
	}
	return i + 1, nil
}

// kept returns what was appended to the scratch buffer from mark on. A later
// append that moves the buffer leaves the old one to this slice.
func (r *BlockReader) kept(mark int) []byte {
	return r.scratch[mark:len(r.scratch):len(r.scratch)]
}

// iri parses the IRI whose '<' is b[i].
func (r *BlockReader) iri(i int) ([]byte, int, *lex.Error) {
	b := r.b
	end := i + 1
	for end < len(b) && lex.Class[b[end]]&lex.ClassIRI != 0 {
		end++
	}
	if end < len(b) && b[end] == '>' && lex.HasScheme(b[i+1:end]) {
		return b[i : end+1 : end+1], end + 1, nil
	}
	return r.oddIRI(i)
}

// oddIRI parses an IRI that needs more than a look: it has characters outside
// ASCII, escapes, no scheme, or faults.
func (r *BlockReader) oddIRI(i int) ([]byte, int, *lex.Error) {
	b := r.b
	end, escaped, err := lex.IRI(b, i)
	mark := len(r.scratch)
	switch {
	case err != nil && !r.opt.Lenient:
		return nil, 0, err
	case err != nil:
		if end, err = lex.LenientIRI(b, i); err != nil {
			return nil, 0, err
		}
		r.scratch = append(r.scratch, '<')
		r.scratch = append(lex.AppendLenientIRI(r.scratch, b[i+1:end-1]), '>')
	case !escaped && lex.HasScheme(b[i+1:end-1]):
		return b[i:end:end], end, nil
	default:
		r.scratch = append(r.scratch, '<')
		r.scratch = append(lex.AppendIRI(r.scratch, b[i+1:end-1]), '>')
	}
	if text := r.scratch[mark+1 : len(r.scratch)-1]; !lex.HasScheme(text) {
		if !r.opt.Lenient {
			return nil, 0, lex.Relative(b, i, end)
		}
		if r.base != nil {
			resolved := r.base.Append(nil, text)
			r.scratch = append(append(r.scratch[:mark+1], resolved...), '>')
		}
	}
	return r.kept(mark), end, nil
}

// blank parses the blank node whose '_' is b[i].
func (r *BlockReader) blank(i int) ([]byte, int, *lex.Error) {
	end, err := lex.Label(r.b, i)
	if err != nil {
		return nil, 0, err
	}
	if r.opt.Blank == rdf.Verbatim {
		return r.b[i:end:end], end, nil
	}
	mark := len(r.scratch)
	r.scratch = append(append(r.scratch, "_:x"...), r.b[i+2:end]...)
	return r.kept(mark), end, nil
}

func (r *BlockReader) object(i int) ([]byte, int, *lex.Error) {
	b := r.b
	if i < len(b) {
		switch b[i] {
		case '<':
			if i+1 < len(b) && b[i+1] == '<' {
				return r.triple(nil, i, 0)
			}
			return r.iri(i)
		case '_':
			return r.blank(i)
		case '"':
			return r.literal(i)
		}
	}
	return nil, 0, lex.Fault(b, i, "an object (an IRI, a blank node, a literal or a triple term)")
}

// literal parses the literal whose '"' is b[i].
func (r *BlockReader) literal(i int) ([]byte, int, *lex.Error) {
	b := r.b
	end, clean, err := lex.String(b, i)
	if err != nil {
		return nil, 0, err
	}
	if next := lex.SkipSpace(b, end); next < len(b) {
		switch b[next] {
		case '@':
			return r.tagged(i, end, next, clean)
		case '^':
			return r.typed(i, end, next, clean)
		}
	}
	if clean {
		return b[i:end:end], end, nil
	}
	return r.kept(r.text(i, end)), end, nil
}

// text appends the canonical spelling of the quoted string b[i:closed] to the
// scratch buffer and returns where it begins.
func (r *BlockReader) text(i, closed int) (mark int) {
	mark = len(r.scratch)
	r.scratch = append(r.scratch, '"')
	r.scratch = append(lex.AppendText(r.scratch, r.b[i+1:closed-1]), '"')
	return mark
}

// tagged parses the rest of a literal whose string is b[i:closed], from the
// '@' at b[at].
func (r *BlockReader) tagged(i, closed, at int, clean bool) ([]byte, int, *lex.Error) {
	b := r.b
	tagEnd, end, lower, err := lex.Tag(b, at)
	if err == nil && !r.opt.Lenient {
		err = lex.CheckTag(b, at, tagEnd)
	}
	if err != nil {
		return nil, 0, err
	}
	if clean && lower && at == closed {
		return b[i:end:end], end, nil
	}
	mark := r.text(i, closed)
	r.scratch = lex.AppendLower(r.scratch, b[at:end])
	return r.kept(mark), end, nil
}

// typed parses the rest of a literal whose string is b[i:closed], from the '^'
// at b[at].
func (r *BlockReader) typed(i, closed, at int, clean bool) ([]byte, int, *lex.Error) {
	b := r.b
	if at+1 >= len(b) || b[at+1] != '^' {
		return nil, 0, lex.Fault(b, at+1, "'^^' before a datatype")
	}
	start := lex.SkipSpace(b, at+2)
	if start >= len(b) || b[start] != '<' {
		return nil, 0, lex.Fault(b, start, "a datatype (an IRI)")
	}
	datatype, end, err := r.iri(start)
	if err != nil {
		return nil, 0, err
	}
	drop, err := lex.CheckDatatype(datatype[1:len(datatype)-1], start)
	switch {
	case err != nil:
		return nil, 0, err
	case clean && drop:
		return b[i:closed:closed], end, nil
	case clean && start == closed+2 && bytes.Equal(datatype, b[start:end]):
		return b[i:end:end], end, nil
	}
	mark := r.text(i, closed)
	if !drop {
		r.scratch = append(append(r.scratch, "^^"...), datatype...)
	}
	return r.kept(mark), end, nil
}

// triple appends the triple term that begins at b[i] to dst.
func (r *BlockReader) triple(dst []byte, i, depth int) ([]byte, int, *lex.Error) {
	b := r.b
	if depth == rdf.MaxDepth {
		return nil, 0, &lex.Error{Pos: i, Expected: fmt.Sprintf("at most %d nested triple terms", rdf.MaxDepth), Found: "one more"}
	}
	if i+2 >= len(b) || b[i+2] != '(' {
		return nil, 0, lex.Fault(b, i+2, "'(' of a triple term (statements in << >> are Turtle and TriG)")
	}
	i = lex.SkipSpace(b, i+3)
	dst = append(dst, "<<"...)
	var part []byte
	var err *lex.Error
	switch {
	case i < len(b) && b[i] == '<':
		part, i, err = r.iri(i)
	case i < len(b) && b[i] == '_':
		part, i, err = r.blank(i)
	default:
		err = lex.Fault(b, i, "the subject of a triple term (an IRI or a blank node)")
	}
	if err != nil {
		return nil, 0, err
	}
	dst = append(append(dst, part...), ' ')
	if i = lex.SkipSpace(b, i); i >= len(b) || b[i] != '<' {
		return nil, 0, lex.Fault(b, i, "the predicate of a triple term (an IRI)")
	}
	if part, i, err = r.iri(i); err != nil {
		return nil, 0, err
	}
	dst = append(append(dst, part...), ' ')
	i = lex.SkipSpace(b, i)
	if i+1 < len(b) && b[i] == '<' && b[i+1] == '<' {
		dst, i, err = r.triple(dst, i, depth+1)
	} else {
		part, i, err = r.object(i)
		dst = append(dst, part...)
	}
	if err != nil {
		return nil, 0, err
	}
	if i = lex.SkipSpace(b, i); !bytes.HasPrefix(b[i:], []byte(")>>")) {
		return nil, 0, lex.Fault(b, i, "')>>' of a triple term")
	}
	return append(dst, ">>"...), i + 3, nil
}
