package exec

import (
	"bytes"
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/value"
)

// orderOp sorts: rows are kept with their sort keys as bytes. If only the first
// few are wanted, the others are thrown away in between.
type orderOp struct {
	run    *Run
	node   *plan.Order
	input  Op
	c      *compiler
	keys   []kernel
	hold   holding
	rows   *relation
	text   []byte // the keys of the rows, one after the other
	ends   []int
	sorted []int32
	at     int
	loaded bool
	out    Batch
}

func newOrder(r *Run, n *plan.Order) (Op, error) {
	input, err := r.open(n.Input)
	if err != nil {
		return nil, err
	}
	return &orderOp{
		run: r, node: n, input: input, hold: r.holding("order"),
		rows: newRelation(n.Vars), out: Batch{Col: make([][]id, len(n.Vars))},
	}, nil
}

func (o *orderOp) compile() error {
	o.c = newCompiler(o.run, o.node.Input.Base().Vars)
	for _, k := range o.node.Keys {
		kern, err := o.c.compile(k.Expr)
		if err != nil {
			return err
		}
		o.keys = append(o.keys, kern)
	}
	return nil
}

func (o *orderOp) Next(ctx context.Context) (*Batch, error) {
	if !o.loaded {
		if err := o.compile(); err != nil {
			return nil, err
		}
		if err := o.load(ctx); err != nil {
			return nil, err
		}
		o.sort()
		o.loaded = true
	}
	n := min(len(o.sorted)-o.at, batchRows)
	if n == 0 {
		return nil, nil
	}
	for c, src := range o.rows.col {
		dst := o.out.Col[c][:0]
		for _, row := range o.sorted[o.at : o.at+n] {
			dst = append(dst, src[row])
		}
		o.out.Col[c] = dst
	}
	o.out.N = n
	o.at += n
	return &o.out, nil
}

// load takes all rows in, with their keys.
func (o *orderOp) load(ctx context.Context) error {
	for {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		o.run.newBatch()
		if err := o.c.prepare(ctx, b); err != nil {
			return err
		}
		for row := range b.N {
			o.run.sol.row = row
			for i, k := range o.keys {
				from := len(o.text)
				v := k(row)
				o.text = value.AppendSortKey(o.text, v)
				if o.node.Keys[i].Desc {
					value.Descend(o.text[from:])
				}
			}
			o.ends = append(o.ends, len(o.text))
		}
		if err := o.run.valueErr(); err != nil {
			return err
		}
		o.rows.add(b)
		if l := o.node.Limit; l >= 0 && int64(o.rows.n) > 4*l+8*batchRows {
			o.sort()
			o.keep(int(l))
		}
		if err := o.hold.to(o.rows.bytes() + int64(cap(o.text)) + int64(cap(o.ends))*8); err != nil {
			return err
		}
	}
}

func (o *orderOp) key(row int32) []byte {
	from := 0
	if row > 0 {
		from = o.ends[row-1]
	}
	return o.text[from:o.ends[row]]
}

// sort sorts the numbers of the rows; equal rows stay in their order.
func (o *orderOp) sort() {
	o.sorted = o.sorted[:0]
	for row := range o.rows.n {
		o.sorted = append(o.sorted, int32(row))
	}
	slices.SortFunc(o.sorted, func(a, b int32) int {
		if c := bytes.Compare(o.key(a), o.key(b)); c != 0 {
			return c
		}
		return int(a) - int(b)
	})
	if l := o.node.Limit; l >= 0 && int64(len(o.sorted)) > l {
		o.sorted = o.sorted[:l]
	}
}

// keep throws all rows away but the first ones, and renumbers those.
func (o *orderOp) keep(n int) {
	rows := newRelation(o.rows.vars)
	var text []byte
	var ends []int
	for _, row := range o.sorted[:min(n, len(o.sorted))] {
		for c := range rows.col {
			rows.col[c] = append(rows.col[c], o.rows.col[c][row])
		}
		rows.n++
		text = append(text, o.key(row)...)
		ends = append(ends, len(text))
	}
	o.rows, o.text, o.ends = rows, text, ends
}

func (o *orderOp) Close() {
	o.input.Close()
	o.hold.free()
}
