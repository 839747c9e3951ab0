package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rete-go/rete/internal/vfs"
)

// writeWhole writes a file under a temporary name beside it, syncs it, and
// renames it into place only when it is whole. What is no regular file, such as a
// device or a pipe, is written to as it is.
func writeWhole(name string, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		return writeInto(name, write)
	case err == nil: // a link stays one
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*.tmp")
	if err != nil {
		return unwritable(name, err)
	}
	err = func() error {
		if err := write(tmp); err != nil {
			return err
		}
		if err := tmp.Chmod(0o644); err != nil {
			return err
		}
		if err := tmp.Sync(); err != nil {
			return err
		}
		return tmp.Close()
	}()
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == tmp.Name() {
			err = unwritable(name, path)
		}
		return errors.Join(err, ignoreClosed(tmp.Close()), os.Remove(tmp.Name()))
	}
	return vfs.OS().SyncDir(filepath.Dir(name))
}

func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
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
