package document

import (
	"bytes"

	"github.com/rete-go/rete/rdf"
)

// Label returns a reader of the quads of r whose blank nodes have prefix before their labels.
// The labels are to be those that [rdf.Document] gives, and the prefix letters and digits.
func Label(r rdf.Reader, prefix string) rdf.Reader { return &labeller{r: r, prefix: prefix} }

// labeller puts a prefix before the labels of blank nodes.
type labeller struct {
	r       rdf.Reader
	prefix  string
	s, o, g []byte
}

func (l *labeller) Read(q *rdf.RawQuad) error {
	if err := l.r.Read(q); err != nil {
		return err
	}
	q.S = l.name(&l.s, q.S)
	q.O = l.name(&l.o, q.O)
	q.G = l.name(&l.g, q.G)
	return nil
}

// name returns the surface with its labels renamed, in buf if there are any.
func (l *labeller) name(buf *[]byte, surface []byte) []byte {
	switch rdf.KindOf(surface) {
	case rdf.KindBlank, rdf.KindTriple:
		if !bytes.Contains(surface, []byte("_:")) {
			return surface
		}
		*buf = l.appendName((*buf)[:0], surface)
		return *buf
	}
	return surface
}

func (l *labeller) appendName(dst, surface []byte) []byte {
	switch rdf.KindOf(surface) {
	case rdf.KindBlank:
		dst = append(append(dst, "_:"...), l.prefix...)
		return append(dst, surface[2:]...)
	case rdf.KindTriple:
		s, p, o, ok := rdf.SplitTriple(surface)
		if !ok {
			break
		}
		dst = append(dst, "<<"...)
		dst = append(l.appendName(dst, s), ' ')
		dst = append(append(dst, p...), ' ')
		return append(l.appendName(dst, o), ">>"...)
	}
	return append(dst, surface...)
}
