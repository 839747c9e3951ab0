package blob

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// spool is the [Writer] of a store that takes whole objects: it gathers the bytes in a
// temporary file.
type spool struct {
	name string
	file *os.File // nil once the writer has ended
	size int64
	err  error // the first that a Write met
	send func(ctx context.Context, name string, body io.ReaderAt, size int64) error
}

func newSpool(name string, send func(ctx context.Context, name string, body io.ReaderAt, size int64) error) (*spool, error) {
	f, err := os.CreateTemp("", "rete-upload-*")
	if err != nil {
		return nil, fmt.Errorf("%s: temporary file of the upload: %w", name, err)
	}
	return &spool{name: name, file: f, send: send}, nil
}

func (w *spool) SetName(name string) {
	file := name[strings.LastIndexByte(name, '/')+1:]
	w.name = w.name[:strings.LastIndexByte(w.name, '/')+1] + file
}

func (w *spool) Write(b []byte) (int, error) {
	if w.file == nil {
		return 0, fmt.Errorf("%s: write after the end: %w", w.name, errClosed)
	}
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.file.Write(b)
	w.size, w.err = w.size+int64(n), err
	return n, err
}

func (w *spool) Commit(ctx context.Context) error {
	if w.file == nil {
		return fmt.Errorf("%s: commit after the end: %w", w.name, errClosed)
	}
	defer w.Abort()
	if w.err != nil {
		return w.err
	}
	return w.send(ctx, w.name, w.file, w.size)
}

func (w *spool) Abort() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	if rerr := os.Remove(w.file.Name()); err == nil {
		err = rerr
	}
	w.file = nil
	return err
}
