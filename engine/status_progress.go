package engine

import (
	"errors"
	"sync"

	"github.com/rete-go/rete/internal/damage"
)

// judge records how a check ended.
func (s *SegmentStatus) judge(err error) {
	s.OK = err == nil
	if err != nil {
		s.Error, s.Damaged = err.Error(), errors.Is(err, damage.Err)
	}
}

// progress sums what several checks have done.
type progress struct {
	report func(done, total int64)
	total  int64
	mu     sync.Mutex // guards done and sum, and is held while report runs
	done   []int64
	sum    int64
}

// set says how far the i-th check is; it never goes back.
func (p *progress) set(i int, done int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done > p.done[i] {
		p.sum += done - p.done[i]
		p.done[i] = done
	}
	if p.report != nil {
		p.report(p.sum, p.total)
	}
}
