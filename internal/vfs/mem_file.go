package vfs

import (
	"io"
	"io/fs"
)

// memFile is a handle of [Mem]. Write goes to the end.
type memFile struct {
	m        *Mem
	n        *inode
	name     string
	writable bool
	closed   bool
}

func (f *memFile) open(op string) error {
	if f.closed {
		return pathError(op, f.name, fs.ErrClosed)
	}
	return nil
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.open("read"); err != nil {
		return 0, err
	}
	if off < 0 || f.n.dir {
		return 0, pathError("read", f.name, fs.ErrInvalid)
	}
	if off >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) Write(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.mayWrite("write"); err != nil {
		return 0, err
	}
	f.n.dirty = min(f.n.dirty, int64(len(f.n.data)))
	f.n.data = append(f.n.data, p...)
	f.n.mtime = f.m.now()
	return len(p), nil
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.mayWrite("write"); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, pathError("write", f.name, fs.ErrInvalid)
	}
	n, size := f.n, int64(len(f.n.data))
	n.dirty = min(n.dirty, off, size)
	if gap := off - size; gap > 0 {
		n.data = append(n.data, make([]byte, gap)...)
	}
	n.data = append(n.data, p[copy(n.data[off:], p):]...)
	n.mtime = f.m.now()
	return len(p), nil
}

func (f *memFile) mayWrite(op string) error {
	if err := f.open(op); err != nil {
		return err
	}
	if !f.writable {
		return pathError(op, f.name, fs.ErrPermission)
	}
	return nil
}

func (f *memFile) Truncate(size int64) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.mayWrite("truncate"); err != nil {
		return err
	}
	if size < 0 {
		return pathError("truncate", f.name, fs.ErrInvalid)
	}
	n := f.n
	if d := int64(len(n.data)); size <= d {
		n.data = n.data[:size]
		n.dirty = min(n.dirty, size)
	} else {
		n.data = append(n.data, make([]byte, size-d)...)
		n.dirty = min(n.dirty, d)
	}
	n.mtime = f.m.now()
	return nil
}

func (f *memFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.open("sync"); err != nil {
		return err
	}
	f.n.sync()
	return nil
}

// sync copies what changed since the last one, so that a journal of many
// synced lines stays linear.
func (n *inode) sync() {
	n.safe = append(n.safe[:n.dirty], n.data[n.dirty:]...)
	n.dirty = int64(len(n.data))
}

func (f *memFile) Stat() (fs.FileInfo, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.open("stat"); err != nil {
		return nil, err
	}
	return f.n.info(clean(f.name)), nil
}

func (f *memFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.open("close"); err != nil {
		return err
	}
	f.closed = true
	return nil
}
