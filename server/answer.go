package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/rete-go/rete/internal/hold"
)

// sink writes to a client, which must take pieceBytes in each IdleTime. Its errors
// match errClientGone. The head of the answer goes before the first byte. A write that
// blocks lends the slot of the query.
type sink struct {
	x *exchange
	patience
	content, coding string
	wait            func(write func() error) error
}

// pieceBytes is what a client must take in each [Options.IdleTime].
const pieceBytes = 64 << 10

func (s *sink) Write(b []byte) (written int, err error) {
	s.head()
	for len(b) > 0 && err == nil {
		err = s.wait(func() error {
			// An error only says that there are no deadlines.
			_ = s.control.SetWriteDeadline(time.Now().Add(s.idle))
			n, err := s.x.w.Write(b[:min(len(b), pieceBytes)])
			written, b = written+n, b[n:]
			if err != nil {
				err = fmt.Errorf("%w: %w", errClientGone, err)
			}
			return err
		})
	}
	return written, err
}

// headAlone answers HEAD: as GET, without a body and what is known only when there is one.
func (x *exchange) headAlone(v *variant) {
	x.w.Header().Set("Content-Type", v.content)
	x.w.WriteHeader(http.StatusOK)
}

// alone gives the slot back: the query has ended, and what is left is to send its answer.
func (s *sink) alone() {
	s.x.slot.close()
	s.wait = func(write func() error) error {
		start := time.Now()
		defer func() { s.x.slot.waited(time.Since(start)) }()
		return write()
	}
}

func (s *sink) head() {
	if s.x.w.started() {
		return
	}
	h := s.x.w.Header()
	h["Content-Type"] = []string{s.content}
	if s.coding != "" {
		h.Set("Content-Encoding", s.coding)
	}
	s.x.notes.send(h)
	s.x.w.WriteHeader(http.StatusOK)
}

// answer writes an answer as a stream. If write fails before its first bytes were
// let through, nothing was sent and the error may still get a status; after that
// the answer stays open, its coder unclosed, and the caller must cut it off. An answer
// that is whole before its first bytes go does not hold the slot while they do.
func (x *exchange) answer(ctx context.Context, content string, coding coding, write func(w io.Writer) error) error {
	to := &sink{x: x, patience: x.patience(), content: content, coding: coding.name,
		wait: func(write func() error) error { return x.slot.write(ctx, write) }}
	if !x.r.ProtoAtLeast(1, 1) {
		return x.answerWhole(ctx, to, write)
	}
	out := &packer{to: to, coding: coding.name}
	defer out.free()
	hold := hold.New(out, hold.Bytes, hold.Time, nil)
	err := write(hold)
	if err == nil {
		err = context.Cause(ctx) // a query that was ended is not whole
	}
	if err != nil {
		hold.Discard()
		return err
	}
	if !x.w.started() { // all of it is held
		if hold.Held() < minPacked && !coding.required {
			to.coding, out.coding = "", ""
		}
		if out.coding == "" {
			x.w.Header()["Content-Length"] = []string{strconv.Itoa(hold.Held())}
		}
		to.alone()
	}
	if err := hold.Release(); err != nil {
		return err
	}
	if err := out.end(); err != nil {
		return err
	}
	to.head() // of an answer without a byte
	return nil
}

// answerWhole is answer for HTTP/1.0, where the end of the connection ends an
// answer: only its length can show that it is whole. What does not fit into memory is
// a temporary file of the query.
func (x *exchange) answerWhole(ctx context.Context, to *sink, write func(w io.Writer) error) error {
	t := &text{}
	defer t.Close()
	out := &packer{to: &wholeWriter{x.fill(t), x.s.opt.Spill}, coding: to.coding}
	defer out.free()
	err := write(out)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if err := out.end(); err != nil {
		return err
	}
	x.w.Header().Set("Content-Length", strconv.FormatInt(t.size, 10))
	to.alone()
	to.head()
	_, err = io.Copy(to, t.reader())
	return err
}

// wholeWriter fills a text that is not in memory with no more than a query may have in
// temporary files, as [Options.Spill] says.
type wholeWriter struct {
	to    *textWriter
	spill int64
}

func (w *wholeWriter) Write(p []byte) (int, error) {
	if w.spill != 0 && w.to.t.size+int64(len(p)) > max(w.spill, memoryText) {
		return 0, problem(http.StatusUnprocessableEntity, "memory", "Memory limit exceeded",
			fmt.Sprintf("HTTP/1.0 wants an answer whole, and this one has more than the %d bytes that may be kept for it", max(w.spill, memoryText)))
	}
	return w.to.Write(p)
}
