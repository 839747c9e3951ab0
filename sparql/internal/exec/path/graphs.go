package path

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// listGraphs lists the graphs of GRAPH ?g, unless the feed knows in which there is something.
func (o *pathOp) listGraphs(ctx context.Context) (err error) {
	if end, _ := o.start(); end.Var == plan.NoVar && !o.auto.nullable {
		if err := o.graphsOf(ctx, end.ID); err != nil || o.within[graphEnd].Stored.Len() < minFed {
			return err
		}
	}
	if o.feed, err = o.newFeed(ctx); err != nil || o.feed != nil && !o.auto.nullable {
		return err
	}
	n := o.node
	o.graphs, err = scan.NamedGraphs(ctx, o.run, &plan.Graphs{Graph: n.Graph.Graphs, Within: n.Within[graphEnd]})
	if err == nil && o.feed != nil {
		err = o.feed.inOrder(ctx, o.graphs)
	}
	return err
}

// nextGraph sets the starts in the next graph; false if there is none.
func (o *pathOp) nextGraph(ctx context.Context) (bool, error) {
	if o.feed != nil && !o.auto.nullable {
		var more bool
		var err error
		if o.now, more, err = o.feed.next(ctx); !more || err != nil {
			return false, err
		}
	} else {
		if len(o.graphs) == 0 {
			return false, nil
		}
		if o.now, o.graphs = o.graphs[0], o.graphs[1:]; o.feed != nil {
			place, err := o.feed.places.GraphPlace(ctx, o.now)
			if err == nil {
				err = o.feed.enter(ctx, o.now, place)
			}
			if err != nil {
				return false, err
			}
		}
	}
	if o.now != 0 {
		o.graph = dataset.Graphs{Mode: dataset.Each, Set: []id{o.now}}
	}
	return true, o.chooseStarts(ctx)
}

// graphsOf sets the graphs to those in which a first step leaves a node.
func (o *pathOp) graphsOf(ctx context.Context, start id) error {
	var list []id
	for _, st := range o.auto.first {
		p := dataset.Pattern{P: st.predicate, G: o.node.Graph.Graphs}
		if p.S = start; st.back {
			p.S, p.O = 0, start
		}
		if start.IsLocal() {
			continue
		}
		opt := &dataset.ScanOptions{Cols: dataset.G.Bit()}
		if set := o.within[graphEnd]; set != nil {
			opt.Within[dataset.G] = set.Stored
		}
		err := scan.All(ctx, o.run, p, dataset.S, opt, func(b *dataset.Batch) error {
			list = append(list, b.Col[dataset.G][:b.N]...)
			return o.hold.To(ctx, int64(cap(list))*8)
		})
		if err != nil {
			return err
		}
	}
	var err error
	o.graphs, err = rowset.SortedIDs(ctx, list)
	o.within[graphEnd] = &rowset.IDSets{Stored: ids.SetOf(o.graphs...)}
	return err
}
