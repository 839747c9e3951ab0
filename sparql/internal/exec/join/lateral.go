package join

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

const (
	// maxLateral is how many rows of a key are kept.
	maxLateral = 256
	// firstLateral is how many rows the first batch has at most, if no key has more: each row
	// may be dear, and the caller may want few.
	firstLateral = 16
)

// lateralOp evaluates LATERAL by planning its pattern anew for each row of its input. The rows
// of a key are kept for the next row, if they are few: equal keys often follow each other.
type lateralOp struct {
	run   *run.Run
	node  *plan.Lateral
	input rowset.Op
	keyAt []int

	left *rowset.Batch // rows of the input
	next int           // the row of left that comes next
	row  int           // the row of left for which there are solutions

	right   rowset.Op     // solutions for the row
	at      []int         // by column of the node: that of right, -1 if it has none
	pending *rowset.Batch // of right, that is not in out
	key     []id          // of the row

	kept     rowset.Batch // the solutions for key, by column of the node
	whole    bool         // kept has all of them
	identity []int        // at of kept

	size int // of the batch to make
	out  rowset.Batch
}

// NewLateral makes the operator of LATERAL.
func NewLateral(r *run.Run, n *plan.Lateral) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	o := &lateralOp{
		run: r, node: n, input: input, keyAt: rowset.Place(n.Keys, n.Input.Base().Vars), key: make([]id, len(n.Keys)),
		kept: rowset.Batch{Col: make([][]id, len(n.Vars))}, out: rowset.Batch{Col: make([][]id, len(n.Vars))}, size: firstLateral,
	}
	for i := range n.Vars {
		o.identity = append(o.identity, i)
	}
	return o, nil
}

func (o *lateralOp) Next(ctx context.Context) (*rowset.Batch, error) {
	o.out.Reset()
	for o.out.N < o.size {
		if o.pending == nil {
			if err := o.fetch(ctx); err != nil {
				return nil, err
			}
		}
		if o.pending == nil || o.out.N > 0 && o.out.N+o.pending.N > dataset.MaxBatch {
			break
		}
		o.merge()
		o.pending = nil
	}
	o.size = min(2*o.size, dataset.MaxBatch)
	if o.out.N == 0 {
		return nil, nil
	}
	return &o.out, nil
}

// fetch makes the next solutions pending; nil at the end.
func (o *lateralOp) fetch(ctx context.Context) error {
	for {
		if o.right != nil {
			b, err := o.right.Next(ctx)
			if err != nil {
				return err
			}
			if b != nil {
				o.keep(b)
				o.pending = b
				return nil
			}
			o.end()
		}
		if o.left == nil || o.next == o.left.N {
			b, err := o.input.Next(ctx)
			if o.left, o.next = b, 0; b == nil {
				return err
			}
		}
		o.row = o.next
		o.next++
		if o.again() {
			if o.at = o.identity; o.kept.N > 0 {
				o.pending = &o.kept
				return nil
			}
			continue
		}
		if err := o.begin(ctx); err != nil {
			return err
		}
	}
}

// again sets the key to that of the row, and reports whether it is the same and its solutions
// are kept.
func (o *lateralOp) again() bool {
	same := o.whole && !o.node.Each
	for i, at := range o.keyAt {
		if k := o.left.Col[at][o.row]; o.key[i] != k {
			o.key[i], same = k, false
		}
	}
	return same
}

// begin opens the pattern for the key.
func (o *lateralOp) begin(ctx context.Context) error {
	o.whole = false
	o.kept.Reset()
	n, err := o.node.Plan(ctx, o.key)
	if err != nil {
		return err
	}
	if o.right, err = o.run.Open(n); err != nil {
		return err
	}
	o.at = rowset.Place(o.node.Vars, n.Base().Vars)
	return nil
}

// end closes the pattern, of which there are no more solutions.
func (o *lateralOp) end() {
	o.right.Close()
	o.right = nil
	o.whole = o.kept.N <= maxLateral
}

// keep adds solutions to those of the key.
func (o *lateralOp) keep(b *rowset.Batch) {
	if o.kept.N+b.N > maxLateral {
		o.kept.Reset()
		o.kept.N = maxLateral + 1 // too many
		return
	}
	for i, at := range o.at {
		col := rowset.Zeros[:b.N]
		if at >= 0 {
			col = b.Col[at][:b.N]
		}
		o.kept.Col[i] = append(o.kept.Col[i], col...)
	}
	o.kept.N += b.N
}

// merge adds the row of the input with each of the pending solutions that are compatible.
func (o *lateralOp) merge() {
	lefts := len(o.left.Col)
	for row := range o.pending.N {
		ok := true
		for i := range lefts {
			l, r := o.left.Col[i][o.row], id(0)
			if at := o.at[i]; at >= 0 {
				r = o.pending.Col[at][row]
			}
			ok = ok && (l == 0 || r == 0 || l == r)
		}
		if !ok {
			continue
		}
		for i := range o.out.Col {
			v := id(0)
			if i < lefts {
				v = o.left.Col[i][o.row]
			}
			if at := o.at[i]; v == 0 && at >= 0 {
				v = o.pending.Col[at][row]
			}
			o.out.Col[i] = append(o.out.Col[i], v)
		}
		o.out.N++
	}
}

func (o *lateralOp) Close() {
	if o.right != nil {
		o.right.Close()
		o.right = nil
	}
	o.input.Close()
}
