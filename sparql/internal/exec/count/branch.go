package count

import (
	"context"
	"math/bits"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// branchScan counts the rows of a scan by one column, each as often as the products of
// what hangs on its other columns.
type branchScan struct {
	op    *countOp
	scan  *plan.Scan
	opt   dataset.ScanOptions
	lead  dataset.Col
	cols  []dataset.Col // on which
	below []weightsByID // these numbers hang
}

// weightsByID finds the number of an id.
type weightsByID struct {
	at rowset.Table // over the ids
	n  []uint64
}

// countParts is in how many parts several goroutines count the rows of a scan.
const countParts = 16

// run counts all rows.
func (b *branchScan) run(ctx context.Context) (weights, error) {
	r := b.op.run
	if b.scan.All >= float64(r.Choices.SharedCount) && r.Parallel() {
		w, err := b.parted(ctx)
		if !mem.Refused(err) {
			return w, err
		}
	}
	w, sorted, err := b.part(ctx, &b.opt, &b.op.hold)
	if err == nil && !sorted {
		return w.sorted(ctx)
	}
	return w, err
}

// parted counts the rows in parts, by several goroutines.
func (b *branchScan) parted(ctx context.Context) (weights, error) {
	list := make([]weights, countParts)
	holds := make([]mem.Holding, countParts)
	ordered := make([]bool, countParts)
	err := cores.Each(ctx, b.op.run.Cores, countParts, func(ctx context.Context, part int) error {
		opt := b.opt
		opt.Part, opt.Parts = part, countParts
		holds[part] = mem.Holding{Budget: b.op.run.Budget.Fork(nil), Op: b.op.hold.Op}
		var err error
		list[part], ordered[part], err = b.part(ctx, &opt, &holds[part])
		return err
	})
	for i := range holds {
		if holds[i].Budget != nil {
			holds[i].Free()
		}
	}
	if err != nil {
		return weights{}, err
	}
	rows := 0
	for _, w := range list {
		rows += len(w.ids)
	}
	if err := b.op.hold.To(ctx, int64(rows)*16); err != nil {
		return weights{}, err
	}
	all := weights{ids: make([]id, 0, rows), n: make([]uint64, 0, rows)}
	sorted := true
	for i, w := range list {
		if last := len(all.ids) - 1; last >= 0 && len(w.ids) > 0 {
			sorted = sorted && all.ids[last] < w.ids[0]
		}
		sorted = sorted && ordered[i]
		err := cancel.Blocks(ctx, len(w.ids), func(from, to int) {
			all.ids, all.n = append(all.ids, w.ids[from:to]...), append(all.n, w.n[from:to]...)
		})
		if err != nil {
			return weights{}, err
		}
	}
	if !sorted {
		return all.sorted(ctx)
	}
	return all, nil
}

// part counts the rows of a scan. sorted says whether the ids ascend.
func (b *branchScan) part(ctx context.Context, opt *dataset.ScanOptions, hold *mem.Holding) (out weights, sorted bool, err error) {
	p := b.scan.Pattern
	p.G = b.op.run.GraphsOf(b.scan.Graph)
	sorted = true
	err = scan.InOrder(ctx, b.op.run, p, b.scan.Order, opt, func(rows *dataset.Batch) error {
		for row, x := range rows.Col[b.lead][:rows.N] {
			weight := uint64(1)
			if len(b.below) > 0 {
				var err error
				if weight, err = b.weight(rows, row); err != nil {
					return err
				}
				if weight == 0 {
					continue
				}
			}
			last := len(out.ids) - 1
			if last >= 0 && out.ids[last] == x {
				var carry uint64
				if out.n[last], carry = bits.Add64(out.n[last], weight, 0); carry != 0 {
					return errCount
				}
				continue
			}
			sorted = sorted && (last < 0 || out.ids[last] < x)
			out.ids, out.n = append(out.ids, x), append(out.n, weight)
		}
		return hold.To(ctx, out.bytes())
	})
	return out, sorted, err
}

// weight returns how often a row counts.
func (b *branchScan) weight(rows *dataset.Batch, row int) (uint64, error) {
	weight := uint64(1)
	for i := range b.below {
		m := &b.below[i]
		at := m.at.Find(rows.Col[b.cols[i]][row])
		if at == 0 {
			return 0, nil
		}
		hi, lo := bits.Mul64(weight, m.n[at-1])
		if hi != 0 {
			return 0, errCount
		}
		weight = lo
	}
	return weight, nil
}
