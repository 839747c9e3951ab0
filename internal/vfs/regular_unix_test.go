//go:build unix

package vfs_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rete-go/rete/internal/vfs"
)

// What is no regular file is refused by its name and kind, without waiting for anything,
// in every way of opening; a link to one too, and a link to a regular file is opened.
func TestRegularFilesOnly(t *testing.T) {
	dir, err := os.MkdirTemp("", "vfs") // a socket's name must be short
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, syscall.Mkfifo(at("pipe"), 0o600))
	l, err := net.Listen("unix", at("socket"))
	must(t, err)
	defer l.Close()
	must(t, os.Mkdir(at("folder"), 0o700))
	must(t, os.Symlink("pipe", at("link")))
	must(t, os.WriteFile(at("file"), []byte("x"), 0o600))
	must(t, os.Symlink("file", at("good")))
	for name, kind := range map[string]string{
		at("pipe"): "named pipe", at("link"): "named pipe", at("socket"): "socket", at("folder"): "directory",
		os.DevNull: "device", "/dev/zero": "device", at("good"): "",
	} {
		for way, open := range map[string]func() error{
			"open":       func() error { f, err := vfs.OS().Open(name); return closed(f, err) },
			"open write": func() error { f, err := vfs.OS().OpenWrite(name); return closed(f, err) },
			"lock":       func() error { f, err := vfs.OS().TryLock(name); return closed(f, err) },
			"read":       func() error { _, err := vfs.ReadFile(vfs.OS(), name, 10); return err },
		} {
			err := open()
			if kind == "" {
				must(t, err)
				continue
			}
			if !errors.Is(err, vfs.ErrNotRegular) || !strings.Contains(err.Error(), kind) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %s: got %v, want that it is a %s", way, name, err, kind)
			}
		}
	}
}

func closed(f interface{ Close() error }, err error) error {
	if err == nil {
		f.Close()
	}
	return err
}
