package terminal

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/rete-go/rete/internal/display"
)

// Stream is standard output or standard error. It remembers its first error, so that a command
// whose text could not be written does not end as if it had been. On a terminal nothing but
// text comes out, see [display.Writer].
type Stream struct {
	to  io.Writer // the stream
	mu  sync.Mutex
	w   io.Writer // writes to it; guarded by mu, as err is
	err error
}

// NewStream returns a stream to a writer.
func NewStream(to io.Writer) *Stream {
	o := &Stream{to: to, w: to}
	if Is(to) {
		o.w = display.Writer(to)
	}
	return o
}

// Write implements [io.Writer].
func (o *Stream) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// Failed returns the first error of the output.
func (o *Stream) Failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := FileOf(stream)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsDevice reports whether a stream is a terminal or another device, on which no text waits.
func IsDevice(stream any) bool {
	f, ok := FileOf(stream)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// FileOf returns the file that a stream writes to.
func FileOf(stream any) (*os.File, bool) {
	for {
		switch s := stream.(type) {
		case *os.File:
			return s, true
		case *Stream:
			stream = s.to
		default:
			return nil, false
		}
	}
}
