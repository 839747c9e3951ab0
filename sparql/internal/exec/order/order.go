package order

import (
	"bytes"
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

type id = dataset.ID

// orderOp sorts: rows are kept with their sort keys as bytes. If only the first
// few are wanted, rows that cannot be among them are dropped condition by
// condition, before the values of the next one are read. If all are, and the
// conditions are variables, their terms are ranked first: see [ranker].
type orderOp struct {
	run    *run.Run
	node   *plan.Order
	input  rowset.Op
	keys   []orderKey
	sorter *sorter
	text   []byte // the keys of the rows of a batch, as far as they are made
	next   []byte
	spans  []span // of text
	beyond beyond
	gone   []id // those of a batch that are beyond the bound
	loaded bool
	step   int         // rows that are taken at once
	texts  mem.Holding // of the keys of a batch, where they are long
	out    rowset.Batch
	made   rowset.Batches // out
	merge  *orderMerge    // of what several goroutines have sorted; nil: there was one
	part   run.Part       // whose rows are numbered; nil: they are not
	place  id             // of the next row then
}

// orderKey is one condition.
type orderKey struct {
	c    *eval.Compiler
	k    eval.Kernel
	desc bool
}

// span is a part of a text.
type span struct{ from, to int }

// New makes the operator that sorts.
func New(r *run.Run, n *plan.Order) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	o := &orderOp{
		run: r, node: n, input: input, sorter: newSorter(r, "order", len(n.Vars), n.Limit), out: rowset.Batch{Col: make([][]id, len(n.Vars))},
		step: dataset.MaxBatch, texts: r.Holding("order"), made: r.Batches("a batch of order"),
	}
	o.beyond.hold = o.sorter.hold
	return o, nil
}

func (o *orderOp) compile() error {
	for _, k := range o.node.Keys {
		c := eval.NewCompiler(o.run, o.node.Input.Base().Vars)
		kern, err := c.Compile(k.Expr)
		if err != nil {
			return err
		}
		o.keys = append(o.keys, orderKey{c, kern, k.Desc})
		if _, ok := k.Expr.(*algebra.VarExpr); !ok {
			o.step = eval.FirstTexts // it may make long texts
		}
	}
	o.beyond = o.newBeyond()
	return nil
}

func (o *orderOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.loaded {
		done, err := o.loadRanked(ctx)
		if err == nil && !done {
			done, err = o.loadParts(ctx)
		}
		if err == nil && !done {
			err = o.load(ctx)
		}
		if err != nil {
			return nil, err
		}
		o.loaded = true
	}
	if err := o.made.Fit(ctx, dataset.MaxBatch, rowset.IDBytes*len(o.out.Col)); err != nil {
		return nil, err
	}
	if o.merge != nil {
		return o.merge.next(&o.out)
	}
	if err := o.sorter.next(&o.out, nil); err != nil || o.out.N == 0 {
		return nil, err
	}
	return &o.out, nil
}

// load takes all rows in, with their keys.
func (o *orderOp) load(ctx context.Context) error {
	if o.keys == nil {
		if err := o.compile(); err != nil {
			return err
		}
	}
	for {
		b, err := o.input.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			o.beyond.free()
			return o.sorter.finish(ctx)
		}
		o.run.NewBatch()
		if err := o.take(ctx, b); err != nil {
			return err
		}
	}
}

// take adds the rows of a batch, as many at once as have keys of about a mebibyte.
func (o *orderOp) take(ctx context.Context, b *rowset.Batch) error {
	for from := 0; from < b.N; {
		n := min(b.N-from, o.step)
		part := b.Slice(from, n)
		if err := o.takePart(ctx, &part); err != nil {
			return err
		}
		from += n
		switch text := max(len(o.text), len(o.next)); {
		case text > eval.TextRows:
			o.step = max(o.step/2, 1)
		case text < eval.TextRows/4:
			o.step = min(2*o.step, dataset.MaxBatch)
		}
		if o.texts.Bytes > 0 {
			o.text, o.next = nil, nil
			o.texts.Free()
		}
	}
	return nil
}

// takePart adds some rows of a batch.
func (o *orderOp) takePart(ctx context.Context, b *rowset.Batch) error {
	o.beyond.drop(b)
	o.text, o.next = o.text[:0], o.next[:0]
	o.spans = append(o.spans[:0], make([]span, b.N)...)
	for i := range o.keys {
		if b.N == 0 {
			return nil
		}
		o.gone = o.gone[:0]
		if err := o.stage(ctx, b, &o.keys[i], i == len(o.keys)-1); err != nil {
			return err
		}
		if i == 0 {
			if err := o.beyond.add(ctx, o.gone); err != nil {
				return err
			}
		}
	}
	s := o.sorter
	text := 0
	for _, at := range o.spans[:b.N] {
		text += at.to - at.from
	}
	if err := s.begin(ctx, b.N, text); err != nil {
		return err
	}
	for _, at := range o.spans[:b.N] {
		s.text = append(s.text, o.text[at.from:at.to]...)
		s.endKey()
	}
	if o.part != nil {
		b = o.numbered(b)
	}
	return s.add(ctx, b)
}

// stage adds the keys of one condition to those of a batch, and drops the rows
// that are beyond the bound by what is known of their keys.
func (o *orderOp) stage(ctx context.Context, b *rowset.Batch, k *orderKey, last bool) error {
	if err := k.c.Prepare(ctx, b); err != nil {
		return err
	}
	bound := o.sorter.bound
	o.next = o.next[:0]
	kept := 0
	for row := range b.N {
		o.run.Solution.Row = row
		before := o.spans[row]
		from := len(o.next)
		o.next = append(o.next, o.text[before.from:before.to]...)
		part := len(o.next)
		o.next = value.AppendSortKey(o.next, k.k(row))
		if err := o.run.RowErr(); err != nil {
			return err
		}
		if held := int64(cap(o.text)) + 2*int64(cap(o.next)); len(o.next) > eval.TextRows && held > o.texts.Bytes { // it may grow to twice its size
			if err := o.texts.To(ctx, held); err != nil {
				return err
			}
		}
		if k.desc {
			value.Descend(o.next[part:])
		}
		if bound != nil {
			key := o.next[from:]
			c := bytes.Compare(key, bound[:min(len(key), len(bound))])
			if c > 0 || c == 0 && last {
				o.next = o.next[:from]
				if at := o.beyond.col; at >= 0 && b.Col[at][row] != 0 {
					o.gone = append(o.gone, b.Col[at][row])
				}
				continue
			}
		}
		b.Move(kept, row)
		o.spans[kept] = span{from, len(o.next)}
		kept++
	}
	b.N = kept
	o.text, o.next = o.next, o.text
	return o.run.ValueErr()
}

func (o *orderOp) Close() {
	o.input.Close()
	o.sorter.close()
	o.texts.Free()
	o.beyond.hold.Free()
	o.made.Free()
	if o.merge != nil {
		o.merge.close()
	}
}
