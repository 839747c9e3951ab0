package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
)

// history reads the archives, newest first, and decides which generations stay.
func (c *collector) history(ctx context.Context, entries []fs.DirEntry) error {
	var list []int64
	for _, e := range entries {
		if g, ok := c.own.archive(e.Name()); ok && !e.IsDir() {
			list = append(list, g)
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	c.oldest = c.cur.Generation
	c.keep(c.cur)
	newer, n := c.cur, 1
	for _, g := range list {
		old, err := c.file.ReadArchive(ctx, g)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			continue
		case err != nil:
			return err
		case old.Lineage != c.cur.Lineage && old.Lineage != "":
			c.other(c.dir, folder.File{Name: filepath.Base(c.file.ArchiveName(g)), Full: c.file.ArchiveName(g)}, old.Manifest)
			continue
		case g >= c.cur.Generation:
			c.keep(old.Manifest) // of a manifest that was here, and whose commits it may have again
			continue
		}
		if p := newer.Previous; p != nil && newer.Generation == g+1 && p.Hash != old.Hash() {
			return &manifest.Error{File: c.file.ArchiveName(g), Line: 1, Column: 1, Path: "$",
				Detail: fmt.Sprintf("it is not what generation %d pins: blake3_16 %x, found %x; nothing was deleted", g+1, p.Hash, old.Hash())}
		}
		c.archives[g] = newer.At
		c.introduced(old.Manifest, newer)
		if goes(c.opt, c.now, n, newer.At) {
			c.drop(old.Manifest, newer.At)
		} else {
			for full, f := range c.gone { // one between that would go: the history has no holes
				c.needed.AddPath(full, c.own.base)
				c.live[full] = f.size
			}
			clear(c.gone)
			c.keep(old.Manifest)
			c.oldest = g
		}
		newer = old.Manifest
		n++
	}
	return nil
}

// goes reports whether the n-th generation, from 0, may go; it was replaced at a time.
func goes(o *Options, now time.Time, n int, replaced time.Time) bool {
	if o.Keep <= 0 && o.OlderThan <= 0 || n < o.Keep {
		return false
	}
	return o.OlderThan <= 0 || !replaced.IsZero() && now.Sub(replaced) >= o.OlderThan
}

// keep takes in what a generation that stays needs.
func (c *collector) keep(m *manifest.Manifest) {
	c.own.names[m.Name] = true
	m.Each(func(s *manifest.SegmentRef) {
		c.needed.Add(c.dir, s.URL, c.own.base)
		if full, ok := c.path(s.URL); ok {
			c.live[full] = s.Size
			c.mine(full)
		}
	})
}

// drop takes in what a generation that goes has, and when that was dropped: by the
// first commit that did not name it any more.
func (c *collector) drop(m *manifest.Manifest, at time.Time) {
	c.own.names[m.Name] = true
	m.Each(func(s *manifest.SegmentRef) {
		full, ok := c.path(s.URL)
		if !ok {
			return
		}
		c.mine(full)
		if _, ok := c.live[full]; ok {
			return
		}
		if _, ok := c.gone[full]; !ok {
			c.gone[full] = dropped{at, s.Size}
		}
	})
}

// mine notes a file that was written by a commit of this manifest: a segment of its log
// next to it is, if it has such a name, since others of that name are copied.
func (c *collector) mine(full string) {
	if filepath.Dir(full) == c.dir {
		c.written[full] = true
	}
}

// introduced notes files in other directories that were written by a compaction: they
// are new in a log that does not go on from the previous one. What was given to add
// comes after it.
func (c *collector) introduced(old, m *manifest.Manifest) {
	if m.Generation != old.Generation+1 || len(m.Log) >= len(old.Log) && slices.EqualFunc(m.Log[:len(old.Log)], old.Log, manifest.Entry.Same) {
		return
	}
	var before map[string]bool
	m.Each(func(s *manifest.SegmentRef) {
		full, ok := c.path(s.URL)
		if !ok || filepath.Dir(full) == c.dir || c.written[full] {
			return
		}
		if before == nil {
			before = map[string]bool{}
			old.Each(func(s *manifest.SegmentRef) { before[s.URL] = true })
		}
		if !before[s.URL] {
			c.written[full] = true
		}
	})
}

// path returns the path of a segment; ok is false for one that is elsewhere.
func (c *collector) path(url string) (full string, ok bool) {
	if blob.IsRemote(url) {
		return "", false
	}
	return folder.Paths(c.dir, url)[0], true
}
