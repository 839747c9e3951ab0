package eval

import (
	"fmt"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/value"
)

// call compiles an operator or a built-in function.
func (c *Compiler) call(e *algebra.Call) (Kernel, error) {
	switch e.Func {
	case ast.And, ast.Or, ast.Not, ast.Bound, ast.In, ast.NotIn,
		ast.Equal, ast.NotEqual, ast.Less, ast.Greater, ast.LessOrEqual, ast.GreaterOrEqual:
		t, err := c.Truth(e)
		return func(row int) value.Value {
			v, ok := t(row).Value()
			if !ok {
				return value.Value{}
			}
			return v
		}, err
	case ast.If:
		return c.ifThenElse(e)
	case ast.Coalesce:
		return c.coalesce(e)
	}
	f, ok := value.Lookup(e.Func.Key())
	if !ok {
		return nil, fmt.Errorf("sparql: the function %s is not there yet", e.Func)
	}
	return c.apply(f.Call, e.Args)
}

// function compiles a function named by an IRI.
func (c *Compiler) function(e *algebra.FunctionCall) (Kernel, error) {
	name := e.IRI.Value()
	if f, ok := c.run.Functions[name]; ok {
		return c.apply(f, e.Args)
	}
	f, ok := value.Named(name, len(e.Args))
	if !ok {
		// A function that nobody has is an error of the expression, not of the
		// query (17.3.1).
		return none, nil
	}
	return c.apply(f.Call, e.Args)
}

// apply compiles the call of a function whose arguments must have values.
func (c *Compiler) apply(f value.Func, list []algebra.Expr) (Kernel, error) {
	args, err := c.compileAll(list)
	if err != nil {
		return nil, err
	}
	values := make([]value.Value, len(args))
	env := c.run.Values
	return func(row int) value.Value {
		for i, a := range args {
			values[i] = a(row)
			if values[i].IsNone() {
				return value.Value{}
			}
		}
		if !env.ReadArgs(values) {
			return value.Value{}
		}
		v, ok := f(env, values)
		if !ok {
			return value.Value{}
		}
		return v
	}, nil
}

func (c *Compiler) ifThenElse(e *algebra.Call) (Kernel, error) {
	cond, err := c.Truth(e.Args[0])
	if err != nil {
		return nil, err
	}
	args, err := c.compileAll(e.Args[1:])
	return func(row int) value.Value {
		switch cond(row) {
		case value.TriTrue:
			return args[0](row)
		case value.TriFalse:
			return args[1](row)
		}
		return value.Value{}
	}, err
}

func (c *Compiler) coalesce(e *algebra.Call) (Kernel, error) {
	args, err := c.compileAll(e.Args)
	return func(row int) value.Value {
		for _, a := range args {
			if v := a(row); !v.IsNone() {
				return v
			}
		}
		return value.Value{}
	}, err
}
