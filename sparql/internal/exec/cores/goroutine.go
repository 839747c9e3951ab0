package cores

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Limit bounds the goroutines of a query.
type Limit struct {
	Most   int
	Forced bool // there are so many even if no core is idle
}

// partContext ends with the goroutines, and checks the context of the query.
type partContext struct {
	context.Context
	query context.Context
}

func (c partContext) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	return c.query.Err()
}

// WithStop returns a context that stop ends, and whose checks are checks of ctx.
func WithStop(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, stop := context.WithCancel(ctx)
	return partContext{Context: inner, query: ctx}, stop
}

// Recovered returns the panic of a goroutine, which recover returned, as an error.
func Recovered(p any) error { return &panicked{p, debug.Stack()} }

// panicked is a panic of another goroutine, as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n\n%s", p.value, p.stack) }

// Repanic panics if an error is the panic of another goroutine.
func Repanic(err error) {
	if p, ok := err.(*panicked); ok {
		panic(p.Error())
	}
}
