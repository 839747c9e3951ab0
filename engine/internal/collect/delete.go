package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
)

// deleteOrder is the order of kinds: what names others goes before these.
var deleteOrder = []string{"archive", "segment", "tree", "temporary"}

// deleteDue deletes what is due, archives first, and marks the rest. It keeps out commits
// that name files of the same directories for the first time, and reads what has changed
// since [collector.scanAll] once more first.
func (c *collector) deleteDue(ctx context.Context) error {
	dirs := []string{c.dir}
	for dir := range c.scans {
		dirs = append(dirs, dir)
	}
	release, err := folder.Lock(ctx, c.fs, dirs...)
	if err != nil {
		return err
	}
	defer release()
	if err := c.scanAgain(ctx); err != nil {
		return err
	}
	for _, kind := range deleteOrder {
		for i := range c.files {
			f := &c.files[i]
			if f.State != "due" || f.Kind != kind {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := c.fs.Remove(f.full); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			f.State = "deleted"
		}
	}
	return c.writeMarks()
}

// scanAgain reads the manifest, and what else is new or has changed, and takes out of
// the files what is needed by now.
func (c *collector) scanAgain(ctx context.Context) error {
	cur, err := c.file.Read(ctx)
	if err != nil {
		return err
	}
	if cur.Lineage != c.cur.Lineage {
		return fmt.Errorf("%s: %w: it was replaced by another manifest", c.file.Name(), manifest.ErrConflict)
	}
	for dir := range c.scans {
		entries, err := c.fs.ReadDir(dir)
		if err != nil {
			return err
		}
		if err := c.scan(ctx, dir, entries); err != nil {
			return err
		}
		for _, e := range entries {
			if g, ok := c.own.archive(e.Name()); ok && dir == c.dir && g >= c.cur.Generation { // of a commit meanwhile
				old, err := c.file.ReadArchive(ctx, g)
				if err != nil {
					return err
				}
				c.keep(old.Manifest)
			}
		}
	}
	c.keep(cur)
	c.cur = cur
	found := c.files
	c.files, c.seen = nil, map[string]bool{}
	for _, f := range found {
		if f.Kind == "archive" {
			c.files = append(c.files, f)
			continue
		}
		if err := c.weigh(f.full, f.Kind); err != nil {
			return err
		}
	}
	return nil
}
