package compaction

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

// write writes the segment: its terms, and meanwhile its rows, order by order.
func (j *job) write(ctx context.Context, out io.Writer) (*segment.Built, error) {
	graphs := j.graphs[:0]
	var has segment.Contents
	canonical := j.canonical()
	for _, g := range j.graphs {
		if g.name == nil || g.rows > 0 {
			graphs = append(graphs, g)
			canonical = canonical && (g.name == nil || rdf.Canonical(g.name))
		}
		if g.name == nil {
			has.Default = uint64(g.rows)
		} else if g.rows > 0 {
			has.Graphs, has.Named = has.Graphs+1, has.Named+uint64(g.rows)
		}
	}
	opt := j.opt.WriterOptions
	opt.Canonical = canonical
	w := segment.NewWriterIn(&opt, j.folder)
	defer w.Abort()
	if err := w.SetContents(has); err != nil {
		return nil, err
	}
	orders := tile.Order(tile.NumOrders)
	if w.Three() {
		orders = 3
	}
	j.meter.begin("write", j.meter.done.Load()*int64(orders))

	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return j.writeTerms(inner, w, graphs[1:]) })
	group.Go(func() error {
		for _, g := range graphs {
			if err := j.writeGraph(inner, w, g, orders); err != nil {
				return err
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	j.dropMaps()
	return w.WriteTo(ctx, out)
}

// writeGraph writes one graph, several orders at a time.
func (j *job) writeGraph(ctx context.Context, w *segment.Writer, g *graph, orders tile.Order) error {
	gw, err := w.Graph(g.name)
	if err != nil {
		return err
	}
	writers := make([]*segment.OrderWriter, orders)
	for o := range writers {
		if writers[o], err = gw.Order(tile.Order(o)); err != nil {
			return err
		}
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(j.opt.Workers)
	for o, ow := range writers {
		group.Go(func() error {
			if err := j.makeOrder(inner, g, tile.Order(o), ow.AddColumns); err != nil {
				return err
			}
			return ow.Close()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return gw.Close()
}

// writeTerms merges the dictionaries once more and writes the terms that the
// output uses, together with the names of its graphs.
func (j *job) writeTerms(ctx context.Context, w *segment.Writer, names []*graph) error {
	nodes, err := j.usedTerms(ctx, &j.nodes, nodeSections...)
	if err != nil {
		return err
	}
	preds, err := j.usedTerms(ctx, &j.preds, segment.Predicates)
	if err != nil {
		return err
	}
	for {
		var term []byte
		found := false
		least := func(t []byte) {
			if !found || bytes.Compare(t, term) < 0 {
				term, found = t, true
			}
		}
		if nodes.union != nil {
			least(nodes.term)
		}
		if preds.union != nil {
			least(preds.term)
		}
		if len(names) > 0 {
			least(names[0].name)
		}
		if !found {
			return nil
		}
		var roles segment.Role
		isNode := nodes.union != nil && bytes.Equal(nodes.term, term)
		isPred := preds.union != nil && bytes.Equal(preds.term, term)
		if isNode {
			roles = j.nodes.roles(nodes.rank)
		}
		if isPred {
			roles |= segment.InPredicate
		}
		if len(names) > 0 && bytes.Equal(names[0].name, term) {
			roles |= segment.InGraph
			names = names[1:]
		}
		if _, err := w.AddTerm(term, roles); err != nil {
			return fmt.Errorf("compaction: %w", err)
		}
		if isNode {
			err = nodes.next(ctx)
		}
		if isPred && err == nil {
			err = preds.next(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// used goes through the terms of the merged dictionary that the output has.
type used struct {
	numbered // without a union at the end
	view     view
	dict     *merged
	rank     uint32
}

func (j *job) usedTerms(ctx context.Context, m *merged, secs ...segment.Section) (*used, error) {
	u, err := j.newUnion(ctx, secs...)
	if err != nil {
		return nil, err
	}
	x := &used{numbered: numbered{union: u}, dict: m}
	return x, x.next(ctx)
}

// next moves to the next term; after the last the union is nil.
func (x *used) next(ctx context.Context) error {
	for {
		err := x.numbered.next(ctx)
		if err == io.EOF {
			x.union = nil
			return nil
		}
		if err == nil {
			x.rank, err = x.view.get(x.dict.table, x.n)
		}
		if err != nil || x.rank != 0 {
			return err
		}
	}
}
