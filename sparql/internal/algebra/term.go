package algebra

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// Var is a variable: its slot number, an index into [Vars].
type Var int32

// NoVar stands where there is no variable.
const NoVar Var = -1

// VarKind tells where a variable comes from.
type VarKind uint8

const (
	Named     VarKind = iota // a variable of the text
	Blank                    // a blank node of a pattern; never projected by SELECT *
	Generated                // made by the translation: the value of an aggregate, of a key
)

// VarInfo describes one variable.
type VarInfo struct {
	// Name is the name in the text without its mark, the label of a blank
	// node, or a name that no text can have (it starts with a dot). Two
	// variables may have the same name: see the package comment.
	Name string
	Kind VarKind
}

// Vars is the table of the variables of a query, indexed by [Var].
type Vars []VarInfo

// Name returns the name of v.
func (t Vars) Name(v Var) string { return t[v].Name }

// Lookup returns the variable of the outermost scope with the given name, or
// [NoVar].
func (t Vars) Lookup(name string) Var {
	for i := range t {
		if t[i].Kind == Named && t[i].Name == name {
			return Var(i)
		}
	}
	return NoVar
}

// Arg is a position of a triple pattern or of a template: a variable, a
// constant, or a triple term with variables in it. The zero Arg is none: no
// graph.
type Arg struct {
	Var    Var      // if Term is zero and Triple is nil: slot + 1; see [Arg.Variable]
	Term   rdf.Term // a constant
	Triple *[3]Arg  // a triple term with a variable in it
}

// VarArg returns the position of a variable.
func VarArg(v Var) Arg { return Arg{Var: v + 1} }

// TermArg returns the position of a constant.
func TermArg(t rdf.Term) Arg { return Arg{Term: t} }

// Variable returns the variable at this position, or [NoVar].
func (a Arg) Variable() Var { return a.Var - 1 }

// IsVar reports whether a is a variable.
func (a Arg) IsVar() bool { return a.Var > 0 }

// IsZero reports whether nothing stands here.
func (a Arg) IsZero() bool { return a.Var == 0 && a.Triple == nil && a.Term.IsZero() }

// TriplePattern is a triple of a basic graph pattern.
type TriplePattern struct {
	ast.Span
	S, P, O Arg
}

// QuadTemplate is a quad of a template, of CONSTRUCT (G is zero) or of an
// update (a zero G is the default graph of the operation). A blank node of a
// template is a variable of kind [Blank]: a new node for each solution, the
// same one for equal slots within a solution.
type QuadTemplate struct {
	ast.Span
	S, P, O, G Arg
}
