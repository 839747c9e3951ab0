package count

import (
	"context"
	"errors"
	"math/bits"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// errCount says that a count does not fit 64 bits.
var errCount = errors.New("sparql: a count is larger than 2^64")

// weights are ascending ids with numbers of rows.
type weights struct {
	ids []id
	n   []uint64
}

func (w *weights) bytes() int64 { return int64(cap(w.ids)+cap(w.n)) * 8 }

// next takes groups from the front.
func (w *weights) next(_ context.Context, to *groups) error {
	n := min(len(w.ids), dataset.MaxBatch)
	to.keys, to.n = append(to.keys, w.ids[:n]...), append(to.n, w.n[:n]...)
	w.ids, w.n = w.ids[n:], w.n[n:]
	return nil
}

func (w *weights) close() {}

// join counts the rows of an acyclic join.
func (o *countOp) join(ctx context.Context) (source, error) {
	all, err := o.branches(ctx, o.node.Root)
	if err == nil && !o.node.Key {
		all, err = all.sum(ctx)
	}
	return &all, err
}

// sum adds all numbers up, under the id 0.
func (w *weights) sum(ctx context.Context) (weights, error) {
	var total uint64
	err := cancel.Each(ctx, len(w.n), func(from, to int) error {
		for _, n := range w.n[from:to] {
			var carry uint64
			if total, carry = bits.Add64(total, n, 0); carry != 0 {
				return errCount
			}
		}
		return nil
	})
	return weights{[]id{0}, []uint64{total}}, err
}

// branches returns, for each id of a variable, the product of the numbers of
// rows of all patterns that hang on it.
func (o *countOp) branches(ctx context.Context, b *plan.Branches) (weights, error) {
	var all weights
	for i, br := range b.List {
		var within *weights
		if i > 0 {
			within = &all
		}
		w, err := o.branch(ctx, b.Var, br, within)
		if err != nil {
			return w, err
		}
		if i > 0 {
			if w, err = all.times(ctx, &w); err != nil {
				return w, err
			}
		}
		all = w
		if len(all.ids) == 0 {
			break
		}
	}
	return all, nil
}

// times multiplies two lists: only ids of both stay.
func (w *weights) times(ctx context.Context, v *weights) (weights, error) {
	out := weights{ids: w.ids[:0], n: w.n[:0]}
	var since cancel.Count
	k := 0
	for i, x := range w.ids {
		before := k
		for k < len(v.ids) && v.ids[k] < x {
			if k++; k%cancel.Every == 0 && ctx.Err() != nil {
				return out, ctx.Err()
			}
		}
		if err := since.Pass(ctx, 1+k-before); err != nil {
			return out, err
		}
		if k == len(v.ids) {
			break
		}
		if v.ids[k] != x {
			continue
		}
		hi, lo := bits.Mul64(w.n[i], v.n[k])
		if hi != 0 {
			return out, errCount
		}
		out.ids, out.n = append(out.ids, x), append(out.n, lo)
	}
	return out, nil
}

// branch counts the rows of one pattern by the variable above. within, if not
// nil, has the ids that matter.
func (o *countOp) branch(ctx context.Context, v plan.Var, br *plan.Branch, within *weights) (weights, error) {
	below := make([]weightsByID, len(br.Below))
	cols := make([]dataset.Col, len(br.Below))
	for i, b := range br.Below {
		w, err := o.branches(ctx, b)
		if err != nil || len(w.ids) == 0 {
			return w, err // without rows below, the pattern has none
		}
		below[i].n, cols[i] = w.n, br.Scan.Column(b.Var)
		if below[i].at, err = rowset.TableOf(ctx, w.ids); err != nil {
			return weights{}, err
		}
	}
	lead := br.Scan.Column(v)
	opt := &dataset.ScanOptions{Cols: lead.Bit()}
	for _, c := range cols {
		opt.Cols |= c.Bit()
	}
	if within != nil && float64(len(within.ids)) < br.Scan.Rows/32 {
		opt.Within[lead] = new(ids.Set)
		if err := rowset.AddSorted(ctx, opt.Within[lead], within.ids); err != nil {
			return weights{}, err
		}
	}
	b := &branchScan{op: o, scan: br.Scan, opt: *opt, lead: lead, cols: cols, below: below}
	return b.run(ctx)
}

// sorted sorts a list and joins equal ids.
func (w *weights) sorted(ctx context.Context) (weights, error) {
	order := make([]int, len(w.ids))
	err := cancel.Blocks(ctx, len(order), func(from, to int) {
		for i := from; i < to; i++ {
			order[i] = i
		}
	})
	if err != nil {
		return weights{}, err
	}
	err = cancel.Sort(ctx, order, func(a, b int) int {
		if w.ids[a] < w.ids[b] {
			return -1
		}
		if w.ids[a] > w.ids[b] {
			return 1
		}
		return 0
	})
	if err != nil {
		return weights{}, err
	}
	var out weights
	for n, i := range order {
		if n%cancel.Block == cancel.Block-1 && ctx.Err() != nil {
			return weights{}, ctx.Err()
		}
		if last := len(out.ids) - 1; last >= 0 && out.ids[last] == w.ids[i] {
			var carry uint64
			if out.n[last], carry = bits.Add64(out.n[last], w.n[i], 0); carry != 0 {
				return out, errCount
			}
			continue
		}
		out.ids, out.n = append(out.ids, w.ids[i]), append(out.n, w.n[i])
	}
	return out, nil
}
