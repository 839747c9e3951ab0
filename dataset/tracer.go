package dataset

import (
	"context"
	"log/slog"
)

// Tracer is told when an operation of a database begins and ends, by an adapter of whatever
// collects spans. It may be called by several goroutines.
type Tracer interface {
	// Start begins a span, a child of the one that ctx has. What the operation calls gets the
	// context that it returns, which is derived from ctx. end is called once, perhaps on another
	// goroutine, with the error of the operation, and with what was known at its end alone.
	Start(ctx context.Context, name string, attrs ...slog.Attr) (_ context.Context, end func(err error, attrs ...slog.Attr))
}

// StartSpan calls t.Start, or does nothing if t is nil.
func StartSpan(ctx context.Context, t Tracer, name string, attrs ...slog.Attr) (context.Context, func(error, ...slog.Attr)) {
	if t == nil {
		return ctx, func(error, ...slog.Attr) {}
	}
	return t.Start(ctx, name, attrs...)
}
