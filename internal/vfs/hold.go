package vfs

import (
	"io"
	"runtime"
)

// canHold: on Windows a lock keeps other handles of the same process from writing, too.
const canHold = runtime.GOOS != "windows"

// Hold locks a file that its caller made under a temporary name, as long as it writes it:
// [RemoveDead] of other processes leaves it alone. held is false if it came too late, and the file
// has lost its name. Where files cannot be locked nobody removes them either.
func Hold(fsys FS, f File, name string) (lock io.Closer, held bool) {
	if !canHold {
		return io.NopCloser(nil), true
	}
	l, err := fsys.TryLock(name)
	if err != nil {
		return io.NopCloser(nil), true
	}
	mine, err1 := f.Stat()
	has, err2 := l.File().Stat()
	if err1 == nil && err2 == nil && !SameFile(mine, has) {
		_ = l.Close()
		return nil, false
	}
	return l, true
}

// CreateTemp makes a file under a temporary name, which its lock keeps until it is closed.
func CreateTemp(fsys FS, name string) (f File, tmp string, lock io.Closer, err error) {
	return createTemp(fsys, name, fsys.Create)
}

func createTemp(fsys FS, name string, create func(string) (File, error)) (f File, tmp string, lock io.Closer, err error) {
	for {
		tmp = TempName(name)
		if f, err = create(tmp); err != nil {
			return nil, "", nil, err
		}
		if lock, held := Hold(fsys, f, tmp); held {
			return f, tmp, lock, nil
		}
		if err := f.Close(); err != nil {
			return nil, "", nil, err
		}
	}
}

// RemoveDead removes a temporary file that nobody holds: what a killed process left.
func RemoveDead(fsys FS, name string) {
	if !canHold {
		return
	}
	if l, err := fsys.TryLock(name); err == nil {
		_ = fsys.Remove(name)
		_ = l.Close()
	}
}
