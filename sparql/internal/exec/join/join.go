package join

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

type id = dataset.ID

// Stretches of the left side of an applied join grow from the first size to the
// last, so that a query that wants few rows does little.
const (
	firstStretch = 64
	lastStretch  = 64 << 10
)

// joinOp joins two sides. One side is stored, with a hash table over its keys;
// the other one streams past and probes it. Of an applied join the stored side
// is a stretch of the left one, and the right side runs again for each stretch;
// else it is the whole right side.
type joinOp struct {
	since cancel.Count // of rows that were handed on
	run   *run.Run
	node  *plan.Join
	left  rowset.Op
	hold  mem.Holding

	planned *plan.Join // node, before the method was changed

	stored *rowset.Relation
	tab    rowset.Table
	probe  *rowset.Batch // being matched
	last   *rowset.Batch // the one that was
	row    int           // of probe
	chain  int32         // next candidate of that row, plus 1; 0: begin anew
	fresh  bool          // chain of row is not begun

	right    rowset.Op
	stretch  int
	state    joinState
	opened   bool  // the right side was, where the join is not applied
	taken    int   // rows of the left side, where it is
	steady   bool  // the method is not changed any more
	leftDone bool  // all of the left side is stored, of a join that was not applied
	extra    int64 // bytes of right rows that are kept then
	flushed  int   // next left row to flush when a stretch or batch ends

	m       matcher
	matched []bool // by left row: of the stretch, or of the probe batch
	open    int    // left rows without a match
	si, pi  []int32
	out     rowset.Batch
	pairing rowset.Batches // si and pi
	made    rowset.Batches // out, and the rows of the condition
	cond    *condition
	parts   joinParts
	giving  joinGiving
}

type joinState uint8

const (
	joinLoad  joinState = iota // needs a stretch, or the stored side
	joinProbe                  // pairs rows
	joinFlush                  // left rows by whether they matched
	joinEnd
)

// New makes a join that stores one of its sides.
func New(r *run.Run, n *plan.Join) (rowset.Op, error) {
	left, err := r.Open(n.Left)
	if err != nil {
		return nil, err
	}
	o := &joinOp{run: r, node: n, planned: n, left: left, hold: r.Holding("join"), stretch: firstStretch}
	o.pairing, o.made = r.Batches("a batch of join"), r.Batches("a batch of join")
	o.m = newMatcher(n)
	o.out.Col = make([][]id, len(n.Vars))
	if n.Cond != nil {
		o.cond = newCondition(r, n)
	}
	if !n.Apply {
		r.Budget.Register(o)
	}
	built, _ := r.Built[n].(*joinOp)
	switch {
	case built != nil:
		o.giving.shared = true
		o.stored, o.tab, o.opened, o.state = built.stored, built.tab, true, joinProbe
	case n.Apply:
		o.stored = rowset.NewRelation(n.Left.Base().Vars)
	default:
		o.stored = rowset.NewRelation(n.Right.Base().Vars)
	}
	return o, nil
}

func (o *joinOp) Next(ctx context.Context) (*rowset.Batch, error) {
	for {
		var b *rowset.Batch
		var err error
		switch o.state {
		case joinLoad:
			err = o.load(ctx)
		case joinProbe:
			b, err = o.match(ctx)
		case joinFlush:
			before := o.flushed
			if b, err = o.flush(ctx); err == nil {
				err = o.since.Pass(ctx, o.flushed-before)
			}
		case joinEnd:
			return nil, nil
		}
		if b != nil && err == nil { // a batch can make very many rows
			err = o.since.Pass(ctx, b.N)
		}
		if err != nil {
			return nil, err
		}
		if b != nil {
			return b, nil
		}
	}
}

// load fills the stored side.
func (o *joinOp) load(ctx context.Context) error {
	if o.node.Apply {
		return o.loadStretch(ctx)
	}
	if o.opened {
		return o.nextPart(ctx)
	}
	o.opened = true
	if err := o.decide(ctx); err != nil || o.state != joinLoad {
		return err
	}
	if o.giving.files != nil {
		if err := o.dealLeft(ctx, nil, o.left); err != nil {
			return err
		}
		return o.nextPart(ctx)
	}
	if o.stored.N == 0 && (o.node.Kind == plan.Inner || o.node.Kind == plan.Semi) {
		o.state = joinEnd
		return nil
	}
	o.state = joinProbe
	return nil
}

// nextPart goes on with a part that was put into files, or ends.
func (o *joinOp) nextPart(ctx context.Context) error {
	o.state = joinLoad
	more, err := o.loadPart(ctx)
	if o.state = joinEnd; more {
		o.state = joinProbe
	}
	return err
}

// loadStretch takes the next stretch of the left side and starts the right side
// for it.
func (o *joinOp) loadStretch(ctx context.Context) error {
	var again rowset.Op
	if s, ok := o.right.(run.Reusable); ok {
		again = s.Afresh()
	}
	if o.right != nil {
		o.right.Close()
		o.right = nil
	}
	if o.leftDone {
		o.state = joinEnd
		return nil
	}
	if changed, err := o.storesInstead(ctx); changed || err != nil {
		o.opened, o.state = true, joinProbe
		return err
	}
	o.stored.Reset()
	if err := o.store(ctx, o.left, o.stretch); err != nil {
		return err
	}
	if o.stored.N == 0 {
		o.state = joinEnd
		return nil
	}
	o.taken += o.stored.N
	o.stretch = min(4*o.stretch, lastStretch, o.mostRows())
	if err := o.index(ctx); err != nil {
		return err
	}
	o.run.SetInput(o.node.Input, o.stored)
	var err error
	if again != nil {
		o.right = again
	} else if o.right, err = o.run.Open(o.node.Right); err != nil {
		return err
	}
	o.state = joinProbe
	return o.begin(ctx, o.stored.N)
}

// mostRows is how many rows a stretch may have in the memory of the query, of
// which it takes a 64th.
func (o *joinOp) mostRows() int {
	if !o.run.Budget.Bounded() {
		return lastStretch
	}
	row := int64(len(o.stored.Col)+2) * 8 // with its place in the table
	return int(max(dataset.MaxBatch, min(o.run.Budget.Bound()/64/row, lastStretch)))
}

// nextProbe takes the next batch that probes; false if there is none.
func (o *joinOp) nextProbe(ctx context.Context) (bool, error) {
	from := o.left
	switch {
	case o.node.Apply:
		from = o.right
	case o.parts.left != nil:
		from = o.parts.left
	}
	if o.giving.files != nil {
		return false, o.dealLeft(ctx, nil, from)
	}
	var err error
	if o.probe, err = from.Next(ctx); err != nil {
		return false, err
	}
	if o.giving.files != nil { // while the left side was asked for rows
		first := o.probe
		o.probe = nil
		return false, o.dealLeft(ctx, first, from)
	}
	if o.probe == nil {
		return false, nil
	}
	o.row, o.chain, o.fresh = 0, 0, true
	if !o.node.Apply {
		err = o.begin(ctx, o.probe.N)
	}
	return err == nil, err
}

// match pairs rows until there is a batch to hand on.
func (o *joinOp) match(ctx context.Context) (*rowset.Batch, error) {
	for {
		if o.probe == nil {
			ok, err := o.nextProbe(ctx)
			if err != nil {
				return nil, err
			}
			if !ok {
				o.state = joinEnd
				if len(o.parts.pending) > 0 {
					o.state = joinLoad
				}
				if o.node.Apply {
					o.state = joinLoad
					if o.node.Kind != plan.Inner {
						o.state = joinFlush
					}
				}
				return nil, nil
			}
		}
		if err := o.pairing.Fit(ctx, o.mostPairs(), pairBytes); err != nil {
			return nil, err
		}
		more := o.pairs()
		b, err := o.emit(ctx)
		if !more {
			o.endProbe()
		}
		if err != nil || b != nil || o.state != joinProbe {
			return b, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// endProbe ends a batch that has been matched.
func (o *joinOp) endProbe() {
	o.last, o.probe = o.probe, nil
	switch {
	case o.node.Kind == plan.Inner:
	case !o.node.Apply, o.open == 0 && o.existence():
		o.state = joinFlush
	}
}

// emit makes a batch of the collected pairs; nil if none are left.
func (o *joinOp) emit(ctx context.Context) (*rowset.Batch, error) {
	if len(o.si) == 0 {
		return nil, nil
	}
	if err := o.made.Fit(ctx, len(o.si), rowset.IDBytes*o.columns()); err != nil {
		return nil, err
	}
	if o.cond != nil {
		return o.cond.emit(ctx, o)
	}
	if o.node.Kind == plan.Left {
		rows := o.pi
		if o.node.Apply {
			rows = o.si
		}
		for _, r := range rows {
			o.matched[r] = true
		}
	}
	o.out.N = len(o.si)
	for i := range o.out.Col {
		o.out.Col[i] = o.m.outs[i].gather(o.out.Col[i], o.stored, o.probe, o.si, o.pi)
	}
	return &o.out, nil
}

// columns returns how many columns the rows have that are made of pairs.
func (o *joinOp) columns() int {
	if o.cond != nil {
		return len(o.out.Col) + len(o.cond.rel.Col)
	}
	return len(o.out.Col)
}

// Input implements [run.Piped].
func (o *joinOp) Input() rowset.Op { return o.left }

func (o *joinOp) Close() {
	o.left.Close()
	if o.right != nil {
		o.right.Close()
	}
	o.parts.close()
	o.giving.files.Close()
	o.run.Budget.Unregister(o)
	o.release()
	o.run.DropInput(o.node.Input, o.stored)
	if o.cond != nil {
		o.run.DropInput(o.node.CondInput, o.cond.rel)
	}
	o.hold.Free()
	o.pairing.Free()
	o.made.Free()
}

// release gives back the memory of sets of ids.
func (o *joinOp) release() {
	if !o.giving.shared {
		o.stored.Release()
	}
	if o.cond != nil {
		o.cond.rel.Release()
	}
}
