package join

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// mergeOp joins operators that deliver their rows in the order of one key. It finds the
// ids that all of them have by moving each one forward to the greatest id at hand, and
// makes the rows of one id after the other.
type mergeOp struct {
	run  *run.Run
	node *plan.Merge
	hold mem.Holding
	arms []mergeArm
	outs [][2]int // the arm and the column of each column of the output
	low  id       // ids below are not wanted
	on   []int    // arms that may have more rows of the id at hand: one, when it is open
	open bool     // rows of the id at hand are still to be made
	done bool
	// places, if not nil, knows the order of the graphs in which all arms deliver their rows: those
	// of one graph are merged, and then those of the next one.
	places dataset.GraphPlacer
	out    rowset.Batch
	room   rowset.Batches // of out and the arms' places
}

// NewMerge makes a join of rows that are in the order of one key.
func NewMerge(r *run.Run, n *plan.Merge) (rowset.Op, error) {
	o := &mergeOp{run: r, node: n, hold: r.Holding("merge join"), room: r.Batches("a batch of merge join"), out: rowset.Batch{Col: make([][]id, len(n.Vars))}}
	for _, a := range n.Args {
		op, err := r.Open(a)
		if err != nil {
			o.Close()
			return nil, err
		}
		vars := a.Base().Vars
		o.arms = append(o.arms, mergeArm{op: op, key: slices.Index(vars, n.Key), graphCol: slices.Index(vars, n.Graph), kept: make([][]id, len(vars))})
	}
	if n.Graph != plan.NoVar {
		o.places = r.Terms.Dataset().(dataset.GraphPlacer)
	}
	for _, v := range n.Vars {
		for i, a := range n.Args {
			if at := slices.Index(a.Base().Vars, v); at >= 0 {
				o.outs = append(o.outs, [2]int{i, at})
				break
			}
		}
	}
	return o, nil
}

// find reads until all arms have rows at hand. If all of them stand at one id then, whose rows are
// to be paired, it opens that. It returns false at the end.
func (o *mergeOp) find(ctx context.Context) (bool, error) {
	key, agreed := o.low, 0
	for i := 0; agreed < len(o.arms); i = (i + 1) % len(o.arms) {
		head, ok, err := o.arms[i].head(ctx, key)
		if err != nil {
			return false, err
		}
		apart := o.outer() && i == 1
		if !ok && o.places != nil && (!apart || o.node.Kind == plan.Semi) {
			more, err := o.nextGraph(ctx)
			if !more || err != nil {
				return false, err
			}
			key, agreed, i = 0, 0, -1
			continue
		}
		if !ok {
			return apart && o.node.Kind != plan.Semi, nil
		}
		if agreed++; head > key {
			if apart {
				return true, nil
			}
			key, agreed = head, 1
		}
	}
	if o.half() {
		return true, nil
	}
	o.low, o.open = key+1, true
	return true, o.takeAll(ctx, key)
}

// takeAll takes the rows of an id from all arms. Where those of one arm alone go on
// after what was read, they are left to be read when the others have been paired with
// the first ones: so what is kept is no more than what the other arms have.
func (o *mergeOp) takeAll(ctx context.Context, key id) error {
	o.on = o.on[:0]
	for i := range o.arms {
		a := &o.arms[i]
		for c := range a.kept {
			a.kept[c] = a.kept[c][:0]
		}
		if a.take(key) {
			o.on = append(o.on, i)
		}
	}
	for len(o.on) > 1 {
		left := o.on[:0]
		for _, i := range o.on {
			more, err := o.arms[i].keep(ctx, key)
			if err == nil {
				err = o.held(ctx)
			}
			if err != nil {
				return err
			}
			if more {
				left = append(left, i)
			}
		}
		o.on = left
	}
	return nil
}

// goOn takes more rows of the id at hand from the arm that goes on; false if there are
// none. All that were taken have been paired.
func (o *mergeOp) goOn(ctx context.Context) (bool, error) {
	if len(o.on) == 0 {
		return false, nil
	}
	a := &o.arms[o.on[0]]
	n, err := a.read(ctx, o.low-1)
	if err != nil {
		return false, err
	}
	if n == 0 || n < len(a.col) || !a.goesOn() {
		o.on = o.on[:0]
	}
	if n > 0 {
		a.cut(n)
	}
	return n > 0, nil
}

// held registers what the arms keep.
func (o *mergeOp) held(ctx context.Context) error {
	var n int64
	for i := range o.arms {
		for _, c := range o.arms[i].kept {
			n += int64(cap(c)) * 8
		}
	}
	return o.hold.To(ctx, n)
}

func (o *mergeOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := o.room.Fit(ctx, dataset.MaxBatch, rowset.IDBytes*len(o.out.Col)+4*len(o.arms)); err != nil {
		return nil, err
	}
	o.out.N = 0
	for c := range o.out.Col {
		o.out.Col[c] = slices.Grow(o.out.Col[c][:0], dataset.MaxBatch)
	}
	for ids := 0; !o.done && o.out.N < dataset.MaxBatch; ids++ {
		if ids%cancel.Every == cancel.Every-1 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var err error
		if !o.open {
			if o.open, err = o.goOn(ctx); err != nil {
				return nil, err
			}
		}
		if o.open {
			o.pair()
			continue
		}
		if o.inside(); o.out.N == dataset.MaxBatch {
			break
		}
		more, err := o.find(ctx)
		if err != nil {
			return nil, err
		}
		o.done = !more
	}
	if o.out.N == 0 {
		return nil, nil
	}
	return &o.out, nil
}

// pair makes rows of the id at hand: all rows of the last arm, as far as there is room,
// beside one of each other arm, and then goes on to the next ones of those.
func (o *mergeOp) pair() {
	last := len(o.arms) - 1
	inner := &o.arms[last]
	n := min(inner.n-inner.pos, dataset.MaxBatch-o.out.N)
	for c, from := range o.outs {
		a := &o.arms[from[0]]
		col := a.rows[from[1]]
		switch {
		case from[0] == last:
			o.out.Col[c] = append(o.out.Col[c], col[a.pos:a.pos+n]...)
		case n == 1:
			o.out.Col[c] = append(o.out.Col[c], col[a.pos])
		default:
			for range n {
				o.out.Col[c] = append(o.out.Col[c], col[a.pos])
			}
		}
	}
	o.out.N += n
	inner.pos += n
	for i := last; o.arms[i].pos == o.arms[i].n; i-- {
		if o.arms[i].pos = 0; i == 0 {
			o.open = false
			return
		}
		o.arms[i-1].pos++
	}
}

// SkipTo passes over rows before key.
func (o *mergeOp) SkipTo(_ context.Context, key id) error {
	if key > o.low {
		o.low = key
		o.open, o.on = false, o.on[:0] // its id is below
	}
	return nil
}

// Rewind implements [run.Rewinder]: the rows of the first arm that come are after those so far.
func (o *mergeOp) Rewind(_, _ int) {
	a := &o.arms[0]
	a.b, a.col, a.at, a.end = nil, nil, 0, false
	o.done, o.open, o.on = false, false, o.on[:0]
}

// Input implements [run.Piped].
func (o *mergeOp) Input() rowset.Op { return o.arms[0].op }

func (o *mergeOp) Close() {
	for i := range o.arms {
		o.arms[i].op.Close()
	}
	o.hold.Free()
	o.room.Free()
}
