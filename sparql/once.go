package sparql

import (
	"context"
	"sync"
)

// once is a session whose answer is read once. Closing it is safe during the reading,
// which then ends with [ErrClosed]; the session itself is closed by the reader.
type once struct {
	ctx     context.Context // of the query
	mu      sync.Mutex
	stop    context.CancelFunc // ends the reading
	session *session           // nil: read, or closed before it was
	reading bool
	closed  bool
}

// begin makes the caller the one reader, which must call end. Close ends the context that it reads in.
func (o *once) begin() (context.Context, *session, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session == nil || o.reading {
		return nil, nil, errRead
	}
	o.reading = true
	ctx, stop := context.WithCancel(o.ctx)
	o.stop = stop
	return closable{ctx, o.ctx}, o.session, nil
}

// closable is a context that ends with Close, and with that of the query, which it asks itself: it
// may be one that ends without a channel.
type closable struct {
	context.Context
	query context.Context
}

func (r closable) Err() error {
	if err := r.Context.Err(); err != nil {
		return err
	}
	return r.query.Err()
}

// end closes the session when it was read.
func (o *once) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reading, o.closed = false, true
	o.stop()
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
	switch {
	case o.reading:
		o.stop()
	case o.session != nil:
		o.session.close()
		o.session = nil
	}
	return nil
}
