package cores

import (
	"context"
	"fmt"
)

// Limit bounds the goroutines of a query.
type Limit struct {
	Most    int
	Machine *Machine // whose cores they have; nil: that of the process
}

// Idle reports whether there seems to be a core for one more goroutine.
func (l Limit) Idle() bool {
	m := l.machine()
	return m.busy.Load() < m.most()
}

func (l Limit) machine() *Machine {
	if l.Machine == nil {
		return &process
	}
	return l.Machine
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

// withStop returns a context that stop ends, and whose checks are checks of ctx.
func withStop(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, stop := context.WithCancel(ctx)
	return partContext{Context: inner, query: ctx}, stop
}

// panicked is a panic of another goroutine, as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n\n%s", p.value, p.stack) }
