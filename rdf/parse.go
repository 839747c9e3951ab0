package rdf

import (
	"bytes"
	"fmt"

	"github.com/rete-go/rete/internal/lex"
)

// ParseTerm reads one term in any N-Triples spelling, without blanks around
// it, and returns it in its canonical one. A triple term may be in <<( )>> or
// in the << >> of surfaces. IRIs must be absolute.
func ParseTerm(text string) (Term, error) {
	b, err := Canonicalize(nil, []byte(text))
	if err != nil {
		return Term{}, err
	}
	return Term{string(b)}, nil
}

// Canonical reports whether surface is a term in its canonical spelling.
func Canonical(surface []byte) bool {
	var buf [256]byte
	b, err := Canonicalize(buf[:0], surface)
	return err == nil && bytes.Equal(b, surface)
}

// Canonicalize appends the canonical surface of a term in any N-Triples
// spelling. The error is a [*SyntaxError].
func Canonicalize(dst, surface []byte) ([]byte, error) {
	dst, end, err := appendTerm(dst, surface, 0)
	if err == nil && end != len(surface) {
		err = syntaxError(surface, lex.Fault(surface, end, "the end of the term"))
	}
	return dst, err
}

// appendTerm appends the canonical surface of the term that begins at text[i],
// in any N-Triples spelling, and returns the index after it.
func appendTerm(dst, text []byte, i int) ([]byte, int, error) {
	p := termParser{text: text}
	dst, end, fault := p.term(dst, i, 0)
	if fault != nil {
		return dst, i, syntaxError(text, fault)
	}
	return dst, end, nil
}

func syntaxError(text []byte, fault *lex.Error) *SyntaxError {
	pos := lex.Start
	pos.Advance(text[:min(fault.Pos, len(text))])
	return &SyntaxError{File: "term", Line: pos.Line, Column: pos.Column, Offset: int64(fault.Pos), Expected: fault.Expected, Found: fault.Found}
}

type termParser struct {
	text   []byte
	strict bool // what older files have and the readers of documents refuse is an error
}

func (p *termParser) term(dst []byte, i, depth int) ([]byte, int, *lex.Error) {
	b := p.text
	if i >= len(b) {
		return dst, 0, lex.Fault(b, i, "a term")
	}
	switch b[i] {
	case '<':
		if i+1 < len(b) && b[i+1] == '<' {
			return p.triple(dst, i, depth)
		}
		return lex.AppendIRIRef(dst, b, i)
	case '_':
		end, err := lex.Label(b, i)
		if err != nil {
			return dst, 0, err
		}
		return append(dst, b[i:end]...), end, nil
	case '"':
		dst, end, err := lex.AppendLiteral(dst, b, i)
		if err == nil && p.strict {
			err = checkTag(b[:end], i)
		}
		return dst, end, err
	}
	return dst, 0, lex.Fault(b, i, "an IRI, a blank node, a literal or a triple term")
}

// checkTag refuses a language tag of the literal b[i:] that readers of documents
// do not take.
func checkTag(b []byte, i int) *lex.Error {
	at := i + endOfText(b[i:]) + 1
	if at >= len(b) || b[at] != '@' {
		return nil
	}
	tagEnd, _, _, err := lex.Tag(b, at)
	if err == nil {
		err = lex.CheckTag(b, at, tagEnd)
	}
	return err
}

func (p *termParser) triple(dst []byte, i, depth int) ([]byte, int, *lex.Error) {
	if depth == MaxDepth {
		return dst, 0, &lex.Error{Pos: i, Expected: fmt.Sprintf("at most %d nested triple terms", MaxDepth), Found: "one more"}
	}
	b := p.text
	i += 2
	round := i < len(b) && b[i] == '('
	if round {
		i++
	}
	dst = append(dst, "<<"...)
	for k := range 3 {
		i = lex.SkipSpace(b, i)
		if k > 0 {
			dst = append(dst, ' ')
		}
		if err := p.tripleSlot(i, k); err != nil {
			return dst, 0, err
		}
		var err *lex.Error
		if dst, i, err = p.term(dst, i, depth+1); err != nil {
			return dst, 0, err
		}
	}
	i = lex.SkipSpace(b, i)
	close := ">>"
	if round {
		close = ")>>"
	}
	if !bytes.HasPrefix(b[i:], []byte(close)) {
		return dst, 0, lex.Fault(b, i, "'"+close+"' of a triple term")
	}
	return append(dst, ">>"...), i + len(close), nil
}

// tripleSlot refuses what may not stand in slot k of a triple term: literals
// as subjects, and all but IRIs as predicates. Triple terms as subjects are
// taken unless the parser is strict: older files have them.
func (p *termParser) tripleSlot(i, k int) *lex.Error {
	b := p.text
	if i >= len(b) || k == 2 {
		return nil
	}
	nested := b[i] == '<' && i+1 < len(b) && b[i+1] == '<'
	if k == 0 && b[i] == '"' {
		return lex.Fault(b, i, "the subject of a triple term (no literal)")
	}
	if k == 0 && nested && p.strict {
		return lex.Fault(b, i, "the subject of a triple term (an IRI or a blank node)")
	}
	if k == 1 && (b[i] != '<' || nested) {
		return lex.Fault(b, i, "the predicate of a triple term (an IRI)")
	}
	return nil
}
