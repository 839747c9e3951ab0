package document

import (
	"bufio"
	"context"
	"io"

	"github.com/rete-go/rete/internal/syntax/packing"
)

// arrived returns the bytes of a source, still packed. Where Limits.Unpack is to be asked, it reads the whole source
// into a spool and then waits for it. free must be called when they are unpacked, also after an error.
func (d *Document) arrived(ctx context.Context, in *bufio.Reader) (all io.Reader, free func(), err error) {
	free = func() {}
	if d.limits.Unpack == nil {
		return in, free, nil
	}
	head, err := in.Peek(packing.Head)
	if err != nil && err != io.EOF {
		return nil, free, err
	}
	if !packing.Of(head).Large() {
		return in, free, nil
	}
	var s spool
	free = func() { s.free(d.limits) }
	if _, err := io.Copy(&spoolWriter{d, &s}, in); err != nil {
		return nil, free, err
	}
	done, err := d.limits.Unpack(ctx)
	if err != nil {
		return nil, free, err
	}
	return s.reader(), func() { done(); s.free(d.limits) }, nil
}

// spoolWriter fills a spool of a document.
type spoolWriter struct {
	d  *Document
	to *spool
}

// Write implements io.Writer.
func (w *spoolWriter) Write(p []byte) (int, error) { return len(p), w.d.add(w.to, p) }
