package outfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
)

// Whole is Replace for a file that nothing uses: neither a segment that a
// manifest next to it names, nor a manifest, nor what belongs to one.
func Whole(name string, write func(io.Writer) error) error {
	if err := engine.Unused(context.Background(), name); err != nil {
		return fmt.Errorf("%w; choose another name", err)
	}
	return Replace(name, write)
}

// Replace writes a file under a temporary name next to it, syncs it, and
// renames it into place only when it is whole; what a killed process left under such a name is
// removed. A file that was there keeps its
// permissions, and a link stays one. What is no regular file, such as a device or a
// pipe, is written to as it is, and so is a file that is open already, by the name of
// its descriptor, and standard output under another name.
func Replace(name string, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory", name)
	case err == nil && isStandardOutput(info):
		return write(os.Stdout)
	case err == nil && !info.Mode().IsRegular():
		return writeInto(name, write)
	}
	to, isOpen, err := behindLinks(name)
	if err != nil {
		return unwritable(name, err)
	}
	if isOpen {
		return writeInto(name, write)
	}
	removeDead(to)
	tmp, lock, err := createNextTo(to, info)
	if err != nil {
		return unwritable(name, err)
	}
	defer lock.Close()
	err = func() error {
		if err := write(tmp); err != nil {
			return err
		}
		if err := tmp.Sync(); err != nil {
			return err
		}
		return tmp.Close()
	}()
	if err == nil {
		err = os.Rename(tmp.Name(), to)
	}
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == tmp.Name() {
			err = unwritable(name, path)
		}
		return errors.Join(err, ignoreClosed(tmp.Close()), os.Remove(tmp.Name()))
	}
	return vfs.OS().SyncDir(filepath.Dir(to))
}

// createNextTo makes a temporary file next to a name: with the permissions of the file
// that is there, so that nobody else reads what is written, or of a new file.
// Its lock tells others that it is being written.
func createNextTo(name string, old fs.FileInfo) (*os.File, io.Closer, error) {
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = old.Mode().Perm()
	}
	for {
		tmp := filepath.Join(filepath.Dir(name), fmt.Sprintf("%s%08x%s", temporaryStart(name), rand.Uint32(), temporaryEnd))
		f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil && old != nil { // the user's mask does not count
			if err = f.Chmod(perm); err != nil {
				return nil, nil, errors.Join(err, f.Close(), os.Remove(tmp))
			}
		}
		if err != nil {
			return nil, nil, err
		}
		if lock, ok := vfs.Hold(vfs.OS(), f, tmp); ok {
			return f, lock, nil
		}
		_ = f.Close() // removed by another process, which took it for dead
	}
}

const temporaryEnd = ".tmp"

// temporaryStart begins the temporary names of a file.
func temporaryStart(name string) string {
	base := filepath.Base(name)
	return "." + strings.ToValidUTF8(base[:min(len(base), 200)], "") + "." // a file name has 255 bytes
}

// removeDead removes the temporary files of a name that no process is writing.
func removeDead(name string) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return
	}
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name(), temporaryStart(name))
		middle, end := strings.CutSuffix(middle, temporaryEnd)
		if !ok || !end || len(middle) != 8 || !e.Type().IsRegular() {
			continue
		}
		vfs.RemoveDead(vfs.OS(), filepath.Join(filepath.Dir(name), e.Name()))
	}
}

// behindLinks returns the name of the file that a name stands for, which need not
// exist yet, and whether that is one that the process has open.
func behindLinks(name string) (to string, isOpen bool, err error) {
	for range 40 {
		dir, base := filepath.Split(name)
		// Links count before "..", so that no path is shortened.
		if dir, err = filepath.EvalSymlinks(cmp.Or(dir, ".")); err != nil {
			return "", false, err
		}
		name = filepath.Join(dir, base)
		if descriptors.MatchString(filepath.ToSlash(dir)) {
			return name, true, nil
		}
		if to, err = os.Readlink(name); err != nil {
			return name, false, nil // no link, or nothing: opening it will tell
		}
		if !filepath.IsAbs(to) {
			to = dir + string(filepath.Separator) + to
		}
		name = to
	}
	return "", false, errors.New("too many links")
}

// descriptors are the folders of the files that a process has open.
var descriptors = regexp.MustCompile(`^/(dev|proc/[^/]+(/task/[^/]+)?)/fd$`)

func isStandardOutput(info fs.FileInfo) bool {
	out, err := os.Stdout.Stat()
	return err == nil && os.SameFile(info, out)
}

func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// unwritable names the file that was asked for in an error of the temporary one.
func unwritable(name string, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s cannot be written: %w", name, err)
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
