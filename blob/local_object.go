package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/rete-go/rete/internal/vfs"
)

// localObject reads by positioned reads: a fault in a mapped file would kill
// the program that embeds us. Its file is open, or is opened again for the next
// read, see [handles].
type localObject struct {
	fs   vfs.FS
	name string
	st   fs.FileInfo // of the file, when it was opened first

	mu     sync.Mutex // guards what follows; comes before handles.mu
	f      vfs.File   // nil: it is not open
	users  int        // reads that go on
	used   bool       // it was read since somebody looked for a file to close
	closed bool
	place  int // in handles.open; guarded by handles.mu
}

// openLocal opens a file as an object.
func openLocal(fsys vfs.FS, name string) (*localObject, error) {
	f, err := files.openFile(fsys, name)
	if err != nil {
		return nil, notFound(name, err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	o := &localObject{fs: fsys, name: name, st: st, f: f}
	files.add(o)
	return o, nil
}

func (o *localObject) Name() string      { return o.name }
func (o *localObject) Size() int64       { return o.st.Size() }
func (o *localObject) Validator() string { return "" }

// Close closes the file when the reads that go on have ended.
func (o *localObject) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return o.shut()
}

// shut closes the file of a closed object that is not being read. mu is held.
func (o *localObject) shut() error {
	if o.f == nil || !o.closed || o.users > 0 {
		return nil
	}
	files.remove(o)
	err := o.f.Close()
	o.f = nil
	return err
}

// acquire returns the open file for one read, which release ends.
func (o *localObject) acquire() (vfs.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, &fs.PathError{Op: "read", Path: o.name, Err: errClosed}
	}
	if o.f == nil {
		if err := o.reopen(); err != nil {
			return nil, err
		}
	}
	o.users++
	o.used = true
	return o.f, nil
}

func (o *localObject) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.users--
	_ = o.shut() // it was read only, and Close has returned
}

// reopen opens the file again, which must be the one that was opened first. mu is held.
func (o *localObject) reopen() error {
	f, err := files.openFile(o.fs, o.name)
	if err != nil {
		return o.removed(err)
	}
	st, err := f.Stat()
	if err == nil {
		err = o.same(st)
	}
	if err != nil {
		f.Close()
		return err
	}
	o.f = f
	files.add(o)
	return nil
}

// Check returns nil if the next read will find the file that was opened first, and does
// not open it.
func (o *localObject) Check() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return &fs.PathError{Op: "check", Path: o.name, Err: errClosed}
	}
	if o.f != nil {
		return nil
	}
	st, err := o.fs.Stat(o.name)
	if err != nil {
		return o.removed(err)
	}
	return o.same(st)
}

// removed turns the answer that there is no file into [ErrNotFound].
func (o *localObject) removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: it was removed after it was opened", o.name, ErrNotFound)
	}
	return err
}

// same returns an error that matches [ErrChanged] if st describes another file than the
// one that was opened.
func (o *localObject) same(st fs.FileInfo) error {
	if vfs.Same(o.st, st) {
		return nil
	}
	const form = "2006-01-02T15:04:05.000000000Z07:00"
	return fmt.Errorf("%s: %w: it is not the file any more that was opened: that one had %d bytes of %s, this one has %d of %s",
		o.name, ErrChanged, o.st.Size(), o.st.ModTime().Format(form), st.Size(), st.ModTime().Format(form))
}

// ReadRanges reads range by range: a positioned read costs about as much as
// copying 4 KiB, so joining neighbours would save nothing here.
func (o *localObject) ReadRanges(ctx context.Context, rs []Range, bufs [][]byte) error {
	if err := checkRanges(o.name, o.Size(), rs, bufs); err != nil {
		return err
	}
	f, err := o.acquire()
	if err != nil {
		return err
	}
	defer o.release()
	for i, r := range rs {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n, err := f.ReadAt(bufs[i], r.Off)
		switch {
		case n == len(bufs[i]):
		case err == io.EOF:
			return fmt.Errorf("%s: %w: it had %d bytes, now it ends at %d",
				o.name, ErrChanged, o.Size(), r.Off+int64(n))
		default:
			return fmt.Errorf("%s: reading %d bytes at %d: %w", o.name, r.Len, r.Off, err)
		}
	}
	return nil
}
