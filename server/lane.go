package server

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// lane answers simple requests, those that [simpleRequest] knows, in the goroutine that
// reads them from their connection. http.Server begins another goroutine with each
// request, to see whether its client goes away, and on a machine that is not busy the
// two wake processors for each other; that costs a small request more than its answer.
// Here one goroutine looks after all connections now and then.
//
// The lane stands below http.Server, in the Read of a connection: what is not simple is
// handed on as it came, and from then on the connection is http.Server's.
type lane struct {
	handler http.Handler
	idle    time.Duration // that a client may take to accept something

	mu       sync.Mutex // guards conns
	conns    map[*laneConn]struct{}
	stopping atomic.Bool

	busy     atomic.Int64 // requests that are being answered
	begun    atomic.Int64 // requests so far
	watching atomic.Bool
	done     chan struct{} // closed when the server has stopped
	watcher  sync.WaitGroup
}

func newLane(h http.Handler, idle time.Duration) *lane {
	return &lane{handler: h, idle: idle, conns: map[*laneConn]struct{}{}, done: make(chan struct{})}
}

// listener wraps the connections of a listener.
func (l *lane) listener(in net.Listener) net.Listener { return &laneListener{in, l} }

type laneListener struct {
	net.Listener
	lane *lane
}

// Accept implements net.Listener.
func (l *laneListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	raw, ok := c.(syscall.Conn)
	if !ok || !canPeek {
		return c, nil
	}
	socket, err := raw.SyscallConn()
	if err != nil {
		return c, nil
	}
	return l.lane.wrap(c, socket), nil
}

func (l *lane) wrap(c net.Conn, socket syscall.RawConn) net.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping.Load() {
		return c
	}
	lc := &laneConn{Conn: c, lane: l, socket: socket, remote: c.RemoteAddr().String()}
	lc.w = laneWriter{c: lc, header: http.Header{}}
	l.conns[lc] = struct{}{}
	return lc
}

// stop closes the connections that are idle; the others follow with their answers.
func (l *lane) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping.Store(true)
	for c := range l.conns {
		if c.state.CompareAndSwap(laneIdle, laneClosed) {
			c.Conn.Close()
		}
	}
}

// wait waits for the requests that are being answered.
func (l *lane) wait(ctx context.Context) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for l.busy.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// close closes all connections, also of requests that are being answered.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		c.Conn.Close()
	}
}

// end ends the watcher.
func (l *lane) end() {
	close(l.done)
	l.watcher.Wait()
}

// The states of a connection in the lane.
const (
	laneIdle int32 = iota
	laneBusy
	laneClosed
)

const (
	laneBuffer = 8 << 10  // of a connection
	laneMost   = 64 << 10 // bytes of a request that is simple
	// lanePatience is how long the lane waits for a body behind its head.
	lanePatience = 50 * time.Millisecond
)

// laneConn is a connection that the lane reads first.
type laneConn struct {
	net.Conn
	lane   *lane
	socket syscall.RawConn
	remote string

	off      bool   // it is http.Server's
	buf      []byte // buf[from:to] is read and not consumed
	from, to int
	in       bytes.Reader
	reader   *bufio.Reader
	w        laneWriter
	waits    time.Time // when the deadline for the next request was set; zero: it is http.Server's
	writes   time.Time // when the deadline for writing was set

	state  atomic.Int32
	mu     sync.Mutex         // guards cancel and turn
	cancel context.CancelFunc // of the request that is being answered
	looked bool               // it was looked at once
}

// Read implements net.Conn for http.Server, which reads here what the lane does not
// answer.
func (c *laneConn) Read(p []byte) (int, error) {
	if !c.off {
		if err := c.run(); err != nil {
			c.leave()
			return 0, err
		}
		c.off = true
		c.leave()
		if err := c.handOn(); err != nil {
			return 0, err
		}
	}
	if c.from < c.to {
		n := copy(p, c.buf[c.from:c.to])
		if c.from += n; c.from == c.to {
			c.buf = nil
		}
		return n, nil
	}
	return c.Conn.Read(p)
}

// handOn leaves the connection as http.Server has it when a request begins: without a
// deadline for writing, and what answered so far lets go of its memory.
func (c *laneConn) handOn() error {
	c.in, c.reader, c.w = bytes.Reader{}, nil, laneWriter{}
	if !c.writes.IsZero() {
		if err := c.Conn.SetWriteDeadline(time.Time{}); err != nil {
			return err
		}
	}
	if c.waits.IsZero() {
		return nil
	}
	return c.Conn.SetReadDeadline(time.Now().Add(headTime))
}

// Close implements net.Conn. http.Server takes the connection for an idle one: it must
// not close it under a request.
func (c *laneConn) Close() error {
	if c.state.CompareAndSwap(laneBusy, laneClosed) {
		return nil // serve looks at it
	}
	return c.Conn.Close()
}

// CloseWrite is how http.Server ends its side alone.
func (c *laneConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *laneConn) leave() {
	c.lane.mu.Lock()
	defer c.lane.mu.Unlock()
	delete(c.lane.conns, c)
}

// run answers requests until one comes that http.Server must see, which is no error.
func (c *laneConn) run() error {
	c.buf = make([]byte, laneBuffer)
	for {
		if c.from == c.to {
			c.from, c.to = 0, 0
			if len(c.buf) > 4*laneBuffer { // idle connections are many
				c.buf = make([]byte, laneBuffer)
				c.in.Reset(nil)
			}
			if err := c.await(); err != nil {
				return err
			}
		}
		size, ok := simpleRequest(c.buf[c.from:c.to])
		if !ok || size > laneMost || !c.fill(size) {
			return nil
		}
		more, err := c.serve(size)
		if !more || err != nil {
			return err
		}
	}
}

// await reads the beginning of a request.
func (c *laneConn) await() error {
	// Behind the first request, whose deadline http.Server has set. A timer is not
	// moved for each request of many.
	if now := time.Now(); !c.waits.IsZero() && now.Sub(c.waits) > idleTime/16 {
		if err := c.Conn.SetReadDeadline(now.Add(idleTime)); err != nil {
			return err
		}
		c.waits = now
	}
	n, err := c.Conn.Read(c.buf)
	c.to = n
	if n > 0 {
		return nil
	}
	return err
}

// fill reads the rest of a request of so many bytes, if it comes soon.
func (c *laneConn) fill(size int) bool {
	if c.to-c.from >= size {
		return true
	}
	if len(c.buf)-c.from < size {
		next := make([]byte, max(size, len(c.buf)))
		c.to = copy(next, c.buf[c.from:c.to])
		c.buf, c.from = next, 0
	}
	now := time.Now()
	c.waits = now.Add(-idleTime) // the deadline must be set again
	if c.Conn.SetReadDeadline(now.Add(lanePatience)) != nil {
		return false
	}
	for c.to-c.from < size {
		n, err := c.Conn.Read(c.buf[c.to:])
		c.to += n
		if err != nil {
			return false
		}
	}
	return true
}

// serve answers the request in the first bytes of the buffer. more is true if it is
// done and another one may follow; without it and an error http.Server must answer.
func (c *laneConn) serve(size int) (more bool, err error) {
	c.in.Reset(c.buf[c.from : c.from+size])
	if c.reader == nil {
		c.reader = bufio.NewReader(&c.in)
	} else {
		c.reader.Reset(&c.in)
	}
	r, err := http.ReadRequest(c.reader)
	if err != nil {
		return false, nil
	}
	l := c.lane
	l.busy.Add(1) // before the state says so: who stops the server looks at both
	defer l.busy.Add(-1)
	if !c.state.CompareAndSwap(laneIdle, laneBusy) {
		return false, io.EOF // it was closed just now; http.Server says nothing to that
	}
	l.begun.Add(1)
	l.watch()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.attend(cancel)
	r.RemoteAddr = c.remote
	c.w.reset()
	keep := false
	defer func() {
		c.attend(nil)
		if keep && c.state.CompareAndSwap(laneBusy, laneIdle) && !l.stopping.Load() {
			return
		}
		more, err = false, io.EOF
		c.state.Store(laneClosed)
		c.Conn.Close()
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			c.leave()
			panic(cause) // http.Server reports it
		}
	}()
	l.handler.ServeHTTP(&c.w, r.WithContext(ctx))
	keep = c.w.finish()
	c.from += size
	if c.waits.IsZero() {
		c.waits = time.Now().Add(-idleTime)
	}
	return true, nil
}

// write writes to the client, who must take something from time to time.
func (c *laneConn) write(b []byte) error {
	for len(b) > 0 {
		part := b[:min(len(b), 64<<10)]
		if now := time.Now(); now.Sub(c.writes) > c.lane.idle/16 {
			if err := c.Conn.SetWriteDeadline(now.Add(c.lane.idle)); err != nil {
				return err
			}
			c.writes = now
		}
		if _, err := c.Conn.Write(part); err != nil {
			return err
		}
		b = b[len(part):]
	}
	return nil
}
