package build

import (
	"encoding/binary"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/write"
)

// run is some of the quads, in temporary files: its terms sorted, each with its rank among
// them, and its quads in these ranks.
type run struct {
	terms []*termRun
	ranks int
	quads []*scratch.Stream
}

// termRun is terms of a run that ascend once their labels are resolved.
type termRun struct {
	stream *scratch.Stream
	labels *labels // nil: none with a placeholder
	// What the terms are in the file, see numbering: the node of each, and the predicates and
	// graph names among them with their ranks. They are filled by the merge.
	first                uint32 // rank
	nodes, preds, graphs *scratch.Stream
}

// About what a quad takes in temporary files: in a run, with its terms, and after that as a row in each
// order, and packed.
const (
	scratchOfRun = 20
	scratchAfter = 30
)

// runFiles are the files of all runs.
type runFiles struct{ terms, quads, places *scratch.File }

func (f *runFiles) create(folder *scratch.Folder) (err error) {
	if f.terms != nil {
		return nil
	}
	if f.terms, err = folder.Create(); err == nil {
		f.quads, err = folder.Create()
	}
	return err
}

// spill makes a run of what was collected. No collector may be at work.
func (b *Builder) spill() error {
	b.flushAll()
	count, limit := b.in.count()
	if count == 0 {
		return nil
	}
	b.expect()
	if err := b.files.create(b.folder); err != nil {
		return err
	}
	r := &run{}
	rank, groups := b.ranks(limit)
	var group errgroup.Group
	group.Go(func() error {
		for _, g := range groups {
			t, err := b.putTerms(g, rank)
			if err != nil {
				return err
			}
			r.terms = append(r.terms, t)
		}
		return nil
	})
	for _, g := range groups {
		r.ranks += g.ranks
	}
	r.quads = make([]*scratch.Stream, b.opt.Workers)
	for worker := range r.quads {
		r.quads[worker] = b.files.quads.NewStream(b.budget.block)
		group.Go(func() error { return b.putQuads(r.quads[worker], worker, rank) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	b.runs, b.spilled = append(b.runs, r), b.quads.Load()
	b.in.reset()
	b.spare, b.full = append(b.spare, b.full...), nil
	b.expect()
	return nil
}

// expect says what temporary files the build will need: what is in memory goes into a run. As long as quads are
// added it goes by the part of the documents that was read; if that is not known, it says what is needed at least.
func (b *Builder) expect() {
	quads := b.quads.Load()
	need := b.folder.Peak() + (quads-b.spilled)*scratchOfRun + quads*scratchAfter
	if b.direct == nil { // all was added
		b.folder.Expect(need, false)
	} else if part := b.part(); part > 0 {
		b.folder.Expect(int64(float64(need)/min(part, 1)), false)
	} else {
		b.folder.Expect(need, true)
	}
}

// termGroup is sorted terms, those of a document that is being read apart.
type termGroup struct {
	items  []termItem
	labels *labels
	ranks  int // equal surfaces, of documents that are the same, have one
}

// ranks sorts the terms and gives each its rank.
func (b *Builder) ranks(limit int) (rank []uint32, groups []termGroup) {
	if cap(b.rank) < limit {
		b.rank = make([]uint32, limit)
	}
	rank = b.rank[:limit]
	clear(rank)
	groups = make([]termGroup, 1)
	for l := range b.reading {
		if len(l.terms) == 0 {
			continue
		}
		for _, id := range l.terms {
			rank[id] = uint32(len(groups))
		}
		groups = append(groups, termGroup{labels: l, items: make([]termItem, 0, len(l.terms))})
		l.terms = nil
	}
	groups[0].items = b.items[:0]
	b.in.each(func(t termItem) {
		g := &groups[rank[t.id]]
		g.items = append(g.items, t)
	})
	b.items = groups[0].items
	next := uint32(0)
	for i := range groups {
		g := &groups[i]
		termSorter{b.in}.sort(g.items, b.opt.Workers)
		first := next
		for k := range g.items {
			if k == 0 || !b.in.same(&g.items[k-1], &g.items[k]) {
				next++
			}
			rank[g.items[k].id] = next - 1
		}
		g.ranks = int(next - first)
	}
	return rank, groups
}

// putTerms writes the terms of a group: bytes shared with the term before, bytes of its own,
// roles, and these bytes.
func (b *Builder) putTerms(g termGroup, rank []uint32) (*termRun, error) {
	t := &termRun{stream: b.files.terms.NewStream(b.budget.block), labels: g.labels}
	if len(g.items) > 0 {
		t.first = rank[g.items[0].id]
	}
	w := termWriter{to: t.stream}
	for i := 0; i < len(g.items); {
		surface, roles, next := b.in.term(g.items, i)
		if err := w.add(surface, roles); err != nil {
			return nil, err
		}
		i = next
	}
	return t, t.stream.Finish()
}

// termWriter writes ascending terms.
type termWriter struct {
	to   *scratch.Stream
	prev []byte
	buf  []byte
}

func (w *termWriter) add(surface []byte, roles write.Role) error {
	n := format.CommonPrefix(w.prev, surface)
	w.buf = binary.AppendUvarint(w.buf[:0], uint64(n))
	w.buf = binary.AppendUvarint(w.buf, uint64(len(surface)-n))
	w.buf = append(append(w.buf, byte(roles)), surface[n:]...)
	w.prev = append(w.prev[:n], surface[n:]...)
	return w.to.Add(w.buf)
}

// termReader reads what a termWriter wrote.
type termReader struct {
	blocks  *scratch.Blocks
	rest    []byte
	surface []byte // the current term
	roles   write.Role
}

// next moves to the next term; [io.EOF] after the last.
func (r *termReader) next() (err error) {
	if len(r.rest) == 0 {
		if r.rest, err = r.blocks.Next(); err != nil {
			return err
		}
	}
	same, n := binary.Uvarint(r.rest)
	own, m := binary.Uvarint(r.rest[max(n, 0):])
	if n <= 0 || m <= 0 || same > uint64(len(r.surface)) || own >= uint64(len(r.rest)-n-m) {
		return errFile
	}
	at := n + m
	r.roles = write.Role(r.rest[at])
	r.surface = append(r.surface[:same], r.rest[at+1:at+1+int(own)]...)
	r.rest = r.rest[at+1+int(own):]
	return nil
}

var errFile = damage.New("temporary file", "a record that ends too early")

// putQuads writes the chunks of one worker: difference to the subject before, predicate,
// object, and graph plus one.
func (b *Builder) putQuads(s *scratch.Stream, worker int, rank []uint32) error {
	var buf []byte
	prev := int64(0)
	for k := worker; k < len(b.full); k += b.opt.Workers {
		for i := range b.full[k] {
			q := &b.full[k][i]
			subject := int64(rank[q[0]])
			buf = binary.AppendVarint(buf, subject-prev)
			prev = subject
			buf = binary.AppendUvarint(buf, uint64(rank[q[1]]))
			buf = binary.AppendUvarint(buf, uint64(rank[q[2]]))
			graph := uint64(0)
			if q[3] != noGraph {
				graph = uint64(rank[q[3]]) + 1
			}
			if buf = binary.AppendUvarint(buf, graph); len(buf) >= s.Target()-4*binary.MaxVarintLen32 {
				if err := s.Add(buf); err != nil {
					return err
				}
				buf = buf[:0]
			}
		}
	}
	if err := s.Add(buf); err != nil {
		return err
	}
	return s.Finish()
}

// quadReader reads what putQuads wrote.
type quadReader struct {
	blocks *scratch.Blocks
	rest   []byte
	prev   int64
}

// fill reads up to len(into) quads; [io.EOF] after the last.
func (r *quadReader) fill(into []idQuad) (n int, err error) {
	for n < len(into) {
		if len(r.rest) == 0 {
			if r.rest, err = r.blocks.Next(); err == io.EOF && n > 0 {
				return n, nil
			} else if err != nil {
				return n, err
			}
		}
		d, size := binary.Varint(r.rest)
		if size <= 0 {
			return n, errFile
		}
		r.prev += d
		q := idQuad{uint32(r.prev)}
		for c := 1; c < 4; c++ {
			v, k := binary.Uvarint(r.rest[size:])
			if k <= 0 {
				return n, errFile
			}
			q[c], size = uint32(v), size+k
		}
		q[3]-- // 0 becomes noGraph
		r.rest = r.rest[size:]
		into[n] = q
		n++
	}
	return n, nil
}

// flushAll takes over what all collectors have; none may be at work.
func (b *Builder) flushAll() {
	for c := range b.collectors {
		c.handOver()
		c.cache.reset()
	}
}
