package sparql

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
	"github.com/rete-go/rete/sparql/internal/work"
)

// Update is a parsed update request: operations that are carried out in order,
// all of them or none. It does not change and may be used by several goroutines. Its text is
// not kept: the quads of INSERT DATA and DELETE DATA are, in a form that is about as long, or
// in a temporary file.
type Update struct {
	u      *algebra.Update
	places []place     // where the operations begin
	data   map[int]int // by the number of an operation, from 0: how many quads of the spool are its
	spool  spool       // the quads of all operations, in order
	held   held
	names  map[string]string // prefixes that the text begins with
	closed atomic.Bool
}

// Prefixes returns the prefixes that the text declares at its beginning, without their colons,
// and their namespaces.
func (u *Update) Prefixes() map[string]string { return maps.Clone(u.names) }

// place is a place in a text, from 1.
type place struct{ line, column int }

// ParseUpdate reads an update request. Its errors are [*SyntaxError].
func ParseUpdate(text string, opt *ParseOptions) (*Update, error) {
	return ParseUpdateContext(context.Background(), text, opt)
}

// ParseUpdateContext is [ParseUpdate] that ends with ctx, and within the memory that
// [MemoryLimit] and [SharedMemory] say: refused, the quads of INSERT DATA and DELETE DATA go
// to a temporary file as [Spill] says, and the error where that is not enough is a
// [*MemoryError]. The update holds memory and file until [Update.Close].
func ParseUpdateContext(ctx context.Context, text string, opt *ParseOptions, opts ...Option) (*Update, error) {
	m, h := reading(ctx, text, opts)
	u := &Update{spool: newSpool("the quads of the update", configOf(opts), h.budget)}
	if err := u.parse(ctx, m, text, opt); err != nil {
		u.spool.close()
		h.release()
		return nil, cancel.Why(ctx, err)
	}
	u.spool.last = rdf.Quad{} // a part of the text
	m.Hold(-len(text))
	h.bytes = m.Held() + u.spool.held
	if h.budget != nil {
		h.budget.Give(m.Drawn() - min(m.Drawn(), m.Held())) // the text, and quads on their way
		h.bytes, _ = h.budget.Held()
	}
	u.held = h
	return u, nil
}

func (u *Update) parse(ctx context.Context, m *work.Meter, text string, opt *ParseOptions) error {
	invalid := map[int]*SyntaxError{} // by the number of an operation: the first of its quads that cannot be added
	tree, err := parse.UpdateWith(m, text, opt, func(op int, quads []ast.Quad) error {
		if u.data == nil {
			u.data = make(map[int]int)
		}
		u.data[op] += len(quads)
		for i := range quads {
			q := algebra.DataQuad(&quads[i])
			if err := checkData(text, &quads[i], &q); err != nil && invalid[op] == nil {
				invalid[op] = err
			}
			if err := u.spool.add(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, op := range tree.Ops {
		if _, insert := op.(*ast.InsertData); insert && invalid[i] != nil {
			return invalid[i]
		}
	}
	u.places, u.names = places(text, tree.Ops), parse.DeclaredPrefixes(text, opt)
	if u.u, err = algebra.TranslateUpdateWith(m, tree); err != nil {
		return err
	}
	return checkPatterns(m, text, u.u.Patterns)
}

// checkData says what keeps a quad of a text from being added, and where that stands: the
// grammar has more triples than RDF. A quad that is too large is for the store to refuse.
func checkData(text string, at *ast.Quad, q *rdf.Quad) *SyntaxError {
	for o := &at.O; o.Kind == ast.TripleNode; o = &o.Triple.O {
		s := &o.Triple.S
		if s.Kind == ast.TripleNode || s.Kind == ast.TermNode && s.Term.Kind() != rdf.KindIRI {
			return parse.ErrorAt(text, int(s.Start), "the subject of a triple term is neither an IRI nor a blank node")
		}
	}
	var invalid *rdf.InvalidError
	if !errors.As(q.CheckParts(), &invalid) || invalid.TooLarge {
		return nil
	}
	node := &at.O
	switch invalid.Part {
	case "subject":
		node = &at.S
	case "graph name":
		node = &at.Graph
	}
	return parse.ErrorAt(text, int(node.Start), invalid.Error())
}

// places returns where operations begin.
func places(text string, ops []ast.Operation) []place {
	out := make([]place, len(ops))
	at, now := 0, place{1, 1}
	for i, op := range ops {
		piece := text[at:op.Range().Start]
		at += len(piece)
		if n := strings.LastIndexByte(piece, '\n'); n >= 0 {
			now.line += strings.Count(piece, "\n")
			now.column, piece = 1, piece[n+1:]
		}
		now.column += utf8.RuneCountInString(piece)
		out[i] = now
	}
	return out
}

// Close gives back what [ParseUpdateContext] took for the update: carrying it out is then
// [ErrClosed]. An update that was read by [ParseUpdate] need not be closed.
func (u *Update) Close() {
	if u.closed.Swap(true) {
		return
	}
	u.spool.close()
	u.held.release()
}

// MustParseUpdate is [ParseUpdate] for requests that are known to be right; it
// panics if one is not.
func MustParseUpdate(text string) *Update {
	u, err := ParseUpdate(text, nil)
	if err != nil {
		panic(err)
	}
	return u
}

// Base returns the base IRI at the end of the text; empty without one.
func (u *Update) Base() string { return u.u.Base }

// Len returns the number of operations.
func (u *Update) Len() int { return len(u.u.Ops) }

// ChoosesGraphs reports whether an operation has WITH, USING or USING NAMED: then
// the protocol forbids parameters that do the same.
func (u *Update) ChoosesGraphs() bool {
	return slices.ContainsFunc(u.u.Ops, func(op algebra.Operation) bool {
		m, ok := op.(*algebra.Modify)
		return ok && (m.Dataset != nil || !m.With.IsZero())
	})
}

// Loads returns the IRIs of the documents that the request loads, each once.
func (u *Update) Loads() []string {
	var out []string
	known := map[string]bool{}
	for _, op := range u.u.Ops {
		if l, ok := op.(*algebra.Load); ok && !known[l.Source.Value()] {
			known[l.Source.Value()] = true
			out = append(out, l.Source.Value())
		}
	}
	return out
}
