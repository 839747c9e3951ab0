package mem

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/rete-go/rete/internal/watch"
)

// DrawStep is the number of bytes by which a query draws from the pool.
const DrawStep = 256 << 10

// Budget is the memory of one query, and the temporary files that its operators
// write when they are refused more. It belongs to the goroutine of the query; other
// goroutines of it draw through a budget of their own: see [Budget.Fork].
type Budget struct {
	Limit int64 // 0: none
	Pool  *Pool // nil: none
	// Before is what the query holds already, drawn from elsewhere: it counts to the limit.
	Before int64
	// Dir is the folder of temporary files; empty: that of the system.
	Dir string
	// SpillLimit bounds the bytes of the temporary files; 0: no bound, below zero: none
	// are written.
	SpillLimit int64
	// Watch is told what is written to them; nil: nobody is.
	Watch *watch.Query
	// Refuse, if not nil, is asked before memory is given to an operator, and told what
	// is held. Returning true denies the request; tests use it.
	Refuse func(op string, held int64) bool

	// Create makes a temporary file in a folder; nil stands for [CreateTemp].
	Create func(dir string) (TempFile, error)
	again  string // the operator that Refuse has just refused

	parent *Budget // of a fork: what it draws from
	// ask, of a fork that was refused, asks the query's own goroutine, which may
	// spill; nil: nobody is asked.
	ask func(ctx context.Context, op string, bytes int64) error

	mu             sync.Mutex // of the amounts, which forks change as well
	held, peak     int64
	drawn          int64 // from the pool; a multiple of DrawStep
	spilled, files int64 // bytes in files now; files that were made
	written        int64 // bytes written in all
	spillers       []Spiller
	open           map[TempFile]struct{}
}

// Spiller is an operator that can write to a file what it holds.
type Spiller interface {
	// Spillable returns the bytes that a call of spill would give back; 0 if the
	// operator is in the middle of something.
	Spillable() int64
	Spill(ctx context.Context) error
}

// Error says that a query needs more memory than its limit: which
// operator asked, what is held, and the limit.
type Error struct {
	Op          string // the operator that asked
	Asked, Held int64  // bytes
	Limit       int64
	// Process: the limit is that of all queries, not that of one.
	Process bool
}

// Error implements error.
func (e *Error) Error() string {
	whose := "its limit of"
	if e.Process {
		whose = "the process's limit of"
	}
	return fmt.Sprintf("sparql: %s needs %d bytes more, and the query holds %d of %s %d", e.Op, e.Asked, e.Held, whose, e.Limit)
}

// Refused reports whether an error is that of memory that was refused.
func Refused(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// smallSpill is less than what is written to a file while others may give memory
// back: a query would come to have many small files.
const smallSpill = 1 << 20

// Take asks for bytes. Refused, the operator of the query that holds the most
// writes it to a file, until there is enough or none can. If it is other queries
// that hold too much, and this one has little to write, it waits for them, until the
// context ends.
func (b *Budget) Take(ctx context.Context, op string, bytes int64) error {
	if b.parent != nil {
		return b.takeForked(ctx, op, bytes)
	}
	forced := b.again == op || b.refuses(op)
	b.again = ""
	for {
		var refused error
		if forced {
			now, _ := b.Held()
			refused = &Error{Op: op, Asked: bytes, Held: b.Before + now, Limit: b.Limit}
		} else {
			refused = b.take(op, bytes)
		}
		forced = false
		if refused == nil {
			return nil
		}
		s, most := b.largest()
		if most < smallSpill {
			waited, err := b.await(ctx, bytes, refused)
			if err != nil {
				return err
			}
			if waited {
				continue
			}
		}
		if s == nil {
			return refused
		}
		if err := s.Spill(ctx); err != nil {
			return err
		}
	}
}

// Try takes bytes if they are there: nothing is spilled for them, and nobody waited for.
func (b *Budget) Try(op string, bytes int64) bool {
	whole := b
	if b.parent != nil {
		whole = b.parent
	}
	if whole.refuses(op) {
		b.again = op // for the call of Take that follows
		return false
	}
	if whole.take(op, bytes) != nil {
		return false
	}
	if b.parent != nil {
		b.held += bytes
	}
	return true
}

// await waits for other queries to give back what Take asks for, if it was they
// that left too little. It returns false if that does not help.
func (b *Budget) await(ctx context.Context, bytes int64, refused error) (bool, error) {
	var m *Error
	if !errors.As(refused, &m) || !m.Process {
		return false, nil
	}
	b.mu.Lock()
	more, held := b.missing(bytes), b.drawn
	b.mu.Unlock()
	if more <= 0 { // meanwhile another goroutine of the query gave back
		return true, nil
	}
	switch err := b.Pool.wait(ctx, more, held); {
	case err == errFull:
		return false, nil
	case err != nil:
		return false, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if held == 0 && b.drawn > 0 { // another goroutine of the query took some, and made it count
		b.Pool.once()
	}
	b.drawn += more
	return true, nil
}

// missing returns how much must be drawn from the pool so that bytes more can be
// held.
func (b *Budget) missing(bytes int64) int64 {
	return (b.held + bytes - b.drawn + DrawStep - 1) / DrawStep * DrawStep
}

// take asks for bytes that are there.
func (b *Budget) take(op string, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Limit > 0 && b.Before+b.held+bytes > b.Limit {
		return &Error{Op: op, Asked: bytes, Held: b.Before + b.held, Limit: b.Limit}
	}
	if more := b.missing(bytes); more > 0 && b.Pool != nil {
		if !b.Pool.take(more, b.drawn) {
			return &Error{Op: op, Asked: bytes, Held: b.Before + b.held, Limit: b.Pool.limit, Process: true}
		}
		b.drawn += more
	}
	b.held += bytes
	b.peak = max(b.peak, b.held)
	return nil
}

// refuses reports whether a test wants memory to be refused.
func (b *Budget) refuses(op string) bool {
	if b.Refuse == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Refuse(op, b.held)
}

// Fork returns a budget for another goroutine of the query. Its operators never
// spill; refused, they are given what ask obtains.
func (b *Budget) Fork(ask func(ctx context.Context, op string, bytes int64) error) *Budget {
	return &Budget{parent: b, SpillLimit: -1, ask: ask, Limit: b.Limit, Pool: b.Pool, Refuse: b.Refuse}
}

// takeForked is Take of a fork.
func (b *Budget) takeForked(ctx context.Context, op string, bytes int64) error {
	var err error
	again := b.again == op
	b.again = ""
	if again || b.parent.refuses(op) {
		now, _ := b.parent.Held()
		err = &Error{Op: op, Asked: bytes, Held: now, Limit: b.Limit}
	} else {
		err = b.parent.take(op, bytes)
	}
	if err != nil && b.ask != nil {
		err = b.ask(ctx, op, bytes)
	}
	if err == nil {
		b.held += bytes
	}
	return err
}

// Leave leaves bytes that a fork drew to the budget of the query.
func (b *Budget) Leave(bytes int64) { b.held -= bytes }

// Bounded reports whether memory can be refused.
func (b *Budget) Bounded() bool { return b.Limit > 0 || b.Pool != nil || b.Refuse != nil }

// Bound returns the most that the query can come to hold; 0 if there is no bound.
func (b *Budget) Bound() int64 {
	switch {
	case b.Refuse != nil && b.Limit == 0:
		return 1 << 20
	case b.Pool == nil:
		return b.Limit
	case b.Limit == 0:
		return b.Pool.limit
	}
	return min(b.Limit, b.Pool.limit)
}

// largest returns the operator that can give back the most, and how much; nil if
// none can, or no files may be written.
func (b *Budget) largest() (Spiller, int64) {
	if !b.MaySpill(2 * Parts) {
		return nil, 0
	}
	var best Spiller
	var most int64
	for _, s := range b.spillers {
		if n := s.Spillable(); n > most {
			best, most = s, n
		}
	}
	return best, most
}

// Register makes an operator one of those that may be asked to spill.
func (b *Budget) Register(s Spiller) { b.spillers = append(b.spillers, s) }

// Unregister ends that.
func (b *Budget) Unregister(s Spiller) {
	for i, x := range b.spillers {
		if x == s {
			b.spillers = append(b.spillers[:i], b.spillers[i+1:]...)
			return
		}
	}
}

// Give returns bytes.
func (b *Budget) Give(bytes int64) {
	if b.parent != nil {
		b.held -= bytes
		b.parent.Give(bytes)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= bytes
	if b.drawn-b.held >= 2*DrawStep {
		back := (b.drawn - b.held - DrawStep) / DrawStep * DrawStep
		b.drawn -= back
		b.Pool.unreserve(back, b.drawn)
	}
}

// Held returns what is held now, and the most that was.
func (b *Budget) Held() (now, peak int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held, b.peak
}

// Spilled returns how many temporary files were made, and the bytes written to
// them.
func (b *Budget) Spilled() (files, bytes int64) { return b.files, b.written }

// Close returns all memory to the pool and closes files that are still open. It
// may be called twice. A fork returns what it holds to the budget of the query.
func (b *Budget) Close() error {
	if b.parent != nil {
		b.Give(b.held)
		return nil
	}
	b.mu.Lock() // somebody may ask what is held
	drawn := b.drawn
	b.drawn, b.held, b.spillers = 0, 0, nil
	b.mu.Unlock()
	b.Pool.unreserve(drawn, 0)
	var errs []error
	for f := range b.open {
		errs = append(errs, f.Close())
	}
	b.open = nil
	return errors.Join(errs...)
}
