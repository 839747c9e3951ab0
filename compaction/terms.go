package compaction

import (
	"bytes"
	"context"
	"io"
	"math"
	"slices"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/kmerge"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// nodeSections are the sections whose terms are nodes.
var nodeSections = []segment.Section{segment.Shared, segment.SubjectOnly, segment.ObjectOnly}

// union merges streams of terms by surface.
type union struct {
	heap    kmerge.Heap[*stream]
	members []member // of the current term
	term    []byte   // the current term
	started bool
}

// member is a layer that has the current term.
type member struct {
	l     *layer
	sec   segment.Section
	local uint32
}

// newUnion opens the given sections of all layers.
func (j *job) newUnion(ctx context.Context, secs ...segment.Section) (*union, error) {
	u := new(union)
	var streams []*stream
	var err error
	for _, l := range j.layers {
		if streams, err = l.streams(ctx, streams, secs...); err != nil {
			return nil, err
		}
	}
	live := streams[:0]
	for _, s := range streams {
		if err := s.next(ctx); err == io.EOF {
			continue
		} else if err != nil {
			return nil, err
		}
		live = append(live, s)
	}
	u.heap = kmerge.New(live, func(a, b **stream) bool { return bytes.Compare((*a).term, (*b).term) < 0 })
	return u, nil
}

// next moves to the next distinct term and collects all that have it; io.EOF
// after the last.
func (u *union) next(ctx context.Context) error {
	if u.heap.Len() == 0 {
		return io.EOF
	}
	top := *u.heap.At(0)
	if u.started && bytes.Compare(u.term, top.term) >= 0 {
		return damage.In(top.l.Name(), damage.New("dictionary", "terms of the %v section do not ascend", top.sec))
	}
	u.started = true
	u.term = append(u.term[:0], top.term...)
	u.members = u.members[:0]
	for {
		u.members = append(u.members, member{top.l, top.sec, top.local})
		switch err := top.next(ctx); err {
		case nil:
			u.heap.Fix(0)
		case io.EOF:
			u.heap.Drop(0)
		default:
			return err
		}
		if u.heap.Len() == 0 {
			return nil
		}
		if top = *u.heap.At(0); !bytes.Equal(u.term, top.term) {
			return nil
		}
	}
}

// wanted reports whether a layer whose quads may be in the output has the term.
func (u *union) wanted() bool {
	for i := range u.members {
		if u.members[i].l.wanted {
			return true
		}
	}
	return false
}

// Marks of the terms of the merged dictionary. Predicates are used as subjects are.
const (
	asSubject = uint32(segment.InSubject)
	asObject  = uint32(segment.InObject)
	odd       = uint32(1 << 7) // no canonical spelling
)

// merged is the merged dictionary of nodes or of predicates: what is known of each term, index 0 unused.
// First these are its marks. Then it is its rank among the terms of the output, which come by role: both
// roles, subjects alone, objects alone; 0 if the output does not have the term.
type merged struct {
	*table
	ends [2]uint32 // the last ranks of both roles, of subjects
}

// id returns the id of a rank in a role, 0 if the output does not have the term there.
func (m *merged) id(rank, role uint32) uint32 {
	switch {
	case rank <= m.ends[0]:
		return rank
	case role == asSubject && rank <= m.ends[1]:
		return rank
	case role == asObject && rank > m.ends[1]:
		return rank - m.ends[1] + m.ends[0]
	}
	return 0
}

// roles returns the roles of a rank.
func (m *merged) roles(rank uint32) segment.Role {
	switch {
	case rank <= m.ends[0]:
		return segment.InSubject | segment.InObject
	case rank <= m.ends[1]:
		return segment.InSubject
	}
	return segment.InObject
}

// numbered goes through the merged dictionary in order. Terms that only hiding
// layers have are left out: they have no number.
type numbered struct {
	*union
	n uint32 // number of the current term, from 1
}

// next moves to the next term; io.EOF after the last.
func (x *numbered) next(ctx context.Context) error {
	if x.n&0xfff == 0 {
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	for {
		if err := x.union.next(ctx); err != nil {
			return err
		}
		if x.wanted() {
			break
		}
	}
	// The largest number is kept free: it stands after all ids.
	if x.n == math.MaxUint32-1 {
		return errTooMany
	}
	x.n++
	return nil
}

// merge merges the dictionaries and gives each layer its map to the numbers of
// the result.
func (j *job) merge(ctx context.Context) error {
	j.meter.begin("terms", 0)
	if err := j.number(ctx, &j.nodes, nodeSections...); err != nil {
		return err
	}
	if err := j.number(ctx, &j.preds, segment.Predicates); err != nil {
		return err
	}
	return j.mergeGraphs(ctx)
}

// number merges the given sections.
func (j *job) number(ctx context.Context, m *merged, secs ...segment.Section) error {
	canonical := !slices.ContainsFunc(j.layers, func(l *layer) bool { return !l.Canonical() })
	u, err := j.newUnion(ctx, secs...)
	if err != nil {
		return err
	}
	x := &numbered{union: u}
	most := uint64(1)
	for _, l := range j.layers {
		for _, sec := range secs {
			most += uint64(l.counts.Size(sec))
		}
	}
	m.table = j.pager.table(min(most, 1<<32))
	for {
		err := x.next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !canonical && !rdf.Canonical(u.term) {
			if err := m.set(x.n, odd); err != nil {
				return err
			}
		}
		for _, m := range u.members {
			if err := m.l.set(m.sec, m.local, x.n); err != nil {
				return err
			}
		}
	}
}

// graph is one graph of the output and where the layers have it.
type graph struct {
	name  []byte // nil: the default graph
	parts []part
	rows  int64 // of the output, known once the rows are marked
}

// part is a graph of a layer.
type part struct {
	l      *layer
	number int
}

// mergeGraphs collects the graphs of all layers by name.
func (j *job) mergeGraphs(ctx context.Context) error {
	def := new(graph)
	byName := map[string]*graph{}
	for _, l := range j.layers {
		def.parts = append(def.parts, part{l, 0})
		names, err := l.GraphNames(ctx)
		if err != nil {
			return err
		}
		for i, name := range names {
			if !l.Canonical() {
				name = canonical(name)
			}
			g := byName[string(name)]
			if g == nil {
				g = &graph{name: bytes.Clone(name)}
				byName[string(name)] = g
				j.graphs = append(j.graphs, g)
			}
			g.parts = append(g.parts, part{l, i + 1})
		}
	}
	slices.SortFunc(j.graphs, func(x, y *graph) int { return bytes.Compare(x.name, y.name) })
	j.graphs = slices.Insert(j.graphs, 0, def)
	return nil
}
