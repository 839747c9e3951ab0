package build

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/internal/extsort"
	"github.com/rete-go/rete/internal/segment/write"
	"github.com/rete-go/rete/tile"
)

// Sorted in one order, a stable sort by one column gives another:
//
//	SPO by p: PSO, by o: OPS, by s: SOP
//	SPO by o: OSP, by p: POS
//
// The two chains run at the same time.
var (
	chains     = [2][]tile.Order{{tile.PSO, tile.OPS, tile.SOP}, {tile.OSP, tile.POS}}
	threeChain = [2][]tile.Order{nil, {tile.OSP, tile.POS}}
)

// orderLists is how many lists of keys the orders of a graph take: its rows, which the second
// chain sorts where they are, two for the first chain, and one more if both are at work.
func orderLists(workers int) int {
	if workers == 1 {
		return 3
	}
	return 4
}

// smallGraph is the number of triples that are not worth a goroutine.
const smallGraph = 512

// orders writes the triples of graphs, whose keys ascend, in every order. A graph beyond the
// lists goes to runs, part by part.
type orders struct {
	b      *Builder
	w      *write.Writer
	names  [][]byte
	layout extsort.Layout
	chains [2][]tile.Order
	chunk  extsort.List   // room for rows of a graph, if they come in batches
	spare  []extsort.List // all of orderLists but the rows

	graph *write.GraphWriter // that is being written
	name  uint32
	rows  int // in chunk
	out   [tile.NumOrders]*write.OrderWriter
	runs  [tile.NumOrders]*extsort.Runs // nil unless the graph went to runs
	bufs  [tile.NumOrders][3][]uint32   // of the packers
}

// columns are those of an order, as of a key: the graph comes first.
func columns(o tile.Order) [4]int {
	c := o.Columns()
	return [4]int{0, c[0] + 1, c[1] + 1, c[2] + 1}
}

// whole writes all graphs, whose keys are in memory; free is as long.
func (s *orders) whole(ctx context.Context, keys, free extsort.List) error {
	s.spare = append([]extsort.List{free}, s.spare...)
	if err := s.choose(s.contents(keys)); err != nil {
		return err
	}
	for from := 0; from < keys.Len(); {
		to, g := s.same(keys, from)
		if err := s.begin(g); err != nil {
			return err
		}
		if err := s.write(ctx, keys.Slice(from, to)); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// same returns where the keys of the graph of key from end, and its number.
func (s *orders) same(keys extsort.List, from int) (to int, g uint32) {
	g = s.layout.At(keys, 0, from)
	if s.layout.At(keys, 0, keys.Len()-1) == g {
		return keys.Len(), g
	}
	for to = from + 1; s.layout.At(keys, 0, to) == g; to++ {
	}
	return to, g
}

// batch writes some keys, sorted after those of the batch before.
func (s *orders) batch(ctx context.Context, keys extsort.List) error {
	for from := 0; from < keys.Len(); {
		to, g := s.same(keys, from)
		if s.graph == nil || g != s.name {
			if err := s.end(ctx); err != nil {
				return err
			}
			if err := s.begin(g); err != nil {
				return err
			}
		}
		for part := keys.Slice(from, to); part.Len() > 0; {
			if s.rows == s.chunk.Len() {
				if err := s.toRuns(ctx); err != nil {
					return err
				}
			}
			n := min(part.Len(), s.chunk.Len()-s.rows)
			s.chunk.Slice(s.rows, s.rows+n).Copy(part.Slice(0, n))
			part = part.Slice(n, part.Len())
			s.rows += n
		}
		from = to
	}
	return nil
}

// begin begins the next graph.
func (s *orders) begin(g uint32) (err error) {
	var name []byte
	if g > 0 {
		name = s.names[g-1]
	}
	if s.graph, err = s.w.Graph(name); err != nil {
		return err
	}
	s.name, s.rows = g, 0
	list := []tile.Order{tile.SPO}
	for _, c := range s.chains {
		list = append(list, c...)
	}
	for _, o := range list {
		if s.out[o], err = s.graph.Order(o); err != nil {
			return err
		}
	}
	return nil
}

// end ends the graph that came in batches.
func (s *orders) end(ctx context.Context) error {
	if s.graph == nil {
		return nil
	}
	rows := s.chunk.Slice(0, s.rows)
	if s.runs[s.chains[1][0]] == nil {
		return s.write(ctx, rows)
	}
	if err := s.toRuns(ctx); err != nil {
		return err
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(s.b.opt.Workers)
	for o, runs := range s.runs {
		if runs == nil {
			continue
		}
		s.runs[o] = nil
		group.Go(func() error {
			p := s.packer(inner, tile.Order(o), runs.Layout, [4]int{0, 1, 2, 3})
			if err := runs.Merge(p.add); err != nil {
				return err
			}
			return runs.Remove()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return s.close()
}

// close ends the orders of the graph, and the graph.
func (s *orders) close() error {
	for o, w := range s.out {
		if w == nil {
			continue
		}
		if err := w.Close(); err != nil {
			return err
		}
		s.out[o] = nil
	}
	g := s.graph
	s.graph = nil
	return g.Close()
}

// write writes a graph whose rows are in memory.
func (s *orders) write(ctx context.Context, rows extsort.List) error {
	put := func(ctx context.Context, o tile.Order, sorted, _ extsort.List) error {
		return s.packer(ctx, o, s.layout, columns(o)).add(sorted)
	}
	if err := s.eachOrder(ctx, rows, put); err != nil {
		return err
	}
	return s.close()
}

// toRuns packs the rows of the chunk in SPO, and makes a run of them for each other order.
func (s *orders) toRuns(ctx context.Context) error {
	rows := s.chunk.Slice(0, s.rows)
	s.rows = 0
	for _, chain := range s.chains {
		for _, o := range chain {
			if s.runs[o] == nil {
				s.runs[o] = &extsort.Runs{Layout: s.layout.Reorder(columns(o)), Folder: s.b.folder, Block: s.b.budget.block}
			}
		}
	}
	return s.eachOrder(ctx, rows, func(ctx context.Context, o tile.Order, sorted, free extsort.List) error {
		if o == tile.SPO {
			return s.packer(ctx, o, s.layout, columns(o)).add(sorted)
		}
		to := &s.runs[o].Layout
		s.layout.Translate(to, free, sorted, columns(o))
		return s.runs[o].Add(free)
	})
}

// eachOrder sorts rows in every order and hands each to use, with a list that is free. The rows
// are lost. The two chains run at the same time if there are lists for both.
func (s *orders) eachOrder(ctx context.Context, rows extsort.List, use func(ctx context.Context, o tile.Order, sorted, free extsort.List) error) error {
	n := rows.Len()
	run := func(ctx context.Context, chain []tile.Order, x, y extsort.List) error {
		for _, o := range chain {
			x, y = s.layout.SortColumn(x, y, columns(o)[1])
			if err := use(ctx, o, x, y); err != nil {
				return err
			}
		}
		return nil
	}
	x, y, last := s.spare[0].Slice(0, n), s.spare[1].Slice(0, n), s.spare[len(s.spare)-1].Slice(0, n)
	if len(s.chains[0]) > 0 {
		x.Copy(rows)
	}
	second := func(ctx context.Context) error {
		if err := use(ctx, tile.SPO, rows, last); err != nil {
			return err
		}
		return run(ctx, s.chains[1], rows, last)
	}
	if len(s.spare) < 3 || n < smallGraph || len(s.chains[0]) == 0 {
		if err := run(ctx, s.chains[0], x, y); err != nil {
			return err
		}
		return second(ctx)
	}
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return run(inner, s.chains[0], x, y) })
	group.Go(func() error { return second(inner) })
	return group.Wait()
}

// packer packs keys as one order; column i of it is cols[i] of the keys.
type packer struct {
	ctx    context.Context
	to     *write.OrderWriter
	layout extsort.Layout
	cols   [4]int
	buf    *[3][]uint32
}

func (s *orders) packer(ctx context.Context, o tile.Order, l extsort.Layout, cols [4]int) *packer {
	return &packer{ctx: ctx, to: s.out[o], layout: l, cols: cols, buf: &s.bufs[o]}
}

// packStep is how many rows are packed between two looks at the context.
const packStep = 4096

func (p *packer) add(keys extsort.List) error {
	if n := min(keys.Len(), packStep); len(p.buf[0]) < n {
		for c := range p.buf {
			p.buf[c] = make([]uint32, n)
		}
	}
	for from := 0; from < keys.Len(); from += packStep {
		if err := context.Cause(p.ctx); err != nil {
			return err
		}
		part := keys.Slice(from, min(from+packStep, keys.Len()))
		n := part.Len()
		for c := range p.buf {
			p.layout.Column(part, p.cols[c+1], p.buf[c][:n])
		}
		if err := p.to.AddColumns(p.buf[0][:n], p.buf[1][:n], p.buf[2][:n]); err != nil {
			return err
		}
	}
	return nil
}
