package server

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// laneWriter is the http.ResponseWriter of the lane. What it sends is what http.Server
// sends for the same calls, but an answer goes out as soon as it is known to be whole:
// one that has no body with its head, one of a given length with its last byte.
type laneWriter struct {
	c      *laneConn
	header http.Header

	status   int          // 0: no head yet
	head     bytes.Buffer // without what says how the body is framed
	body     []byte       // that waits for it to be known
	out      []byte       // for one write
	typed    bool         // the head says what the body is
	length   int64        // that the handler said, or -1
	written  int64        // bytes of the body
	sent     bool         // the head
	chunked  bool
	closing  bool // the connection ends with this answer
	finished bool
	failed   error
}

// chunkAfter is how long a body gets before it is sent in chunks.
const chunkAfter = 2048

func (w *laneWriter) reset() {
	clear(w.header)
	*w = laneWriter{c: w.c, header: w.header, head: w.head, body: w.body[:0], out: w.out[:0], length: -1}
	w.head.Reset()
	if cap(w.out) > 4*laneBuffer {
		w.out = nil
	}
}

// Header implements http.ResponseWriter.
func (w *laneWriter) Header() http.Header { return w.header }

// framing are the fields that this writer makes itself.
var framing = map[string]bool{"Content-Length": true, "Transfer-Encoding": true, "Connection": true}

// WriteHeader implements http.ResponseWriter.
func (w *laneWriter) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return
	}
	w.status = status
	h := w.header
	if n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil && n >= 0 && w.bodied() {
		w.length = n
	}
	w.closing = w.closing || h.Get("Connection") == "close" || w.c.lane.stopping.Load()
	b := w.head.AvailableBuffer()
	b = append(b, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, ' ')
	if text := http.StatusText(status); text != "" {
		b = append(b, text...)
	} else {
		b = strconv.AppendInt(append(b, "status code "...), int64(status), 10)
	}
	b = append(b, "\r\n"...)
	if len(h["Date"]) == 0 {
		b = append(b, "Date: "...)
		b = time.Now().UTC().AppendFormat(b, http.TimeFormat)
		b = append(b, "\r\n"...)
	}
	w.head.Write(b)
	// Writing to memory does not fail.
	_ = h.WriteSubset(&w.head, framing)
	w.typed = len(h["Content-Type"]) > 0 || len(h["Content-Encoding"]) > 0
	if !w.bodied() || w.length == 0 {
		w.finish()
	}
}

// bodied reports whether an answer of this status has a body.
func (w *laneWriter) bodied() bool {
	return w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// Write implements http.ResponseWriter.
func (w *laneWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case !w.bodied():
		return 0, http.ErrBodyNotAllowed
	case w.length >= 0 && w.written+int64(len(p)) > w.length:
		w.closing = true // as the handler's word is not to be relied on
		return 0, http.ErrContentLength
	case w.failed != nil:
		return 0, w.failed
	case len(p) == 0:
		return 0, nil
	}
	w.written += int64(len(p))
	switch {
	case w.length >= 0:
		if w.send(p, w.written == w.length); w.written == w.length {
			w.finished = true
		}
	case len(w.body)+len(p) <= chunkAfter:
		w.body = append(w.body, p...)
	default:
		w.chunked = true
		w.send(p, false)
	}
	return len(p), w.failed
}

// finish ends the answer, and reports whether another may follow on the connection.
func (w *laneWriter) finish() bool {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.finished {
		w.finished = true
		switch {
		case w.length >= 0 && w.written < w.length:
			w.closing = true // nothing can make it whole
		case w.sent || w.length >= 0:
		case w.bodied():
			w.length = w.written
		}
		w.send(nil, true)
	}
	return w.failed == nil && !w.closing
}

// FlushError sends what there is; see http.ResponseController.
func (w *laneWriter) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.finished {
		w.chunked = w.length < 0
		w.send(nil, false)
	}
	return w.failed
}

// SetReadDeadline has nothing to do: the request is in memory.
func (w *laneWriter) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline has nothing to do: each write has its deadline.
func (w *laneWriter) SetWriteDeadline(time.Time) error { return nil }

// send writes the head if need be, what waits, and p, in one write unless p is long.
func (w *laneWriter) send(p []byte, last bool) {
	if w.failed != nil {
		return
	}
	b := w.out[:0]
	if !w.sent {
		w.sent = true
		b = w.appendHead(b, p)
	}
	if w.chunked {
		if n := len(w.body) + len(p); n > 0 {
			b = strconv.AppendInt(b, int64(n), 16)
			b = append(b, "\r\n"...)
		}
	}
	waited := len(w.body) > 0
	b = append(b, w.body...)
	w.body = w.body[:0]
	if len(p) > laneBuffer {
		if w.failed = w.c.write(b); w.failed == nil {
			w.failed = w.c.write(p)
		}
		b = b[:0]
	} else {
		b = append(b, p...)
	}
	if w.chunked && (len(p) > 0 || waited) {
		b = append(b, "\r\n"...)
	}
	if w.chunked && last {
		b = append(b, "0\r\n\r\n"...)
	}
	if w.failed == nil && len(b) > 0 {
		w.failed = w.c.write(b)
	}
	w.out = b[:0]
}

// appendHead appends the head of an answer whose body begins with what waits, and p.
func (w *laneWriter) appendHead(b, p []byte) []byte {
	b = append(b, w.head.Bytes()...)
	if first := p; w.bodied() && !w.typed {
		if len(w.body) > 0 {
			first = w.body
		}
		if len(first) > 0 {
			b = append(b, "Content-Type: "...)
			b = append(b, http.DetectContentType(first)...)
			b = append(b, "\r\n"...)
		}
	}
	switch {
	case w.chunked:
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	case w.length >= 0:
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, w.length, 10)
		b = append(b, "\r\n"...)
	}
	if w.closing {
		b = append(b, "Connection: close\r\n"...)
	}
	return append(b, "\r\n"...)
}
