package server

import (
	"context"
	"sync"
	"time"
)

// slot is the right to run. While its owner waits for a client that does not read, it
// is lent to others.
type slot struct {
	gate *gate

	mu      sync.Mutex // guards what follows
	waiting bool       // for the client
	lent    bool
	closed  bool
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
	err := f()
	timer.Stop()
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
