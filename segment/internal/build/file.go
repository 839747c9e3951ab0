package build

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/rete-go/rete/segment/internal/format"
	"github.com/rete-go/rete/segment/internal/radix"
	"github.com/rete-go/rete/segment/internal/write"
	"github.com/rete-go/rete/tile"
	"golang.org/x/sync/errgroup"
)

// numbering gives interned terms the ids of the file.
type numbering struct {
	terms  []termItem // sorted; equal surfaces are neighbours
	node   []uint32   // per interned term: its subject or object id; a shared term has one for both
	pred   []uint32   // per interned term: its predicate id
	graph  []uint32   // per interned term: its graph number, from 1; nil without graphs
	graphs [][]byte   // names
	limits [3]uint32  // largest subject, predicate and object id
}

// WriteTo sorts what was added and writes the file. The builder is empty
// afterwards and of no further use.
func (b *Builder) WriteTo(ctx context.Context, out io.Writer) (*format.Built, error) {
	if b.broken != nil {
		return nil, b.broken
	}
	b.broken = write.ErrDone
	for _, c := range []*collector{b.direct, b.stored} {
		if len(c.chunk) > 0 {
			if err := c.flush(); err != nil {
				return nil, err
			}
		}
	}
	b.direct, b.stored = nil, nil
	terms, _ := b.in.count()
	b.stage("sort", terms)
	n := b.number()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !b.opt.NoPrefixes {
		b.opt.Prefixes = b.opt.Prefixes.With(&b.names)
	}
	w := write.NewWriter(&b.opt.WriterOptions)
	defer w.Abort()
	g, inner := errgroup.WithContext(ctx)
	g.Go(func() error { return b.writeTerms(inner, w, n) })
	g.Go(func() error { return b.writeGraphs(inner, w, n) })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	b.stage("write", terms)
	b.in = nil
	return w.WriteTo(ctx, out)
}

func (b *Builder) stage(name string, terms int) {
	if b.opt.Progress != nil {
		b.opt.Progress(Progress{Stage: name, Bytes: b.bytes.Load(), Quads: b.quads.Load(), Terms: terms})
	}
}

// roles returns the roles of terms[i] and of those after it that have the same
// surface, and where the next surface begins. Equal surfaces occur where two
// documents are the same.
func (b *Builder) roles(terms []termItem, i int) (r write.Role, next int) {
	at := func(k int) write.Role {
		id := terms[k].id
		return b.in.shards[id&(internShards-1)].roles[id>>shardBits]
	}
	r = at(i)
	surface := b.in.surface(terms[i].id)
	for next = i + 1; next < len(terms) && bytes.Equal(b.in.surface(terms[next].id), surface); next++ {
		r |= at(next)
	}
	return r, next
}

// number sorts the terms and numbers them by section.
func (b *Builder) number() *numbering {
	count, limit := b.in.count()
	n := &numbering{terms: make([]termItem, 0, count), node: make([]uint32, limit), pred: make([]uint32, limit)}
	for no := range b.in.shards {
		s := &b.in.shards[no]
		s.slots = nil // nothing is looked up any more
		for k, at := range s.at {
			n.terms = append(n.terms, termItem{at: at, length: s.length[k], id: uint32(k)<<shardBits | uint32(no)})
		}
	}
	termSorter{b.in}.sort(n.terms, b.opt.Workers)

	var shared, subjects, objects, predicates uint32
	b.eachSurface(n.terms, func(r write.Role, _ []termItem) {
		if r&(write.InSubject|write.InObject) == write.InSubject|write.InObject {
			shared++
		}
	})
	total := shared
	shared = 0
	b.eachSurface(n.terms, func(r write.Role, same []termItem) {
		var node, pred uint32
		switch r & (write.InSubject | write.InObject) {
		case write.InSubject | write.InObject:
			shared++
			node = shared
		case write.InSubject:
			subjects++
			node = total + subjects
		case write.InObject:
			objects++
			node = total + objects
		}
		if r&write.InPredicate != 0 {
			predicates++
			pred = predicates
		}
		if r&write.InGraph != 0 {
			if n.graph == nil {
				n.graph = make([]uint32, limit)
			}
			n.graphs = append(n.graphs, b.in.surface(same[0].id))
		}
		for i := range same {
			id := same[i].id
			n.node[id], n.pred[id] = node, pred
			if r&write.InGraph != 0 {
				n.graph[id] = uint32(len(n.graphs))
			}
		}
	})
	n.limits = [3]uint32{total + subjects, predicates, total + objects}
	return n
}

// eachSurface calls use for each distinct surface with all its roles.
func (b *Builder) eachSurface(terms []termItem, use func(r write.Role, same []termItem)) {
	for i := 0; i < len(terms); {
		r, next := b.roles(terms, i)
		use(r, terms[i:next])
		i = next
	}
}

// writeTerms packs the dictionary.
func (b *Builder) writeTerms(ctx context.Context, w *write.Writer, n *numbering) error {
	done := 0
	var err error
	b.eachSurface(n.terms, func(r write.Role, same []termItem) {
		if err != nil {
			return
		}
		if done++; done&0xfff == 0 {
			err = context.Cause(ctx)
		}
		if err == nil {
			_, err = w.AddTerm(b.in.surface(same[0].id), r)
		}
	})
	return err
}

// writeGraphs sorts and packs the triples, graph by graph.
func (b *Builder) writeGraphs(ctx context.Context, w *write.Writer, n *numbering) error {
	rows, starts := b.translate(n)
	s := &orderSorter{w: w, limits: n.limits, workers: b.opt.Workers, six: !b.opt.ThreeOrders}
	for g := range starts {
		part := rows[starts[g]:]
		if g+1 < len(starts) {
			part = rows[starts[g]:starts[g+1]]
		}
		var name []byte
		if g > 0 {
			name = n.graphs[g-1]
		}
		if err := s.write(ctx, name, part); err != nil {
			return err
		}
	}
	return nil
}

// translate turns interned quads into triples of the file's ids, graph by
// graph, and frees the quads on the way. starts[g] is where graph g begins.
func (b *Builder) translate(n *numbering) (rows []radix.Triple, starts []int) {
	total := 0
	starts = make([]int, len(n.graphs)+1)
	next := make([]int, len(starts))
	for _, chunk := range b.full {
		total += len(chunk)
		if n.graph != nil {
			for i := range chunk {
				next[n.graphOf(chunk[i][3])]++
			}
		}
	}
	if n.graph != nil {
		at := 0
		for g, count := range next {
			starts[g], next[g] = at, at
			at += count
		}
	}
	rows = make([]radix.Triple, total)
	if n.graph == nil {
		b.translateAll(n, rows)
		return rows, starts
	}
	for k, chunk := range b.full {
		for i := range chunk {
			q := &chunk[i]
			g := n.graphOf(q[3])
			rows[next[g]] = radix.Triple{n.node[q[0]], n.pred[q[1]], n.node[q[2]]}
			next[g]++
		}
		b.full[k] = nil
	}
	b.full = nil
	return rows, starts
}

func (n *numbering) graphOf(id uint32) uint32 {
	if id == noGraph {
		return 0
	}
	return n.graph[id]
}

// translateAll is translate without graphs, on all workers.
func (b *Builder) translateAll(n *numbering, rows []radix.Triple) {
	var wait sync.WaitGroup
	workers := max(1, min(b.opt.Workers, len(b.full)))
	at := make([]int, len(b.full))
	for k := 1; k < len(b.full); k++ {
		at[k] = at[k-1] + len(b.full[k-1])
	}
	for worker := range workers {
		wait.Go(func() {
			for k := worker; k < len(b.full); k += workers {
				out := rows[at[k]:]
				for i, q := range b.full[k] {
					out[i] = radix.Triple{n.node[q[0]], n.pred[q[1]], n.node[q[2]]}
				}
				b.full[k] = nil
			}
		})
	}
	wait.Wait()
	b.full = nil
}

// orderSorter sorts the triples of a graph in every order and writes them.
type orderSorter struct {
	w       *write.Writer
	limits  [3]uint32
	workers int
	six     bool
	spare   [4][]radix.Triple // buffers for sorting
}

// buffer returns n triples of spare buffer i.
func (s *orderSorter) buffer(i, n int) []radix.Triple {
	if cap(s.spare[i]) < n {
		s.spare[i] = make([]radix.Triple, n)
	}
	return s.spare[i][:n]
}

// write sorts and writes one graph. Sorted by one order, a stable sort by one
// column gives another:
//
//	SPO by p: PSO, by o: OPS, by s: SOP
//	SPO by o: OSP, by p: POS
//
// The two chains run side by side.
func (s *orderSorter) write(ctx context.Context, name []byte, rows []radix.Triple) error {
	spo, other := radix.SortBy(rows, s.buffer(0, len(rows)), s.limits, 0, 1, 2)
	spo = radix.Distinct(spo)
	other = other[:len(spo)]
	g, err := s.w.Graph(name)
	if err != nil {
		return err
	}
	first := func(ctx context.Context) error {
		if !s.six {
			return nil
		}
		return s.chain(ctx, g, spo, s.buffer(1, len(spo)), s.buffer(2, len(spo)),
			[]tile.Order{tile.PSO, tile.OPS, tile.SOP})
	}
	second := func(ctx context.Context) error {
		if err := s.pack(ctx, g, tile.SPO, spo); err != nil {
			return err
		}
		return s.chain(ctx, g, spo, other, s.buffer(3, len(spo)), []tile.Order{tile.OSP, tile.POS})
	}
	switch {
	case s.workers > 1 && s.six && len(spo) > radix.SmallSort:
		group, inner := errgroup.WithContext(ctx)
		group.Go(func() error { return first(inner) })
		group.Go(func() error { return second(inner) })
		err = group.Wait()
	default:
		if err = first(ctx); err == nil {
			err = second(ctx)
		}
	}
	if err != nil {
		return err
	}
	return g.Close()
}

// chain sorts src by the leading column of each order in turn, and packs it. src
// is left as it is; x and y are of its length.
func (s *orderSorter) chain(ctx context.Context, g *write.GraphWriter, src, x, y []radix.Triple, orders []tile.Order) error {
	copy(x, src)
	for _, o := range orders {
		x, y = radix.SortBy(x, y, s.limits, o.Columns()[0])
		if err := s.pack(ctx, g, o, x); err != nil {
			return err
		}
	}
	return nil
}

// pack writes sorted triples as one order.
func (s *orderSorter) pack(ctx context.Context, g *write.GraphWriter, o tile.Order, rows []radix.Triple) error {
	ow, err := g.Order(o)
	if err != nil {
		return err
	}
	cols := o.Columns()
	a, b, c := cols[0], cols[1], cols[2]
	const step = 1 << 16
	for part := range slices.Chunk(rows, step) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		for i := range part {
			r := &part[i]
			if err := ow.Add(r[a], r[b], r[c]); err != nil {
				return err
			}
		}
	}
	return ow.Close()
}
