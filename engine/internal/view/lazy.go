package view

import (
	"context"
	"sync/atomic"

	"github.com/rete-go/rete/internal/ctxsync"
)

// lazy is a value that is made on first use. One goroutine makes it, the others
// wait for it or for their own context; a failed attempt is tried again.
type lazy[T any] struct {
	done atomic.Pointer[T]
	lock ctxsync.Mutex
}

// get returns the value, made by build if nobody did so before.
func (l *lazy[T]) get(ctx context.Context, build func(context.Context) (*T, error)) (*T, error) {
	if t := l.done.Load(); t != nil {
		return t, nil
	}
	if err := l.lock.Lock(ctx); err != nil {
		return nil, err
	}
	defer l.lock.Unlock()
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
