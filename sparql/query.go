package sparql

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
	"github.com/rete-go/rete/sparql/internal/work"
)

// ParseOptions are the circumstances of parsing; nil stands for the defaults.
//
// As it is declared:
//
//	type ParseOptions struct {
//	    // Base is the base IRI before any BASE of the text; an absolute IRI.
//	    // Without one, a relative IRI before BASE is an error.
//	    Base string
//	    // Prefixes are namespaces for prefixes that the text uses and does not
//	    // declare. A PREFIX in the text wins.
//	    Prefixes map[string]string
//	    // Strict turns Prefixes off, as a text must declare what it uses, and LATERAL, which is no
//	    // part of SPARQL 1.1.
//	    Strict bool
//	    // BlankNodeIDs makes <_:label> name the stored blank node of that label,
//	    // where a subject, an object or a graph may stand. Labels are those that
//	    // results carry.
//	    BlankNodeIDs bool
//	    // MaxBytes bounds the text; 0 stands for 256 MiB.
//	    MaxBytes int
//	    // MaxDepth bounds how deep groups, expressions, paths, collections and
//	    // triple terms nest; 0 stands for 1,000.
//	    MaxDepth int
//	}
type ParseOptions = ast.Options

// SyntaxError says where a text stops being SPARQL, and why.
//
// As it is declared:
//
//	type SyntaxError struct {
//	    // Line and Column count from 1; a column is a character, not a byte.
//	    Line, Column int
//	    // Offset is the byte in the text.
//	    Offset int
//	    // Expected is the set of what could have stood there, in a fixed order:
//	    // signs and keywords as written, and words such as "expression" for
//	    // larger things. It is empty where a rule was broken, not the grammar.
//	    Expected []string
//	    // Found is what stands there: a piece of the text, or "end of text".
//	    Found string
//	    // Msg is the whole sentence without the position.
//	    Msg string
//	    // Undeclared: it is a prefix that neither the text nor the options declare.
//	    Undeclared bool
//	    // Hint says what to do, where that is known. May be empty.
//	    Hint string
//	    // Excerpt is the line of the text (cut, if it is long) and, below it, a
//	    // caret under the place.
//	    Excerpt string
//	}
//
//	// Error returns the message in one line: "line:column: message; hint".
//	func (e *SyntaxError) Error() string
//
//	// Locate fills Line, Column and Excerpt from Offset.
//	func (e *SyntaxError) Locate(text string)
type SyntaxError = ast.SyntaxError

// Form is the form of a query.
//
// As it is declared:
//
//	type Form uint8
//
//	// String returns the keyword of the form.
//	func (f Form) String() string
type Form = ast.Form

// The forms.
const (
	FormSelect    = ast.Select
	FormConstruct = ast.Construct
	FormDescribe  = ast.Describe
	FormAsk       = ast.Ask
)

// WellKnownPrefixes returns the namespaces that command lines fill in where a query leaves
// their usual prefixes undeclared, in a map of the caller's own: see [ParseOptions].
func WellKnownPrefixes() map[string]string { return ast.WellKnownPrefixes() }

// ParsePrefixes reads a text of PREFIX and BASE declarations, as a query begins with, and
// returns the namespaces by prefix. The error is a [*SyntaxError].
func ParsePrefixes(text string) (map[string]string, error) { return parse.Prefixes(text) }

// Query is a parsed query. It does not change and may be used by several
// goroutines, over several datasets.
type Query struct {
	text string
	tree *ast.Query
	q    *algebra.Query
	held held
	// closed says that the memory of held is given back.
	closed atomic.Bool
	size   int64 // of the tree, as it was counted; 0 if it was not

	opt   ParseOptions // that the text was read with
	shape queryShape
}

// Parse reads a query. Its errors are [*SyntaxError].
func Parse(text string, opt *ParseOptions) (*Query, error) {
	return ParseContext(context.Background(), text, opt)
}

// ParseContext is [Parse] that ends with ctx, and within the memory that [MemoryLimit] and
// [SharedMemory] say: refused, the error is a [*MemoryError]. Other options are passed over.
// The query holds that memory until [Query.Close].
func ParseContext(ctx context.Context, text string, opt *ParseOptions, opts ...Option) (*Query, error) {
	m, held := reading(ctx, text, opts)
	q, err := readQuery(m, text, opt)
	if err != nil {
		held.release()
		return nil, cancel.Why(ctx, err)
	}
	q.held = held.of(m)
	return q, nil
}

func readQuery(m *work.Meter, text string, opt *ParseOptions) (*Query, error) {
	tree, err := parse.QueryWith(m, text, opt)
	if err != nil {
		return nil, err
	}
	q, err := algebra.TranslateWith(m, tree)
	if err != nil {
		return nil, err
	}
	if err := checkPatterns(m, text, q.Patterns); err != nil {
		return nil, err
	}
	out := &Query{text: text, tree: tree, q: q}
	if opt != nil {
		out.opt = *opt
	}
	return out, nil
}

// Close gives back the memory that [ParseContext] drew for the query. Running it is then
// [ErrClosed]. A query that was read by [Parse], or comes from a [PlanCache], has none: it need
// not be closed, and can be run on.
func (q *Query) Close() {
	if q.held.budget != nil {
		q.closed.Store(true)
		q.held.release()
	}
}

// MustParse is [Parse] for queries that are known to be right; it panics if
// one is not.
func MustParse(text string) *Query {
	q, err := Parse(text, nil)
	if err != nil {
		panic(err)
	}
	return q
}

// Form returns the form of the query.
func (q *Query) Form() Form { return q.q.Form }

// want returns an error that names the function to call if the query is not of a form.
func (q *Query) want(f Form) error {
	if q == nil {
		return errNoQuery
	}
	if q.Form() == f {
		return nil
	}
	run := map[Form]string{FormSelect: "Select", FormConstruct: "Construct", FormDescribe: "Describe", FormAsk: "Ask"}
	return fmt.Errorf("sparql: %s needs a %v query; %s runs a query of the form %v", run[f], f, run[q.Form()], q.Form())
}

// Text returns the text of the query.
func (q *Query) Text() string { return q.text }

// Prefixes returns the namespaces by prefix, without its colon, that the text declares, in a
// map of the caller's own.
func (q *Query) Prefixes() map[string]string { return parse.DeclaredPrefixes(q.text, &q.opt) }

// Base returns the base IRI at the end of the prologue; empty without one.
func (q *Query) Base() string { return q.q.Base }

// Vars returns the variables of the columns of a SELECT, without their marks.
func (q *Query) Vars() []string {
	out := make([]string, len(q.q.Columns))
	for i, v := range q.q.Columns {
		out[i] = q.q.Vars.Name(v)
	}
	return out
}

// Repeatable reports whether the query has the same answer each time over the
// same data: whether it uses none of NOW, RAND, UUID, STRUUID, BNODE, SERVICE
// and extension functions.
func (q *Query) Repeatable() bool { return q.q.Uses.Repeatable() }

// FromClauses returns the graphs that the query names in FROM and FROM NAMED.
func (q *Query) FromClauses() []rdf.Term {
	d := q.q.Dataset
	if d == nil {
		return nil
	}
	return slices.Concat(d.Default, d.Named)
}
