package engine

import (
	"context"
	"time"

	"github.com/rete-go/rete/compaction"
)

// longestPause bounds how long a compaction makes way at a time.
const longestPause = 50 * time.Millisecond

// makeWay gives the processor to readers that wait for it, half of the time. It
// passes the progress on to next, which may be nil.
func makeWay(ctx context.Context, busy func() bool, next func(compaction.Progress)) func(compaction.Progress) {
	last := time.Now()
	return func(p compaction.Progress) {
		if next != nil {
			next(p)
		}
		if worked := time.Since(last); busy() {
			timer := time.NewTimer(min(worked, longestPause))
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
		}
		last = time.Now()
	}
}
