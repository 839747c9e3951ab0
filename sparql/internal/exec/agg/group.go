package agg

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/order"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

type id = dataset.ID

// groupOp groups by ids and aggregates.
type groupOp struct {
	run         *run.Run
	node        *plan.Group
	input       rowset.Op
	hold        mem.Holding
	keyAt       []int
	groups      *rowset.Set
	keys        [][]id // of the batch
	c           *eval.Compiler
	aggs        []*aggregate
	valueCounts []*valueCounts
	rows        []int32 // the group of each row of the batch
	step        int     // rows that are taken at once
	row         []int32 // the groups of these
	column      []id    // the same, plus 1
	loaded      bool
	at          int
	out         rowset.Batch
	made        rowset.Batches // out
	disk        groupSpill
	later       []*groupOp     // whose groups come after its own
	kept        *spilledGroups // groups that were given up to be handed on later
	busy        bool           // groups are being counted or handed on
	one         [1]id          // scratch
	known       [][]id         // scratch
}

// aggregate is one set function over all groups.
type aggregate struct {
	spec    algebra.Aggregation
	k       eval.Kernel
	counts  []int64              // of COUNT of rows or of a variable
	ids     bool                 // counts is used: no value is read
	col     int                  // of that variable
	states  []value.Aggregate    // of the others
	seen    *rowset.Set          // of DISTINCT: (group, value) or (group, row)
	seenAt  []int                // columns of the row, of COUNT(DISTINCT *)
	spilled *order.DistinctSpill // of DISTINCT, in the place of seen: see [groupOp.seenSpilled]
	bytes   int64                // of the states
	empty   int64                // of a state without values

	// Of a batch whose rows are being grouped:
	cols [][]id        // what is looked up in seen; nil: nothing
	vals []value.Value // of the expression, by row; empty: it is not needed
	ids1 []id          // scratch
}

// NewGroup makes the operator that groups rows.
func NewGroup(r *run.Run, n *plan.Group) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return newGroupOf(r, n, input)
}

// newGroupOf makes the operator over a running input.
func newGroupOf(r *run.Run, n *plan.Group, input rowset.Op) (*groupOp, error) {
	o := &groupOp{
		run: r, node: n, input: input, hold: r.Holding("group"), made: r.Batches("a batch of group"),
		keyAt: rowset.Place(n.Keys, n.Input.Base().Vars), groups: rowset.NewSet(len(n.Keys)),
	}
	o.c, o.step = eval.NewCompiler(r, n.Input.Base().Vars), dataset.MaxBatch
	for _, s := range n.Aggs {
		a, err := o.newAggregate(s)
		if err != nil {
			return nil, err
		}
		o.aggs = append(o.aggs, a)
	}
	r.Budget.Register(o)
	return o, nil
}

// newAggregate chooses how an aggregate is computed.
func (o *groupOp) newAggregate(s algebra.Aggregation) (*aggregate, error) {
	vars := o.node.Input.Base().Vars
	a := &aggregate{spec: s, ids: s.Star, col: -1}
	if empty, ok := value.NewAggregate(s.Kind.String(), s.Separator); ok {
		a.empty = int64(empty.Bytes())
	}
	if v, ok := s.Arg.(*algebra.VarExpr); ok {
		a.col = rowset.Place([]plan.Var{v.Var}, vars)[0]
		a.ids = s.Kind == ast.Count
	}
	switch {
	case s.Star && s.Distinct:
		for i, v := range vars {
			if o.node.Named.Has(v) {
				a.seenAt = append(a.seenAt, i)
			}
		}
		a.seen = rowset.NewSet(len(a.seenAt) + 1)
	case s.Distinct:
		a.seen = rowset.NewSet(2)
	}
	if v, ok := countsValues(s); ok && a.col >= 0 {
		for _, t := range o.valueCounts {
			if t.v == v {
				t.aggs = append(t.aggs, a)
				return a, nil
			}
		}
		o.valueCounts = append(o.valueCounts, &valueCounts{v: v, col: a.col, aggs: []*aggregate{a}, seen: rowset.NewSet(2)})
		return a, nil
	}
	var err error
	if !a.ids {
		a.k, err = o.c.Compile(s.Arg)
		if _, ok := s.Arg.(*algebra.VarExpr); !ok {
			o.step = eval.FirstTexts // it may make long texts
		}
	}
	return a, err
}

func (o *groupOp) Next(ctx context.Context) (*rowset.Batch, error) {
	// Groups that are being handed on cannot be given up.
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
	for o.at == o.groups.Rows.N {
		more, err := o.more(ctx)
		if err != nil {
			return nil, err
		}
		if !more {
			o.reset()
			return nil, nil
		}
	}
	n := o.most()
	if err := o.made.Fit(ctx, n, rowset.IDBytes*len(o.node.Vars)); err != nil {
		return nil, err
	}
	o.out.N, o.out.Col = n, o.out.Col[:0]
	for c := range o.groups.Rows.Col {
		o.out.Col = append(o.out.Col, slices.Clone(o.groups.Rows.Col[c][o.at:o.at+n]))
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

// more takes the next groups in the place of those that were handed on; false if there
// are none.
func (o *groupOp) more(ctx context.Context) (bool, error) {
	switch {
	case len(o.later) > 0:
		o.takeOver(o.later[0])
		o.later = o.later[1:]
		held := o.bytes()
		for _, p := range o.later {
			held += p.bytes()
		}
		return true, o.hold.To(ctx, held)
	case o.kept != nil:
		return true, o.readKept(ctx)
	}
	return o.nextPart(ctx)
}

// resultText bounds the texts of the results of a batch, but for one.
const resultText = 1 << 20

// most returns how many groups are handed on next.
func (o *groupOp) most() int {
	n := min(o.groups.Rows.N-o.at, dataset.MaxBatch)
	for _, a := range o.aggs {
		if a.ids || a.spec.Kind != ast.GroupConcat {
			continue
		}
		text := 0
		for i := range n {
			if text += a.states[o.at+i].Bytes(); text > resultText {
				n = max(i, 1)
				break
			}
		}
	}
	return n
}

func (o *groupOp) Close() {
	o.input.Close()
	o.run.Budget.Unregister(o)
	if o.kept != nil {
		_ = o.kept.r.Close() // gone either way
	}
	o.disk.close()
	o.closeSpilled()
	o.hold.Free()
	o.made.Free()
}
