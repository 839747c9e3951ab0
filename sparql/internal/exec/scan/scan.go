package scan

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

type id = dataset.ID

// scanOp reads the rows of one pattern.
type scanOp struct {
	run    *run.Run
	node   *plan.Scan
	cols   []dataset.Col // of the columns of the output
	cursor dataset.Cursor
	done   bool
	only   *dataset.IDSet                 // if not nil, the objects that are wanted
	but    *dataset.IDSet                 // if not nil, objects that are not
	part   int                            // the part that is read, of
	parts  int                            // number of parts; 0: the whole
	more   func(ctx context.Context) bool // if not nil, goes on with another part; false if there is none

	pattern dataset.Pattern
	opt     dataset.ScanOptions
	spans   []dataset.IDRange // of the leading column, which are still to be read
	compare dataset.Cols      // columns of which the ranges are compared row by row
	in      dataset.Batch
	out     rowset.Batch
	room    rowset.Batches // of in
	keys    mem.Holding    // of the sets that the cursor has as keys
	unhold  func()         // lets go of what the cursor holds; nil: nothing is asked for
}

// New makes the scan of a pattern.
func New(r *run.Run, n *plan.Scan) rowset.Op { return newScan(r, n) }

func newScan(r *run.Run, n *plan.Scan) *scanOp {
	o := &scanOp{run: r, node: n, cols: make([]dataset.Col, len(n.Vars)), room: r.Batches("a batch of scan"), keys: r.Holding("scan")}
	for i, v := range n.Vars {
		o.cols[i] = dataset.Col(slices.Index(n.Cols[:], v))
	}
	o.out.Col = make([][]id, len(n.Vars))
	if n.Walked {
		s := r.Walks[n]
		o.only, o.but = s.Only, s.But
	}
	return o
}

func (o *scanOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if o.cursor == nil && !o.done {
		if err := o.start(ctx); err != nil {
			return nil, err
		}
	}
	for !o.done {
		if err := o.cursor.Next(ctx, &o.in); err == io.EOF {
			o.end()
			if o.span(&o.opt, &o.pattern) {
				if err := o.seek(ctx); err != nil {
					return nil, err
				}
				continue
			}
			if o.more == nil || !o.more(ctx) {
				break
			}
			if err := o.start(ctx); err != nil {
				return nil, err
			}
		} else if err != nil {
			return nil, err
		}
		if o.in.N > o.room.Rows {
			if err := o.grew(ctx); err != nil {
				return nil, err
			}
		}
		if o.out.N = o.in.N; o.compare != 0 {
			o.keep()
		}
		if len(o.node.Same) > 0 || len(o.node.Not) > 0 {
			o.check()
		}
		if o.but != nil {
			o.pick()
		}
		for i, c := range o.cols {
			o.out.Col[i] = o.in.Col[c]
		}
		if o.node.Skip {
			if err := o.skip(ctx); err != nil {
				return nil, err
			}
		}
		if o.out.N > 0 {
			return &o.out, nil
		}
	}
	if o.room.Rows > 0 {
		o.in, o.out = dataset.Batch{}, rowset.Batch{Col: make([][]id, len(o.cols))}
		o.room.Free()
	}
	return nil, nil
}

// grew asks for the memory of a batch that is larger than those before.
func (o *scanOp) grew(ctx context.Context) error {
	rows, cols := 0, 0
	for _, c := range o.in.Col {
		if cap(c) > 0 {
			rows, cols = max(rows, cap(c)), cols+1
		}
	}
	return o.room.Fit(ctx, rows, rowset.IDBytes*cols)
}

// skip drops repeats of the leading id from the batch, and jumps past it if
// the batch was full of them.
func (o *scanOp) skip(ctx context.Context) error {
	col := o.out.Col[0][:o.out.N]
	kept := 0
	for _, i := range col {
		if kept == 0 || i != col[kept-1] {
			col[kept] = i
			kept++
		}
	}
	many := 8*kept <= o.out.N
	o.out.N = kept
	if !many {
		return nil
	}
	cols := o.node.Order.Columns()
	key := make([]id, 0, 3)
	for _, c := range cols {
		if v := o.node.Pattern.At(c); v != 0 {
			key = append(key, v)
		}
	}
	key = append(key, col[kept-1])
	for len(key) < len(cols) {
		key = append(key, ids.Local-1) // after every stored id
	}
	return o.cursor.Seek(ctx, key...)
}

// start opens the cursor. An empty set of the scan ends it at once.
func (o *scanOp) start(ctx context.Context) error {
	n := o.node
	p := n.Pattern
	p.G = o.run.GraphsOf(n.Graph)
	opt := &dataset.ScanOptions{Part: o.part, Parts: o.parts}
	if o.unhold != nil {
		o.unhold()
	}
	o.unhold = Hold(o.run, &p, opt)
	wanted := int64(0)
	for c, ref := range n.Within {
		if ref == nil || dataset.Col(c) == dataset.G && p.G.Mode != dataset.Each {
			continue
		}
		rel := o.run.Input(ref.Input)
		if rel == nil {
			continue // the join has changed its method, and wants all rows
		}
		if ref.Input+1 == n.Direct {
			s, err := rel.Span(ctx, ref.Var)
			if err != nil {
				return err
			}
			if s.Rows > 0 && float64(s.Rows)*perSeek > n.All {
				o.bound(opt, dataset.Col(c), s)
				continue
			}
		}
		set, err := rel.IDs(ctx, ref.Var)
		if err != nil {
			if mem.Refused(err) {
				continue // the join reads all rows
			}
			return err
		}
		if opt.Within[c] = set.Stored; set.Stored.Len() == 0 {
			o.done = true
			return nil
		}
		wanted += int64(set.Stored.Len()) * rowset.IDBytes
	}
	if err := o.keys.To(ctx, max(0, wanted-dataset.FirstBatch*rowset.IDBytes)); err != nil {
		return err
	}
	for c, t := range n.Terms {
		set := o.only
		if c != int(dataset.O) {
			set = nil
		}
		if err := o.within(ctx, opt, dataset.Col(c), set, t); err != nil || o.done {
			return err
		}
	}
	for _, c := range o.cols {
		opt.Cols |= c.Bit()
	}
	for _, s := range n.Same {
		opt.Cols |= s[0].Bit() | s[1].Bit()
	}
	if len(n.Not) > 0 {
		opt.Cols |= dataset.P.Bit()
	}
	if o.ranged(opt, &p); o.spans != nil {
		o.span(opt, &p)
	}
	if opt.Cols == 0 {
		opt.Cols = n.Order.Columns()[2].Bit()
	}
	o.pattern, o.opt = p, *opt
	return o.seek(ctx)
}

// within narrows a column by a set of ids, unless that is nil, and by those of terms, if they are
// listed. Without any the scan is at its end.
func (o *scanOp) within(ctx context.Context, opt *dataset.ScanOptions, c dataset.Col, set *dataset.IDSet, t *plan.TermSet) error {
	sets := []*dataset.IDSet{opt.Within[c], set, nil}
	if t.Listed() {
		var err error
		if sets[2], err = idsOf(ctx, o.run, t); err != nil {
			return err
		}
	}
	var all *dataset.IDSet
	for _, s := range sets {
		switch {
		case s == nil:
		case all == nil:
			all = s
		default:
			all = all.And(s)
		}
	}
	opt.Within[c] = all
	o.done = all != nil && all.Len() == 0
	return nil
}

// seek opens the cursor over what is to be read now.
func (o *scanOp) seek(ctx context.Context) (err error) {
	o.done = false
	opt := o.opt
	o.cursor, err = o.run.Terms.Dataset().Scan(ctx, o.pattern, o.node.Order, &opt)
	return err
}

// SkipTo moves forward to the first row whose leading free column is at or after key.
func (o *scanOp) SkipTo(ctx context.Context, key id) error {
	if o.cursor == nil && !o.done {
		if err := o.start(ctx); err != nil {
			return err
		}
	}
	if o.done {
		return nil
	}
	place := make([]id, 0, 3)
	for _, c := range o.node.Order.Columns() {
		v := o.pattern.At(c)
		if v == 0 {
			break
		}
		place = append(place, v)
	}
	return o.cursor.Seek(ctx, append(place, key)...)
}

// perSeek is the number of rows that a scan and a join can read in the time
// in which an id is put into a set and sought.
const perSeek = 15

// bound narrows a scan by the least and the greatest id of a column, where that
// leads the order of one graph. Where this many ids are wanted, the join reads all rows
// between in less time.
func (o *scanOp) bound(opt *dataset.ScanOptions, c dataset.Col, s rowset.Span) {
	p := &o.node.Pattern
	if p.G.Mode == dataset.Each && len(p.G.Set) != 1 || o.node.Graph.Param >= 0 || opt.From != nil {
		return
	}
	var key []id
	cols := o.node.Order.Columns()
	for _, lead := range cols {
		if v := p.At(lead); v != 0 {
			key = append(key, v)
			continue
		}
		if lead == c && c != dataset.P {
			opt.From = append(slices.Clone(key), s.Lo)
			opt.To = append(key, s.Hi+1)
		}
		return
	}
}

// check drops the rows whose repeated variables differ or whose predicate is
// excluded.
func (o *scanOp) check() {
	kept := 0
	for r := range o.in.N {
		ok := true
		for _, s := range o.node.Same {
			ok = ok && o.in.Col[s[0]][r] == o.in.Col[s[1]][r]
		}
		if len(o.node.Not) > 0 && slices.Contains(o.node.Not, o.in.Col[dataset.P][r]) {
			ok = false
		}
		if !ok {
			continue
		}
		for _, c := range o.cols {
			o.in.Col[c][kept] = o.in.Col[c][r]
		}
		for _, s := range o.node.Same {
			o.in.Col[s[0]][kept], o.in.Col[s[1]][kept] = o.in.Col[s[0]][r], o.in.Col[s[1]][r]
		}
		kept++
	}
	o.out.N = kept
}

// Afresh implements [run.Reusable].
func (o *scanOp) Afresh() rowset.Op {
	if o.node.Walked {
		return nil
	}
	room, keys := o.room, o.keys
	o.room.Rows, o.room.Hold.Bytes, keys.Bytes = 0, 0, 0
	return &scanOp{run: o.run, node: o.node, cols: o.cols, only: o.only, but: o.but, in: o.in, out: o.out, room: room, keys: keys}
}

// Prepare implements [run.Preparer]: the ids that the scans of all goroutines read are found.
func (o *scanOp) Prepare(ctx context.Context, _ *run.Pipeline) (bool, error) {
	for _, t := range o.node.Terms {
		if t.Listed() {
			if _, err := idsOf(ctx, o.run, t); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// Rewind implements [run.Rewinder].
func (o *scanOp) Rewind(part, parts int) { o.part, o.parts, o.done = part, parts, false }

// Continue implements [run.Continuer].
func (o *scanOp) Continue(more func(ctx context.Context) bool) { o.more = more }

func (o *scanOp) Close() {
	o.end()
	o.room.Free()
	o.keys.Free()
}

// end closes the cursor.
func (o *scanOp) end() {
	if o.cursor != nil {
		o.cursor.Close()
		o.cursor = nil
	}
	if o.unhold != nil {
		o.unhold()
	}
	o.done = true
}
