package exec

import (
	"context"
	"fmt"
)

// limit bounds the goroutines of a query.
type limit struct {
	most   int
	forced bool // there are so many even if no core is idle
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

// Panicked is a panic of another goroutine, as an error.
type Panicked struct {
	value any
	stack []byte
}

func (p *Panicked) Error() string { return fmt.Sprintf("panic: %v\n\n%s", p.value, p.stack) }
