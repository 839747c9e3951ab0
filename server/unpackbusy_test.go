package server

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestUnpackBusy: who would unpack waits as long as a query does in the queue, and no longer than its client; what is
// packed in what it unpacks waits for nobody, and its time counts.
func TestUnpackBusy(t *testing.T) {
	opt := &Options{QueueTime: time.Millisecond}
	s := &Server{opt: *opt, unpacking: make(chan struct{}, 1), writes: newGate(1, 1, opt.QueueTime)}
	first, second := &exchange{s: s}, &exchange{s: s}
	done, err := first.unpack(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var p *Problem
	if _, err := second.unpack(t.Context()); !errors.As(err, &p) || p.Status != 503 || p.retry == 0 {
		t.Errorf("the second: %v", err)
	}
	s.opt.QueueTime = time.Hour
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(errClientGone)
	if _, err := second.unpack(gone); !errors.Is(err, errClientGone) {
		t.Errorf("the second, which is gone: %v", err)
	}
	inner, err := first.unpack(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	inner()
	if _, err := second.unpack(gone); !errors.Is(err, errClientGone) {
		t.Errorf("the second, while the first goes on: %v", err)
	}
	done()
	if done, err = second.unpack(t.Context()); err != nil {
		t.Fatal(err)
	}
	done()
	if first.worked <= 0 {
		t.Error("unpacking took no time")
	}
}
