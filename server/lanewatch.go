package server

import (
	"context"
	"time"
)

// lookEvery is how often the connections of requests that take long are looked at. The
// second look at a request finds out that its client has gone.
const lookEvery = 25 * time.Millisecond

// watch sees to it that somebody watches while there are requests.
func (l *lane) watch() {
	if l.watching.CompareAndSwap(false, true) {
		l.watcher.Go(l.look)
	}
}

func (l *lane) look() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	begun := int64(0)
	for {
		select {
		case <-l.done:
			return
		case <-tick.C:
		}
		l.mu.Lock()
		for c := range l.conns {
			c.look()
		}
		l.mu.Unlock()
		now := l.begun.Load()
		if l.busy.Load() == 0 && now == begun {
			l.watching.Store(false)
			if l.busy.Load() == 0 || !l.watching.CompareAndSwap(false, true) {
				return
			}
		}
		begun = now
	}
}

// attend says who ends when the client goes away.
func (c *laneConn) attend(cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel, c.looked = cancel, false
}

// look ends the request whose client has gone away. A short one it lets be.
func (c *laneConn) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		return
	}
	if c.looked && gone(c.socket) {
		c.cancel()
	}
	c.looked = true
}
