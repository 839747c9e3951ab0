package engine

import (
	"context"
	"sync/atomic"
)

// lazy is a value that is made on first use. One goroutine makes it, the others
// wait for it or for their own context; a failed attempt is tried again.
type lazy[T any] struct {
	done atomic.Pointer[T]
	lock chan struct{}
}

func (l *lazy[T]) init() { l.lock = make(chan struct{}, 1) }

// get returns the value, made by build if nobody did so before.
func (l *lazy[T]) get(ctx context.Context, build func(context.Context) (*T, error)) (*T, error) {
	if t := l.done.Load(); t != nil {
		return t, nil
	}
	if err := acquire(ctx, l.lock); err != nil {
		return nil, err
	}
	defer release(l.lock)
	if t := l.done.Load(); t != nil {
		return t, nil
	}
	t, err := build(ctx)
	if err != nil {
		return nil, err
	}
	l.done.Store(t)
	return t, nil
}

// acquire takes a lock that is a channel of one place, or gives up with ctx.
func acquire(ctx context.Context, lock chan struct{}) error {
	select {
	case lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func release(lock chan struct{}) { <-lock }
