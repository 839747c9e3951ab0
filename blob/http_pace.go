package blob

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// pace ends a request that moves nothing for a while, or too little altogether.
type pace struct {
	opt   HTTPOptions
	begun time.Time

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	moved int64 // bytes
	slow  bool  // the timer is that of the rate
}

// pace begins to watch a request, which cancel ends.
func (o HTTPOptions) pace(cancel context.CancelCauseFunc) *pace {
	p := &pace{opt: o, begun: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(o.Stall, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.slow {
			cancel(fmt.Errorf("%w: %d bytes in %v", errSlow, p.moved, time.Since(p.begun).Round(time.Second)))
			return
		}
		cancel(errStalled)
	})
	return p
}

// move pushes the end of the request back: by Stall from now, but not past the time that so
// many bytes may take.
func (p *pace) move(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved += int64(n)
	spent := float64(p.moved) / float64(p.opt.Rate) * float64(time.Second)
	left := p.opt.Stall + time.Duration(spent) - time.Since(p.begun)
	p.slow = left < p.opt.Stall
	p.timer.Reset(min(left, p.opt.Stall))
}

// progress is a body whose bytes are counted.
type progress struct {
	io.ReadCloser
	pace *pace
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if n > 0 {
		p.pace.move(n)
	}
	return n, err
}
