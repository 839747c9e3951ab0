package path

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// start returns the end of which the starts are, and what they must be in.
func (o *pathOp) start() (plan.Arg, *rowset.IDSets) {
	if o.back {
		return o.node.O, o.within[1]
	}
	return o.node.S, o.within[0]
}

// chooseStarts sets where a path begins in the current graph.
func (o *pathOp) chooseStarts(ctx context.Context) error {
	end, set := o.start()
	if o.feed != nil && !o.auto.nullable {
		switch list, ok, err := o.feed.starts(ctx); {
		case err != nil:
			return err
		case ok:
			o.starts = slices.DeleteFunc(list, func(n id) bool {
				return end.Var == plan.NoVar && n != end.ID || set != nil && !set.Has(n)
			})
			return nil
		}
	}
	switch {
	case end.Var == plan.NoVar:
		o.starts = []id{end.ID}
	case set != nil && !o.auto.nullable:
		var err error
		o.starts, err = set.Stored.AppendChecking(nil, ctx.Err)
		return err
	case set != nil:
		// A node reaches itself if it is in the graph, or is the other end by
		// name.
		s := &nodeStream{run: o.run, graph: o.graph, within: set.Stored}
		defer s.close()
		for {
			more, err := s.next(ctx, dataset.MaxBatch)
			if err != nil {
				return err
			}
			if len(more) == 0 {
				break
			}
			o.starts = append(o.starts, more...)
			if err := o.hold.To(ctx, int64(cap(o.starts))*8); err != nil {
				return err
			}
		}
		far := o.far()
		if far.Var == plan.NoVar && set.Has(far.ID) && !slices.Contains(o.starts, far.ID) {
			o.starts = append(o.starts, far.ID)
		}
	case o.auto.nullable:
		o.stream = &nodeStream{run: o.run, graph: o.graph}
	default:
		return o.firstNodes(ctx)
	}
	return nil
}

// firstNodes sets the starts to the nodes from which a first step leads.
func (o *pathOp) firstNodes(ctx context.Context) error {
	o.starts = nil
	for _, st := range o.auto.first {
		col := dataset.S
		if st.back {
			col = dataset.O
		}
		err := scan.All(ctx, o.run, dataset.Pattern{P: st.predicate, G: o.graph}, col, &dataset.ScanOptions{Cols: col.Bit()}, func(b *dataset.Batch) error {
			var last id
			for _, v := range b.Col[col][:b.N] {
				if v != last {
					o.starts = append(o.starts, v)
				}
				last = v
			}
			return o.hold.To(ctx, int64(cap(o.starts))*8)
		})
		if err != nil {
			return err
		}
	}
	var err error
	o.starts, err = rowset.SortedIDs(ctx, o.starts)
	return err
}

// nodeStream delivers the nodes of a graph, each once: its subjects, and then
// those objects that are no subjects.
type nodeStream struct {
	run    *run.Run
	graph  dataset.Graphs
	within *dataset.IDSet // nil: all
	col    dataset.Col    // being read
	cursor dataset.Cursor
	batch  dataset.Batch
	at     int
	last   id
	done   bool
	unhold func() // lets go of what the cursor holds; nil: nothing is asked for
}

// next returns the next nodes, at most n; none at the end.
func (s *nodeStream) next(ctx context.Context, n int) ([]id, error) {
	for !s.done {
		list, err := s.read(ctx, n)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			s.cursor.Close()
			s.cursor = nil
			if s.done = s.col == dataset.O; !s.done {
				s.col = dataset.O
			}
			continue
		}
		if s.col == dataset.O {
			if list, err = s.noSubjects(ctx, list); err != nil {
				return nil, err
			}
		}
		if len(list) > 0 {
			return list, nil
		}
	}
	return nil, nil
}

// read returns the next distinct ids of the column.
func (s *nodeStream) read(ctx context.Context, n int) ([]id, error) {
	if s.cursor == nil {
		var err error
		opt := &dataset.ScanOptions{Cols: s.col.Bit()}
		opt.Within[s.col] = s.within
		p := dataset.Pattern{G: s.graph}
		if s.unhold != nil {
			s.unhold()
		}
		s.unhold = scan.Hold(s.run, &p, opt)
		if s.cursor, err = s.run.Terms.Dataset().Scan(ctx, p, scan.Leading(s.run, p, s.col), opt); err != nil {
			return nil, err
		}
		s.batch.N, s.at, s.last = 0, 0, 0
	}
	var list []id
	for len(list) < n {
		if s.at == s.batch.N {
			if err := s.cursor.Next(ctx, &s.batch); err == io.EOF {
				s.batch.N, s.at = 0, 0
				break
			} else if err != nil {
				return nil, err
			}
			s.at = 0
		}
		v := s.batch.Col[s.col][s.at]
		s.at++
		if v != s.last {
			list = append(list, v)
		}
		s.last = v
	}
	return list, nil
}

// noSubjects drops the ids that are subjects too.
func (s *nodeStream) noSubjects(ctx context.Context, list []id) ([]id, error) {
	opt := &dataset.ScanOptions{Cols: dataset.S.Bit()}
	opt.Within[dataset.S] = ids.SetOf(list...)
	subjects := make(map[id]bool)
	err := scan.All(ctx, s.run, dataset.Pattern{G: s.graph}, dataset.S, opt, func(b *dataset.Batch) error {
		for _, v := range b.Col[dataset.S][:b.N] {
			subjects[v] = true
		}
		return nil
	})
	return slices.DeleteFunc(list, func(v id) bool { return subjects[v] }), err
}

func (s *nodeStream) close() {
	if s.cursor != nil {
		s.cursor.Close()
		s.cursor = nil
	}
	if s.unhold != nil {
		s.unhold()
	}
}
