package join

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// A merge of a kind other than Inner has two arms, of which the left one leads. Of OPTIONAL, its rows
// whose id the right arm does not have are handed on by themselves; of EXISTS and MINUS, rows of
// the left arm are all there is, and the right one is asked for its ids alone.

// outer reports whether rows of the left arm count whose id the right one may not have.
func (o *mergeOp) outer() bool { return o.node.Kind != plan.Inner }

// half reports whether rows of the left arm alone are handed on.
func (o *mergeOp) half() bool { return o.node.Kind == plan.Semi || o.node.Kind == plan.Anti }

// noRow stands in [mergeArm.from] for a row of the right arm that there is not.
const noRow = -1

// inside makes the rows of ids as far as all of their rows are in the batches at hand.
func (o *mergeOp) inside() {
	for i := range o.arms {
		o.arms[i].from = o.arms[i].from[:0]
	}
	made, room := 0, dataset.MaxBatch-o.out.N
	for made < room {
		key, met, ok := o.meet()
		if !ok {
			break
		}
		rows := 0
		switch {
		case !met:
			rows = o.alone(o.before(), o.node.Kind != plan.Semi, room-made)
		case o.half():
			rows = o.alone(o.arms[0].upTo(key), o.node.Kind == plan.Semi, room-made)
		default:
			if rows = o.rows(key); rows == 0 || rows > room-made {
				o.write(made)
				return
			}
			o.product(rows)
			o.low = key + 1
		}
		made += rows
	}
	o.write(made)
}

// meet moves the arms within their batches to the next id that all of them have. Where the left arm
// leads, it is the next one of that, and met says whether the right arm has it. It returns
// false if a batch ends before.
func (o *mergeOp) meet() (key id, met, ok bool) {
	key = o.low
	for i, agreed := 0, 0; agreed < len(o.arms); {
		a := &o.arms[i]
		if a.at < len(a.col) && a.col[a.at] < key {
			a.forward(key)
		}
		apart := i == 1 && o.outer()
		if a.at == len(a.col) {
			return key, false, apart && a.over()
		}
		if agreed++; a.col[a.at] > key {
			if apart {
				return key, false, true
			}
			key, agreed = a.col[a.at], 1
		}
		if i++; i == len(o.arms) {
			i = 0
		}
	}
	return key, true, true
}

// before returns the row of the left batch at the id of the right arm, or after it.
func (o *mergeOp) before() int {
	left, right := &o.arms[0], &o.arms[1]
	if right.at == len(right.col) {
		return len(left.col)
	}
	return left.at + rowset.Gallop(left.col[left.at:], right.col[right.at])
}

// alone passes the rows of the left arm up to one, and hands them on by themselves if they are wanted,
// as many as there is room for. It returns how many were.
func (o *mergeOp) alone(to int, wanted bool, room int) int {
	left, right := &o.arms[0], &o.arms[1]
	if !wanted {
		left.at = to
		if right.at < len(right.col) {
			o.low = max(o.low, right.col[right.at])
		}
		return 0
	}
	to = min(to, left.at+room)
	rows := to - left.at
	for ; left.at < to; left.at++ {
		left.from = append(left.from, int32(left.at))
	}
	if !o.half() {
		for range rows {
			right.from = append(right.from, noRow)
		}
	}
	o.low = left.col[to-1]
	return rows
}

// rows returns how many rows an id makes at which all arms stand; 0 if it may have more than those
// in the batches.
func (o *mergeOp) rows(key id) int {
	rows := 1
	for i := range o.arms {
		a := &o.arms[i]
		if a.n = a.upTo(key); a.n == len(a.col) && a.goesOn() {
			return 0
		}
		if rows *= a.n - a.at; rows > dataset.MaxBatch {
			return rows
		}
	}
	return rows
}

// product makes all rows of an id. The rows of the last arm stand beside each of those of the arm
// before, and so on.
func (o *mergeOp) product(rows int) {
	repeat := rows
	for i := range o.arms {
		a := &o.arms[i]
		if len(o.outs) == 0 { // they are counted
			a.at = a.n
			continue
		}
		if rows == 1 {
			a.from = append(a.from, int32(a.at))
		} else {
			repeat /= a.n - a.at
			for k := 0; k < rows; {
				for row := a.at; row < a.n; row++ {
					for range repeat {
						a.from = append(a.from, int32(row))
						k++
					}
				}
			}
		}
		a.at = a.n
	}
}

// write adds the rows that were made to the output.
func (o *mergeOp) write(made int) {
	if made == 0 {
		return
	}
	for c, from := range o.outs {
		a := &o.arms[from[0]]
		dst := o.out.Col[c]
		var src []id
		if a.b != nil {
			src = a.b.Col[from[1]]
		}
		if o.outer() && from[0] == 1 {
			for _, row := range a.from {
				if row == noRow {
					dst = append(dst, 0)
				} else {
					dst = append(dst, src[row])
				}
			}
		} else {
			for _, row := range a.from {
				dst = append(dst, src[row])
			}
		}
		o.out.Col[c] = dst
	}
	o.out.N += made
}
