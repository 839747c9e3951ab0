package ctxsync_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/rete-go/rete/internal/ctxsync"
)

// TestMutex asserts that one goroutine holds it at a time, and that one that waits can be
// called off, with the cause.
func TestMutex(t *testing.T) {
	var m ctxsync.Mutex
	n := 0
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				if err := m.Lock(context.Background()); err != nil {
					t.Error(err)
					return
				}
				n++
				m.Unlock()
			}
		})
	}
	all.Wait()
	if n != 8000 {
		t.Errorf("counted %d of 8000: several held it", n)
	}
	if err := m.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m.TryLock() {
		t.Error("locked twice")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("cause")
	ended := make(chan error)
	go func() { ended <- m.Lock(ctx) }()
	cancel(cause)
	if err := <-ended; !errors.Is(err, cause) {
		t.Errorf("a goroutine that waited got %v", err)
	}
	m.Unlock()
	if !m.TryLock() {
		t.Error("it stays locked after a Lock that was called off")
	}
}
