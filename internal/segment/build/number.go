package build

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/rete-go/rete/internal/kmerge"
	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment/write"
)

// numbering gives terms, which come in order, their ids in the file.
type numbering struct {
	shared, subjects, objects, predicates uint32
	graphs                                [][]byte // names
	count                                 int
}

// place is what a term is: a node, a predicate, a graph name; 0 is none of it.
type place struct{ node, pred, graph uint32 }

// next numbers the next term. Nodes that are no shared ones are numbered from the end, as it
// shows only later how many shared ones there are; final tells.
func (n *numbering) next(surface []byte, r write.Role) (p place, err error) {
	n.count++
	switch r & (write.InSubject | write.InObject) {
	case write.InSubject | write.InObject:
		n.shared++
		p.node = n.shared
	case write.InSubject:
		n.subjects++
		p.node = -n.subjects
	case write.InObject:
		n.objects++
		p.node = -n.objects
	}
	if r&write.InPredicate != 0 {
		n.predicates++
		p.pred = n.predicates
	}
	if r&write.InGraph != 0 {
		n.graphs = append(n.graphs, bytes.Clone(surface))
		p.graph = uint32(len(n.graphs))
	}
	if uint64(n.shared)+uint64(max(n.subjects, n.objects)) >= math.MaxUint32 || n.predicates == math.MaxUint32 {
		err = errTooManyTerms
	}
	return p, err
}

// final turns the nodes of terms into ids, once all are numbered.
func (n *numbering) final(nodes []uint32) {
	for i, v := range nodes {
		if v > n.shared {
			nodes[i] = n.shared - v // v is less than zero
		}
	}
}

// limits are the largest ids of graph, subject, predicate and object.
func (n *numbering) limits() [4]uint32 {
	return [4]uint32{uint32(len(n.graphs)), n.shared + n.subjects, n.predicates, n.shared + n.objects}
}

// ids are what the terms of a run are, by number.
type ids struct {
	node, pred []uint32
	graph      []uint32 // nil without names of graphs
}

// numberMemory numbers the terms of a build without runs, and returns them sorted, those with one
// surface as one: the key of an item is its roles.
func (b *Builder) numberMemory() (n *numbering, items []termItem, to ids, err error) {
	count, limit := b.in.count()
	items = make([]termItem, 0, count)
	b.in.each(func(t termItem) { items = append(items, t) })
	termSorter{b.in}.sort(items, b.opt.Workers)
	n = new(numbering)
	to = ids{node: make([]uint32, limit), pred: make([]uint32, limit)}
	distinct := items[:0]
	for i := 0; i < len(items); {
		surface, roles, next := b.in.term(items, i)
		p, err := n.next(surface, roles)
		if err != nil {
			return nil, nil, to, err
		}
		if p.graph > 0 && to.graph == nil {
			to.graph = make([]uint32, limit)
		}
		for _, t := range items[i:next] {
			to.node[t.id], to.pred[t.id] = p.node, p.pred
			if p.graph > 0 {
				to.graph[t.id] = p.graph
			}
		}
		items[i].key = uint64(roles)
		distinct = append(distinct, items[i])
		i = next
	}
	n.final(to.node)
	return n, distinct, to, nil
}

// stream puts terms, as numberMemory returns them, into one stream, which takes a fraction of their
// memory.
func (in *interner) stream(items []termItem) (*scratch.Stream, error) {
	w := termWriter{to: scratch.Memory()}
	for i := range items {
		if err := w.add(in.bytes(&items[i]), write.Role(items[i].key)); err != nil {
			return nil, err
		}
	}
	return w.to, w.to.Finish()
}

// termSource is a run at one of its terms, while runs are merged.
type termSource struct {
	*termRun
	termReader
	rank     uint32
	term     []byte // surface with its labels resolved
	resolved []byte
}

// next moves to the next term; [io.EOF] after the last.
func (s *termSource) next() error {
	if err := s.termReader.next(); err != nil {
		return err
	}
	s.term = s.surface
	if s.labels != nil {
		s.resolved = append(s.resolved[:0], s.surface...)
		s.labels.resolve(s.resolved)
		s.term = s.resolved
	}
	return nil
}

// numberRuns merges the terms of all runs into one stream, and notes for each run what its
// terms are.
func (b *Builder) numberRuns(ctx context.Context) (n *numbering, merged *scratch.Stream, err error) {
	places, err := b.folder.Create()
	if err != nil {
		return nil, nil, err
	}
	all, err := b.folder.Create()
	if err != nil {
		return nil, nil, err
	}
	var sources []*termSource
	for _, r := range b.runs {
		for _, t := range r.terms {
			t.nodes, t.preds, t.graphs = places.NewStream(b.budget.block), places.NewStream(b.budget.block), places.NewStream(b.budget.block)
			s := &termSource{termRun: t, termReader: termReader{blocks: t.stream.Blocks()}, rank: t.first}
			if err := s.next(); err == io.EOF {
				continue
			} else if err != nil {
				return nil, nil, err
			}
			sources = append(sources, s)
		}
	}
	n = new(numbering)
	w := termWriter{to: all.NewStream(b.budget.block)}
	var term []byte
	heap := kmerge.New(sources, func(x, y **termSource) bool { return bytes.Compare((*x).term, (*y).term) < 0 })
	var same []*termSource
	for heap.Len() > 0 {
		if n.count&0xfff == 0 {
			if err := context.Cause(ctx); err != nil {
				return nil, nil, err
			}
		}
		same = same[:0]
		roles := write.Role(0)
		term = append(term[:0], (*heap.At(0)).term...)
		for heap.Len() > 0 && bytes.Equal((*heap.At(0)).term, term) {
			s := *heap.At(0)
			same, roles = append(same, s), roles|s.roles
			switch err := s.next(); err {
			case nil:
				heap.Fix(0)
			case io.EOF:
				heap.Drop(0)
			default:
				return nil, nil, err
			}
		}
		p, err := n.next(term, roles)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range same {
			if err := s.note(p); err != nil {
				return nil, nil, err
			}
		}
		if err := w.add(term, roles); err != nil {
			return nil, nil, err
		}
	}
	for _, r := range b.runs {
		for _, t := range r.terms {
			for _, s := range []*scratch.Stream{t.nodes, t.preds, t.graphs} {
				if err := s.Finish(); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	b.files.places = places
	return n, w.to, w.to.Finish()
}

// note says what the current term of the source is.
func (s *termSource) note(p place) error {
	var rec [8]byte
	binary.LittleEndian.PutUint32(rec[:], p.node)
	if err := s.nodes.Add(rec[:4]); err != nil {
		return err
	}
	for _, to := range []struct {
		id uint32
		s  *scratch.Stream
	}{{p.pred, s.preds}, {p.graph, s.graphs}} {
		if to.id == 0 {
			continue
		}
		binary.LittleEndian.PutUint32(rec[:], s.rank)
		binary.LittleEndian.PutUint32(rec[4:], to.id)
		if err := to.s.Add(rec[:]); err != nil {
			return err
		}
	}
	s.rank++
	return nil
}

// load reads what the terms of a run are, into memory that is used again.
func (r *run) load(n *numbering, to *ids) error {
	sized := func(list []uint32) []uint32 {
		list = slices.Grow(list[:0], r.ranks)[:r.ranks]
		clear(list)
		return list
	}
	to.node, to.pred = sized(to.node), sized(to.pred)
	if len(n.graphs) > 0 {
		to.graph = sized(to.graph)
	}
	for _, t := range r.terms {
		at := t.first
		err := eachRecord(t.nodes, 4, func(rec []byte) {
			to.node[at] = binary.LittleEndian.Uint32(rec)
			at++
		})
		if err != nil {
			return err
		}
		for _, from := range []struct {
			s    *scratch.Stream
			list []uint32
		}{{t.preds, to.pred}, {t.graphs, to.graph}} {
			err := eachRecord(from.s, 8, func(rec []byte) {
				from.list[binary.LittleEndian.Uint32(rec)] = binary.LittleEndian.Uint32(rec[4:])
			})
			if err != nil {
				return err
			}
		}
	}
	n.final(to.node)
	return nil
}

// eachRecord calls use for the records of one size.
func eachRecord(s *scratch.Stream, size int, use func([]byte)) error {
	blocks := s.Blocks()
	for {
		b, err := blocks.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for ; len(b) >= size; b = b[size:] {
			use(b[:size])
		}
	}
}
