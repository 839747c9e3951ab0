package join

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/plan"
)

// Where all arms deliver graph after graph, there is a merge for each graph: it ends where one arm has
// no more rows of the graph, and the next one begins at the next graph that all arms have; where rows
// of the left arm count without others, at the next one of that.

// inGraph returns the row of the batch after those, from the one at hand on, that are of the arm's graph.
func (a *mergeArm) inGraph() int {
	if a.graphCol < 0 {
		return a.b.N
	}
	col, to := a.b.Col[a.graphCol][:a.b.N], a.at
	for to < len(col) && col[to] == a.graph {
		to++
	}
	return to
}

// leave moves to the first row of the next graph that the arm has; false at its end.
func (a *mergeArm) leave(ctx context.Context) (bool, error) {
	for !a.end {
		if a.b != nil {
			if a.at = len(a.col); !a.goesOn() {
				a.graph, a.place = a.b.Col[a.graphCol][a.at], 0
				a.col = a.b.Col[a.key][:a.inGraph()]
				return true, nil
			}
		}
		var err error
		if a.b, err = a.op.Next(ctx); err != nil {
			return false, err
		}
		a.begin()
	}
	return false, nil
}

// open makes the rows of the graph at hand those of the arm, and shut leaves them for later.
func (a *mergeArm) open() { a.col = a.b.Col[a.key][:a.inGraph()] }
func (a *mergeArm) shut() { a.col = a.b.Col[a.key][:a.at] }

// nextGraph moves all arms to the next graph that all of them have, or the left arm has where it leads;
// false at the end of one.
func (o *mergeOp) nextGraph(ctx context.Context) (bool, error) {
	if o.node.Kind == plan.Left || o.node.Kind == plan.Anti {
		return o.nextOfLeft(ctx)
	}
	for i := range o.arms {
		if o.arms[i].end {
			return false, nil
		}
	}
	for i := range o.arms {
		if more, err := o.arms[i].leave(ctx); !more || err != nil {
			return false, err
		}
	}
	o.low = 0
	to := &o.arms[0] // the one that is farthest
	for i, agreed := 0, 0; agreed < len(o.arms); i = (i + 1) % len(o.arms) {
		a := &o.arms[i]
		for a.graph != to.graph {
			if err := o.placed(ctx, a, to); err != nil {
				return false, err
			}
			if a.place > to.place {
				to, agreed = a, 0
				break
			}
			if more, err := a.leave(ctx); !more || err != nil {
				return false, err
			}
		}
		agreed++
	}
	return true, nil
}

// nextOfLeft moves the left arm to its next graph, and the right one there if it has rows of it; else
// that has none until the left arm comes to its graph.
func (o *mergeOp) nextOfLeft(ctx context.Context) (bool, error) {
	left, right := &o.arms[0], &o.arms[1]
	if more, err := left.leave(ctx); !more || err != nil {
		return false, err
	}
	o.low = 0
	for !right.end && right.graph != left.graph {
		if right.graph != 0 {
			if err := o.placed(ctx, left, right); err != nil {
				return false, err
			}
			if right.place > left.place {
				right.shut()
				return true, nil
			}
			right.open() // what is left of it is passed over
		}
		if _, err := right.leave(ctx); err != nil {
			return false, err
		}
	}
	if !right.end {
		right.open()
	}
	return true, nil
}

// placed finds the places of the arms' graphs.
func (o *mergeOp) placed(ctx context.Context, arms ...*mergeArm) error {
	for _, a := range arms {
		if a.place > 0 {
			continue
		}
		var err error
		if a.place, err = o.places.GraphPlace(ctx, a.graph); err != nil {
			return err
		}
	}
	return nil
}
