package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/rete-go/rete/sparql/results"
)

// patientWriter writes to a client, who must take something from time to time. Its
// errors match errClientGone.
type patientWriter struct {
	w io.Writer
	patience
}

func (p *patientWriter) Write(b []byte) (int, error) {
	// An error only says that there are no deadlines.
	_ = p.control.SetWriteDeadline(time.Now().Add(p.idle))
	n, err := p.w.Write(b)
	if err != nil {
		err = fmt.Errorf("%w: %w", errClientGone, err)
	}
	return n, err
}

// answer writes an answer as a stream. If write fails before its first bytes were
// let through, nothing was sent and the error may still get a status; after that
// the answer stays open, its coder unclosed, and the caller must cut it off.
func (x *exchange) answer(ctx context.Context, content, coding string, write func(w io.Writer) error) error {
	h := x.w.Header()
	release := func() {
		h.Set("Content-Type", content)
		if coding != "" {
			h.Set("Content-Encoding", coding)
		}
		x.w.WriteHeader(http.StatusOK)
	}
	if !x.r.ProtoAtLeast(1, 1) {
		return x.answerWhole(content, coding, write)
	}
	var out io.Writer = &patientWriter{x.w, x.patience()}
	end := func() error { return nil }
	if coding != "" {
		c, free := newCoder(coding, out)
		defer free()
		out, end = c, c.Close
	}
	hold := results.NewHold(out, results.HoldBytes, results.HoldTime, release)
	err := write(hold)
	if err == nil {
		err = context.Cause(ctx) // a query that was ended is not whole
	}
	if err != nil {
		hold.Discard()
		return err
	}
	if err := hold.Release(); err != nil {
		return err
	}
	return end()
}

// answerWhole is answer for HTTP/1.0, where the end of the connection ends an
// answer: only its length can show that it is whole.
func (x *exchange) answerWhole(content, coding string, write func(w io.Writer) error) error {
	t := &text{}
	defer t.Close()
	var out io.Writer = &textWriter{t, x.s.opt.TempDir}
	end := func() error { return nil }
	if coding != "" {
		c, free := newCoder(coding, out)
		defer free()
		out, end = c, c.Close
	}
	if err := write(out); err != nil {
		return err
	}
	if err := end(); err != nil {
		return err
	}
	h := x.w.Header()
	h.Set("Content-Type", content)
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	h.Set("Content-Length", strconv.FormatInt(t.size, 10))
	x.w.WriteHeader(http.StatusOK)
	_, err := io.Copy(&patientWriter{x.w, x.patience()}, t.reader())
	return err
}
