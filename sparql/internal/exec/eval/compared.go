package eval

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/value"
)

// compared is "=" or "!=" of two columns. A term that is neither a literal nor a triple
// term is equal to itself and to nothing else (SPARQL 1.1, 17.4.1.7), so where one of
// two ids is such a term's, the ids tell all.
type compared struct {
	of    [2]int // places in compiler.ids
	ids   [2][]id
	slots [2][]int32 // 0 where the ids tell all
}

// prepare finds the ids whose values are read.
func (p *compared) prepare(ctx context.Context, c *Compiler, n int) error {
	k := &c.run.Compared
	if err := k.Learn(ctx, c.run, n); err != nil {
		return err
	}
	x, y := c.ids[p.of[0]], c.ids[p.of[1]]
	p.ids[0], p.ids[1] = append(p.ids[0][:0], x...), append(p.ids[1][:0], y...)
	if !k.Known {
		return nil
	}
	for row := range n {
		if k.Plain(x[row]) || k.Plain(y[row]) {
			p.ids[0][row], p.ids[1][row] = 0, 0
		}
	}
	return nil
}

// compare compiles a comparison of two columns; nil if it is none, or one of a column
// with itself, which memos make. Of sameTerm the ids tell all.
func (c *Compiler) compare(e *algebra.Call) Truth {
	x, isVar := e.Args[0].(*algebra.VarExpr)
	y, areVars := e.Args[1].(*algebra.VarExpr)
	if !isVar || !areVars || x.Var == y.Var {
		return nil
	}
	p := &compared{of: [2]int{c.column(x.Var, false), c.column(y.Var, false)}}
	if p.of[0] < 0 || p.of[1] < 0 {
		return func(int) value.Tri { return value.TriError }
	}
	same := func(row int) value.Tri {
		a, b := c.ids[p.of[0]][row], c.ids[p.of[1]][row]
		if a == 0 || b == 0 {
			return value.TriError
		}
		return tri((a == b) != (e.Func == ast.NotEqual))
	}
	if e.Func == ast.SameTerm {
		return same
	}
	c.pairs = append(c.pairs, p)
	terms := c.run.Terms
	return func(row int) value.Tri {
		a, b := p.slots[0][row], p.slots[1][row]
		if a == 0 || b == 0 {
			return same(row)
		}
		r, ok := value.Equal(*terms.Value(a), *terms.Value(b))
		if !ok {
			return value.TriError
		}
		return tri(r != (e.Func == ast.NotEqual))
	}
}
