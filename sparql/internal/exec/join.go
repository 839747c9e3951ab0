package exec

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/plan"
)

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
	run  *Run
	node *plan.Join
	left Op
	hold holding

	stored *relation
	tab    table
	probe  *Batch // being matched
	last   *Batch // the one that was
	row    int    // of probe
	chain  int32  // next candidate of that row, plus 1; 0: begin anew
	fresh  bool   // chain of row is not begun

	right   Op
	stretch int
	state   joinState
	opened  bool // the right side was, where the join is not applied
	flushed int  // next left row to look at when a stretch or batch ends

	m       matcher
	matched []bool // by left row: of the stretch, or of the probe batch
	open    int    // left rows without a match
	si, pi  []int32
	out     Batch
	cond    *condition
	parts   joinParts
}

type joinState uint8

const (
	joinLoad  joinState = iota // needs a stretch, or the stored side
	joinProbe                  // pairs rows
	joinFlush                  // left rows by whether they matched
	joinEnd
)

func newJoin(r *Run, n *plan.Join) (*joinOp, error) {
	left, err := r.open(n.Left)
	if err != nil {
		return nil, err
	}
	o := &joinOp{run: r, node: n, left: left, hold: r.holding("join"), stretch: firstStretch}
	o.m = newMatcher(n)
	o.out.Col = make([][]id, len(n.Vars))
	if n.Cond != nil {
		o.cond = newCondition(r, n)
	}
	if n.Apply {
		o.stored = newRelation(n.Left.Base().Vars)
	} else {
		o.stored = newRelation(n.Right.Base().Vars)
	}
	return o, nil
}

func (o *joinOp) Next(ctx context.Context) (*Batch, error) {
	for {
		var b *Batch
		var err error
		switch o.state {
		case joinLoad:
			err = o.load(ctx)
		case joinProbe:
			b, err = o.match(ctx)
		case joinFlush:
			b = o.flush()
		case joinEnd:
			return nil, nil
		}
		if err != nil || b != nil {
			return b, err
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
	right, err := o.run.open(o.node.Right)
	if err != nil {
		return err
	}
	defer right.Close()
	err = o.store(ctx, right, 1<<62)
	if err == nil {
		err = o.index()
	}
	if err != nil {
		if err := o.partition(ctx, right, o.left, err); err != nil {
			return err
		}
		return o.nextPart(ctx)
	}
	if o.stored.n == 0 && (o.node.Kind == plan.Inner || o.node.Kind == plan.Semi) {
		o.state = joinEnd
		return nil
	}
	o.state = joinProbe
	return nil
}

// nextPart goes on with a part that was put into files, or ends.
func (o *joinOp) nextPart(ctx context.Context) error {
	o.state = joinEnd
	more, err := o.loadPart(ctx)
	if more {
		o.state = joinProbe
	}
	return err
}

// store adds rows of an operator to the stored side until it has about so many.
func (o *joinOp) store(ctx context.Context, from Op, rows int) error {
	for o.stored.n < rows {
		b, err := from.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		o.stored.add(b)
		if err := o.hold.to(o.stored.bytes() + o.tab.bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (o *joinOp) index() error {
	o.tab.build(o.m.storedKeys(o.stored), o.stored.n)
	return o.hold.to(o.stored.bytes() + o.tab.bytes())
}

// loadStretch takes the next stretch of the left side and starts the right side
// for it.
func (o *joinOp) loadStretch(ctx context.Context) error {
	if o.right != nil {
		o.right.Close()
		o.right = nil
	}
	o.stored.reset()
	if err := o.store(ctx, o.left, o.stretch); err != nil {
		return err
	}
	if o.stored.n == 0 {
		o.state = joinEnd
		return nil
	}
	o.stretch = min(4*o.stretch, lastStretch, o.mostRows())
	if err := o.index(); err != nil {
		return err
	}
	o.run.setInput(o.node.Input, o.stored)
	var err error
	if o.right, err = o.run.open(o.node.Right); err != nil {
		return err
	}
	o.begin(o.stored.n)
	o.state = joinProbe
	return nil
}

// mostRows is how many rows a stretch may have in the memory of the query, of
// which it takes a 64th.
func (o *joinOp) mostRows() int {
	if !o.run.Budget.bounded() {
		return lastStretch
	}
	row := int64(len(o.stored.col)+2) * 8 // with its place in the table
	return int(max(batchRows, min(o.run.Budget.Bound()/64/row, lastStretch)))
}

// begin marks all left rows as without a match.
func (o *joinOp) begin(leftRows int) {
	if o.node.Kind == plan.Inner {
		return
	}
	o.matched = slices.Grow(o.matched[:0], leftRows)[:leftRows]
	clear(o.matched)
	o.open, o.flushed = leftRows, 0
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
	var err error
	if o.probe, err = from.Next(ctx); err != nil || o.probe == nil {
		return false, err
	}
	o.row, o.chain, o.fresh = 0, 0, true
	if !o.node.Apply {
		o.begin(o.probe.N)
	}
	return true, nil
}

// match pairs rows until there is a batch to hand on.
func (o *joinOp) match(ctx context.Context) (*Batch, error) {
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

// existence reports whether only the existence of matches counts.
func (o *joinOp) existence() bool { return o.node.Kind >= plan.Semi }

// steps is the number of candidates between two looks at the context.
const steps = 64 << 10

// pairs collects the next matching pairs of rows. It returns false when the
// probe batch has no more.
func (o *joinOp) pairs() bool {
	o.si, o.pi = o.si[:0], o.pi[:0]
	keys := o.m.probeKeys(o.probe)
	if o.m.plain && !o.existence() {
		switch len(keys) {
		case 1:
			if o.tab.direct {
				return o.pairsDirect(keys[0])
			}
			return o.pairs1(keys[0])
		case 2:
			return o.pairs2(keys[0], keys[1])
		}
	}
	left := steps
	for o.row < o.probe.N {
		if o.fresh {
			o.chain, o.fresh = o.tab.first(keys, o.row), false
		}
		for o.chain != 0 {
			at := o.chain - 1
			o.chain = o.tab.next[at]
			left--
			if o.tab.equal(at, keys, o.row) && o.m.compatible(o.stored, o.probe, int(at), o.row) {
				if o.existence() && o.exists(int(at)) {
					continue
				}
				o.si, o.pi = append(o.si, at), append(o.pi, int32(o.row))
			}
			if len(o.si) == batchRows || left == 0 {
				return true
			}
		}
		o.row++
		o.fresh = true
	}
	return false
}

// pairs1 is [joinOp.pairs] for one key and nothing else to compare.
func (o *joinOp) pairs1(key []id) bool {
	si, pi := slices.Grow(o.si, batchRows)[:batchRows], slices.Grow(o.pi, batchRows)[:batchRows]
	stored, heads, next, shift := o.tab.keys[0], o.tab.heads, o.tab.next, o.tab.shift
	n, row, chain := 0, o.row, o.chain
	for ; row < o.probe.N; row++ {
		v := key[row]
		if o.fresh {
			chain = heads[hash1(v)>>shift]
		}
		o.fresh = true
		for chain != 0 {
			at := chain - 1
			chain = next[at]
			if stored[at] != v {
				continue
			}
			si[n], pi[n] = at, int32(row)
			if n++; n == batchRows {
				o.fresh = false
				o.si, o.pi, o.row, o.chain = si, pi, row, chain
				return true
			}
		}
	}
	o.si, o.pi, o.row, o.chain = si[:n], pi[:n], row, 0
	return false
}

// pairsDirect is [joinOp.pairs] for one key that is dense: a chain is all rows of
// one key.
func (o *joinOp) pairsDirect(key []id) bool {
	si, pi := slices.Grow(o.si, batchRows)[:batchRows], slices.Grow(o.pi, batchRows)[:batchRows]
	heads, next, base := o.tab.heads, o.tab.next, o.tab.base
	n, row, chain := 0, o.row, o.chain
	for ; row < o.probe.N; row++ {
		if o.fresh {
			off := uint64(key[row] - base)
			if off >= uint64(len(heads)) {
				continue
			}
			chain = heads[off]
		}
		o.fresh = true
		for chain != 0 {
			if n == batchRows {
				o.fresh = false
				o.si, o.pi, o.row, o.chain = si, pi, row, chain
				return true
			}
			si[n], pi[n] = chain-1, int32(row)
			n++
			chain = next[chain-1]
		}
	}
	o.si, o.pi, o.row, o.chain = si[:n], pi[:n], row, 0
	return false
}

// pairs2 is [joinOp.pairs] for two keys and nothing else to compare.
func (o *joinOp) pairs2(key1, key2 []id) bool {
	si, pi := slices.Grow(o.si, batchRows)[:batchRows], slices.Grow(o.pi, batchRows)[:batchRows]
	stored1, stored2, heads, next, shift := o.tab.keys[0], o.tab.keys[1], o.tab.heads, o.tab.next, o.tab.shift
	n, row, chain := 0, o.row, o.chain
	for ; row < o.probe.N; row++ {
		v, w := key1[row], key2[row]
		if o.fresh {
			chain = heads[hash2(v, w)>>shift]
		}
		o.fresh = true
		for chain != 0 {
			at := chain - 1
			chain = next[at]
			if stored1[at] != v || stored2[at] != w {
				continue
			}
			si[n], pi[n] = at, int32(row)
			if n++; n == batchRows {
				o.fresh = false
				o.si, o.pi, o.row, o.chain = si, pi, row, chain
				return true
			}
		}
	}
	o.si, o.pi, o.row, o.chain = si[:n], pi[:n], row, 0
	return false
}

// exists notes a match where only its existence counts. It returns false if the
// condition has to be asked.
func (o *joinOp) exists(stored int) bool {
	row := stored
	if !o.node.Apply {
		row = o.row
	}
	if o.cond != nil && !o.matched[row] {
		return false
	}
	if !o.node.Apply {
		o.chain = 0
	}
	o.found(row)
	return true
}

// found notes that a left row has a match.
func (o *joinOp) found(row int) {
	if !o.matched[row] {
		o.matched[row] = true
		o.open--
	}
}

// emit makes a batch of the collected pairs; nil if none are left.
func (o *joinOp) emit(ctx context.Context) (*Batch, error) {
	if len(o.si) == 0 {
		return nil, nil
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

// flush hands on left rows by whether they matched.
func (o *joinOp) flush() *Batch {
	rows, n := o.stored.col, o.stored.n
	if !o.node.Apply {
		rows, n = o.last.Col, o.last.N
	}
	o.si = o.si[:0]
	want := o.node.Kind == plan.Semi
	for ; o.flushed < n && len(o.si) < batchRows; o.flushed++ {
		if o.node.Kind == plan.Mark || o.matched[o.flushed] == want {
			o.si = append(o.si, int32(o.flushed))
		}
	}
	if o.flushed == n {
		o.state = joinProbe
		if o.node.Apply {
			o.state = joinLoad
		}
	}
	if len(o.si) == 0 {
		return nil
	}
	o.out.N = len(o.si)
	for i, v := range o.node.Vars {
		dst := o.out.Col[i][:0]
		c := o.m.outs[i].left
		for _, r := range o.si {
			switch {
			case c >= 0:
				dst = append(dst, rows[c][r])
			case v == o.node.Mark && o.matched[r]:
				dst = append(dst, o.node.True)
			case v == o.node.Mark:
				dst = append(dst, o.node.False)
			default:
				dst = append(dst, 0)
			}
		}
		o.out.Col[i] = dst
	}
	return &o.out
}

func (o *joinOp) Close() {
	o.left.Close()
	if o.right != nil {
		o.right.Close()
	}
	o.parts.close()
	o.hold.free()
}
