package cores

import (
	"context"
	"sync"
)

// workers is goroutines that share numbered parts of a work: the query's own one, and
// others where cores are idle.
type workers struct {
	limit Limit
	ctx   context.Context
	parts int
	f     func(ctx context.Context, part int) error

	mu     sync.Mutex
	next   int
	hired  int
	failed error
	wait   sync.WaitGroup
}

// Each calls f for each of so many parts, at the same time for several of them,
// and returns the first error. f draws no memory from the budget of the query.
func Each(ctx context.Context, l Limit, parts int, f func(ctx context.Context, part int) error) error {
	inner, stop := WithStop(ctx)
	defer stop()
	c := &workers{limit: l, ctx: inner, parts: parts, f: f}
	for part, ok := c.take(); ok; part, ok = c.take() {
		c.startWorkers(stop)
		if err := f(ctx, part); err != nil {
			c.fail(err)
			stop()
		}
	}
	c.wait.Wait()
	Repanic(c.failed)
	return c.failed
}

// take takes a part; false if there is none, or one has failed.
func (c *workers) take() (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == c.parts || c.failed != nil {
		return 0, false
	}
	c.next++
	return c.next - 1, true
}

func (c *workers) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = err
	}
}

// startWorkers starts another goroutine if there is something for it, and a core.
func (c *workers) startWorkers(stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == c.parts || c.failed != nil || c.hired+1 >= c.limit.Most || !c.limit.Forced && !Acquire() {
		return
	}
	c.hired++
	c.wait.Add(1)
	go func() {
		defer c.wait.Done()
		dismissed, err := c.work()
		if err != nil {
			c.fail(err)
			stop()
		}
		c.mu.Lock()
		c.hired--
		c.mu.Unlock()
		if !dismissed && !c.limit.Forced {
			Leave()
		}
	}()
}

// work is what another goroutine does.
func (c *workers) work() (dismissed bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Recovered(p)
		}
	}()
	for {
		if !c.limit.Forced && Release() {
			return true, nil
		}
		part, ok := c.take()
		if !ok {
			return false, nil
		}
		if err := c.f(c.ctx, part); err != nil {
			return false, err
		}
	}
}
