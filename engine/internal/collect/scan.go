package collect

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
)

// scanAll reads the manifests of the directory, each file once, and weighs what else lies
// there.
func (c *collector) scanAll(ctx context.Context) error {
	var err error
	if c.cur, err = c.file.Read(ctx); err != nil {
		return err
	}
	if c.cur.Lineage == "" {
		return fmt.Errorf("%s: it has no lineage yet, so nothing in its place is surely its own", c.file.Name())
	}
	entries, err := c.fs.ReadDir(c.dir)
	if err != nil {
		return err
	}
	if err := c.readMarks(); err != nil {
		return err
	}
	if err := c.history(ctx, entries); err != nil {
		return err
	}
	if err := c.scan(ctx, c.dir, entries); err != nil {
		return err
	}
	for _, e := range entries {
		if kind := c.kind(e.Name()); kind != "" && !e.IsDir() {
			if err := c.weigh(filepath.Join(c.dir, e.Name()), kind); err != nil {
				return err
			}
		}
	}
	if err := c.elsewhere(ctx); err != nil {
		return err
	}
	slices.SortFunc(c.files, func(a, b Garbage) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(c.kept, func(a, b Kept) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// scan reads the other manifests of a directory as far as they are new.
func (c *collector) scan(ctx context.Context, dir string, entries []fs.DirEntry) error {
	s := c.scans[dir]
	if s == nil {
		s = &folder.Scanner{FS: c.fs, Dir: dir, Found: func(f folder.File, m *manifest.Manifest) error {
			if f.Full == c.file.Name() || m.Lineage == c.cur.Lineage && folder.Archived(f.Full) == c.file.Name() {
				return nil // itself, by a link
			}
			c.other(dir, f, m)
			return nil
		}}
		if dir == c.dir {
			s.Skip = func(name string) bool { _, archive := c.own.archive(name); return archive || name == c.own.base }
		}
		c.scans[dir] = s
	}
	problems, err := s.Scan(ctx, entries)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s: nothing was deleted, since it is not known which files of the folder are in use: %w; mend the file, or move it out of the folder", c.file.Name(), problems[0].Err)
	}
	return nil
}

// other takes in what another manifest needs.
func (c *collector) other(dir string, f folder.File, m *manifest.Manifest) {
	by := c.relative(filepath.Join(dir, f.Name))
	m.Each(func(s *manifest.SegmentRef) { c.others.Add(filepath.Dir(f.Full), s.URL, by) })
	if name := strings.ToLower(m.Name); dir == c.dir && c.rivals[name] == "" {
		c.rivals[name] = by
	}
}

// elsewhere weighs what compactions have written into other directories, next to the
// manifests there.
func (c *collector) elsewhere(ctx context.Context) error {
	byDir := map[string][]string{}
	for full := range c.written {
		_, needed := c.needed.Has(full)
		if dir := filepath.Dir(full); dir != c.dir && !needed && c.own.minted(filepath.Base(full)) {
			byDir[dir] = append(byDir[dir], full)
		}
	}
	for dir, list := range byDir {
		entries, err := c.fs.ReadDir(dir)
		if folder.Nothing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if err := c.scan(ctx, dir, entries); err != nil {
			return err
		}
		for _, full := range list {
			if err := c.weigh(full, "segment"); err != nil {
				return err
			}
			if err := c.weigh(segment.TreeName(full), "tree"); err != nil {
				return err
			}
		}
	}
	return nil
}
