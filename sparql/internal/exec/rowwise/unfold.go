package rowwise

import (
	"context"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// unfoldOp takes triple terms apart.
type unfoldOp struct {
	run   *run.Run
	node  *plan.Unfold
	input rowset.Op
	at    int    // the column of the triple terms
	args  [3]int // columns of the input that the parts must equal; -1 without
	same  [3]int // an earlier part with the same variable; -1 without
	outs  []int  // for each added column, its part
	parts [3][]id
	text  [3][]string
	out   rowset.Batch
}

// NewUnfold makes the operator that takes triple terms apart.
func NewUnfold(r *run.Run, n *plan.Unfold) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	o := &unfoldOp{run: r, node: n, input: input}
	vars := n.Input.Base().Vars
	o.at = rowset.Place([]plan.Var{n.Var}, vars)[0]
	for i, a := range n.Args {
		o.args[i], o.same[i] = -1, -1
		if a.Var == plan.NoVar {
			continue
		}
		o.args[i] = rowset.Place([]plan.Var{a.Var}, vars)[0]
		for k := range i {
			if n.Args[k].Var == a.Var {
				o.same[i] = k
			}
		}
	}
	for _, v := range n.Vars[len(vars):] {
		for i, a := range n.Args {
			if a.Var == v {
				o.outs = append(o.outs, i)
				break
			}
		}
	}
	return o, nil
}

func (o *unfoldOp) Next(ctx context.Context) (*rowset.Batch, error) {
	for {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		if err := o.split(ctx, b); err != nil {
			return nil, err
		}
		kept := 0
		for row := range b.N {
			if !o.fits(b, row) {
				continue
			}
			for _, col := range b.Col {
				col[kept] = col[row]
			}
			for i := range o.parts {
				o.parts[i][kept] = o.parts[i][row]
			}
			kept++
		}
		if kept == 0 {
			continue
		}
		o.out.N, o.out.Col = kept, append(o.out.Col[:0], b.Col...)
		for _, part := range o.outs {
			o.out.Col = append(o.out.Col, o.parts[part][:kept])
		}
		return &o.out, nil
	}
}

// split finds the parts of the triple terms of a batch; a term that is none has
// parts of 0.
func (o *unfoldOp) split(ctx context.Context, b *rowset.Batch) error {
	for i := range o.parts {
		o.text[i] = make([]string, b.N)
		o.parts[i] = make([]id, b.N)
	}
	for row, t := range b.Col[o.at][:b.N] {
		surface, err := o.run.Terms.SurfaceOf(ctx, t)
		if err != nil {
			return err
		}
		if len(surface) < 2 || surface[:2] != "<<" {
			continue
		}
		if s, p, ob, ok := rdf.FromSurface(surface).Triple(); ok {
			o.text[0][row], o.text[1][row], o.text[2][row] = s.Surface(), p.Surface(), ob.Surface()
		}
	}
	for i := range o.parts {
		if err := o.run.Terms.Intern(ctx, o.text[i], o.parts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (o *unfoldOp) fits(b *rowset.Batch, row int) bool {
	for i, a := range o.node.Args {
		v := o.parts[i][row]
		switch {
		case v == 0,
			a.Var == plan.NoVar && v != a.ID,
			o.args[i] >= 0 && v != b.Col[o.args[i]][row],
			o.same[i] >= 0 && v != o.parts[o.same[i]][row]:
			return false
		}
	}
	return true
}

// Input implements [run.Piped].
func (o *unfoldOp) Input() rowset.Op { return o.input }

func (o *unfoldOp) Close() { o.input.Close() }
