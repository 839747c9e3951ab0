package sparql

import (
	"sync"
)

// once is a session whose answer is read once. Closing it is safe during the reading,
// which then ends with [ErrClosed]; the session itself is closed by the reader.
type once struct {
	mu      sync.Mutex
	session *session // nil: read, or closed before it was
	reading bool
	closed  bool
}

// begin makes the caller the one reader, which must call end.
func (o *once) begin() (*session, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session == nil || o.reading {
		return nil, errRead
	}
	o.reading = true
	return o.session, nil
}

// end closes the session when it was read.
func (o *once) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reading, o.closed = false, true
	o.session.close()
	o.session = nil
}

// over returns an error if the answer was closed while it is read.
func (o *once) over() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errRead
	}
	return nil
}

// Close ends the query. It may be called again, and by another goroutine than that which
// reads; then the reader gets [ErrClosed] in the place of the rows that are left.
func (o *once) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.session != nil && !o.reading {
		o.session.close()
		o.session = nil
	}
	return nil
}
