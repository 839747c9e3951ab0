package vfs

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// IsTemp reports whether name is one that [TempName] made: what a crash left.
func IsTemp(name string) bool {
	base := filepath.Base(name)
	i := strings.LastIndex(base, tempMark)
	return i > 0 && len(base)-i-len(tempMark) == 16
}

// ReadFile returns the whole file, which must hold at most limit bytes; a
// longer one is an error before it is read.
func ReadFile(fs FS, name string, limit int64) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() > limit {
		return nil, &TooLongError{Name: name, Size: st.Size(), Limit: limit}
	}
	b := make([]byte, st.Size())
	n, err := f.ReadAt(b, 0)
	if n == len(b) && err == io.EOF {
		err = nil
	}
	return b[:n], err
}

// WriteFile writes a file so that name holds the old bytes or all the new
// ones, whatever happens: temporary name, sync, rename, sync of the directory.
// An error before the rename leaves the old file; renamed tells whether the
// new one is in place, where an error then means that it may not be durable.
func WriteFile(fs FS, name string, data []byte, rename func(oldname, newname string) error) (renamed bool, err error) {
	tmp := TempName(name)
	f, err := fs.Create(tmp)
	if err != nil {
		return false, err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = rename(tmp, name)
	}
	if err != nil {
		fs.Remove(tmp) // best effort: a leftover has a name that IsTemp knows
		return false, err
	}
	return true, fs.SyncDir(filepath.Dir(name))
}

// TooLongError is what [ReadFile] returns for a file above its limit.
type TooLongError struct {
	Name        string
	Size, Limit int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s: %d bytes, at most %d are read", e.Name, e.Size, e.Limit)
}
