package plan

import (
	"slices"

	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
	"github.com/rete-go/rete/sparql/dataset"
)

// Extreme says that of the rows of a scan only those are wanted whose column O comes
// first in the order of ORDER BY. The scan may leave out a row if Limit other rows
// are before it, in each direction that is asked for; rows that are equal by value
// are in or out together.
type Extreme struct {
	Limit    int64
	Up, Down bool // from the least, from the greatest
}

// maxExtreme is up to which part of the rows of a scan the value index is asked for
// the first ones.
const maxExtreme = 1.0 / 8

// extreme marks a scan whose rows n are, of which the first by a variable are wanted.
func (p *Planner) extreme(n Node, v Var, want Extreme) {
	if _, ok := p.ds.(dataset.ValueIndex); !ok {
		return
	}
	s, ok := n.(*Scan)
	if !ok || !slices.Contains(s.Vars, v) || s.Cols[dataset.O] != v || s.Cols[dataset.S] == v || s.Cols[dataset.P] == v || s.Cols[dataset.G] == v ||
		s.Within != [4]*Ref{} || s.reads > 0 || s.Rows < minValueRows || float64(want.Limit) > s.Rows*maxExtreme {
		return
	}
	s.reads = uint64(valueReads * s.Rows)
	s.Extreme = &want
}

// extremesOf returns the variable of a grouping without keys that has MIN and MAX of
// it alone.
func extremesOf(op *algebra.Group, aggs []algebra.Aggregation) (v Var, want Extreme, ok bool) {
	if len(op.Keys) > 0 || len(aggs) == 0 {
		return NoVar, want, false
	}
	v, want.Limit = NoVar, 1
	for _, a := range aggs {
		x, isVar := a.Arg.(*algebra.VarExpr)
		if !isVar || v != NoVar && x.Var != v {
			return NoVar, want, false
		}
		switch v = x.Var; a.Kind {
		case ast.Min:
			want.Up = true
		case ast.Max:
			want.Down = true
		default:
			return NoVar, want, false
		}
	}
	return v, want, true
}
