package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/manifest"
)

// operation is a call that reads files and that Close does not wait for.
type operation struct {
	end context.CancelCauseFunc
}

// operate runs f as an operation of db: the cache stays open until f returns, and the
// context that f gets ends when db is closed. An operation that Close cuts short
// fails with [ErrClosed]; where its commit may have happened, with
// [ErrUnknownOutcome] too. On a closed database f does not run.
func operate[T any](ctx context.Context, db *DB, f func(context.Context) (T, error)) (T, error) {
	inner, end := context.WithCancelCause(ctx)
	defer end(nil)
	op := &operation{end}
	if err := db.enter(op); err != nil {
		var none T
		return none, err
	}
	defer db.exit(op)
	out, err := f(inner)
	if err == nil || ctx.Err() != nil || context.Cause(inner) != ErrClosed || !errors.Is(err, context.Canceled) {
		return out, cancel.Why(ctx, err)
	}
	// A layer below has returned the context's error, and not its cause or not that alone.
	if commit := (*manifest.CommitError)(nil); errors.As(err, &commit) && commit.Outcome == ErrUnknownOutcome {
		known := *commit
		known.Cause = ErrClosed
		return out, &known
	}
	if errors.Is(err, ErrUnknownOutcome) {
		return out, fmt.Errorf("%s: %w: %w", db.name, ErrClosed, ErrUnknownOutcome)
	}
	return out, fmt.Errorf("%s: %w", db.name, ErrClosed)
}

// changeLog is [operate] for what commits a manifest, as a span.
func changeLog(ctx context.Context, db *DB, name string, f func(context.Context) (*manifest.Manifest, error)) (*manifest.Manifest, error) {
	ctx, end := db.span(ctx, name)
	m, err := operate(ctx, db, f)
	if err != nil {
		end(err)
		return m, err
	}
	end(nil, slog.Int64("generation", m.Generation), slog.Int("entries", len(m.Log)))
	return m, nil
}

// span begins a span of the database.
func (db *DB) span(ctx context.Context, name string) (context.Context, func(error, ...slog.Attr)) {
	return dataset.StartSpan(ctx, db.opt.Tracer, name, slog.String("manifest", db.name))
}

// enter registers an operation, which counts as a user of the database.
func (db *DB) enter(op *operation) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return ErrClosed
	}
	db.running[op] = struct{}{}
	db.users++
	return nil
}

func (db *DB) exit(op *operation) {
	db.mu.Lock()
	delete(db.running, op)
	db.dropUser()
}

// endOperations ends the contexts of the operations under way. db.mu is held.
func (db *DB) endOperations() {
	for op := range db.running {
		op.end(ErrClosed)
	}
}
