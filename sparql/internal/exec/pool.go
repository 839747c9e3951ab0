package exec

import "sync/atomic"

// Pool is the memory that the queries of a process share. It may be used by
// several goroutines. A nil Pool has no bound.
type Pool struct {
	limit int64
	used  atomic.Int64
}

// NewPool returns a pool of so many bytes.
func NewPool(bytes int64) *Pool { return &Pool{limit: bytes} }

// Used returns the bytes that queries hold.
func (p *Pool) Used() int64 { return p.used.Load() }

// Limit returns the size of the pool.
func (p *Pool) Limit() int64 { return p.limit }

// take takes bytes, or returns false.
func (p *Pool) take(bytes int64) bool {
	if p == nil {
		return true
	}
	if p.used.Add(bytes) > p.limit {
		p.used.Add(-bytes)
		return false
	}
	return true
}

func (p *Pool) give(bytes int64) {
	if p != nil {
		p.used.Add(-bytes)
	}
}
