package exec

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/rete-go/rete/sparql/algebra"
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
	row    []int32 // the group of each row of the batch
	loaded bool
	at     int
	out    Batch
}

// aggregate is one set function over all groups.
type aggregate struct {
	spec   algebra.Aggregation
	k      kernel
	counts []int64           // of COUNT(*)
	states []value.Aggregate // of the others
	seen   *rowSet           // of DISTINCT: (group, value) or (group, row)
	seenAt []int             // columns of the row, of COUNT(DISTINCT *)
	bytes  int64
}

func newGroup(r *Run, n *plan.Group) (Op, error) {
	input, err := r.open(n.Input)
	if err != nil {
		return nil, err
	}
	o := &groupOp{
		run: r, node: n, input: input, hold: r.holding("group"),
		keyAt: place(n.Keys, n.Input.Base().Vars), groups: newRowSet(len(n.Keys)),
	}
	o.c = newCompiler(r, n.Input.Base().Vars)
	for _, s := range n.Aggs {
		a := &aggregate{spec: s}
		switch {
		case s.Star && s.Distinct:
			for i, v := range n.Input.Base().Vars {
				if n.Named.Has(v) {
					a.seenAt = append(a.seenAt, i)
				}
			}
			a.seen = newRowSet(len(a.seenAt) + 1)
		case s.Distinct:
			a.seen = newRowSet(2)
		}
		if s.Arg != nil {
			if a.k, err = o.c.compile(s.Arg); err != nil {
				return nil, err
			}
		}
		o.aggs = append(o.aggs, a)
	}
	return o, nil
}

func (o *groupOp) Next(ctx context.Context) (*Batch, error) {
	if !o.loaded {
		if err := o.load(ctx); err != nil {
			return nil, err
		}
		o.loaded = true
	}
	n := min(o.groups.rows.n-o.at, batchRows)
	if n == 0 {
		return nil, nil
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

func (o *groupOp) load(ctx context.Context) error {
	if len(o.node.Keys) == 0 {
		o.groups.add(nil, 0)
		o.grow()
	}
	keys := make([][]id, len(o.keyAt))
	for {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		for i, at := range o.keyAt {
			if at >= 0 {
				keys[i] = b.Col[at]
			} else {
				keys[i] = zeros[:b.N]
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
		o.run.newBatch()
		if err := o.c.prepare(ctx, b); err != nil {
			return err
		}
		held := o.groups.bytes()
		for _, a := range o.aggs {
			if err := o.add(ctx, a, b); err != nil {
				return err
			}
			held += a.bytes
		}
		if err := o.run.valueErr(); err != nil {
			return err
		}
		if err := o.hold.to(held); err != nil {
			return err
		}
	}
}

// grow gives every group its states.
func (o *groupOp) grow() {
	for _, a := range o.aggs {
		for len(a.counts) < o.groups.rows.n && a.spec.Star {
			a.counts = append(a.counts, 0)
		}
		for len(a.states) < o.groups.rows.n && !a.spec.Star {
			s, _ := value.NewAggregate(a.spec.Kind.String(), a.spec.Separator)
			a.states = append(a.states, s)
			a.bytes += int64(s.Bytes())
		}
	}
}

// add adds the rows of a batch to one aggregate.
func (o *groupOp) add(ctx context.Context, a *aggregate, b *Batch) error {
	switch {
	case a.spec.Star && a.seen == nil:
		for _, g := range o.row {
			a.counts[g]++
		}
	case a.spec.Star:
		o.addDistinctRows(a, b)
	case a.seen != nil:
		return o.addDistinct(ctx, a, b)
	default:
		for row, g := range o.row {
			o.run.sol.row = row
			s := a.states[g]
			s.Add(a.k(row))
		}
	}
	return nil
}

// groupColumn returns the groups of the rows as ids, 1 for the first.
func (o *groupOp) groupColumn() []id {
	col := make([]id, len(o.row))
	for i, g := range o.row {
		col[i] = id(g) + 1
	}
	return col
}

func (o *groupOp) addDistinctRows(a *aggregate, b *Batch) {
	cols := [][]id{o.groupColumn()}
	for _, at := range a.seenAt {
		cols = append(cols, b.Col[at])
	}
	for row, g := range o.row {
		if _, fresh := a.seen.add(cols, row); fresh {
			a.counts[g]++
		}
	}
	a.bytes = a.seen.bytes()
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
	cols := [][]id{o.groupColumn(), terms}
	for row, g := range o.row {
		if _, fresh := a.seen.add(cols, row); fresh || terms[row] == 0 {
			a.states[g].Add(values[row])
		}
	}
	a.bytes = a.seen.bytes() + int64(len(a.states))*64
	return nil
}

// results returns the ids of the values of an aggregate for the next n groups.
func (o *groupOp) results(ctx context.Context, a *aggregate, n int) ([]id, error) {
	surfaces := make([]string, n)
	for i := range n {
		g := o.at + i
		if a.spec.Star {
			surfaces[i] = integer(strconv.FormatInt(a.counts[g], 10))
			continue
		}
		if a.states[g] == nil {
			return nil, fmt.Errorf("sparql: no aggregate %s", a.spec.Kind)
		}
		if v, ok := a.states[g].Result(); ok && !v.IsNone() {
			surfaces[i] = v.Surface()
		}
	}
	ids := make([]id, n)
	return ids, o.run.Terms.Intern(ctx, surfaces, ids)
}

func (o *groupOp) Close() {
	o.input.Close()
	o.hold.free()
}
