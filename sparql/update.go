package sparql

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

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
// A transaction with a method NamePrefixes(map[string]string) is given the prefixes of the update,
// of [WithPrefixes] and of the documents that it loads.
//
// [WithGraphs] stands for USING in operations that have neither it nor WITH;
// [Bind] gives variables of WHERE and of the templates a term.
func Execute(ctx context.Context, tx dataset.Tx, u *Update, opts ...Option) (*UpdateResult, error) {
	if u == nil {
		return nil, errNoUpdate
	}
	if u.closed.Load() {
		return nil, fmt.Errorf("sparql: the update: %w", ErrClosed)
	}
	e := &executor{tx: tx, update: u, config: configOf(opts)}
	if e.config.err != nil {
		return nil, e.config.err
	}
	ctx, end := dataset.StartSpan(ctx, e.config.tracer, "rete.update", slog.Int("operations", u.Len()))
	res, err := e.all(ctx)
	err = cancel.Why(ctx, err)
	end(err, slog.Uint64("solutions", e.result.Solutions), slog.Uint64("deleted", e.result.Deleted), slog.Uint64("inserted", e.result.Inserted))
	return res, err
}

// all runs the operations.
func (e *executor) all(ctx context.Context) (*UpdateResult, error) {
	tx, u := e.tx, e.update
	e.budget = e.config.budget()
	if !e.config.draws(tx, e.budget) {
		defer e.budget.Close() // else the transaction does so: it ends later
	}
	if err := u.held.draw(ctx, e.budget); err != nil {
		return nil, err
	}
	defer watched(ctx, e.budget, e.budget.Before).Leave()
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
	e.namePrefixes()
	return &e.result, nil
}

// namePrefixes gives a transaction that keeps namespaces by their prefixes (engine.Tx) those of the
// update, of [WithPrefixes] and of the documents that were loaded.
func (e *executor) namePrefixes() {
	n, ok := e.tx.(interface{ NamePrefixes(set map[string]string) })
	if set := prefixes.Set(e.update.names).Joined(e.config.prefixes).With(&e.loaded); ok && len(set) > 0 {
		n.NamePrefixes(set)
	}
}

// executor is one run of an update.
type executor struct {
	tx     dataset.Tx
	update *Update
	config *config
	budget *mem.Budget
	op     int // the number of the operation, from 0
	result UpdateResult
	reader spoolReader       // of the quads of the update
	batch  []rdf.Quad        // of them
	loaded prefixes.Declared // by documents
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
