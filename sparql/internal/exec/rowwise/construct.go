package rowwise

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// constructOp makes triples of rows. Blank nodes of the template are new ones in each
// row.
type constructOp struct {
	run     *run.Run
	node    *plan.Construct
	input   rowset.Op
	triples [][3]constructTerm
	made    []*madeTerms
	blanks  map[plan.Var]int // where they are among those that are made
	rows    *rowset.Batch    // of the input, of which row is the next, and in it
	row, at int              // the triple with this number
	out     rowset.Batch
	room    rowset.Batches // of out, and of what is made
}

// constructTerm is where the term of a position comes from: a column, terms that are made
// for each row, or a constant.
type constructTerm struct {
	col, made int // -1 without
	term      id  // 0 of a variable that is never bound
}

// madeTerms are the terms that the rows at hand have in a place of a blank node or of a
// triple term.
type madeTerms struct {
	triple *[3]constructTerm // nil of a blank node
	ids    []id
}

// NewConstruct makes the operator that makes triples of rows.
func NewConstruct(r *run.Run, n *plan.Construct) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return &constructOp{run: r, node: n, input: input, blanks: make(map[plan.Var]int), out: rowset.Batch{Col: make([][]id, 3)}, room: r.Batches("a batch of triples")}, nil
}

func (o *constructOp) compile(ctx context.Context) error {
	o.triples = make([][3]constructTerm, 0, len(o.node.Triples))
	for _, t := range o.node.Triples {
		x, err := o.three(ctx, t.S, t.P, t.O)
		if err != nil {
			return err
		}
		o.triples = append(o.triples, x)
	}
	return nil
}

func (o *constructOp) three(ctx context.Context, args ...algebra.Arg) (out [3]constructTerm, err error) {
	for i, a := range args {
		if out[i], err = o.term(ctx, a); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (o *constructOp) term(ctx context.Context, a algebra.Arg) (constructTerm, error) {
	t := constructTerm{col: -1, made: -1}
	switch {
	case a.Triple != nil:
		parts, err := o.three(ctx, a.Triple[:]...) // what it is made of comes before it
		t.made, o.made = len(o.made), append(o.made, &madeTerms{triple: &parts})
		return t, err
	case !a.IsVar():
		var err error
		t.term, err = o.run.Terms.InternOne(ctx, a.Term.Surface())
		return t, err
	}
	v := a.Variable()
	if o.run.Vars[v].Kind != algebra.Blank {
		t.col = rowset.Place([]plan.Var{v}, o.node.Input.Base().Vars)[0]
		return t, nil
	}
	at, ok := o.blanks[v]
	if !ok {
		at = len(o.made)
		o.blanks[v], o.made = at, append(o.made, &madeTerms{})
	}
	t.made = at
	return t, nil
}

func (o *constructOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if o.triples == nil {
		if err := o.compile(ctx); err != nil {
			return nil, err
		}
	}
	for c := range o.out.Col {
		o.out.Col[c] = o.out.Col[c][:0]
	}
	for o.out.N = 0; o.out.N == 0; {
		if o.rows == nil {
			b, err := o.input.Next(ctx)
			if err != nil || b == nil {
				return nil, err
			}
			o.rows, o.row, o.at = b, 0, 0
			if err := o.room.Fit(ctx, b.N, rowset.IDBytes*(len(o.out.Col)+len(o.made))); err != nil {
				return nil, err
			}
			for _, m := range o.made { // there may be as many as the text has
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if err := o.make(ctx, m); err != nil {
					return nil, err
				}
			}
		}
		if err := o.fill(ctx); err != nil {
			return nil, err
		}
	}
	return &o.out, nil
}

// fill makes triples until the output is full or the rows at hand are used up. A template
// may be long: every few rows it checks the context.
func (o *constructOp) fill(ctx context.Context) error {
	for ; o.row < o.rows.N; o.row++ {
		if o.row%16 == 0 && o.at == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for ; o.at < len(o.triples); o.at++ {
			if o.out.N == dataset.MaxBatch {
				return nil
			}
			line, ok := o.line(&o.triples[o.at], o.row)
			if !ok {
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

// line returns the terms of a triple in a row; false if one is unbound.
func (o *constructOp) line(t *[3]constructTerm, row int) (line [3]id, ok bool) {
	for i, x := range t {
		switch {
		case x.col >= 0:
			line[i] = o.rows.Col[x.col][row]
		case x.made >= 0:
			line[i] = o.made[x.made].ids[row]
		default:
			line[i] = x.term
		}
	}
	return line, line[0] != 0 && line[1] != 0 && line[2] != 0
}

// make makes terms for the rows at hand: 0 of what is unbound, or cannot be.
func (o *constructOp) make(ctx context.Context, m *madeTerms) error {
	surfaces := make([]string, o.rows.N)
	if m.triple == nil {
		for row := range surfaces {
			surfaces[row] = rdf.Blank(o.run.FreshBlank()).Surface()
		}
	} else if err := o.triplesOf(ctx, m.triple, surfaces); err != nil {
		return err
	}
	m.ids = rowset.Sized(m.ids, o.rows.N)
	return o.run.Terms.Intern(ctx, surfaces, m.ids)
}

// triplesOf sets the surfaces of triple terms.
func (o *constructOp) triplesOf(ctx context.Context, t *[3]constructTerm, out []string) error {
	ids := make([]id, 0, 3*len(out))
	for row := range out {
		if line, ok := o.line(t, row); ok {
			ids = append(ids, line[:]...)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var texts dataset.Terms
	if err := o.run.Terms.Surfaces(ctx, ids, &texts); err != nil {
		return err
	}
	for row := range out {
		line, ok := o.line(t, row)
		if !ok {
			continue
		}
		var terms [3]rdf.Term
		for i, v := range line {
			at, _ := slices.BinarySearch(ids, v)
			terms[i] = rdf.FromSurface(string(texts.At(at)))
		}
		if s, p := terms[0].Kind(), terms[1].Kind(); (s == rdf.KindIRI || s == rdf.KindBlank) && p == rdf.KindIRI {
			out[row] = rdf.TripleTerm(terms[0], terms[1], terms[2]).Surface()
		}
	}
	return nil
}

func (o *constructOp) Close() {
	o.input.Close()
	o.room.Free()
}
