package collect

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// kind says what a file is that this manifest may have made, "" if it may not.
func (c *collector) kind(name string) string {
	if g, ok := c.own.archive(name); ok && g < c.oldest {
		if _, mine := c.archives[g]; mine {
			return "archive"
		}
	}
	switch {
	case vfs.IsTemp(name) && c.own.isTemp(name, c.scans[c.dir]):
		return "temporary"
	case vfs.IsTemp(name):
		return ""
	case c.own.minted(name):
		return "segment"
	}
	if of, tree := segmentOf(name); tree && c.own.minted(of) {
		return "tree"
	}
	return ""
}

// weigh says how far a file that this manifest does not need is on its way, or for which
// other manifest it stays.
func (c *collector) weigh(full, kind string) error {
	if c.seen[full] {
		return nil
	}
	c.seen[full] = true
	segment, _ := segmentOf(full) // a hash tree is needed as its segment is
	if _, ok := c.needed.Has(segment); ok {
		return nil
	}
	st, err := c.fs.Stat(full)
	if folder.Nothing(err) || err == nil && !st.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	g := c.judge(full, kind, st)
	minted := kind == "segment" || kind == "tree"
	if of, _ := manifest.GraphOf(filepath.Base(segment)); minted && !g.written && of != c.cur.Name {
		return nil // of a name that it had once
	}
	if kind == "archive" {
		c.files = append(c.files, g)
		return nil
	}
	rival := c.rivals[strings.ToLower(c.cur.Name)]
	by, named := c.others.Has(segment)
	if !named {
		if by, named, err = c.others.HasFile(c.fs, st); err != nil {
			return c.hidden(err)
		}
	}
	switch {
	case named && !g.written && rival != "":
		return nil // the other's own
	case named:
		c.kept = append(c.kept, Kept{g.Name, kind, g.Size, by, "named"})
		return nil
	}
	if _, alias, err := c.needed.HasFile(c.fs, st); err != nil {
		return c.hidden(err)
	} else if alias {
		return nil
	}
	if !g.written && rival != "" && (minted || c.own.minted(vfs.TempTarget(full))) {
		c.kept = append(c.kept, Kept{g.Name, kind, g.Size, rival, "same-name"})
		return nil
	}
	c.files = append(c.files, g)
	return nil
}

// hidden is the error of a named path of which it cannot be told which file it leads to.
func (c *collector) hidden(err error) error {
	return fmt.Errorf("%s: nothing was deleted, since a manifest of the folder names a file that may be any: %w", c.file.Name(), err)
}

// judge says how far a file is on its way.
func (c *collector) judge(full, kind string, st fs.FileInfo) Garbage {
	g := Garbage{Name: c.relative(full), Kind: kind, Size: st.Size(), State: "found", full: full}
	of, _ := segmentOf(g.Name)
	mark, ok := markOf(c.marks, g.Name, of)
	segment, _ := segmentOf(full)
	g.written = kind != "archive" && kind != "temporary" && c.written[segment]
	if !ok {
		return g
	}
	since := mark.At
	if f, ok := c.gone[segment]; ok && !f.at.IsZero() {
		since = f.at
	}
	if n, _ := c.own.archive(filepath.Base(full)); kind == "archive" && !c.archives[n].IsZero() {
		since = c.archives[n] // so that it goes with what it alone names, or earlier
	}
	g.Since, g.State = &since, "marked"
	if c.cur.Generation > mark.Generation && c.now.Sub(since) >= c.opt.Grace {
		g.State = "due"
	}
	return g
}

// full is the path of a name that relative gave.
func (c *collector) full(name string) string {
	if p := filepath.FromSlash(name); !filepath.IsAbs(p) {
		return filepath.Join(c.dir, p)
	}
	return name
}

// relative names a file as the manifest would.
func (c *collector) relative(full string) string {
	if rel, err := filepath.Rel(c.dir, full); err == nil {
		return filepath.ToSlash(rel)
	}
	return full
}
