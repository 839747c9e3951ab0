// Package ctxsync has a mutex, and values made on first use, whose waiters heed a context.
package ctxsync

import (
	"context"
	"sync"
)

// Mutex is a mutex for which a goroutine waits no longer than its context lasts, so that
// it need not wait for the end of another one's long work. The zero value is unlocked. It
// must not be copied.
type Mutex struct {
	once sync.Once
	held chan struct{} // holds one while the mutex is locked
}

func (m *Mutex) init() { m.held = make(chan struct{}, 1) }

// Lock waits for the mutex and locks it, or returns the cause of the end of the context. A
// mutex that is free is locked even if the context has ended.
func (m *Mutex) Lock(ctx context.Context) error {
	if m.TryLock() {
		return nil
	}
	select {
	case m.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TryLock locks the mutex if it is free.
func (m *Mutex) TryLock() bool {
	m.once.Do(m.init)
	select {
	case m.held <- struct{}{}:
		return true
	default:
		return false
	}
}

// Unlock unlocks the mutex, which the caller has locked.
func (m *Mutex) Unlock() { <-m.held }
