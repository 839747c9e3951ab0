package exec

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/value"
)

// groupOp groups by ids and aggregates.
type groupOp struct {
	run    *Run
	node   *plan.Group
	input  Op
	hold   holding
	keyAt  []int
	groups *rowSet
	c      *compiler
	aggs   []*aggregate
	tally  []*tally
	row    []int32 // the group of each row of the batch
	column []id    // the same, plus 1
	loaded bool
	at     int
	out    Batch
	disk   groupSpill
	later  []*groupOp   // whose groups come behind the own ones
	kept   *spillReader // groups that were given up to be handed on later
	busy   bool         // groups are being counted or handed on
}

// aggregate is one set function over all groups.
type aggregate struct {
	spec   algebra.Aggregation
	k      kernel
	counts []int64           // of COUNT of rows or of a variable
	ids    bool              // counts is used: no value is looked at
	col    int               // of that variable
	states []value.Aggregate // of the others
	seen   *rowSet           // of DISTINCT: (group, value) or (group, row)
	seenAt []int             // columns of the row, of COUNT(DISTINCT *)
	aside  *distinctSpill    // of DISTINCT, in the place of seen: see [groupOp.seenAside]
	bytes  int64
}

func newGroup(r *Run, n *plan.Group) (Op, error) {
	input, err := r.open(n.Input)
	if err != nil {
		return nil, err
	}
	return newGroupOf(r, n, input)
}

// newGroupOf makes the operator over a running input.
func newGroupOf(r *Run, n *plan.Group, input Op) (*groupOp, error) {
	o := &groupOp{
		run: r, node: n, input: input, hold: r.holding("group"),
		keyAt: place(n.Keys, n.Input.Base().Vars), groups: newRowSet(len(n.Keys)),
	}
	o.c = newCompiler(r, n.Input.Base().Vars)
	for _, s := range n.Aggs {
		a, err := o.newAggregate(s)
		if err != nil {
			return nil, err
		}
		o.aggs = append(o.aggs, a)
	}
	r.Budget.register(o)
	return o, nil
}

// newAggregate chooses how an aggregate is computed.
func (o *groupOp) newAggregate(s algebra.Aggregation) (*aggregate, error) {
	vars := o.node.Input.Base().Vars
	a := &aggregate{spec: s, ids: s.Star, col: -1}
	if v, ok := s.Arg.(*algebra.VarExpr); ok {
		a.col = place([]Var{v.Var}, vars)[0]
		a.ids = s.Kind == ast.Count
	}
	switch {
	case s.Star && s.Distinct:
		for i, v := range vars {
			if o.node.Named.Has(v) {
				a.seenAt = append(a.seenAt, i)
			}
		}
		a.seen = newRowSet(len(a.seenAt) + 1)
	case s.Distinct:
		a.seen = newRowSet(2)
	}
	if v, ok := tallied(s); ok && a.col >= 0 {
		for _, t := range o.tally {
			if t.v == v {
				t.aggs = append(t.aggs, a)
				return a, nil
			}
		}
		o.tally = append(o.tally, &tally{v: v, col: a.col, aggs: []*aggregate{a}, seen: newRowSet(2)})
		return a, nil
	}
	var err error
	if !a.ids {
		a.k, err = o.c.compile(s.Arg)
	}
	return a, err
}

func (o *groupOp) Next(ctx context.Context) (*Batch, error) {
	// Groups that are being counted, also those of a part in files, cannot be given up.
	o.busy = true
	defer func() { o.busy = false }()
	if !o.loaded {
		done, err := o.loadParts(ctx)
		if err == nil && !done {
			err = o.loadAll(ctx)
		}
		if err != nil {
			return nil, err
		}
		o.loaded = true
	}
	n := min(o.groups.rows.n-o.at, batchRows)
	for n == 0 && len(o.later) > 0 {
		o.takeOver(o.later[0])
		o.later = o.later[1:]
		n = min(o.groups.rows.n, batchRows)
	}
	if n == 0 {
		var err error
		if n, err = o.readKept(); err != nil {
			return nil, err
		}
	}
	for n == 0 {
		if more, err := o.nextPart(ctx); err != nil || !more {
			return nil, err
		}
		n = min(o.groups.rows.n, batchRows)
	}
	o.out.N, o.out.Col = n, o.out.Col[:0]
	for c := range o.groups.rows.col {
		o.out.Col = append(o.out.Col, slices.Clone(o.groups.rows.col[c][o.at:o.at+n]))
	}
	for _, a := range o.aggs {
		col, err := o.results(ctx, a, n)
		if err != nil {
			return nil, err
		}
		o.out.Col = append(o.out.Col, col)
	}
	o.at += n
	return &o.out, nil
}

// loadAll groups all rows of the input. Without keys there is always a group.
func (o *groupOp) loadAll(ctx context.Context) error {
	if len(o.node.Keys) == 0 {
		o.groups.add(nil, 0)
		o.grow()
	}
	return o.load(ctx, o.input)
}

// load groups the rows of an input: that of the operator, or a part of it that was
// put aside.
func (o *groupOp) load(ctx context.Context, input Op) error {
	if o.ahead() {
		var err error
		if input, err = o.readAhead(ctx, input); err != nil || input == nil {
			return err
		}
	}
	keys := make([][]id, len(o.keyAt))
	for {
		b, err := input.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		for i, at := range o.keyAt {
			if at >= 0 {
				keys[i] = b.Col[at]
			} else {
				keys[i] = zeros[:b.N]
			}
		}
		if o.disk.open() {
			if err := o.putAside(keys, b); err != nil {
				return err
			}
			if b.N == 0 {
				continue
			}
		}
		o.row = slices.Grow(o.row[:0], b.N)[:b.N]
		if len(keys) > 0 {
			for row := range b.N {
				g, _ := o.groups.add(keys, row)
				o.row[row] = int32(g)
			}
		} else {
			clear(o.row)
		}
		o.grow()
		o.column = o.column[:0]
		for _, g := range o.row {
			o.column = append(o.column, id(g)+1)
		}
		o.run.newBatch()
		if err := o.c.prepare(ctx, b); err != nil {
			return err
		}
		for _, a := range o.aggs {
			if err := o.add(ctx, a, b); err != nil {
				return err
			}
		}
		for _, t := range o.tally {
			t.add(o.column, b.Col[t.col][:b.N])
			if t.seen.rows.n > maxTally {
				if err := t.flush(ctx, o); err != nil {
					return err
				}
			}
		}
		if err := o.run.valueErr(); err != nil {
			return err
		}
		if err := o.hold.to(o.bytes() + o.reserve()); err != nil {
			if err := o.refused(ctx, err); err != nil {
				return err
			}
		}
	}
	for _, t := range o.tally {
		if err := t.flush(ctx, o); err != nil {
			return err
		}
	}
	if err := o.addAside(ctx); err != nil {
		return err
	}
	return o.endParts()
}

// bytes returns the memory of the groups.
func (o *groupOp) bytes() int64 {
	held := o.groups.bytes()
	for _, a := range o.aggs {
		held += a.bytes + int64(cap(a.counts))*8
	}
	for _, t := range o.tally {
		held += t.seen.bytes()
	}
	return held
}

// grow gives every group its states.
func (o *groupOp) grow() {
	for _, a := range o.aggs {
		for a.ids && len(a.counts) < o.groups.rows.n {
			a.counts = append(a.counts, 0)
		}
		for !a.ids && len(a.states) < o.groups.rows.n {
			s, _ := value.NewAggregate(a.spec.Kind.String(), a.spec.Separator)
			a.states = append(a.states, s)
			a.bytes += int64(s.Bytes())
		}
	}
}

// add adds the rows of a batch to one aggregate.
func (o *groupOp) add(ctx context.Context, a *aggregate, b *Batch) error {
	switch {
	case a.ids && a.seen != nil:
		return o.countDistinct(a, b)
	case a.spec.Star:
		for _, g := range o.row {
			a.counts[g]++
		}
	case a.ids && a.col >= 0:
		for row, g := range o.row {
			if b.Col[a.col][row] != 0 {
				a.counts[g]++
			}
		}
	case a.ids:
	case a.seen != nil:
		return o.addDistinct(ctx, a, b)
	case a.k != nil:
		for row, g := range o.row {
			o.run.sol.row = row
			if a.spec.Kind != ast.GroupConcat {
				a.states[g].Add(a.k(row))
				continue
			}
			before := a.states[g].Bytes()
			a.states[g].Add(a.k(row))
			a.bytes += int64(a.states[g].Bytes() - before)
		}
	}
	return nil
}

// countDistinct counts the rows, or the terms of a variable, that a group has
// not had.
func (o *groupOp) countDistinct(a *aggregate, b *Batch) error {
	cols := [][]id{o.column}
	for _, at := range a.seenAt {
		cols = append(cols, b.Col[at])
	}
	if !a.spec.Star {
		if a.col < 0 {
			return nil
		}
		cols = append(cols, b.Col[a.col])
	}
	if a.aside != nil {
		return a.put(cols, b.N, a.spec.Star)
	}
	for row, g := range o.row {
		if !a.spec.Star && cols[1][row] == 0 {
			continue
		}
		if _, fresh := a.seen.add(cols, row); fresh {
			a.counts[g]++
		}
	}
	a.bytes = a.seen.bytes()
	return nil
}

// addDistinct adds values that the group has not had: distinct terms, so ids
// are compared.
func (o *groupOp) addDistinct(ctx context.Context, a *aggregate, b *Batch) error {
	terms := make([]id, b.N)
	values := make([]value.Value, b.N)
	surfaces := make([]string, b.N)
	for row := range o.row {
		o.run.sol.row = row
		if values[row] = a.k(row); !values[row].IsNone() {
			surfaces[row] = values[row].Surface()
		}
	}
	if v, ok := a.spec.Arg.(*algebra.VarExpr); ok {
		if at := place([]Var{v.Var}, o.node.Input.Base().Vars)[0]; at >= 0 {
			copy(terms, b.Col[at][:b.N])
		}
	} else if err := o.run.Terms.Intern(ctx, surfaces, terms); err != nil {
		return err
	}
	cols := [][]id{o.column, terms}
	if a.aside != nil {
		for row, g := range o.row {
			if terms[row] == 0 {
				a.states[g].Add(values[row])
			}
		}
		return a.put(cols, b.N, false)
	}
	before := a.seen.bytes()
	for row, g := range o.row {
		if _, fresh := a.seen.add(cols, row); fresh || terms[row] == 0 {
			held := a.states[g].Bytes()
			a.states[g].Add(values[row])
			a.bytes += int64(a.states[g].Bytes() - held)
		}
	}
	a.bytes += a.seen.bytes() - before
	return nil
}

func (o *groupOp) Close() {
	o.input.Close()
	o.run.Budget.unregister(o)
	if o.kept != nil {
		_ = o.kept.close() // gone either way
	}
	o.disk.close()
	o.closeAside()
	o.hold.free()
}
