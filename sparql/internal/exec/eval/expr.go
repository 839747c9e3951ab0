package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

type id = dataset.ID

// Kernel computes an expression for a row of the prepared batch; None is a
// value error or unbound.
type Kernel func(row int) value.Value

// Truth computes the truth of an expression for a row.
type Truth func(row int) value.Tri

// Compiler compiles expressions over the columns of one node. The values of
// the columns that they read are brought in by prepare, so that kernels read
// nothing.
type Compiler struct {
	run    *run.Run
	schema []plan.Var
	vars   []plan.Var // read, in the order of slots
	cols   []int
	slots  [][]int32
	ids    [][]id // columns of the batch, for vars
	raw    []bool // whether the values are needed, not only the ids
	pairs  []*compared
	// once says that the one column has ascending, distinct ids, each of which
	// comes once: their values are not kept.
	once   bool
	values []value.Value
}

// NewCompiler makes a compiler over the columns of a node.
func NewCompiler(r *run.Run, schema []plan.Var) *Compiler { return &Compiler{run: r, schema: schema} }

// NewOnce makes a compiler over a column of ascending, distinct ids, each of which comes once.
func NewOnce(r *run.Run, v plan.Var) *Compiler {
	return &Compiler{run: r, schema: []plan.Var{v}, once: true}
}

// Load brings in the rows of a compiler that [NewOnce] made, with their values, in the place of
// prepare.
func (c *Compiler) Load(ids []id, values []value.Value) {
	for i := range c.ids {
		c.ids[i] = ids
	}
	c.values = values
}

// column returns the number of a variable among those that are read; -1 if it
// has no column.
func (c *Compiler) column(v plan.Var, values bool) int {
	i := slices.Index(c.vars, v)
	if i < 0 {
		at := slices.Index(c.schema, v)
		if at < 0 {
			return -1
		}
		i = len(c.vars)
		c.vars = append(c.vars, v)
		c.cols = append(c.cols, at)
		c.slots = append(c.slots, nil)
		c.ids = append(c.ids, nil)
		c.raw = append(c.raw, false)
	}
	c.raw[i] = c.raw[i] || values
	return i
}

// Prepare brings in the values that the kernels read from a batch.
func (c *Compiler) Prepare(ctx context.Context, b *rowset.Batch) error {
	var cols [][]id
	var slots [][]int32
	for i, at := range c.cols {
		c.ids[i] = b.Col[at][:b.N]
		if c.raw[i] {
			cols = append(cols, c.ids[i])
			slots = append(slots, c.slots[i])
		}
	}
	for _, p := range c.pairs {
		if err := p.prepare(ctx, c, b.N); err != nil {
			return err
		}
		cols, slots = append(cols, p.ids[0], p.ids[1]), append(slots, p.slots[0], p.slots[1])
	}
	if len(cols) == 0 {
		return nil
	}
	if c.once {
		var err error
		c.values, err = c.run.Terms.Decoded(ctx, cols[0], c.values[:0])
		return err
	}
	if err := c.run.Terms.Values(ctx, cols, slots); err != nil {
		return err
	}
	n := 0
	for i := range c.cols {
		if c.raw[i] {
			c.slots[i] = slots[n]
			n++
		}
	}
	for _, p := range c.pairs {
		p.slots[0], p.slots[1] = slots[n], slots[n+1]
		n += 2
	}
	return nil
}

// Compile returns the kernel of an expression.
func (c *Compiler) Compile(e algebra.Expr) (Kernel, error) {
	switch e := e.(type) {
	case *algebra.VarExpr:
		i := c.column(e.Var, true)
		if i < 0 {
			return none, nil
		}
		if c.once {
			return func(row int) value.Value { return c.values[row] }, nil
		}
		terms := c.run.Terms
		return func(row int) value.Value { return *terms.Value(c.slots[i][row]) }, nil
	case *algebra.Const:
		v := value.FromTerm(e.Term)
		return func(int) value.Value { return v }, nil
	case *algebra.Call:
		return c.call(e)
	case *algebra.FunctionCall:
		return c.function(e)
	}
	return nil, fmt.Errorf("sparql: no kernel for the expression %T", e)
}

func none(int) value.Value { return value.Value{} }

func (c *Compiler) compileAll(es []algebra.Expr) ([]Kernel, error) {
	out := make([]Kernel, len(es))
	var err error
	for i, e := range es {
		if out[i], err = c.Compile(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Truth returns the truth of an expression.
func (c *Compiler) Truth(e algebra.Expr) (Truth, error) {
	if call, ok := e.(*algebra.Call); ok {
		switch call.Func {
		case ast.And, ast.Or:
			return c.logic(call)
		case ast.Not:
			t, err := c.Truth(call.Args[0])
			return func(row int) value.Tri { return t(row).Not() }, err
		case ast.Bound:
			return c.bound(call)
		case ast.SameTerm, ast.Equal, ast.NotEqual:
			if t := c.sameID(call); t != nil {
				return t, nil
			}
			if t := c.compare(call); t != nil {
				return t, nil
			}
		case ast.In, ast.NotIn:
			return c.in(call)
		}
		if t, err := c.relation(call); t != nil || err != nil {
			return t, err
		}
	}
	k, err := c.Compile(e)
	return func(row int) value.Tri { return value.TriOf(k(row)) }, err
}

func (c *Compiler) logic(e *algebra.Call) (Truth, error) {
	list := lists(e)
	args := make([]Truth, len(list))
	var err error
	for i, a := range list {
		if args[i], err = c.Truth(a); err != nil {
			return nil, err
		}
	}
	if e.Func == ast.And {
		return func(row int) value.Tri {
			t := value.TriTrue
			for _, a := range args {
				if t = t.And(a(row)); t == value.TriFalse {
					break
				}
			}
			return t
		}, nil
	}
	return func(row int) value.Tri {
		t := value.TriFalse
		for _, a := range args {
			if t = t.Or(a(row)); t == value.TriTrue {
				break
			}
		}
		return t
	}, nil
}

// bound compiles BOUND, which reads the id alone.
func (c *Compiler) bound(e *algebra.Call) (Truth, error) {
	v, ok := e.Args[0].(*algebra.VarExpr)
	if !ok {
		return func(int) value.Tri { return value.TriTrue }, nil // a variable that was put in
	}
	i := c.column(v.Var, false)
	if i < 0 {
		return func(int) value.Tri { return value.TriFalse }, nil
	}
	return func(row int) value.Tri { return tri(c.ids[i][row] != 0) }, nil
}

func tri(b bool) value.Tri {
	if b {
		return value.TriTrue
	}
	return value.TriFalse
}

// relation compiles the comparisons, without a value for their results; nil
// for other calls.
func (c *Compiler) relation(e *algebra.Call) (Truth, error) {
	var f func(a, b value.Value) (bool, bool)
	swap, not := false, false
	switch e.Func {
	case ast.Equal:
		f = value.Equal
	case ast.NotEqual:
		f, not = value.Equal, true
	case ast.Less:
		f = value.Less
	case ast.Greater:
		f, swap = value.Less, true
	case ast.LessOrEqual:
		f = value.LessEqual
	case ast.GreaterOrEqual:
		f, swap = value.LessEqual, true
	default:
		return nil, nil
	}
	args, err := c.compileAll(e.Args)
	if err != nil {
		return nil, err
	}
	if swap {
		args[0], args[1] = args[1], args[0]
	}
	env := c.run.Values
	return func(row int) value.Tri {
		a, b := args[0](row), args[1](row)
		if a.IsNone() || b.IsNone() || !env.Read(a.Bytes()) {
			return value.TriError
		}
		r, ok := f(a, b)
		if !ok {
			return value.TriError
		}
		return tri(r != not)
	}, nil
}

// sameID compiles a comparison with an IRI as one of ids: no two IRIs are equal
// in value and not the same. nil where that does not hold.
func (c *Compiler) sameID(e *algebra.Call) Truth {
	x, y := e.Args[0], e.Args[1]
	if _, ok := x.(*algebra.Const); ok {
		x, y = y, x
	}
	v, isVar := x.(*algebra.VarExpr)
	k, isConst := y.(*algebra.Const)
	if !isVar || !isConst || e.Func != ast.SameTerm && !strings.HasPrefix(k.Term.Surface(), "<") || strings.HasPrefix(k.Term.Surface(), "<<") {
		return nil
	}
	want, ok := c.run.Constants[k.Term.Surface()]
	if !ok {
		return nil
	}
	i := c.column(v.Var, false)
	if i < 0 {
		return func(int) value.Tri { return value.TriError }
	}
	return func(row int) value.Tri {
		id := c.ids[i][row]
		if id == 0 {
			return value.TriError
		}
		return tri((id == want) != (e.Func == ast.NotEqual))
	}
}

// exprConstants returns the surfaces of the constants of expressions.
func exprConstants(es []algebra.Expr, out []string) []string {
	for _, e := range es {
		switch e := e.(type) {
		case *algebra.Const:
			out = append(out, e.Term.Surface())
		case *algebra.Call:
			out = exprConstants(e.Args, out)
		case *algebra.FunctionCall:
			out = exprConstants(e.Args, out)
		}
	}
	return out
}

// Know makes the ids of the constants of expressions known to the compiler.
func Know(ctx context.Context, r *run.Run, es []algebra.Expr) error {
	if r.Constants == nil {
		r.Constants = make(map[string]id)
	}
	surfaces := exprConstants(es, nil)
	ids := make([]id, len(surfaces))
	if err := r.Terms.Intern(ctx, surfaces, ids); err != nil {
		return err
	}
	for i, s := range surfaces {
		r.Constants[s] = ids[i]
	}
	return nil
}
