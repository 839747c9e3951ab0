// Package work bounds what a request costs before its first operator runs: reading its
// text, translating, rewriting and planning it.
//
// A [Meter] counts steps and bytes. It checks the context at intervals of steps, and draws
// memory before it is used. Code that loops over its input calls [Meter.Step] and
// [Meter.Hold] and stops when they return false; [Meter.Err] then says why.
package work

import "context"

const (
	// interval is the number of steps between two checks of the context.
	interval = 1 << 14
	// free is how many bytes of a request are not drawn: small requests cost no more for
	// being counted.
	free = 64 << 10
	// block is the least number of bytes that are drawn at once.
	block = 64 << 10
)

// Meter counts the work of one request. It belongs to one goroutine. The zero Meter counts,
// and never stops the work.
type Meter struct {
	ctx  context.Context
	grow func(bytes int64) error

	left    int   // steps until the next check
	allowed int64 // steps up to the next check, in all
	room    int   // bytes until more are drawn
	drawn   int64
	begun   bool
	err     error
}

// New returns a meter of a request that ends with ctx and draws its memory by grow, whose
// error ends it as well. Each of them may be nil.
func New(ctx context.Context, grow func(bytes int64) error) *Meter {
	return &Meter{ctx: ctx, grow: grow}
}

// Step counts n steps. False: the work is to end, see [Meter.Err].
func (m *Meter) Step(n int) bool {
	m.left -= n
	return m.left >= 0 || m.check()
}

// Hold counts bytes that the request comes to hold. False: the work is to end, see
// [Meter.Err].
func (m *Meter) Hold(bytes int) bool {
	m.room -= bytes
	return m.room >= 0 || m.draw()
}

// check checks the context and begins the next interval.
func (m *Meter) check() bool {
	if m.ctx != nil && m.err == nil {
		m.err = m.ctx.Err()
	}
	if m.err != nil {
		return false
	}
	more := interval - m.left // what was counted beyond the last one belongs to this one
	m.allowed += int64(more)
	m.left += more
	return true
}

// draw draws memory for what was counted.
func (m *Meter) draw() bool {
	if !m.begun {
		m.begun = true
		if m.room += free; m.room >= 0 {
			return m.err == nil
		}
	}
	if m.err != nil {
		return false
	}
	more := max(block, -m.room)
	if m.grow != nil {
		if m.err = m.grow(int64(more)); m.err != nil {
			m.allowed -= int64(m.left) + 1
			m.left = -1 // the next step ends, too
			return false
		}
	}
	m.room += more
	m.drawn += int64(more)
	return true
}

// Err returns what ended the work: the error of the context, or that of a draw; nil if
// nothing did.
func (m *Meter) Err() error { return m.err }

// Steps returns the steps so far.
func (m *Meter) Steps() int64 { return m.allowed - int64(m.left) }

// Drawn returns the bytes that were drawn: those that were counted, in blocks, less what small
// requests have for free.
func (m *Meter) Drawn() int64 { return m.drawn }

// Held returns the bytes that were counted.
func (m *Meter) Held() int64 {
	if m.begun {
		return m.drawn + free - int64(m.room)
	}
	return -int64(m.room)
}
