package federate

import (
	"strings"

	"github.com/rete-go/rete/rdf"
)

// marked puts a mark before the labels of blank nodes in a surface.
func marked(surface []byte, mark string) []byte {
	switch rdf.KindOf(surface) {
	case rdf.KindBlank, rdf.KindTriple:
		return []byte(markedTerm(rdf.FromSurface(string(surface)), mark).Surface())
	}
	return surface
}

func markedTerm(t rdf.Term, mark string) rdf.Term {
	switch t.Kind() {
	case rdf.KindBlank:
		return rdf.Blank(mark + t.Value())
	case rdf.KindTriple:
		if !strings.Contains(t.Surface(), "_:") {
			return t
		}
		s, p, o, _ := t.Triple()
		return rdf.TripleTerm(markedTerm(s, mark), p, markedTerm(o, mark))
	}
	return t
}
