package cores

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rete-go/rete/internal/watch"
)

// Crew is goroutines that take numbered parts of a work, one after the other: the calling one,
// and others where cores are idle. Its methods are called by the calling one.
type Crew struct {
	// Ended, if not nil, is called by each other goroutine when it has ended.
	Ended func()
	limit Limit
	parts int
	seen  *watch.Query // is told how long the others work

	mu     sync.Mutex
	next   int // the part that nobody has taken
	hired  int
	stops  []context.CancelFunc // of the others
	ended  bool                 // they are stopped
	failed error
	wait   sync.WaitGroup
}

// NewCrew makes a crew for the given number of parts.
func NewCrew(l Limit, parts int) *Crew { return &Crew{limit: l, parts: parts} }

// Take takes a part; false if there is none, or one has failed.
func (c *Crew) Take() (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == c.parts || c.failed != nil {
		return 0, false
	}
	c.next++
	return c.next - 1, true
}

// State returns how many parts nobody has taken, and whether one has failed.
func (c *Crew) State() (left int, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.parts - c.next, c.failed != nil
}

// Fail notes that a part has failed. The first error counts.
func (c *Crew) Fail(err error) {
	c.mu.Lock()
	if c.failed == nil {
		c.failed = err
	}
	c.mu.Unlock()
	c.Stop()
}

// Stop ends the contexts of the others, as the first error does.
func (c *Crew) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, stop := range c.stops {
		stop()
	}
	c.stops, c.ended = nil, true
}

// Hire takes a core for another goroutine if at least the given parts are left; false if there are
// not, or no core is idle. The goroutine has the context that is returned, which ends with ctx, too.
// [Crew.Go] follows.
func (c *Crew) Hire(ctx context.Context, least int) (context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.parts-c.next < least || c.hired+1 >= c.limit.Most || !c.limit.machine().acquire() {
		return nil, false
	}
	c.hired++
	c.seen = watch.From(ctx)
	inner, stop := withStop(ctx)
	c.stops = append(c.stops, stop)
	return inner, true
}

// Go starts the goroutine that was hired. Its work takes parts by next, until there are none or
// its core is needed elsewhere. A panic is an error with which the calling goroutine panics.
func (c *Crew) Go(work func(next func() (int, bool)) error) {
	c.wait.Add(1)
	seen, start := c.seen, time.Now()
	go func() {
		defer c.wait.Done()
		defer func() { seen.Work(time.Since(start)) }()
		dismissed := false
		err := guarded(work, func() (int, bool) {
			if dismissed = c.limit.machine().release(); dismissed {
				return 0, false
			}
			return c.Take()
		})
		if err != nil {
			c.Fail(err)
		}
		c.mu.Lock()
		c.hired--
		c.mu.Unlock()
		if !dismissed {
			c.limit.machine().leave()
		}
		if c.Ended != nil {
			c.Ended()
		}
	}()
}

func guarded(work func(next func() (int, bool)) error, next func() (int, bool)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{p, debug.Stack()}
		}
	}()
	return work(next)
}

// Wait waits for the others.
func (c *Crew) Wait() {
	c.wait.Wait()
	c.Stop()
}

// End waits for the others, and returns the first error.
func (c *Crew) End() error {
	c.Wait()
	err := c.failed
	c.failed = nil
	if p, ok := err.(*panicked); ok {
		panic(p.Error())
	}
	return err
}

// Each calls f for each of the given number of parts, at the same time for several of them,
// and returns the first error. f draws no memory from the budget of the query.
func Each(ctx context.Context, l Limit, parts int, f func(ctx context.Context, part int) error) error {
	c := NewCrew(l, parts)
	for part, ok := c.Take(); ok; part, ok = c.Take() {
		if inner, ok := c.Hire(ctx, 1); ok {
			c.Go(func(next func() (int, bool)) error {
				for part, ok := next(); ok; part, ok = next() {
					if err := f(inner, part); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := f(ctx, part); err != nil {
			c.Fail(err)
		}
	}
	return c.End()
}
