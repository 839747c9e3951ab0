package main

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/rete-go/rete/internal/display"
)

// output is standard output or standard error. It remembers its first error, so that a command
// whose text could not be written does not end as if it had been. On a terminal nothing but
// text comes out, see [display.Writer].
type output struct {
	to  io.Writer // the stream
	mu  sync.Mutex
	w   io.Writer // writes to it; guarded by mu, as err is
	err error
}

func newOutput(to io.Writer) *output {
	o := &output{to: to, w: to}
	if isTerminal(to) {
		o.w = display.Writer(to)
	}
	return o
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// failed returns the first error of the output.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := fileOf(stream)
	return ok && term.IsTerminal(int(f.Fd()))
}

// isDevice reports whether a stream is a terminal or another device, on which no text waits.
func isDevice(stream any) bool {
	f, ok := fileOf(stream)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
