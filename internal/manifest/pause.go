package manifest

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rete-go/rete/blob"
)

// The waits between attempts. A store that allows one write a second to a key, and says so by
// its answers, is asked again after about as long.
const (
	shortPause = 2 * time.Millisecond
	busyPause  = 100 * time.Millisecond
	longPause  = 2 * time.Second
)

// Pause waits between two attempts a random time that grows with their number so far and goes by
// how long the last one took, so that writers that met once do not meet again; err is that of the
// last one. The error is the cause of the end of ctx.
func Pause(ctx context.Context, attempts int, err error, took time.Duration) error {
	most := max(shortPause, took)
	if errors.Is(err, blob.ErrBusy) {
		most = max(busyPause, took)
	}
	most = min(time.Duration(min(attempts, 20))*most, max(longPause, took))
	wait := rand.N(most) + 1
	var asked interface{ RetryAfter() time.Duration }
	if errors.As(err, &asked) {
		wait = max(wait, asked.RetryAfter())
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
