package ctxsync

import (
	"context"
	"sync/atomic"
)

// Lazy is a value that is made on first use. One goroutine makes it, the others
// wait for it or for their own context; a failed attempt is tried again.
type Lazy[T any] struct {
	Done atomic.Pointer[T] // nil until it is made
	lock Mutex
}

// Get returns the value, made by build if nobody did so before.
func (l *Lazy[T]) Get(ctx context.Context, build func(context.Context) (*T, error)) (*T, error) {
	if t := l.Done.Load(); t != nil {
		return t, nil
	}
	if err := l.lock.Lock(ctx); err != nil {
		return nil, err
	}
	defer l.lock.Unlock()
	if t := l.Done.Load(); t != nil {
		return t, nil
	}
	t, err := build(ctx)
	if err != nil {
		return nil, err
	}
	l.Done.Store(t)
	return t, nil
}
