package sparql

import (
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
	"github.com/rete-go/rete/sparql/internal/value"
	"github.com/rete-go/rete/sparql/internal/work"
)

// patternSteps is what the compilation of a regular expression counts: it may take some
// milliseconds.
const patternSteps = 4096

// checkPatterns refuses calls of REGEX and REPLACE that have no value for any text, because of
// arguments that are constants: in a FILTER they would drop all rows.
func checkPatterns(m *work.Meter, text string, calls []*algebra.Call) error {
	for _, c := range calls {
		if !m.Step(patternSteps) {
			return m.Err()
		}
		if reason := callFault(c, constantOf); reason != "" {
			return parse.ErrorAt(text, int(faulty(c, reason).Range().Start), c.Func.String()+": "+reason)
		}
	}
	return nil
}

// constantOf returns the value of a constant; the zero Value of another expression.
func constantOf(e algebra.Expr) value.Value {
	if c, ok := e.(*algebra.Const); ok && !c.Term.IsZero() {
		return value.FromTerm(c.Term)
	}
	return value.Value{}
}

// faulty returns the argument of a call that a reason of its constants is about.
func faulty(c *algebra.Call, reason string) algebra.Expr {
	flags := value.OfString("")
	if _, most := c.Func.Arity(); len(c.Args) == most {
		flags = constantOf(c.Args[most-1])
		if reason == value.CheckRegex(value.Value{}, flags) {
			return c.Args[most-1]
		}
	}
	if c.Func == ast.Replace && value.CheckReplace(constantOf(c.Args[1]), value.OfString(""), flags) == "" {
		return c.Args[2]
	}
	return c.Args[1]
}

// callFault says why a call of REGEX or REPLACE has no value, whatever the text, by the values
// of its other arguments, as far as they are known; "" if there is no reason.
func callFault(c *algebra.Call, valueOf func(algebra.Expr) value.Value) string {
	flags := value.OfString("")
	if _, most := c.Func.Arity(); len(c.Args) == most {
		flags = valueOf(c.Args[most-1])
	}
	if c.Func == ast.Replace {
		return value.CheckReplace(valueOf(c.Args[1]), valueOf(c.Args[2]), flags)
	}
	return value.CheckRegex(valueOf(c.Args[1]), flags)
}
