package engine

import (
	"context"
	"time"

	"github.com/rete-go/rete/compaction"
)

// longestPause bounds how long background work makes way at a time.
const longestPause = 50 * time.Millisecond

// pacer gives the processor to readers that wait for it, half of the time.
type pacer struct {
	busy func() bool // whether they do
	last time.Time   // when the work went on last
}

// step makes way, for as long as was worked since the last step, or until ctx ends.
func (p *pacer) step(ctx context.Context) {
	if worked := time.Since(p.last); p.busy() {
		timer := time.NewTimer(min(worked, longestPause))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	p.last = time.Now()
}

// makeWay makes way at each report of progress. It passes the progress on to next,
// which may be nil.
func makeWay(ctx context.Context, busy func() bool, next func(compaction.Progress)) func(compaction.Progress) {
	pace := pacer{busy, time.Now()}
	return func(p compaction.Progress) {
		if next != nil {
			next(p)
		}
		pace.step(ctx)
	}
}
