package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// gate bounds what runs at a time, and what waits for it.
type gate struct {
	slots   chan struct{}
	waiting atomic.Int64
	lent    atomic.Int64 // slots of queries that wait for their clients
	queue   int64
	wait    time.Duration
}

func newGate(slots, queue int, wait time.Duration) *gate {
	return &gate{slots: make(chan struct{}, slots), queue: int64(queue), wait: wait}
}

// enter waits for a slot; the caller closes it. The error is a 503 if the queue is
// full or the wait too long.
func (g *gate) enter(ctx context.Context) (*slot, error) {
	select {
	case g.slots <- struct{}{}:
		return &slot{gate: g}, nil
	default:
	}
	if g.waiting.Add(1) > g.queue {
		g.waiting.Add(-1)
		return nil, g.busy("the queue is full")
	}
	defer g.waiting.Add(-1)
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return &slot{gate: g}, nil
	case <-timer.C:
		return nil, g.busy("it was not its turn in " + g.wait.String())
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (g *gate) running() int { return len(g.slots) }

func (g *gate) busy(detail string) *Problem {
	return busy(max(1, int(g.wait/time.Second)), detail)
}

// slot is the right to run. While its owner waits for a client that does not read, it
// is lent to others.
type slot struct {
	gate *gate

	mu      sync.Mutex // guards what follows
	waiting bool       // for the client
	lent    bool
	closed  bool
	idle    time.Duration // that its owner waited for the client, other writers and the disk
}

// lendAfter is how long a write to a client may take before the slot is lent.
const lendAfter = 10 * time.Millisecond

// write calls f, which writes to the client. If that takes long, others run meanwhile,
// and then write waits for a slot; its error is that of ctx.
func (s *slot) write(ctx context.Context, f func() error) error {
	if s == nil {
		return f()
	}
	s.set(true)
	timer := time.AfterFunc(lendAfter, s.lend)
	start := time.Now()
	err := f()
	timer.Stop()
	s.waited(time.Since(start))
	if !s.set(false) {
		return err
	}
	select {
	case s.gate.slots <- struct{}{}:
	case <-ctx.Done():
		if err == nil {
			err = context.Cause(ctx)
		}
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lent = false
	s.gate.lent.Add(-1)
	return err
}

// waited notes that the owner waited for others. It may be called of nil.
func (s *slot) waited(took time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle += took
}

// idleTime is how long the owner waited for others.
func (s *slot) idleTime() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle
}

// set says whether the owner waits, and returns whether the slot is lent.
func (s *slot) set(waiting bool) (lent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = waiting
	return s.lent
}

// lend gives the slot to others, unless as many as may wait in the queue did so.
func (s *slot) lend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waiting || s.lent {
		return
	}
	if s.gate.lent.Add(1) > max(s.gate.queue, 1) {
		s.gate.lent.Add(-1)
		return
	}
	s.lent = true
	<-s.gate.slots
}

// close gives the slot back. It may be called twice, and of nil.
func (s *slot) close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	if s.lent {
		s.gate.lent.Add(-1)
		return
	}
	<-s.gate.slots
}
