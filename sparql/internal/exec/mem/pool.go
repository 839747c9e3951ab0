package mem

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// longestWait is how long a query waits for memory that others hold. It is bounded
// because some of them may wait for a slow reader.
const longestWait = 30 * time.Second

// borrowStep is the least that is borrowed at once, so that the lender is not asked
// all the time.
const borrowStep = 1 << 20

// errFull says that memory will not come by waiting.
var errFull = errors.New("exec: the pool is used up")

// Pool is the memory that the queries of a process share. It may be used by
// several goroutines. A nil Pool has no bound.
//
// A query that is refused, and has little that it could write to a file, waits
// until others give back, in the order of asking. If all queries that hold memory
// come to wait, the one that came last is refused, so that the others go on: it
// writes what there is to a file, or fails.
type Pool struct {
	limit int64

	mu      sync.Mutex
	used    int64
	lender  Lender // nil: none
	lent    int64  // by it, beyond limit
	busy    int    // queries that hold memory and do not wait
	waiting []*waiter
}

// waiter is a query that waits.
type waiter struct {
	bytes int64 // that it asks for
	holds bool  // some already
	done  chan struct{}
	err   error // once done
}

// Lender is a store that can do with less memory for a time: a cache.
type Lender interface {
	// Lend frees up to the given bytes and returns how many it freed.
	Lend(bytes int64) int64
	Return(bytes int64)
}

// Borrow lets queries have memory of a lender where that of the pool is used up,
// for as long as they need it.
func (p *Pool) Borrow(l Lender) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lender = l
}

// room reports whether there are bytes more, if need be by borrowing them. The lock
// is held.
func (p *Pool) room(bytes int64) bool {
	missing := p.used + bytes - p.limit - p.lent
	if missing > 0 && p.lender != nil {
		got := p.lender.Lend(max(missing, borrowStep))
		p.lent += got
		missing -= got
	}
	return missing <= 0
}

// repay returns what was borrowed and is not used. The lock is held.
func (p *Pool) repay() {
	if back := min(p.lent, p.limit+p.lent-p.used); p.lent > 0 && len(p.waiting) == 0 && (back == p.lent || back >= 4*borrowStep) {
		p.lent -= back
		p.lender.Return(back)
	}
}

// NewPool returns a pool of the given number of bytes.
func NewPool(bytes int64) *Pool { return &Pool{limit: bytes} }

// Hold takes bytes for other work than queries, and waits for them as queries do; give gives them back.
func (p *Pool) Hold(ctx context.Context, op string, bytes int64) (give func(), err error) {
	if !p.take(bytes, 0) {
		err := p.wait(ctx, bytes, 0)
		if err == errFull {
			return nil, &Error{Op: op, Asked: bytes, Limit: p.limit, Process: true}
		}
		if err != nil {
			return nil, err
		}
	}
	return sync.OnceFunc(func() { p.unreserve(bytes, 0) }), nil
}

// Limit returns the bytes of the pool.
func (p *Pool) Limit() int64 { return p.limit }

// Used returns the bytes that queries hold.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// take takes bytes for a query that holds held of the pool, or returns false. A
// query that holds none does not overtake those that wait.
func (p *Pool) take(bytes, held int64) bool {
	if p == nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if held == 0 && len(p.waiting) > 0 || !p.room(bytes) {
		return false
	}
	p.used += bytes
	if held == 0 {
		p.busy++
	}
	return true
}

// unreserve returns bytes of a query that then holds left.
func (p *Pool) unreserve(bytes, left int64) {
	if p == nil || bytes == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= bytes
	if left == 0 {
		p.busy--
	}
	p.serve()
	p.repay()
}

// wait takes bytes as take does, but waits for them. The error is errFull, or the
// cause of the context.
func (p *Pool) wait(ctx context.Context, bytes, held int64) error {
	w := &waiter{bytes: bytes, holds: held > 0, done: make(chan struct{})}
	p.mu.Lock()
	if held+bytes > p.limit {
		p.mu.Unlock()
		return errFull
	}
	p.waiting = append(p.waiting, w)
	if w.holds {
		p.busy--
	}
	p.serve()
	p.mu.Unlock()
	timer := time.NewTimer(longestWait)
	defer timer.Stop()
	select {
	case <-w.done:
		return w.err
	case <-timer.C:
		return p.leave(w, errFull)
	case <-ctx.Done():
		return p.leave(w, context.Cause(ctx))
	}
}

// once makes a query count once that counts twice.
func (p *Pool) once() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
}

// leave ends a wait by an error, unless it is over.
func (p *Pool) leave(w *waiter, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, w); i >= 0 {
		p.end(i, err)
		p.serve()
	}
	return w.err
}

// serve ends the waits that can end. The lock is held.
func (p *Pool) serve() {
	for len(p.waiting) > 0 {
		switch {
		case p.room(p.waiting[0].bytes):
			p.end(0, nil)
		case p.busy == 0: // no budget is left that could give back
			p.end(len(p.waiting)-1, errFull)
		default:
			return
		}
	}
}

// end ends a wait. The lock is held.
func (p *Pool) end(i int, err error) {
	w := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	if err == nil {
		p.used += w.bytes
	}
	if w.holds || err == nil {
		p.busy++
	}
	w.err = err
	close(w.done)
}
