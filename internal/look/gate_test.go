package look

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// TestGate asserts that one is inside at a time, and that who waits can be called off.
func TestGate(t *testing.T) {
	var g Gate
	n := 0
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				if err := g.Enter(context.Background()); err != nil {
					t.Error(err)
					return
				}
				n++
				g.Leave()
			}
		})
	}
	all.Wait()
	if n != 8000 {
		t.Errorf("counted %d of 8000: several were inside", n)
	}
	if err := g.Enter(None); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- g.Enter(ctx) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("who waited for a shut gate got %v", err)
	}
	g.Leave()
	if err := g.Enter(context.Background()); err != nil {
		t.Errorf("the gate stays shut behind one that was called off: %v", err)
	}
}
