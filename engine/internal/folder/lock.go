package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/rete-go/rete/internal/vfs"
)

// lockName is the lock file of a directory.
const lockName = ".rete-gc"

// Lock keeps out of directories what deletes files there while a manifest is being
// committed that names them for the first time, and the other way around: without it
// a file could go between the last look at it and the commit. Several directories are
// locked in the order of their names.
func Lock(ctx context.Context, fsys vfs.FS, dirs ...string) (release func(), err error) {
	dirs = slices.Clone(dirs)
	slices.Sort(dirs)
	var held []io.Closer
	var known []fs.FileInfo
	release = func() {
		for _, l := range held {
			_ = l.Close() // it is given back
		}
	}
	for _, dir := range slices.Compact(dirs) {
		info, err := fsys.Stat(dir)
		if err != nil {
			release()
			return nil, err
		}
		if slices.ContainsFunc(known, func(k fs.FileInfo) bool { return vfs.SameFile(k, info) }) {
			continue // it is mounted twice
		}
		known = append(known, info)
		l, err := fsys.Lock(ctx, filepath.Join(dir, lockName))
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, l)
	}
	return release, nil
}

// Unwritable reports whether an error of [Lock] says that this user can put no lock
// there, where the user may then be unable to delete anything either.
func Unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrNotExist)
}
