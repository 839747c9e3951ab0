package ast

import (
	"strings"
	"unicode/utf8"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/work"
)

// Param is a place in the text of a query where another word may stand, so that the text
// is read as the same query with another IRI: as a subject, as an object, in VALUES or as
// what is to be described.
type Param struct {
	Span // of the word: what stands between < and >, or behind the colon
	// Space is the IRI of the prefix of the word; empty between < and >.
	Space string
}

// Len returns the length of the longest word that may stand in the parameter and with which
// text begins; 0 if there is none.
func (s Param) Len(text string) int {
	n := 0
	if s.Space == "" {
		for n < len(text) && is(text[n], cIRI) && text[n] < utf8.RuneSelf {
			n++
		}
		if !hasScheme(text[:n]) {
			return 0
		}
		return n
	}
	for n < len(text) && is(text[n], cLocal) {
		n++
	}
	if n > 0 && text[0] == '-' {
		return 0
	}
	return n
}

// Term returns the term of a word.
func (s Param) Term(word string) rdf.Term { return rdf.FromSurface("<" + s.Space + word + ">") }

// Params returns the parameters of the text of a query, in their order, and all other IRIs
// that the text has. It returns none for queries with EXISTS or SERVICE, of whose
// patterns more than the ids of their terms counts, for those with triple terms, and for
// the short form of CONSTRUCT, whose patterns are templates as well. opt are the options
// that the text was read with.
func (q *Query) Params(text string, opt *Options) (spots []Param, others []rdf.Term) {
	if q.Short {
		return nil, nil
	}
	f := finder{nodes: make(map[Span]bool)}
	f.query(q)
	p, err := newParser(new(work.Meter), text, opt)
	if err != nil {
		return nil, nil
	}
	p.prologue()
	var before kind
	for ; p.tok.kind != kEOF; p.advance() {
		t := p.tok
		free := before != kTypeMark && f.has(t) && !t.escaped
		before = t.kind
		switch t.kind {
		case kExists, kLateral, kService, kTripleOpen, kReifiedOpen, kAnnotationOpen, kTilde:
			return nil, nil
		case kIRI:
			term := p.iriTerm(t)
			s := Param{Span: Span{t.start + 1, t.end - 1}}
			if n := int(t.end - t.start - 2); free && n > 0 && s.Len(text[s.Start:]) == n && !OfLanguage(term) {
				spots = append(spots, s)
				continue
			}
			others = append(others, term)
		case kPName:
			term := p.nameTerm(t)
			colon := t.start + uint32(strings.IndexByte(p.source(t), ':'))
			space, _ := p.namespace(text[t.start:colon])
			s := Param{Span: Span{colon + 1, t.end}, Space: space}
			if n := int(t.end - s.Start); space != "" && free && n > 0 && s.Len(text[s.Start:]) == n && !OfLanguage(term) {
				spots = append(spots, s)
				continue
			}
			others = append(others, term)
		}
	}
	if p.err != nil {
		return nil, nil
	}
	return spots, others
}

// OfLanguage reports whether a term may be in a query whose text does not have it: what
// an abbreviation stands for, or the datatype of a constant.
func OfLanguage(t rdf.Term) bool {
	return strings.HasPrefix(t.Value(), rdf.RDF) || strings.HasPrefix(t.Value(), rdf.XSD)
}

// finder finds the terms of a query that are no predicates.
type finder struct {
	nodes  map[Span]bool // of subjects and objects
	tables []Span        // of VALUES
}

// has reports whether a token is one of the terms.
func (f *finder) has(t token) bool {
	if f.nodes[Span{t.start, t.end}] {
		return true
	}
	for _, v := range f.tables {
		if v.Start <= t.start && t.end <= v.End {
			return true
		}
	}
	return false
}

func (f *finder) query(q *Query) {
	for _, n := range q.Targets {
		if n.Kind == TermNode {
			f.nodes[n.Span] = true
		}
	}
	if q.Where != nil {
		f.group(q.Where)
	}
	if q.Values != nil {
		f.tables = append(f.tables, q.Values.Span)
	}
}

func (f *finder) group(g *Group) {
	for _, e := range g.Elements {
		switch e := e.(type) {
		case *Group:
			f.group(e)
		case *Triples:
			for i := range e.Triples {
				for _, n := range []*Node{&e.Triples[i].S, &e.Triples[i].O} {
					if n.Kind == TermNode {
						f.nodes[n.Span] = true
					}
				}
			}
		case *Optional:
			f.group(e.Group)
		case *Minus:
			f.group(e.Group)
		case *Union:
			for _, arm := range e.Groups {
				f.group(arm)
			}
		case *GraphPattern:
			f.group(e.Group)
		case *Values:
			f.tables = append(f.tables, e.Span)
		case *SubSelect:
			f.query(e.Query)
		}
	}
}
