package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// Unused returns nil if nothing that a manifest needs is lost when a file is replaced; else
// an error that matches [ErrInUse] and names the manifest. See engine.Unused.
func Unused(ctx context.Context, name string) error {
	fsys := vfs.OS()
	st, err := fsys.Stat(name)
	if Nothing(err) || err == nil && !st.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	places, err := linksOf(fsys, name)
	if err != nil {
		return err
	}
	u := &use{fs: fsys, name: name, places: places, target: places[len(places)-1], info: st}
	seen := map[string]bool{}
	for _, p := range places {
		if dir := filepath.Dir(p); !seen[dir] {
			seen[dir] = true
			if err := u.scan(ctx, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// linksOf returns the paths of a file: the one that a name stands for, and those that
// symbolic links lead to from there, the file's own last.
func linksOf(fsys vfs.FS, name string) ([]string, error) {
	var out []string
	for range 40 {
		full, err := fsys.Bind(name)
		if err != nil {
			return nil, err
		}
		out = append(out, full)
		to, err := os.Readlink(full)
		if err != nil {
			return out, nil // no link
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(full) + string(filepath.Separator) + to
		}
		name = to
	}
	return nil, fmt.Errorf("%s: too many symbolic links", name)
}

// use looks for what uses a file.
type use struct {
	fs     vfs.FS
	name   string   // as the caller has it
	places []string // full paths, of links too
	target string   // the last of them
	info   fs.FileInfo
}

func (u *use) scan(ctx context.Context, dir string) error {
	entries, err := u.fs.ReadDir(dir)
	if err != nil {
		return err
	}
	problems, err := (&Scanner{FS: u.fs, Dir: dir, Found: func(f File, m *manifest.Manifest) error { return u.by(dir, f, m) }}).Scan(ctx, entries)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if filepath.Join(dir, p.Name) == u.target {
			return fmt.Errorf("%s may be %w: %w", u.name, ErrInUse, p.Err)
		}
		if !errors.Is(p.Err, fs.ErrPermission) && u.isSegment() {
			return fmt.Errorf("%s is a segment and may be %w: %w", u.name, ErrInUse, p.Err)
		}
	}
	return nil
}

// besides are the endings of what lies next to a manifest, after a dot.
var besides = regexp.MustCompile(`^(changes|lock|gc|owner)([.-].*)?$`)

// by returns an error if a manifest uses the file.
func (u *use) by(dir string, f File, m *manifest.Manifest) error {
	name := filepath.Join(dir, f.Name)
	for _, p := range u.places {
		if p == name || u.same(f.Full) {
			return fmt.Errorf("%s is a manifest, or the archive of one, so it is %w", u.name, ErrInUse)
		}
		if rest, ok := strings.CutPrefix(p, name+"."); ok && besides.MatchString(rest) {
			return fmt.Errorf("%s belongs to %s, so it is %w", u.name, f.Name, ErrInUse)
		}
	}
	var err error
	m.Each(func(s *manifest.SegmentRef) {
		for _, p := range Paths(filepath.Dir(f.Full), s.URL) {
			if err == nil && u.same(p) {
				err = fmt.Errorf("%s is named by %s, so it is %w: a segment never changes", u.name, f.Name, ErrInUse)
			}
		}
	})
	return err
}

// same reports whether a path leads to the file by its name, and not by a hard link,
// which goes on to lead to the old file.
func (u *use) same(path string) bool {
	if path == u.target {
		return true
	}
	st, err := u.fs.Stat(path)
	if err != nil || !vfs.SameFile(st, u.info) {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == u.target {
		return true
	}
	if !strings.EqualFold(filepath.Base(real), filepath.Base(u.target)) {
		return false
	}
	a, aerr := u.fs.Stat(filepath.Dir(real))
	b, berr := u.fs.Stat(filepath.Dir(u.target))
	return aerr != nil || berr != nil || vfs.SameFile(a, b)
}

// isSegment reports whether the file is one, by its name or its first bytes.
func (u *use) isSegment() bool {
	if strings.HasSuffix(u.target, manifest.SegmentSuffix) {
		return true
	}
	f, err := u.fs.Open(u.target)
	if err != nil {
		return true
	}
	defer f.Close()
	var magic [4]byte
	_, err = f.ReadAt(magic[:], 0)
	return err == nil && bytes.Equal(magic[:], []byte("RETE"))
}
