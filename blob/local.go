package blob

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/vfs"
)

// NewLocal returns the store of a directory. Names are relative to dir, with
// slashes, or absolute paths, which stand for themselves. An empty dir is the
// working directory as it is now: a later change of it moves nothing.
//
// The validator of ReadAll is a hash of the bytes, never a time or an inode
// number. Put with [IfMatch] takes the lock file NAME.lock next to the object,
// reads the object again and compares; without a condition or with [IfAbsent]
// no lock is needed, because the rename itself decides.
func NewLocal(fsys vfs.FS, dir string) Store { return newLocal(fsys, dir) }

func newLocal(fsys vfs.FS, dir string) *local {
	l := &local{fs: fsys}
	l.dir, l.unbound = fsys.Bind(cmp.Or(dir, ".") + string(filepath.Separator))
	return l
}

type local struct {
	fs      vfs.FS
	dir     string
	unbound error // why dir is not known
}

// path returns the full path of an object.
func (l *local) path(name string) (string, error) {
	p := filepath.FromSlash(name)
	if filepath.IsAbs(p) {
		return p, nil
	}
	if l.unbound != nil {
		return "", fmt.Errorf("%s: its directory is not known: %w", name, l.unbound)
	}
	return filepath.Join(l.dir, p), nil
}

func (l *local) Open(ctx context.Context, name string) (Object, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p, err := l.path(name)
	if err != nil {
		return nil, err
	}
	o, err := openLocal(l.fs, p)
	if err != nil {
		return nil, err
	}
	return o, nil
}

func (l *local) ReadAll(ctx context.Context, name string, max int64) ([]byte, string, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, "", err
	}
	p, err := l.path(name)
	if err != nil {
		return nil, "", err
	}
	b, err := vfs.ReadFile(l.fs, p, max)
	if err != nil {
		return nil, "", notFound(p, err)
	}
	return b, contentValidator(b), nil
}

func (l *local) Remove(ctx context.Context, name string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	p, err := l.path(name)
	if err != nil {
		return err
	}
	return notFound(p, l.fs.Remove(p))
}

func (l *local) List(ctx context.Context, prefix string) ([]Info, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	at := strings.LastIndexByte(filepath.ToSlash(prefix), '/') + 1
	dir, err := l.path(cmp.Or(prefix[:at], "."))
	if err != nil {
		return nil, err
	}
	base := prefix[at:]
	entries, err := l.fs.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, e := range entries {
		if e.IsDir() || !strings.HasPrefix(e.Name(), base) {
			continue
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the directory was read
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Info{prefix[:at] + e.Name(), st.Size(), st.ModTime()})
	}
	return out, nil
}

// contentValidator is a hash of the bytes: two equal objects are one.
func contentValidator(b []byte) string {
	h := blake3.Sum256(b)
	return `"b3-` + hex.EncodeToString(h[:16]) + `"`
}

// notFound turns the file system's answer into ErrNotFound and names the
// object.
func notFound(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	return err
}
