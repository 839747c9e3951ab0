package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// IsTemp reports whether name is one that [TempName] made: what a crash left.
func IsTemp(name string) bool { return TempTarget(name) != "" }

// TempTarget returns the name, in the same directory, that the file of a [TempName] was
// to get, "" for any other name.
func TempTarget(name string) string {
	base := filepath.Base(name)
	i := strings.LastIndex(base, tempMark)
	if i <= 0 || len(base)-i-len(tempMark) != 16 {
		return ""
	}
	return base[:i]
}

// SameFile reports whether two descriptions are of one file, whatever its names are.
func SameFile(a, b fs.FileInfo) bool {
	if x, ok := a.Sys().(*inode); ok {
		return x == b.Sys()
	}
	return os.SameFile(a, b)
}

// Spelled returns a name as its directory has it, where the file system takes upper and
// lower case for the same: what lies next to the file begins with that. It looks only at
// the last part, and returns the name of a file that is missing as it is.
func Spelled(fsys FS, name string) string {
	dir, base := filepath.Split(name)
	other := strings.ToUpper(base)
	if other == base {
		other = strings.ToLower(base)
	}
	st, err := fsys.Stat(name)
	if err != nil || other == base {
		return name
	}
	if alt, err := fsys.Stat(dir + other); err != nil || !SameFile(st, alt) {
		return name
	}
	entries, err := fsys.ReadDir(filepath.Clean(dir))
	if err != nil {
		return name
	}
	best := name
	for _, e := range entries {
		if e.Name() == base {
			return name // links, not letters
		}
		if info, err := e.Info(); err == nil && strings.EqualFold(e.Name(), base) && SameFile(st, info) {
			best = dir + e.Name()
		}
	}
	return best
}

// ReadFile returns the whole file, which must hold at most limit bytes; a
// longer one is an error before it is read.
func ReadFile(fsys FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
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

// Same reports whether two descriptions are of one file that was not written to in
// between: same file, size and time.
func Same(a, b fs.FileInfo) bool {
	same := os.SameFile(a, b)
	if n, ok := a.Sys().(*inode); ok {
		same = n == b.Sys()
	}
	return same && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Unshare gives a file that has other names, by hard links, bytes of its own, so that
// writing to it changes none of the others. A file that is missing is left so.
func Unshare(fsys FS, name string, limit int64) error {
	st, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !linked(st) {
		return nil
	}
	if err == nil {
		var data []byte
		if data, err = ReadFile(fsys, name, limit); err == nil {
			_, err = WriteFile(fsys, name, data, fsys.Rename)
		}
	}
	return err
}

// Outcome says how far a rename into place came.
type Outcome uint8

const (
	NotRenamed Outcome = iota // the name is what it was
	Renamed                   // the new file has the name
	Unclear                   // one of the two
)

// WriteFile writes a file so that name holds the old bytes or all the new
// ones, whatever happens: temporary name, sync, rename, sync of the directory.
// rename is fsys.Rename or fsys.RenameNew. An error with the outcome Renamed
// means that the new file may not be durable.
func WriteFile(fsys FS, name string, data []byte, rename func(oldname, newname string) error) (Outcome, error) {
	return writeFile(fsys, name, data, fsys.Create, rename)
}

// WritePrivate is WriteFile, replacing what has the name, of a file that its user
// alone may read.
func WritePrivate(fsys FS, name string, data []byte) (Outcome, error) {
	return writeFile(fsys, name, data, fsys.CreatePrivate, fsys.Rename)
}

func writeFile(fsys FS, name string, data []byte, create func(string) (File, error), rename func(oldname, newname string) error) (Outcome, error) {
	f, tmp, lock, err := createTemp(fsys, name, create)
	if err != nil {
		return NotRenamed, err
	}
	defer lock.Close()
	_, err = f.Write(data)
	return Finish(fsys, f, err, tmp, name, rename)
}

// Finish does what [WriteFile] does once the bytes are written to f, a file of
// the name tmp: sync and close, rename to name, sync the directory. If werr, the
// error of writing, is not nil, or anything before the rename fails, the
// temporary file is removed and the name is what it was.
func Finish(fsys FS, f File, werr error, tmp, name string, rename func(oldname, newname string) error) (Outcome, error) {
	err := werr
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		if err = rename(tmp, name); err == nil {
			return Renamed, fsys.SyncDir(filepath.Dir(name))
		}
		// A network file system can rename and lose the reply: the temporary
		// name tells.
		switch _, serr := fsys.Stat(tmp); {
		case errors.Is(serr, fs.ErrNotExist):
			return Renamed, err
		case serr != nil:
			return Unclear, err
		}
	}
	fsys.Remove(tmp) // best effort: IsTemp knows a leftover
	return NotRenamed, err
}

// TooLongError is what [ReadFile] returns for a file above its limit.
type TooLongError struct {
	Name        string
	Size, Limit int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s: %d bytes, at most %d are read", e.Name, e.Size, e.Limit)
}
