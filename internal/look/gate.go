package look

import (
	"context"
	"sync"
)

// Gate lets one goroutine through at a time, as a mutex does; who waits looks at its own
// context meanwhile, so that it need not wait for the end of another's long work. The
// zero value is open. It must not be copied.
type Gate struct {
	once sync.Once
	in   chan struct{} // holds one while the gate is shut
}

// Enter waits until the gate is open and shuts it, or returns the error of the context.
// Without a context it waits.
func (g *Gate) Enter(ctx context.Context) error {
	g.once.Do(func() { g.in = make(chan struct{}, 1) })
	var done <-chan struct{}
	if ctx != nil {
		done = ctx.Done()
	}
	select {
	case g.in <- struct{}{}:
		return nil
	default:
	}
	select {
	case g.in <- struct{}{}:
		return nil
	case <-done:
		return ctx.Err()
	}
}

// Leave opens the gate, which the caller has shut.
func (g *Gate) Leave() { <-g.in }
