package verify

import (
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/rdf"
)

// Terms reads all terms and graph names and checks that each is valid where it
// stands, as [rdf.RawQuad.Check] does for a quad that is added. [File] does
// not look into terms: files of other programs may have any, and so may those that
// were built leniently or unchecked. Terms may be spelled otherwise than canonically
// in a file that does not say that none is. progress, if not nil, is called with terms
// done and to do.
//
// The error tells how many there are and describes the first; it matches [damage.Err].
func Terms(ctx context.Context, of *read.Segment, progress func(done, total int64)) error {
	s := read.Inspect(of)
	v := termVerifier{canonical: s.Canonical()}
	c := s.Counts()
	total := int64(c.Nodes()) + int64(c.Predicates) + int64(c.Graphs)
	tick := func() {
		if v.done++; progress != nil && v.done%4096 == 0 {
			progress(v.done, total)
		}
	}
	for sec := range format.Section(format.Sections) {
		terms := s.AllTerms(sec)
		for id := uint32(1); ; id++ {
			t, err := terms.Next(ctx)
			if err == io.EOF {
				break
			}
			if err != nil {
				return s.NameIn(err)
			}
			v.check(t, sec != format.Predicates, sec == format.ObjectOnly, func() string { return fmt.Sprintf("term %d of the %v section", id, sec) })
			tick()
		}
	}
	names, err := s.GraphNames(ctx)
	if err != nil {
		return s.NameIn(err)
	}
	for i, name := range names {
		v.check(name, true, false, func() string { return fmt.Sprintf("the name of graph %d", i+1) })
		tick()
	}
	if v.bad > 0 {
		return s.NameIn(damage.New("dictionary", "invalid terms: %d; the first is %s", v.bad, v.first))
	}
	if progress != nil {
		progress(total, total)
	}
	return nil
}

// termVerifier counts invalid terms.
type termVerifier struct {
	canonical bool // no other spelling is allowed
	done, bad int64
	first     string
	buf       []byte
}

// check looks at a term. blank and object say whether it may be a blank node, and
// whether a literal or a triple term.
func (v *termVerifier) check(surface []byte, blank, object bool, place func() string) {
	err := v.valid(surface, blank, object)
	if err == nil {
		return
	}
	if v.bad++; v.bad == 1 {
		v.first = fmt.Sprintf("%s, %.100q: %v", place(), surface, err)
	}
}

func (v *termVerifier) valid(surface []byte, blank, object bool) (err error) {
	switch kind := rdf.KindOf(surface); {
	case kind == rdf.KindBlank && !blank, (kind == rdf.KindLiteral || kind == rdf.KindTriple) && !object:
		return fmt.Errorf("a %v does not belong there", kind)
	}
	if !v.canonical {
		if v.buf, err = rdf.Canonicalize(v.buf[:0], surface); err != nil {
			return err
		}
		surface = v.buf
	}
	return rdf.CheckTerm(surface)
}
