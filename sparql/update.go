package sparql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
	"github.com/rete-go/rete/sparql/internal/exec"
	"github.com/rete-go/rete/sparql/internal/work"
)

// Tx is a transaction that an update is carried out in.
type Tx = dataset.Tx

// Errors of operations, which SILENT forgives.
var (
	// ErrGraphExists: CREATE of a graph that has a quad.
	ErrGraphExists = errors.New("the graph exists")
	// ErrNoGraph: ADD, MOVE or COPY from a graph without quads.
	ErrNoGraph = errors.New("there is no such graph")
	// ErrNoLoad: LOAD, and no option says how documents are opened.
	ErrNoLoad = errors.New("LOAD is not enabled for this update")
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
	closed atomic.Bool
}

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
	if err := u.parse(m, text, opt); err != nil {
		u.spool.close()
		h.release()
		return nil, err
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

func (u *Update) parse(m *work.Meter, text string, opt *ParseOptions) error {
	tree, err := ast.ParseUpdateWith(m, text, opt, func(op int, quads []ast.Quad) error {
		if u.data == nil {
			u.data = make(map[int]int)
		}
		u.data[op] += len(quads)
		for i := range quads {
			if err := u.spool.add(algebra.DataQuad(&quads[i])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	u.places = places(text, tree.Ops)
	if u.u, err = algebra.TranslateUpdateWith(m, tree); err != nil {
		return err
	}
	return checkPatterns(m, text, u.u.Patterns)
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

// UpdateResult says what an update did.
type UpdateResult struct {
	// Solutions is the number of solutions of WHERE, of all operations.
	Solutions uint64
	// Deleted and Inserted are the quads that were handed to the transaction,
	// those included that changed nothing.
	Deleted, Inserted uint64
}

// OperationError is the error of one operation of an update. None of the request
// may be kept.
type OperationError struct {
	Operation    int // from 1
	Line, Column int // where it begins in the text; from 1
	// Refused: what is asked for cannot be done, neither the data nor the machine failed.
	// SILENT would have passed over it.
	Refused bool
	Err     error
}

func (e *OperationError) Error() string {
	return fmt.Sprintf("operation %d at %d:%d: %v", e.Operation, e.Line, e.Column, e.Err)
}

// Unwrap returns the error itself.
func (e *OperationError) Unwrap() error { return e.Err }

// Execute carries out an update in a transaction. Each operation sees what those
// before it did. After an error the transaction holds a part of the changes, and
// none of it may be kept. Errors of operations are [*OperationError].
//
// [WithGraphs] stands for USING in operations that have neither it nor WITH;
// [Bind] gives variables of WHERE and of the templates a term.
func Execute(ctx context.Context, tx Tx, u *Update, opts ...Option) (*UpdateResult, error) {
	if u.closed.Load() {
		return nil, fmt.Errorf("sparql: the update: %w", ErrClosed)
	}
	e := &executor{tx: tx, update: u, config: configOf(opts)}
	e.budget = e.config.budget(ctx)
	if !e.config.draws(tx, e.budget) {
		defer e.budget.Close() // else the transaction does so: it ends later
	}
	if err := u.held.draw(e.budget); err != nil {
		return nil, err
	}
	e.reader = spoolReader{s: &u.spool, budget: e.budget}
	if err := e.checkBound(); err != nil {
		return nil, err
	}
	for i, op := range u.u.Ops {
		e.op = i
		if err := e.run(ctx, op); err != nil {
			return nil, e.located(err)
		}
	}
	return &e.result, nil
}

// DrawFrom makes a transaction that can (a [dataset.Drawer]) draw what it holds within the
// memory that [MemoryLimit] and [SharedMemory] say, as [Execute] does.
func DrawFrom(ctx context.Context, tx Tx, opts ...Option) {
	c := configOf(opts)
	c.draws(tx, c.budget(ctx))
}

// draws makes a transaction draw from a budget, which it then closes; false: it does not.
func (c *config) draws(tx Tx, b *exec.Budget) bool {
	d, ok := tx.(dataset.Drawer)
	return ok && c.bounded() && d.Draw(txMemory{b})
}

// txMemory is the memory of a transaction.
type txMemory struct{ *exec.Budget }

const txOp = "the changes of the transaction"

func (m txMemory) Try(bytes int64) bool   { return m.Budget.Try(txOp, bytes) }
func (m txMemory) Take(bytes int64) error { return m.Budget.Take(txOp, bytes) }

// executor is one run of an update.
type executor struct {
	tx     Tx
	update *Update
	config *config
	budget *exec.Budget
	op     int // the number of the operation, from 0
	result UpdateResult
	reader spoolReader // of the quads of the update
	batch  []rdf.Quad  // of them
	// created are graphs without a quad that CREATE made in this request.
	created map[rdf.Term]bool
}

// checkBound sees to it that some operation has each bound variable.
func (e *executor) checkBound() error {
	for name := range e.config.bound {
		known := slices.ContainsFunc(e.update.u.Ops, func(op algebra.Operation) bool {
			m, ok := op.(*algebra.Modify)
			return ok && m.Vars.Lookup(name) != algebra.NoVar
		})
		if !known {
			return fmt.Errorf("sparql: the update has no variable ?%s to bind", name)
		}
	}
	return nil
}

func (e *executor) located(err error) error {
	var r refusal
	refused := errors.As(err, &r)
	if refused {
		err = r.error
	}
	at := e.update.places[e.op]
	return &OperationError{Operation: e.op + 1, Refused: refused, Err: err, Line: at.line, Column: at.column}
}

// refusal is an error that SILENT turns into an operation that does nothing: one
// of the request, not of the data or the machine.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func (e *executor) run(ctx context.Context, op algebra.Operation) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	silent := false
	var err error
	switch op := op.(type) {
	case *algebra.InsertData:
		err = e.insertData(ctx)
	case *algebra.DeleteData:
		err = e.deleteData(ctx)
	case *algebra.Modify:
		err = e.modify(ctx, op)
	case *algebra.Load:
		silent, err = op.Silent, e.load(ctx, op)
	case *algebra.Clear:
		silent, err = op.Silent, e.clear(ctx, op)
	case *algebra.Create:
		silent, err = op.Silent, e.create(ctx, op)
	case *algebra.Transfer:
		silent, err = op.Silent, e.transfer(ctx, op)
	default:
		err = fmt.Errorf("sparql: unknown operation %T", op)
	}
	var r refusal
	if errors.As(err, &r) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if silent {
			return nil
		}
	}
	return err
}

func (e *executor) insert(ctx context.Context, quads []rdf.Quad) error {
	e.result.Inserted += uint64(len(quads))
	return e.tx.Insert(ctx, quads...)
}

func (e *executor) delete(ctx context.Context, quads []rdf.Quad) error {
	e.result.Deleted += uint64(len(quads))
	return e.tx.Delete(ctx, quads...)
}
