package join

import (
	"cmp"
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// multiwayOp binds one variable after the other: at each level it walks the ids
// that all patterns of the variable have, below what is bound already.
type multiwayOp struct {
	run    *run.Run
	node   *plan.Multiway
	hold   mem.Holding
	edges  []*adjacency
	levels []level
	outs   []int // the level of each column
	depth  int
	loaded bool
	out    rowset.Batch
	made   rowset.Batches // out
	met    []id           // scratch
	since  cancel.Count

	tries   *trieJoin // in the place of edges; nil without
	entered bool      // the level at hand
}

// level is one variable.
type level struct {
	from  []*source // the lists to intersect
	below []*source // the lists that the id of this level chooses
	lists [][]id
	now   id
}

// source gives a list: the keys of an edge, or the neighbours of the id of an
// earlier level, found when that was bound.
type source struct {
	edge *adjacency
	list []id
}

// NewMultiway makes a join that binds one variable of all patterns after the other.
func NewMultiway(r *run.Run, n *plan.Multiway) rowset.Op {
	return &multiwayOp{run: r, node: n, hold: r.Holding("multiway join"), made: r.Batches("a batch of multiway join"), outs: rowset.Place(n.Vars, n.Order), out: rowset.Batch{Col: make([][]id, len(n.Vars))}}
}

// load reads all patterns. If there is not the memory for that, they stay where they
// are.
func (o *multiwayOp) load(ctx context.Context) error {
	err := o.loadArrays(ctx)
	if !mem.Refused(err) {
		return err
	}
	o.edges, o.levels = nil, nil
	o.hold.Free()
	tries, ok, other := o.openTries(ctx)
	if !ok && other == nil {
		return err
	}
	o.tries = tries
	return other
}

func (o *multiwayOp) loadArrays(ctx context.Context) error {
	var held int64
	o.edges = make([]*adjacency, len(o.node.Edges))
	for _, i := range o.smallFirst() {
		e := o.node.Edges[i]
		if k := slices.IndexFunc(o.node.Edges, e.Same); k >= 0 && o.edges[k] != nil {
			o.edges[i] = o.edges[k]
			continue
		}
		a, err := o.read(ctx, e, held)
		if err != nil {
			return err
		}
		if len(a.keys) == 0 {
			o.depth = -1 // no rows, whatever the others have
			return nil
		}
		held += a.bytes()
		o.edges[i] = a
	}
	o.levels = make([]level, len(o.node.Order))
	for i, v := range o.node.Order {
		l := &o.levels[i]
		for k, e := range o.node.Edges {
			switch v {
			case e.From:
				l.from = append(l.from, &source{o.edges[k], o.edges[k].keys})
			case e.To:
				s := &source{edge: o.edges[k]}
				l.from = append(l.from, s)
				above := &o.levels[slices.Index(o.node.Order, e.From)]
				above.below = append(above.below, s)
			}
		}
		l.lists = make([][]id, len(l.from))
	}
	o.open()
	return nil
}

// smallFirst returns the numbers of the patterns, those with few rows first.
func (o *multiwayOp) smallFirst() []int {
	list := make([]int, len(o.node.Edges))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(o.node.Edges[a].Scan.Rows, o.node.Edges[b].Scan.Rows)
	})
	return list
}

// read reads one pattern. Rows that are not sorted are sorted here.
func (o *multiwayOp) read(ctx context.Context, e plan.Edge, held int64) (*adjacency, error) {
	from, to := e.Scan.Column(e.From), e.Scan.Column(e.To)
	p := e.Scan.Pattern
	p.G = o.run.GraphsOf(e.Scan.Graph)
	var keys, ends []id
	sorted := true
	err := scan.InOrder(ctx, o.run, p, e.Scan.Order, &dataset.ScanOptions{Cols: from.Bit() | to.Bit()}, func(b *dataset.Batch) error {
		for row := range b.N {
			x, y := b.Col[from][row], b.Col[to][row]
			if !scan.Admits(e.Scan, from, x) || !scan.Admits(e.Scan, to, y) {
				continue
			}
			if n := len(keys); n > 0 && (x < keys[n-1] || x == keys[n-1] && y <= ends[n-1]) {
				sorted = false
			}
			keys, ends = append(keys, x), append(ends, y)
		}
		return o.hold.To(ctx, held+int64(cap(keys)+cap(ends))*8)
	})
	if err != nil {
		return nil, err
	}
	if !sorted {
		if keys, ends, err = sortPairs(ctx, keys, ends); err != nil {
			return nil, err
		}
	}
	a := &adjacency{to: ends, ends: []int32{0}}
	err = cancel.Blocks(ctx, len(keys), func(from, to int) {
		for i := from; i < to; i++ {
			if x := keys[i]; i == 0 || x != keys[i-1] {
				a.keys = append(a.keys, x)
				a.ends = append(a.ends, int32(i))
			}
			a.ends[len(a.ends)-1] = int32(i + 1)
		}
	})
	if err != nil {
		return nil, err
	}
	if a.at, err = rowset.TableOf(ctx, a.keys); err != nil {
		return nil, err
	}
	return a, o.hold.To(ctx, held+a.bytes())
}

// sortPairs sorts pairs and drops repeats.
func sortPairs(ctx context.Context, x, y []id) ([]id, []id, error) {
	type pair struct{ x, y id }
	pairs := make([]pair, len(x))
	err := cancel.Blocks(ctx, len(x), func(from, to int) {
		for i := from; i < to; i++ {
			pairs[i] = pair{x[i], y[i]}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	err = cancel.Sort(ctx, pairs, func(a, b pair) int {
		switch {
		case a.x < b.x || a.x == b.x && a.y < b.y:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	if err != nil {
		return nil, nil, err
	}
	if pairs, err = rowset.Compact(ctx, pairs); err != nil {
		return nil, nil, err
	}
	return x[:len(pairs)], y[:len(pairs)], cancel.Blocks(ctx, len(pairs), func(from, to int) {
		for i := from; i < to; i++ {
			x[i], y[i] = pairs[i].x, pairs[i].y
		}
	})
}

// open sets the lists of the current level to what is below the levels above.
func (o *multiwayOp) open() {
	l := &o.levels[o.depth]
	for i, s := range l.from {
		l.lists[i] = s.list
	}
	// The shortest list leads: the others are asked for its ids.
	for i := range l.lists {
		if len(l.lists[i]) < len(l.lists[0]) {
			l.lists[0], l.lists[i] = l.lists[i], l.lists[0]
		}
	}
}

// advance moves a level to its next id; false if there is none.
func (o *multiwayOp) advance(ctx context.Context, l *level) (bool, error) {
	for len(l.lists[0]) > 0 {
		if err := o.since.Pass(ctx, 1); err != nil {
			return false, err
		}
		v := l.lists[0][0]
		l.lists[0] = l.lists[0][1:]
		all := true
		for i := 1; i < len(l.lists) && all; i++ {
			rest := l.lists[i]
			if len(rest) > 0 && rest[0] < v {
				rest = ahead(rest, v)
			}
			l.lists[i] = rest
			if len(rest) == 0 {
				return false, nil
			}
			all = rest[0] == v
		}
		if all {
			l.now = v
			return true, nil
		}
	}
	return false, nil
}

// ahead returns an ascending list, whose first id is below v, from the first one on that
// is not.
func ahead(list []id, v id) []id {
	for i := 1; i <= 4; i++ {
		if i == len(list) {
			return nil
		}
		if list[i] >= v {
			return list[i:]
		}
	}
	return list[4+rowset.Gallop(list[4:], v):]
}

// both makes rows of the ids that the two lists of the last level have, as many as there
// is room for. It returns true at the end of a list, false also after some cancel.Every.
func (o *multiwayOp) both(l *level) bool {
	a, b, room := l.lists[0], l.lists[1], dataset.MaxBatch-o.out.N
	met := o.met[:0]
	looked := 0
	for ; len(a) > 0 && len(b) > 0 && len(met) < room && looked < cancel.Every; looked++ {
		switch x, y := a[0], b[0]; {
		case x < y:
			a = ahead(a, y)
		case x > y:
			b = ahead(b, x)
		default:
			met = append(met, x)
			a, b = a[1:], b[1:]
		}
	}
	l.lists[0], l.lists[1], o.met = a, b, met
	o.since.Done += looked
	for c, at := range o.outs {
		if at == len(o.levels)-1 {
			o.out.Col[c] = append(o.out.Col[c], met...)
			continue
		}
		for range met {
			o.out.Col[c] = append(o.out.Col[c], o.levels[at].now)
		}
	}
	o.out.N += len(met)
	return len(a) == 0 || len(b) == 0
}

func (o *multiwayOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.loaded {
		if err := o.load(ctx); err != nil {
			return nil, err
		}
		o.loaded = true
	}
	o.out.N = 0
	for c := range o.out.Col {
		o.out.Col[c] = o.out.Col[c][:0]
	}
	if o.tries != nil {
		if err := o.nextByTries(ctx); err != nil || o.out.N == 0 {
			return nil, err
		}
		return &o.out, o.made.Fit(ctx, o.out.N, rowset.IDBytes*len(o.out.Col))
	}
	last := len(o.levels) - 1
	for o.depth >= 0 && o.out.N < dataset.MaxBatch {
		l := &o.levels[o.depth]
		if o.depth == last && len(l.lists) == 2 {
			if o.both(l) {
				o.depth--
			}
			if err := o.since.Pass(ctx, 1); err != nil {
				return nil, err
			}
			continue
		}
		switch more, err := o.advance(ctx, l); {
		case err != nil:
			return nil, err
		case !more:
			o.depth--
			continue
		}
		if o.depth < last {
			for _, s := range l.below {
				s.list = s.edge.neighbours(l.now)
			}
			o.depth++
			o.open()
			continue
		}
		for c, l := range o.outs {
			o.out.Col[c] = append(o.out.Col[c], o.levels[l].now)
		}
		o.out.N++
	}
	if o.out.N == 0 {
		return nil, nil
	}
	return &o.out, o.made.Fit(ctx, o.out.N, rowset.IDBytes*len(o.out.Col))
}

func (o *multiwayOp) Close() {
	if o.tries != nil {
		o.tries.close()
	}
	o.edges, o.levels = nil, nil
	o.hold.Free()
	o.made.Free()
}
