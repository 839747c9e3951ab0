package pyramid

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"slices"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/sorted"
	"github.com/rete-go/rete/internal/segment/spool"
	"github.com/rete-go/rete/tile"
)

// maxVertices bounds the vertices of the graph that is clustered, and with them the memory: of a
// larger graph 2, 4, 8 … nodes that are neighbours in the dictionary are one vertex. It is part of
// the canonical form.
const maxVertices = 1 << 19

// vertices numbers the nodes that are clustered: subjects, and objects that are no literals.
type vertices struct {
	f     *sorted.File
	shift uint
	n     int
}

func verticesOf(f *sorted.File) vertices {
	v := vertices{f: f}
	nodes := f.Counts.Nodes() - uint64(f.Literals[format.ObjectOnly])
	for (nodes+1<<v.shift-1)>>v.shift > maxVertices {
		v.shift++
	}
	v.n = int((nodes + 1<<v.shift - 1) >> v.shift)
	return v
}

// subject returns the vertex of a subject.
func (v *vertices) subject(s uint32) uint32 { return (s - 1) >> v.shift }

// object returns the vertex of an object other than a literal.
func (v *vertices) object(o uint32) uint32 {
	c := &v.f.Counts
	if o <= c.Shared {
		return (o - 1) >> v.shift
	}
	return uint32((uint64(o) - 1 + uint64(c.Subjects) - uint64(v.f.Literals[format.ObjectOnly])) >> v.shift)
}

// adjacency is a weighted undirected graph: each edge stands at both ends, none leads from a
// vertex to itself.
type adjacency interface {
	// each calls use for each vertex that has neighbours, ascending, with these, ascending too.
	each(ctx context.Context, use func(v uint32, to, weight []uint32)) error
}

// links writes the graph that is clustered, and counts the subjects of predicates on the way.
// Types make no links: instances of one class would all be neighbours.
type links struct {
	vertices
	typeID  uint32
	stats   []Stat // by predicate - 1
	weight  []uint32
	touched []uint32
	degrees []uint64
	total   uint64 // of all degrees
	out     *spool.Spool
}

// side goes through the rows of an order whose leading column is one end of links.
type side struct {
	rows *sorted.Rows
	t    *tile.Tile // nil at the end
	i, j int        // next in A and B
	k    uint32     // next in C
}

// next moves to the next tile if this one is read.
func (s *side) next(ctx context.Context) (err error) {
	for s.t == nil || s.i == len(s.t.A) {
		if s.t, err = s.rows.Next(ctx); err != nil {
			s.t = nil
			if err == io.EOF {
				err = nil
			}
			return err
		}
		s.i, s.j, s.k = 0, 0, 0
	}
	return nil
}

// newLinks reads the graph in both directions.
func newLinks(ctx context.Context, f *sorted.File, typeID uint32, stats []Stat) (*links, error) {
	l := &links{vertices: verticesOf(f), typeID: typeID, stats: stats, out: f.Temp()}
	l.weight, l.degrees = make([]uint32, l.n), make([]uint64, l.n)
	from, to := &side{rows: f.Rows(tile.SPO)}, &side{rows: f.Rows(tile.OSP)}
	if err := from.next(ctx); err != nil {
		return nil, err
	}
	if err := to.next(ctx); err != nil {
		return nil, err
	}
	var last [2]uint32 // subject and predicate of the group that may go on
	var group uint64
	var b []byte
	for v := range uint32(l.n) {
		for from.t != nil && l.subject(from.t.A[from.i]) == v {
			l.outgoing(from, v, &last, &group)
			if err := from.next(ctx); err != nil {
				return nil, err
			}
		}
		for to.t != nil {
			o := to.t.A[to.i]
			if literal(f, o) {
				if err := l.pass(ctx, to); err != nil {
					return nil, err
				}
				continue
			}
			if l.object(o) != v {
				break
			}
			l.incoming(to, v)
			if err := to.next(ctx); err != nil {
				return nil, err
			}
		}
		if len(l.touched) > 0 {
			b = l.record(b[:0], v)
			if err := l.write(b); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// outgoing takes the triples of the next subject, of vertex v, in its tile.
func (l *links) outgoing(from *side, v uint32, last *[2]uint32, group *uint64) {
	t := from.t
	s := t.A[from.i]
	for ; from.j < int(t.AEnd[from.i]); from.j++ {
		p := t.B[from.j]
		objects := t.C[from.k:t.BEnd[from.j]]
		from.k = t.BEnd[from.j]
		st := &l.stats[p-1]
		if *last != [2]uint32{s, p} {
			*last, *group = [2]uint32{s, p}, 0
			st.Subjects++
		}
		*group += uint64(len(objects))
		st.Predicate, st.MaxObjects = p, max(st.MaxObjects, *group)
		st.Count += uint64(len(objects))
		if p == l.typeID {
			continue
		}
		for _, o := range objects {
			if !literal(l.f, o) {
				l.add(v, l.object(o))
			}
		}
	}
	from.i++
}

// incoming takes the triples of the next object, of vertex v, in its tile.
func (l *links) incoming(to *side, v uint32) {
	t := to.t
	for ; to.j < int(t.AEnd[to.i]); to.j++ {
		u := l.subject(t.B[to.j])
		for _, p := range t.C[to.k:t.BEnd[to.j]] {
			if p != l.typeID {
				l.add(v, u)
			}
		}
		to.k = t.BEnd[to.j]
	}
	to.i++
}

// pass leaves out the object, a literal, and all that are literals with it.
func (l *links) pass(ctx context.Context, to *side) error {
	c := &l.f.Counts
	last := l.f.Literals[format.Shared]
	if to.t.A[to.i] > c.Shared {
		last = c.Shared + l.f.Literals[format.ObjectOnly]
	}
	for to.i < len(to.t.A) && to.t.A[to.i] <= last {
		to.j = int(to.t.AEnd[to.i])
		to.k = to.t.BEnd[to.j-1]
		to.i++
	}
	if to.i == len(to.t.A) {
		to.rows.Skip(last + 1)
	}
	return to.next(ctx)
}

func (l *links) add(v, u uint32) {
	if u == v {
		return
	}
	if l.weight[u] == 0 {
		l.touched = append(l.touched, u)
	}
	l.weight[u]++
}

// record makes the record of v, its number and that of its neighbours, and these with their
// weights, and clears them.
func (l *links) record(b []byte, v uint32) []byte {
	slices.Sort(l.touched)
	b = uv(uv(b, uint64(v)), uint64(len(l.touched)))
	last := uint32(0)
	for _, u := range l.touched {
		b = uv(uv(b, uint64(u-last)), uint64(l.weight[u]))
		last = u
		l.degrees[v] += uint64(l.weight[u])
		l.weight[u] = 0
	}
	l.total += l.degrees[v]
	l.touched = l.touched[:0]
	return b
}

// write writes a record after its length.
func (l *links) write(record []byte) error {
	if _, err := l.out.Write(uv(nil, uint64(len(record)))); err != nil {
		return err
	}
	_, err := l.out.Write(record)
	return err
}

// each implements [adjacency].
func (l *links) each(ctx context.Context, use func(v uint32, to, weight []uint32)) error {
	r, err := l.out.Reader()
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, 64<<10)
	var record []byte
	var to, weight []uint32
	for i := 0; ; i++ {
		if i&0xfff == 0 && context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		size, err := binary.ReadUvarint(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		record = slices.Grow(record[:0], int(size))[:size]
		if _, err := io.ReadFull(in, record); err != nil {
			return err
		}
		c := format.Cursor{Part: format.KindPyramid.String(), B: record}
		v, n := c.Uv(), c.Count(2)
		to, weight = slices.Grow(to[:0], n), slices.Grow(weight[:0], n)
		last := uint32(0)
		for range n {
			last += uint32(c.Uv())
			to, weight = append(to, last), append(weight, uint32(c.Uv()))
		}
		if c.Err != nil {
			return c.Err
		}
		use(uint32(v), to, weight)
	}
}
