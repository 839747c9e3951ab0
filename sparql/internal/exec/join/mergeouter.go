package join

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// A merge of a kind other than Inner has two arms. Of OPTIONAL, rows of the left arm whose
// id the right one does not have are handed on by themselves; of EXISTS and MINUS, the rows
// of the left arm are all there is, and the right one is asked for its ids alone.

// findLeft goes on to the next rows of the left arm: it opens their id if both arms have it,
// else it hands rows on by themselves. It returns false at the end.
func (o *mergeOp) findLeft(ctx context.Context) (bool, error) {
	left, right := &o.arms[0], &o.arms[1]
	key, ok, err := left.head(ctx, o.low)
	if !ok || err != nil {
		return false, err
	}
	head, some, err := right.head(ctx, key)
	if err != nil {
		return false, err
	}
	if some && head == key {
		o.low, o.open = key+1, true
		return true, o.takeAll(ctx, key)
	}
	to := len(left.col)
	if some {
		to = left.at + rowset.Gallop(left.col[left.at:], head)
	}
	to = min(to, left.at+dataset.MaxBatch-o.out.N)
	for c, from := range o.outs {
		if from[0] == 0 {
			o.out.Col[c] = append(o.out.Col[c], left.b.Col[from[1]][left.at:to]...)
		} else {
			o.out.Col[c] = append(o.out.Col[c], rowset.Zeros[:to-left.at]...)
		}
	}
	o.out.N += to - left.at
	o.low, left.at = left.col[to-1], to
	return true, nil
}

// noRow stands in [mergeArm.from] for a row of the right arm that there is not.
const noRow = -1

// insideLeft makes rows as [mergeOp.inside] does, of a left arm and its right one.
func (o *mergeOp) insideLeft() {
	left, right := &o.arms[0], &o.arms[1]
	if left.b == nil || right.b == nil || right.at == len(right.col) {
		return
	}
	left.forward(o.low)
	left.from, right.from = left.from[:0], right.from[:0]
	room := dataset.MaxBatch - o.out.N
	for left.at < len(left.col) && len(left.from) < room {
		key := left.col[left.at]
		if right.col[right.at] < key {
			if right.forward(key); right.at == len(right.col) {
				break
			}
		}
		if right.col[right.at] > key {
			left.from, right.from = append(left.from, int32(left.at)), append(right.from, noRow)
			left.at++
			o.low = key
			continue
		}
		n, m := left.upTo(key), right.upTo(key)
		if n == len(left.col) || m == len(right.col) || (n-left.at)*(m-right.at) > room-len(left.from) {
			break
		}
		for ; left.at < n; left.at++ {
			for row := right.at; row < m; row++ {
				left.from, right.from = append(left.from, int32(left.at)), append(right.from, int32(row))
			}
		}
		right.at = m
		o.low = key + 1
	}
	for c, from := range o.outs {
		a := &o.arms[from[0]]
		src, dst := a.b.Col[from[1]], o.out.Col[c]
		for _, row := range a.from {
			if row == noRow {
				dst = append(dst, 0)
			} else {
				dst = append(dst, src[row])
			}
		}
		o.out.Col[c] = dst
	}
	o.out.N += len(left.from)
}

// nextHalf returns the next rows of the left arm whose id the right one has, or has not.
func (o *mergeOp) nextHalf(ctx context.Context) (*rowset.Batch, error) {
	left, right := &o.arms[0], &o.arms[1]
	want := o.node.Kind == plan.Semi
	for !o.done {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, ok, err := left.head(ctx, o.low)
		if err != nil {
			return nil, err
		}
		if !ok {
			o.done = true
			break
		}
		kept := 0
		for left.at < len(left.col) {
			key := left.col[left.at]
			head, some, err := right.head(ctx, key)
			if err != nil {
				return nil, err
			}
			var end int
			switch {
			case some && head == key:
				end = left.upTo(key)
			case some:
				end = left.at + rowset.Gallop(left.col[left.at:], head)
			default:
				end = len(left.col)
			}
			if (some && head == key) == want {
				for row := left.at; row < end; row++ {
					left.b.Move(kept, row)
					kept++
				}
			}
			switch {
			case some && want: // rows before its id are not wanted
				o.low = max(o.low, head)
			case !some && want:
				o.done = true
			default:
				o.low = max(o.low, key)
			}
			left.at = end
		}
		b := left.b
		left.b = nil
		if kept == 0 {
			continue
		}
		o.out.N, o.out.Col = kept, o.out.Col[:0]
		for _, from := range o.outs {
			o.out.Col = append(o.out.Col, b.Col[from[1]][:kept])
		}
		return &o.out, nil
	}
	return nil, nil
}
