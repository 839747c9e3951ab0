package exec

import (
	"bytes"
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/value"
)

// orderOp sorts: rows are kept with their sort keys as bytes. If only the first
// few are wanted, the others are thrown away: while the rows come, by the key of
// the last one that could still be wanted.
type orderOp struct {
	run    *Run
	node   *plan.Order
	input  Op
	keys   []orderKey
	hold   holding
	rows   *relation
	text   []byte // the keys of the rows, one after the other
	ends   []int
	bound  []byte // rows with this key or a later one are not wanted
	batch  []byte // the keys of the rows of a batch, in stages
	spans  []span // of batch
	next   []byte
	sorted []int32
	at     int
	loaded bool
	out    Batch
}

// orderKey is one condition.
type orderKey struct {
	c    *compiler
	k    kernel
	desc bool
}

// span is a part of a text.
type span struct{ from, to int }

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
	for _, k := range o.node.Keys {
		c := newCompiler(o.run, o.node.Input.Base().Vars)
		kern, err := c.compile(k.Expr)
		if err != nil {
			return err
		}
		o.keys = append(o.keys, orderKey{c, kern, k.Desc})
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
		if err := o.take(ctx, b); err != nil {
			return err
		}
		if l := o.node.Limit; l >= 0 && int64(o.rows.n) > 2*l+batchRows {
			o.sort()
			o.keep(int(l))
		}
		if err := o.hold.to(o.rows.bytes() + int64(cap(o.text)) + int64(cap(o.ends))*8); err != nil {
			return err
		}
	}
}

// take computes the keys of a batch, condition by condition. What cannot come
// before the bound is dropped before the values of the next condition are read.
func (o *orderOp) take(ctx context.Context, b *Batch) error {
	o.spans = append(o.spans[:0], make([]span, b.N)...)
	for i := range o.keys {
		if b.N == 0 {
			return nil
		}
		if err := o.stage(ctx, b, &o.keys[i], i == len(o.keys)-1); err != nil {
			return err
		}
	}
	o.rows.add(b)
	for _, s := range o.spans[:b.N] {
		o.text = append(o.text, o.batch[s.from:s.to]...)
		o.ends = append(o.ends, len(o.text))
	}
	return nil
}

// stage adds the keys of one condition to those of a batch.
func (o *orderOp) stage(ctx context.Context, b *Batch, k *orderKey, last bool) error {
	if err := k.c.prepare(ctx, b); err != nil {
		return err
	}
	o.next = o.next[:0]
	kept := 0
	for row := range b.N {
		o.run.sol.row = row
		before := o.spans[row]
		from := len(o.next)
		o.next = append(o.next, o.batch[before.from:before.to]...)
		part := len(o.next)
		o.next = value.AppendSortKey(o.next, k.k(row))
		if k.desc {
			value.Descend(o.next[part:])
		}
		if o.bound != nil {
			key := o.next[from:]
			c := bytes.Compare(key, o.bound[:min(len(key), len(o.bound))])
			if c > 0 || c == 0 && last {
				o.next = o.next[:from]
				continue
			}
		}
		b.move(kept, row)
		o.spans[kept] = span{from, len(o.next)}
		kept++
	}
	b.N = kept
	o.batch, o.next = o.next, o.batch
	return o.run.valueErr()
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
	if rows.n == n {
		o.bound = text
		if n > 1 {
			o.bound = text[ends[n-2]:]
		}
	}
}

func (o *orderOp) Close() {
	o.input.Close()
	o.hold.free()
}
