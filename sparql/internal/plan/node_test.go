package plan_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// kinds has a node of each kind that reads others.
func kinds() []plan.Node {
	leaf := func() *plan.Scan { return &plan.Scan{Cols: [4]plan.Var{0, 1, 2, plan.NoVar}} }
	hang := func(below ...*plan.Branches) *plan.Branches {
		return &plan.Branches{List: []*plan.Branch{{Scan: leaf(), Below: below}, {Scan: leaf()}}}
	}
	two := func() []plan.Node { return []plan.Node{leaf(), leaf()} }
	return []plan.Node{
		&plan.Filter{Input: leaf()}, &plan.Extend{Input: leaf()}, &plan.ValueKey{Input: leaf()}, &plan.Unfold{Input: leaf()},
		&plan.Project{Input: leaf()}, &plan.Distinct{Input: leaf()}, &plan.Order{Input: leaf()}, &plan.Slice{Input: leaf()},
		&plan.Group{Input: leaf()}, &plan.Construct{Input: leaf()}, &plan.Substitute{Input: leaf()}, &plan.Lateral{Input: leaf()},
		&plan.Exchange{Input: leaf()}, &plan.TopByValue{Input: leaf()},
		&plan.Join{Left: leaf(), Right: leaf()}, &plan.Join{Left: leaf(), Right: leaf(), Cond: leaf()},
		&plan.Merge{Args: two()}, &plan.Union{Args: two()}, &plan.GraphLoop{Graphs: leaf(), Body: leaf()},
		&plan.Multiway{Edges: []plan.Edge{{Scan: leaf()}, {Scan: leaf()}}},
		&plan.Count{Root: hang(hang(), hang(hang()))},
	}
}

// TestWithInputs: a copy has the inputs that it is given, and the node keeps its own.
func TestWithInputs(t *testing.T) {
	for _, n := range kinds() {
		before := slices.Clone(n.Inputs())
		var other []plan.Node
		for range before {
			other = append(other, &plan.Scan{Pattern: dataset.Pattern{S: 7}})
		}
		c := n.WithInputs(other)
		if reflect.TypeOf(c) != reflect.TypeOf(n) || !slices.Equal(c.Inputs(), other) || !slices.Equal(n.Inputs(), before) {
			t.Errorf("%T: the copy reads %v, not %v", n, c.Inputs(), other)
		}
		if again := plan.Rewrite(n, func(_ int, in plan.Node) plan.Node { return in }); again != n {
			t.Errorf("%T: a copy without a change", n)
		}
		for at := range before {
			c := plan.Rewrite(n, func(i int, in plan.Node) plan.Node {
				if i == at {
					return other[i]
				}
				return in
			})
			for i, in := range c.Inputs() {
				if want := before[i]; i != at && in != want || i == at && in != other[i] {
					t.Errorf("%T: another input %d", n, i)
				}
			}
		}
	}
}

// TestRebind: constants are exchanged wherever they stand, what has none is shared, and the
// leaf of a pipeline stays that of its input.
func TestRebind(t *testing.T) {
	scan := func(id plan.ID) *plan.Scan { return &plan.Scan{Pattern: dataset.Pattern{S: id, P: 5, O: id}} }
	for _, n := range kinds() {
		var in []plan.Node
		for i := range n.Inputs() {
			in = append(in, scan(plan.ID(1+i%2)))
		}
		n = n.WithInputs(in)
		to := plan.Rebind(n, []plan.ID{1, 5}, []plan.ID{9, 10})
		switch n.(type) {
		case *plan.Unfold, *plan.Substitute, *plan.Lateral:
			if to != nil {
				t.Errorf("%T holds ids elsewhere", n)
			}
			continue
		}
		for i, in := range to.Inputs() {
			p := in.(*plan.Scan).Pattern
			if want := []plan.ID{9, 2}[i%2]; p.S != want || p.P != 5 || p.O != want || i%2 == 1 && in != n.Inputs()[i] {
				t.Errorf("%T: input %d is %v", n, i, p)
			}
		}
		switch to := to.(type) {
		case *plan.Exchange:
			if to.Leaf != to.Input {
				t.Error("another leaf")
			}
		case *plan.TopByValue:
			if to.Leaf != to.Input {
				t.Error("another leaf")
			}
		}
	}
}
