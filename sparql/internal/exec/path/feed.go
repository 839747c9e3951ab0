package path

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
)

const (
	// minFed is the least number of graphs that are read by one scan of each step.
	minFed = 16
	// maxFed is the largest number of edges that such graphs have in the mean, and maxFedGraph that of one
	// graph whose edges are kept while it is walked.
	maxFed      = 1 << 10
	maxFedGraph = 1 << 14
	// maxScans is the largest number of steps that have scans.
	maxScans = 64
)

// feed has the edges of a path in one of many small graphs after the other: one scan of each step reads
// them all, where each graph by itself would take scans of its own for each step of a walk.
type feed struct {
	op     *pathOp
	places dataset.GraphPlacer
	list   []*fedStep
}

// fedStep is a step, or several along the same predicate, with its scan.
type fedStep struct {
	step   *step
	from   dataset.Col
	to     dataset.Col
	cursor dataset.Cursor
	unhold func()
	batch  dataset.Batch
	at     int
	done   bool
	graph  id // of the row at hand; 0: the scan has not begun
	place  uint64
	edges  edges
	large  bool // the graph that was read last has too many edges to be kept
}

// newFeed returns what feeds a walk through graphs; nil if they are few, or some are not small, so that each is
// better read by itself.
func (o *pathOp) newFeed(ctx context.Context) (*feed, error) {
	ds, graphs := o.run.Terms.Dataset(), o.node.Graph.Graphs
	places, ok := ds.(dataset.GraphPlacer)
	if set := o.within[graphEnd]; !ok || graphs.Set != nil && len(graphs.Set) < minFed || set != nil && set.Stored.Len() < minFed {
		return nil, nil
	}
	f := &feed{op: o, places: places}
	for _, steps := range o.auto.steps {
		for i := range steps {
			f.add(&steps[i])
		}
	}
	if len(f.list) > maxScans {
		return nil, nil
	}
	for _, s := range f.list {
		card, err := ds.Estimate(ctx, dataset.Pattern{P: s.step.predicate, G: graphs})
		if most := card.Distinct[dataset.G]; err != nil || card.Guess > 0 && (most < minFed || card.Guess > most*maxFed) {
			return nil, err
		}
	}
	return f, nil
}

// inOrder puts graphs into the order in which a feed goes through them.
func (f *feed) inOrder(ctx context.Context, graphs []id) error {
	places := make(map[id]uint64, len(graphs))
	for _, g := range graphs {
		place, err := f.places.GraphPlace(ctx, g)
		if err != nil {
			return err
		}
		places[g] = place
	}
	slices.SortFunc(graphs, func(a, b id) int { return cmp.Compare(places[a], places[b]) })
	return ctx.Err()
}

// add gives a step its scan, which it shares with others along the same predicate.
func (f *feed) add(st *step) {
	for _, s := range f.list[:min(len(f.list), maxScans)] {
		if s.step.predicate == st.predicate && s.step.back == st.back && s.step.any == st.any && slices.Equal(s.step.not, st.not) {
			st.fed = s
			return
		}
	}
	st.fed = &fedStep{step: st, from: dataset.S, to: dataset.O}
	if st.back {
		st.fed.from, st.fed.to = dataset.O, dataset.S
	}
	f.list = append(f.list, st.fed)
}

// next enters the next graph in which there is a first step; false if there is none.
func (f *feed) next(ctx context.Context) (graph id, ok bool, err error) {
	var place uint64
	for _, st := range f.op.auto.first {
		s := st.fed
		if err := f.begin(ctx, s); err != nil {
			return 0, false, err
		}
		if !s.done && (graph == 0 || s.place < place) {
			graph, place = s.graph, s.place
		}
	}
	if graph == 0 {
		return 0, false, nil
	}
	return graph, true, f.enter(ctx, graph, place)
}

// enter gives the steps their edges in a graph, which comes after those before.
func (f *feed) enter(ctx context.Context, graph id, place uint64) error {
	for _, s := range f.list {
		if err := f.read(ctx, s, graph, place); err != nil {
			return err
		}
	}
	for _, steps := range f.op.auto.steps {
		for i := range steps {
			st := &steps[i]
			if st.walked = (walked{graph: graph}); !st.fed.large {
				st.walked.edges = &st.fed.edges
			}
		}
	}
	return nil
}

// read reads the edges of a graph, and passes over those of graphs before it.
func (f *feed) read(ctx context.Context, s *fedStep, graph id, place uint64) error {
	s.edges.clear()
	s.large = false
	if err := f.begin(ctx, s); err != nil {
		return err
	}
	for !s.done && s.place <= place {
		col := s.batch.Col[dataset.G][:s.batch.N]
		to := s.at
		for to < len(col) && col[to] == s.graph {
			to++
		}
		if s.graph == graph && !s.large {
			s.take(to)
			s.large = len(s.edges.to) > maxFedGraph || s.edges.jumped
		}
		if s.at = to; to == len(col) {
			if err := s.load(ctx); err != nil {
				return err
			}
		}
		if err := f.stand(ctx, s); err != nil {
			return err
		}
	}
	return s.edges.finish(ctx)
}

// take keeps the edges of the rows up to one.
func (s *fedStep) take(to int) {
	from, ends, predicates := s.batch.Col[s.from], s.batch.Col[s.to], s.batch.Col[dataset.P]
	for row := s.at; row < to; row++ {
		if len(s.step.not) == 0 || !slices.Contains(s.step.not, predicates[row]) {
			s.edges.add(from[row], ends[row])
		}
	}
}

// begin opens the scan of a step, of the graphs that are wanted, unless it is open.
func (f *feed) begin(ctx context.Context, s *fedStep) error {
	if s.graph != 0 || s.done {
		return nil
	}
	r, p := f.op.run, dataset.Pattern{P: s.step.predicate, G: f.op.node.Graph.Graphs}
	opt := &dataset.ScanOptions{Cols: s.from.Bit() | s.to.Bit() | dataset.G.Bit()}
	if len(s.step.not) > 0 {
		opt.Cols |= dataset.P.Bit()
	}
	if set := f.op.within[graphEnd]; set != nil {
		opt.Within[dataset.G] = set.Stored
	}
	s.unhold = scan.Hold(r, &p, opt)
	var err error
	if s.cursor, err = r.Terms.Dataset().Scan(ctx, p, scan.Leading(r, p, s.from), opt); err != nil {
		return err
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	return f.stand(ctx, s)
}

// load reads a batch.
func (s *fedStep) load(ctx context.Context) error {
	s.at = 0
	if err := s.cursor.Next(ctx, &s.batch); err == io.EOF {
		s.done = true
		s.close()
	} else if err != nil {
		return err
	}
	return nil
}

// stand finds out about the graph of the row at hand.
func (f *feed) stand(ctx context.Context, s *fedStep) error {
	if s.done {
		return nil
	}
	g := s.batch.Col[dataset.G][s.at]
	if g == s.graph {
		return nil
	}
	var err error
	s.graph = g
	s.place, err = f.places.GraphPlace(ctx, g)
	return err
}

// starts returns the nodes of the graph at hand from which a first step leads; false if they are not known.
func (f *feed) starts(ctx context.Context) (list []id, ok bool, err error) {
	for _, st := range f.op.auto.first {
		if st.fed.large {
			return nil, false, nil
		}
		list = append(list, st.fed.edges.nodes...)
	}
	if len(f.op.auto.first) > 1 {
		list, err = rowset.SortedIDs(ctx, list)
	}
	return list, true, err
}

func (f *feed) close() {
	for _, s := range f.list {
		s.close()
	}
}

func (s *fedStep) close() {
	if s.cursor != nil {
		s.cursor.Close()
		s.cursor = nil
	}
	if s.unhold != nil {
		s.unhold()
		s.unhold = nil
	}
}
