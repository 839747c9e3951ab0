package run

import (
	"context"
	"time"

	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Trace measures the operators of a plan while they run. The zero value is
// nothing: make one with [NewTrace].
type Trace struct {
	// Watch, if not nil, is told of each batch of an operator: for tests.
	Watch func(of *Measured, rows int)

	nodes map[plan.Node]*Measured
	now   *Measured // whose operator is being made
}

// Measured is what a trace knows of one node.
type Measured struct {
	Opened int64         // how often it was begun
	Rows   int64         // delivered, over all beginnings
	Time   time.Duration // inside it, what it reads included
	Reads  reads.Counter // of stored data, without its inputs
	Spill  int64         // bytes written to temporary files, without its inputs
	Change *JoinChange   // of a join that changed its method; nil without
}

// NewTrace returns a trace of the nodes of a plan.
func NewTrace(root plan.Node) *Trace {
	t := &Trace{nodes: make(map[plan.Node]*Measured)}
	t.add(root)
	return t
}

func (t *Trace) add(n plan.Node) {
	t.nodes[n] = &Measured{}
	for _, c := range n.Inputs() {
		t.add(c)
	}
}

// Of returns what was measured of a node, nil for one that never ran by itself.
func (t *Trace) Of(n plan.Node) *Measured {
	if m := t.nodes[n]; m != nil && m.Opened > 0 {
		return m
	}
	return nil
}

// spilled returns where the operator that is being made counts what it writes to files; nil if
// it is not measured.
func (t *Trace) spilled() *int64 {
	if t.now == nil {
		return nil
	}
	return &t.now.Spill
}

// Alias measures a node that runs in the place of others as all of them.
func (t *Trace) Alias(to, from plan.Node) {
	switch m := t.nodes[to]; {
	case m != nil:
		t.nodes[from] = m
	case t.nodes[from] != nil:
		t.nodes[to] = t.nodes[from]
	}
}

// open wraps the beginning of an operator.
func (t *Trace) open(n plan.Node, begin func() (rowset.Op, error)) (rowset.Op, error) {
	m := t.nodes[n]
	if m == nil {
		return begin()
	}
	m.Opened++
	start := time.Now()
	outer := t.now
	t.now = m
	op, err := begin()
	t.now = outer
	m.Time += time.Since(start)
	if err != nil {
		return nil, err
	}
	return &tracedOp{op, m, t.Watch}, nil
}

// Changed notes a change of the method of a join.
func (t *Trace) Changed(n *plan.Join, c *JoinChange) {
	if t == nil {
		return
	}
	if m := t.nodes[n]; m != nil {
		m.change(c)
	}
}

// change adds changes of the method.
func (m *Measured) change(c *JoinChange) {
	switch {
	case c == nil:
	case m.Change == nil:
		m.Change = c
	default:
		m.Change.Times += c.Times
	}
}

// tracedOp measures an operator.
type tracedOp struct {
	rowset.Op
	m     *Measured
	watch func(of *Measured, rows int)
}

func (o *tracedOp) Next(ctx context.Context) (*rowset.Batch, error) {
	start := time.Now()
	b, err := o.Op.Next(reads.With(ctx, &o.m.Reads))
	o.m.Time += time.Since(start)
	if b != nil {
		o.m.Rows += int64(b.N)
		if o.watch != nil {
			o.watch(o.m, b.N)
		}
	}
	return b, err
}

// SkipTo moves the operator forward.
func (o *tracedOp) SkipTo(ctx context.Context, key id) error {
	start := time.Now()
	err := SkipTo(reads.With(ctx, &o.m.Reads), o.Op, key)
	o.m.Time += time.Since(start)
	return err
}

// Untraced returns the operator that is measured.
func Untraced(op rowset.Op) rowset.Op {
	if t, ok := op.(*tracedOp); ok {
		return t.Op
	}
	return op
}

// Delivered notes rows of an operator that did not pass through it.
func Delivered(op rowset.Op, rows int64) {
	if t, ok := op.(*tracedOp); ok {
		t.m.Rows += rows
	}
}

// Merge adds what another trace measured.
func (t *Trace) Merge(o *Trace) {
	if t == nil || o == nil {
		return
	}
	for n, m := range o.nodes {
		if to := t.nodes[n]; to != nil {
			to.add(m)
		}
	}
}

// add adds what was measured elsewhere.
func (m *Measured) add(o *Measured) {
	m.Opened += o.Opened
	m.Rows += o.Rows
	m.Time += o.Time
	m.Reads.Add(&o.Reads)
	m.Spill += o.Spill
	m.change(o.Change)
}
