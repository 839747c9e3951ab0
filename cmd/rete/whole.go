package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/internal/vfs"
)

// writeWhole writes a file under a temporary name beside it, syncs it, and
// renames it into place only when it is whole. A file that was there keeps its
// permissions, and a link stays one. What is no regular file, such as a device or a
// pipe, is written to as it is, and so is standard output under another name.
func writeWhole(name string, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory", name)
	case err == nil && isStandardOutput(info):
		return write(os.Stdout)
	case err == nil && (!info.Mode().IsRegular() || strings.HasPrefix(filepath.ToSlash(filepath.Clean(name)), "/dev/")):
		return writeInto(name, write)
	}
	to, err := behindLinks(name)
	if err != nil {
		return err
	}
	tmp, err := createBeside(to)
	if err != nil {
		return unwritable(name, err)
	}
	err = func() error {
		if err := write(tmp); err != nil {
			return err
		}
		if info != nil {
			if err := tmp.Chmod(info.Mode().Perm()); err != nil {
				return err
			}
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

// createBeside makes a temporary file beside a name, with the permissions of a new
// file: os.CreateTemp lets nobody else read its files.
func createBeside(name string) (*os.File, error) {
	for {
		tmp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(name), rand.Uint32()))
		f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// behindLinks returns the name of the file that a name stands for, which need not
// exist yet.
func behindLinks(name string) (string, error) {
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil {
			return name, nil // no link, or nothing: opening it will tell
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", fmt.Errorf("%s: too many links", name)
}

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
