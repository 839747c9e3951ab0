package exec

import (
	"context"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/dataset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// templateOp makes triples of rows. Blank nodes of the template are new ones in each
// row.
type templateOp struct {
	run     *Run
	node    *plan.Template
	input   Op
	triples [][3]templateTerm
	rows    *Batch // of the input, of which row is the next, and in it
	row, at int    // the triple with this number
	blanks  map[Var]id
	out     Batch
}

// templateTerm is where the term of a position comes from: a column, a constant, a blank
// node, or terms of which it is made.
type templateTerm struct {
	col   int // -1 without
	term  id
	blank Var // NoVar without
	parts *[3]templateTerm
}

func newTemplate(r *Run, n *plan.Template) (Op, error) {
	input, err := r.open(n.Input)
	if err != nil {
		return nil, err
	}
	return &templateOp{run: r, node: n, input: input, blanks: make(map[Var]id), out: Batch{Col: make([][]id, 3)}}, nil
}

func (o *templateOp) compile(ctx context.Context) error {
	for _, t := range o.node.Triples {
		x, err := o.three(ctx, t.S, t.P, t.O)
		if err != nil {
			return err
		}
		o.triples = append(o.triples, x)
	}
	return nil
}

func (o *templateOp) three(ctx context.Context, args ...algebra.Arg) (out [3]templateTerm, err error) {
	for i, a := range args {
		if out[i], err = o.term(ctx, a); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (o *templateOp) term(ctx context.Context, a algebra.Arg) (templateTerm, error) {
	t := templateTerm{col: -1, blank: plan.NoVar}
	switch {
	case a.Triple != nil:
		parts, err := o.three(ctx, a.Triple[:]...)
		t.parts = &parts
		return t, err
	case !a.IsVar():
		var err error
		t.term, err = o.run.Terms.InternOne(ctx, a.Term.Surface())
		return t, err
	}
	if v := a.Variable(); o.run.Vars[v].Kind == algebra.Blank {
		t.blank = v
	} else {
		t.col = place([]Var{v}, o.node.Input.Base().Vars)[0]
	}
	return t, nil
}

func (o *templateOp) Next(ctx context.Context) (*Batch, error) {
	if o.triples == nil {
		if err := o.compile(ctx); err != nil {
			return nil, err
		}
	}
	for c := range o.out.Col {
		o.out.Col[c] = o.out.Col[c][:0]
	}
	for o.out.N = 0; o.out.N < dataset.MaxBatch; {
		if o.rows == nil {
			if o.out.N > 0 {
				break // rows are handed on as they come
			}
			var err error
			if o.rows, err = o.input.Next(ctx); err != nil {
				return nil, err
			}
			if o.rows == nil {
				break
			}
			o.row, o.at = 0, 0
		}
		if err := o.fill(ctx); err != nil {
			return nil, err
		}
	}
	if o.out.N == 0 {
		return nil, nil
	}
	return &o.out, nil
}

// fill makes triples until the output is full or the rows at hand are used up.
func (o *templateOp) fill(ctx context.Context) error {
	for ; o.row < o.rows.N; o.row++ {
		if o.at == 0 {
			clear(o.blanks)
		}
		for ; o.at < len(o.triples); o.at++ {
			if o.out.N == dataset.MaxBatch {
				return nil
			}
			var line [3]id
			if ok, err := o.line(ctx, &o.triples[o.at], &line); err != nil {
				return err
			} else if !ok {
				continue
			}
			for c, v := range line {
				o.out.Col[c] = append(o.out.Col[c], v)
			}
			o.out.N++
		}
		o.at = 0
	}
	o.rows = nil
	return nil
}

// line sets the terms of a triple in the row; false if one is unbound.
func (o *templateOp) line(ctx context.Context, t *[3]templateTerm, out *[3]id) (bool, error) {
	for i := range t {
		var err error
		if out[i], err = o.value(ctx, &t[i]); err != nil || out[i] == 0 {
			return false, err
		}
	}
	return true, nil
}

// value returns the term of a position in the row; 0 if it is unbound, or a triple that
// cannot be.
func (o *templateOp) value(ctx context.Context, t *templateTerm) (id, error) {
	switch {
	case t.col >= 0:
		return o.rows.Col[t.col][o.row], nil
	case t.blank != plan.NoVar:
		have, ok := o.blanks[t.blank]
		if !ok {
			var err error
			if have, err = o.run.Terms.InternOne(ctx, rdf.Blank(o.run.FreshBlank()).Surface()); err != nil {
				return 0, err
			}
			o.blanks[t.blank] = have
		}
		return have, nil
	case t.parts == nil:
		return t.term, nil // 0 of a variable that is never bound
	}
	var parts [3]id
	if ok, err := o.line(ctx, t.parts, &parts); !ok || err != nil {
		return 0, err
	}
	var terms [3]rdf.Term
	for i, p := range parts {
		surface, err := o.run.Terms.SurfaceOf(ctx, p)
		if err != nil {
			return 0, err
		}
		terms[i] = rdf.FromSurface(surface)
	}
	if s, p := terms[0].Kind(), terms[1].Kind(); s != rdf.KindIRI && s != rdf.KindBlank || p != rdf.KindIRI {
		return 0, nil
	}
	return o.run.Terms.InternOne(ctx, rdf.TripleTerm(terms[0], terms[1], terms[2]).Surface())
}

func (o *templateOp) Close() { o.input.Close() }
