package server

import (
	"context"
	"net/http"
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
	p := problem(http.StatusServiceUnavailable, "busy", "Server busy", detail)
	p.retry = max(1, int(g.wait/time.Second))
	return p
}
