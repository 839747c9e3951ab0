package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/rete-go/rete/internal/vfs"
)

func (l *local) Put(ctx context.Context, name string, data []byte, cond Cond) (string, error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	p, err := l.path(name)
	if err != nil {
		return "", err
	}
	rename := l.fs.Rename
	switch {
	case cond.absent:
		// Seen early it costs no temporary file; the rename decides.
		if _, err := l.fs.Stat(p); err == nil {
			return "", fmt.Errorf("%s: %w", p, ErrExists)
		}
		rename = l.fs.RenameNew
		// What the writer has read here and now builds on must not be undone
		// by a crash that this object survives.
		if err := l.fs.SyncDir(filepath.Dir(p)); err != nil {
			return "", err
		}
	case cond.match != "":
		lock, err := l.fs.Lock(ctx, p+".lock")
		if err != nil {
			return "", err
		}
		defer lock.Close()
		if err := l.compare(p, cond.match); err != nil {
			return "", err
		}
		rename = func(oldname, newname string) error {
			if err := lock.Held(); err != nil { // another writer may have compared too
				return fmt.Errorf("%w: %w", ErrBusy, err)
			}
			return l.fs.Rename(oldname, newname)
		}
	}
	out, err := vfs.WriteFile(l.fs, p, data, rename)
	if err != nil {
		return "", ended(p, out, err)
	}
	return contentValidator(data), nil
}

// ended turns the error of a write into one of the three outcomes.
func ended(name string, out vfs.Outcome, err error) error {
	switch {
	case out != vfs.NotRenamed:
		return fmt.Errorf("%s: %w: %w", name, ErrNotDurable, err)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w", name, ErrExists)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// compare reads the object again under the lock.
func (l *local) compare(p, validator string) error {
	const most = 1 << 30 // conditions are for small objects; this only bounds memory
	b, err := vfs.ReadFile(l.fs, p, most)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: it is gone", p, ErrConditionFailed)
	}
	if err != nil {
		return err
	}
	if contentValidator(b) != validator {
		return fmt.Errorf("%s: %w", p, ErrConditionFailed)
	}
	return nil
}

func (l *local) Create(ctx context.Context, name string) (Writer, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p, err := l.path(name)
	if err != nil {
		return nil, err
	}
	f, tmp, lock, err := vfs.CreateTemp(l.fs, p)
	if err != nil {
		return nil, err
	}
	return &localWriter{fs: l.fs, f: f, lock: lock, name: p, tmp: tmp}, nil
}

type localWriter struct {
	fs        vfs.FS
	f         vfs.File // nil once the writer has ended
	lock      io.Closer
	name, tmp string
	err       error // the first that a Write met: a short file is never committed
}

func (w *localWriter) SetName(name string) {
	w.name = filepath.Join(filepath.Dir(w.tmp), filepath.Base(filepath.FromSlash(name)))
}

func (w *localWriter) Write(b []byte) (int, error) {
	if w.f == nil {
		return 0, fmt.Errorf("%s: write after the end: %w", w.name, errClosed)
	}
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.f.Write(b)
	w.err = err
	return n, err
}

func (w *localWriter) Commit(ctx context.Context) error {
	if w.f == nil {
		return fmt.Errorf("%s: commit after the end: %w", w.name, errClosed)
	}
	defer w.lock.Close()
	err := w.err
	if err == nil {
		err = context.Cause(ctx)
	}
	out, err := vfs.Finish(w.fs, w.f, err, w.tmp, w.name, w.fs.RenameNew)
	w.f = nil
	if err != nil {
		return ended(w.name, out, err)
	}
	return nil
}

func (w *localWriter) Abort() error {
	if w.f == nil {
		return nil
	}
	defer w.lock.Close()
	err := w.f.Close()
	w.f = nil
	if rerr := w.fs.Remove(w.tmp); err == nil {
		err = rerr
	}
	return err
}
