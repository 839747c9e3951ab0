package ast

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// maxSlots is how many slots a shape has at most.
const maxSlots = 16

// slots are the constants of a query that a printer leaves out, and writes the numbers of.
type slots struct {
	terms []rdf.Term // by number
	other []rdf.Term // constants in all other places
	fixed []rdf.Term // constants that are written as they are in all places
	none  bool       // more counts of the constants of this query than which rows have them
}

// Shape returns the query as a text with numbered slots for some of its constants, each once,
// and these constants: queries with the same text have one meaning but for them. In a slot is
// an IRI that stands as a subject, as an object, in VALUES or to be described, or a literal
// that is an object, and that the query has in no other place; two slots are never equal. The
// slot of a literal says its datatype or language.
//
// There are no slots in queries with EXISTS, LATERAL, SERVICE or triple terms, nor in the
// short form of CONSTRUCT, whose pattern is its template as well.
func (q *Query) Shape() (text string, terms []rdf.Term) {
	s := &slots{}
	text = q.print(s)
	if slices.ContainsFunc(s.terms, s.elsewhere) {
		s = &slots{fixed: s.other}
		text = q.print(s)
	}
	if s.none {
		return q.String(), nil
	}
	return text, s.terms
}

// give says that the query is to have no slots.
func (s *slots) give() {
	if s != nil {
		s.none = true
	}
}

func (s *slots) elsewhere(t rdf.Term) bool { return slices.Contains(s.other, t) }

// constant writes a term where none can be exchanged.
func (p *printer) constant(t rdf.Term) {
	if p.slots != nil {
		p.slots.other = append(p.slots.other, t)
		p.text(t.Surface())
		return
	}
	p.text(t.String())
}

// end writes a subject or object of a pattern, or what is to be described.
func (p *printer) end(n Node) {
	if n.Kind != TermNode || !p.slot(n.Term, n.Term.Kind() == rdf.KindLiteral) {
		p.node(n)
	}
}

// cell writes a term of VALUES.
func (p *printer) cell(t rdf.Term) {
	if t.Kind() == rdf.KindTriple {
		p.slots.give()
	}
	if !p.slot(t, false) {
		p.constant(t)
	}
}

// slot writes a slot in the place of a term; false if it has none.
func (p *printer) slot(t rdf.Term, literal bool) bool {
	s := p.slots
	if s == nil || s.none || !literal && (t.Kind() != rdf.KindIRI || ofLanguage(t)) || slices.Contains(s.fixed, t) {
		return false
	}
	i := slices.Index(s.terms, t)
	if i < 0 {
		if i = len(s.terms); i == maxSlots {
			s.none = true
			return false
		}
		s.terms = append(s.terms, t)
	}
	p.text("\x00" + strconv.Itoa(i)) // which no term begins with
	if literal {
		surface := t.Surface()
		p.text(surface[strings.LastIndexByte(surface, '"'):])
	}
	return true
}

// ofLanguage reports whether an IRI may be in a query whose text does not have it: what an
// abbreviation stands for, or the datatype of a constant.
func ofLanguage(t rdf.Term) bool {
	return strings.HasPrefix(t.Value(), rdf.RDF) || strings.HasPrefix(t.Value(), rdf.XSD)
}
