package compaction

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// layer is one source of the run and its maps to the common numbers.
type layer struct {
	source
	counts segment.Counts
	weight uint32 // entry number and kind: of equal quads the heaviest decides
	wanted bool   // its quads may be in the output; those of the others only hide

	// ids maps the subject, predicate and object ids of the layer, index 0
	// unused, first to numbers of the merged dictionary, then to ids of the
	// output. 0 is a term that the output does not have.
	ids [3]*table
	// moved has the terms whose canonical spelling stands elsewhere than the
	// stored one, by section and local id. Their maps are not monotone.
	moved     [segment.Sections]map[uint32]bool
	respelled [segment.Sections][]respelled // the same, by canonical spelling
}

func newLayer(s source, weight uint32, wanted bool) *layer {
	return &layer{source: s, counts: s.Counts(), weight: weight, wanted: wanted}
}

// makeMaps makes the maps, which have nothing yet.
func (l *layer) makeMaps(p *pager) {
	c := &l.counts
	for i, n := range [3]uint64{
		uint64(c.Shared) + uint64(c.Subjects), uint64(c.Predicates), uint64(c.Shared) + uint64(c.Objects),
	} {
		l.ids[i] = p.table(n + 1)
	}
}

// set maps term local of a section to number.
func (l *layer) set(sec segment.Section, local, number uint32) error {
	switch sec {
	case segment.Shared:
		if err := l.ids[0].set(local, number); err != nil {
			return err
		}
		return l.ids[2].set(local, number)
	case segment.SubjectOnly:
		return l.ids[0].set(l.counts.Shared+local, number)
	case segment.ObjectOnly:
		return l.ids[2].set(l.counts.Shared+local, number)
	}
	return l.ids[1].set(local, number)
}

// hasMoved reports whether a column's id is that of a moved term. Column 0 holds
// subjects, 1 predicates, 2 objects.
func (l *layer) hasMoved(column int, id uint32) bool {
	shared := l.counts.Shared
	switch {
	case column == 1:
		return l.moved[segment.Predicates][id]
	case id <= shared:
		return l.moved[segment.Shared][id]
	case column == 0:
		return l.moved[segment.SubjectOnly][id-shared]
	}
	return l.moved[segment.ObjectOnly][id-shared]
}

// anyMoved reports whether a term of the layer is moved.
func (l *layer) anyMoved() bool {
	for _, m := range l.moved {
		if len(m) > 0 {
			return true
		}
	}
	return false
}

// stream is a sorted sequence of terms of one section of a layer.
type stream struct {
	l     *layer
	sec   segment.Section
	terms termScan        // what the source has; nil for a list
	skip  map[uint32]bool // terms that come in a list instead
	list  []respelled     // moved terms in the order of their canonical spelling
	term  []byte          // the current term
	local uint32          // its local id
	size  uint32          // of the section
}

// respelled is a term whose stored spelling is not the canonical one.
type respelled struct {
	surface []byte // canonical
	local   uint32
}

// next moves to the next term; io.EOF after the last.
func (s *stream) next(ctx context.Context) (err error) {
	if s.terms == nil {
		if len(s.list) == 0 {
			return io.EOF
		}
		s.term, s.local = s.list[0].surface, s.list[0].local
		s.list = s.list[1:]
		return nil
	}
	for {
		if s.term, err = s.terms.Next(ctx); err != nil {
			if err == io.EOF && s.local != s.size {
				err = damage.In(s.l.Name(), damage.New("dictionary", "%d terms in the %v section, there should be %d", s.local, s.sec, s.size))
			}
			return err
		}
		if s.local++; s.local > s.size {
			return damage.In(s.l.Name(), damage.New("dictionary", "more than %d terms in the %v section", s.size, s.sec))
		}
		if !s.skip[s.local] {
			return nil
		}
	}
}

// streams opens the sections of a layer. Moved terms of a section come in a
// stream of their own.
func (l *layer) streams(ctx context.Context, list []*stream, secs ...segment.Section) ([]*stream, error) {
	for _, sec := range secs {
		size := l.counts.Size(sec)
		if size == 0 {
			continue
		}
		if err := l.respell(ctx, sec); err != nil {
			return nil, err
		}
		if moved := l.respelled[sec]; len(moved) > 0 {
			list = append(list, &stream{l: l, sec: sec, list: moved})
		}
		list = append(list, &stream{l: l, sec: sec, size: size, terms: l.Terms(sec), skip: l.moved[sec]})
	}
	return list, nil
}

// respell finds the terms of a section that are not spelled canonically.
func (l *layer) respell(ctx context.Context, sec segment.Section) error {
	if l.Canonical() || l.moved[sec] != nil {
		return nil
	}
	var moved []respelled
	s := &stream{l: l, sec: sec, size: l.counts.Size(sec), terms: l.Terms(sec)}
	for {
		err := s.next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if c := canonical(s.term); !bytes.Equal(c, s.term) {
			moved = append(moved, respelled{c, s.local})
		}
	}
	l.moved[sec] = make(map[uint32]bool, len(moved))
	for _, m := range moved {
		l.moved[sec][m.local] = true
	}
	slices.SortFunc(moved, func(x, y respelled) int { return bytes.Compare(x.surface, y.surface) })
	l.respelled[sec] = moved
	return nil
}

// canonical returns the canonical spelling of a stored term. What is no term at
// all keeps its bytes.
func canonical(surface []byte) []byte {
	if !rdf.Canonical(surface) {
		if c, err := rdf.Canonicalize(nil, surface); err == nil {
			return c
		}
	}
	return surface
}
