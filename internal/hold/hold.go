package hold

import (
	"io"
	"time"
)

// The usual bounds of a [Writer].
const (
	Bytes = 64 << 10
	Time  = 100 * time.Millisecond
)

// Writer keeps the first bytes of an answer back, so that a query that fails
// early can still be answered with a status: up to a number of bytes, or until
// a write that comes later than a time after the first one. Then it lets all
// through. It is not safe for concurrent use.
type Writer struct {
	w        io.Writer
	bytes    int
	time     time.Duration
	first    time.Time
	held     []byte
	released bool
	now      func() time.Time
	release  func()
}

// New returns a Writer over w. release, if not nil, is called once, before
// the first byte reaches w: the place to write a status.
func New(w io.Writer, bytes int, d time.Duration, release func()) *Writer {
	return &Writer{w: w, bytes: bytes, time: d, now: time.Now, release: release}
}

// Write implements [io.Writer].
func (h *Writer) Write(p []byte) (int, error) {
	if h.released {
		return h.w.Write(p)
	}
	if h.first.IsZero() {
		h.first = h.now()
	}
	if len(h.held)+len(p) <= h.bytes && h.now().Sub(h.first) < h.time {
		h.held = append(h.held, p...)
		return len(p), nil
	}
	if err := h.Release(); err != nil {
		return 0, err
	}
	return h.w.Write(p)
}

// Held returns the number of bytes that wait: while nothing was released, all of the
// answer so far.
func (h *Writer) Held() int { return len(h.held) }

// Release lets through what is held and all that comes. It is what ends an
// answer that was whole.
func (h *Writer) Release() error {
	if h.released {
		return nil
	}
	h.released = true
	if h.release != nil {
		h.release()
	}
	held := h.held
	h.held = nil
	if len(held) == 0 {
		return nil
	}
	_, err := h.w.Write(held)
	return err
}

// Discard drops what is held, after a failure; it returns false when it is too
// late and the answer must be cut off.
func (h *Writer) Discard() bool {
	h.held = nil
	return !h.released
}
