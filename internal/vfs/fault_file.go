package vfs

import (
	"errors"
	"io/fs"
)

// faultFile is a file of [Fault].
type faultFile struct {
	fs   *Fault
	base File
	name string
}

func (f *faultFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.fs.run(Call{Op: OpRead, Name: f.name, Size: len(p)}, func() (err error) {
		n, err = f.base.ReadAt(p, off)
		return err
	})
	return n, err
}

func (f *faultFile) Write(p []byte) (int, error) { return f.write(p, f.base.Write) }

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	return f.write(p, func(p []byte) (int, error) { return f.base.WriteAt(p, off) })
}

func (f *faultFile) write(p []byte, write func([]byte) (int, error)) (n int, err error) {
	err = f.fs.run(Call{Op: OpWrite, Name: f.name, Size: len(p)}, func() (err error) {
		n, err = write(p)
		return err
	})
	var short ShortWrite
	if errors.As(err, &short) {
		n, _ = write(p[:min(short.N, len(p))])
	}
	return n, err
}

func (f *faultFile) Sync() error {
	return f.fs.run(Call{Op: OpSync, Name: f.name}, f.base.Sync)
}

func (f *faultFile) Truncate(size int64) error {
	return f.fs.run(Call{Op: OpTruncate, Name: f.name, Size: int(size)}, func() error { return f.base.Truncate(size) })
}

func (f *faultFile) Stat() (st fs.FileInfo, err error) {
	err = f.fs.run(Call{Op: OpFileStat, Name: f.name}, func() (err error) { st, err = f.base.Stat(); return err })
	return st, err
}

// Close closes the file even if the call is to fail: a handle must not leak
// because a test wants an error.
func (f *faultFile) Close() error {
	cerr := f.base.Close()
	return f.fs.run(Call{Op: OpClose, Name: f.name}, func() error { return cerr })
}
