package value

import "strings"

// Func computes a function or operator. The second result is false for a
// value error. args is only read, and not kept.
type Func func(ctx *Context, args []Value) (Value, bool)

// Function is an entry of the registry.
type Function struct {
	// Name is the keyword in capitals, the operator, or the IRI of a cast.
	Name string
	// MinArgs and MaxArgs bound the number of arguments; MaxArgs is -1 when
	// there may be any number.
	MinArgs, MaxArgs int
	// Volatile functions (RAND, UUID, STRUUID, BNODE) give another value at
	// each call: once per solution, never moved, merged or cached.
	Volatile bool
	// Request functions (NOW) give one value in the whole request.
	Request bool
	// Call computes it. With an argument that is [None] the result is a value
	// error.
	Call Func
}

// Lookup returns the function with this name: a keyword in capitals
// ("STRLEN"), an operator ("+", "-", "*", "/", "=", "!=", "<", "<=", ">",
// ">=", "!", and "u+", "u-" with one operand), or the IRI of a cast. The forms
// that see errors of their operands (BOUND, IF, COALESCE, IN, &&, ||, EXISTS)
// are not among them; see [Tri] and [In].
func Lookup(name string) (*Function, bool) {
	f, ok := registry[name]
	return f, ok
}

// Named returns the function of an IRI if it takes args arguments.
func Named(iri string, args int) (*Function, bool) {
	f, ok := registry[iri]
	return f, ok && strings.Contains(iri, ":") && args >= f.MinArgs && (f.MaxArgs < 0 || args <= f.MaxArgs)
}

var registry = func() map[string]*Function {
	m := make(map[string]*Function, 128)
	for _, list := range [][]Function{operators, termFunctions, textFunctions, otherFunctions} {
		for i := range list {
			m[list[i].Name] = &list[i]
		}
	}
	for name, f := range castFunctions() {
		m[name] = f
	}
	return m
}()

// one and two adapt functions of one and of two arguments.
func one(f func(a Value) (Value, bool)) Func {
	return func(_ *Context, args []Value) (Value, bool) { return f(args[0]) }
}

func two(f func(a, b Value) (Value, bool)) Func {
	return func(_ *Context, args []Value) (Value, bool) { return f(args[0], args[1]) }
}

// test adapts a test that every term answers.
func test(f func(v Value) bool) Func {
	return func(_ *Context, args []Value) (Value, bool) { return OfBool(f(args[0])), args[0].kind != None }
}

// relation adapts a comparison of two operands.
func relation(f func(a, b Value) (bool, bool)) Func {
	return func(_ *Context, args []Value) (Value, bool) {
		r, ok := f(args[0], args[1])
		return OfBool(r), ok
	}
}

var operators = []Function{
	{Name: "+", MinArgs: 2, MaxArgs: 2, Call: two(Add)},
	{Name: "-", MinArgs: 2, MaxArgs: 2, Call: two(Subtract)},
	{Name: "*", MinArgs: 2, MaxArgs: 2, Call: two(Multiply)},
	{Name: "/", MinArgs: 2, MaxArgs: 2, Call: two(Divide)},
	{Name: "u+", MinArgs: 1, MaxArgs: 1, Call: one(plus)},
	{Name: "u-", MinArgs: 1, MaxArgs: 1, Call: one(negate)},
	{Name: "!", MinArgs: 1, MaxArgs: 1, Call: one(func(v Value) (Value, bool) { return TriOf(v).Not().Value() })},
	{Name: "=", MinArgs: 2, MaxArgs: 2, Call: relation(Equal)},
	{Name: "!=", MinArgs: 2, MaxArgs: 2, Call: relation(func(a, b Value) (bool, bool) {
		equal, ok := Equal(a, b)
		return !equal, ok
	})},
	{Name: "<", MinArgs: 2, MaxArgs: 2, Call: relation(Less)},
	{Name: "<=", MinArgs: 2, MaxArgs: 2, Call: relation(LessEqual)},
	{Name: ">", MinArgs: 2, MaxArgs: 2, Call: relation(func(a, b Value) (bool, bool) { return Less(b, a) })},
	{Name: ">=", MinArgs: 2, MaxArgs: 2, Call: relation(func(a, b Value) (bool, bool) { return LessEqual(b, a) })},
}
