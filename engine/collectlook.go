package engine

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// collector is one collection. Paths are full.
type collector struct {
	db  *DB
	opt *CollectOptions
	now time.Time
	dir string   // of the manifest
	own ownNames // of its files

	cur      *manifest.Manifest
	oldest   int64            // generation that stays
	archives map[int64]bool   // that are this manifest's
	needed   folder.Names     // what this manifest's generations that stay name
	live     map[string]int64 // the same, with sizes
	gone     map[string]goner // what only those that go name
	written  map[string]bool  // what its history shows to be written by its commits
	marks    map[string]gcMark
	scans    map[string]*folder.Scanner // by directory
	others   folder.Names               // what other manifests name
	rivals   map[string]string          // graph names of others in this directory, in lower case → manifest

	files []Garbage
	kept  []Kept
	seen  map[string]bool
}

// goner is a file that a generation dropped.
type goner struct {
	at   time.Time
	size int64
}

func newCollector(db *DB, o *CollectOptions) *collector {
	return &collector{db: db, opt: o, now: o.Now().UTC(), dir: filepath.Dir(db.name),
		own:      ownNames{base: filepath.Base(db.name), names: map[string]bool{}},
		archives: map[int64]bool{}, live: map[string]int64{}, gone: map[string]goner{}, written: map[string]bool{},
		marks: map[string]gcMark{}, scans: map[string]*folder.Scanner{}, rivals: map[string]string{}, seen: map[string]bool{}}
}

// look reads the manifests of the directory, each file once, and weighs what else lies
// there.
func (c *collector) look(ctx context.Context) error {
	var err error
	if c.cur, err = c.db.file.Read(ctx); err != nil {
		return err
	}
	if c.cur.Lineage == "" {
		return fmt.Errorf("%s: it has no lineage yet, so nothing in its place is surely its own", c.db.name)
	}
	entries, err := c.db.opt.FS.ReadDir(c.dir)
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
		s = &folder.Scanner{FS: c.db.opt.FS, Dir: dir, Found: func(f folder.File, m *manifest.Manifest) error {
			if f.Full == c.db.name || m.Lineage == c.cur.Lineage && folder.Archived(f.Full) == c.db.name {
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
		return fmt.Errorf("%s: nothing was deleted, since it is not known which files of the folder are in use: %w; mend the file, or move it out of the folder", c.db.name, problems[0].Err)
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

// kind says what a file is that this manifest may have made, "" if it may not.
func (c *collector) kind(name string) string {
	if g, ok := c.own.archive(name); ok && c.archives[g] && g < c.oldest {
		return "archive"
	}
	switch {
	case vfs.IsTemp(name) && c.own.isTemp(name, c.scans[c.dir]):
		return "temporary"
	case !vfs.IsTemp(name) && c.own.minted(name):
		return "segment"
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
	if _, ok := c.needed.Has(full); ok {
		return nil
	}
	st, err := c.db.opt.FS.Stat(full)
	if folder.Nothing(err) || err == nil && !st.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	g := c.judge(full, kind, st)
	if of, _ := manifest.GraphOf(g.Name); kind == "segment" && !g.written && of != c.cur.Name {
		return nil // of a name that it had once
	}
	if kind == "archive" {
		c.files = append(c.files, g)
		return nil
	}
	rival := c.rivals[strings.ToLower(c.cur.Name)]
	by, named := c.others.Has(full)
	if !named {
		if by, named, err = c.others.HasFile(c.db.opt.FS, st); err != nil {
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
	if _, alias, err := c.needed.HasFile(c.db.opt.FS, st); err != nil {
		return c.hidden(err)
	} else if alias {
		return nil
	}
	if !g.written && rival != "" && (kind == "segment" || c.own.minted(vfs.TempTarget(full))) {
		c.kept = append(c.kept, Kept{g.Name, kind, g.Size, rival, "same-name"})
		return nil
	}
	c.files = append(c.files, g)
	return nil
}

// hidden is the error of a named path of which it cannot be told which file it leads to.
func (c *collector) hidden(err error) error {
	return fmt.Errorf("%s: nothing was deleted, since a manifest of the folder names a file that may be any: %w", c.db.name, err)
}

// judge says how far a file is on its way.
func (c *collector) judge(full, kind string, st fs.FileInfo) Garbage {
	g := Garbage{Name: c.relative(full), Kind: kind, Size: st.Size(), State: "found", full: full}
	mark, ok := c.marks[g.Name]
	g.written = kind == "segment" && c.written[full]
	if !ok {
		return g
	}
	since := mark.At
	if f, ok := c.gone[full]; ok && !f.at.IsZero() {
		since = f.at
	}
	g.Since, g.State = &since, "marked"
	if c.cur.Generation > mark.Generation && c.now.Sub(since) >= c.opt.Grace {
		g.State = "due"
	}
	return g
}

// elsewhere weighs what compactions have written into other directories, beside the
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
		entries, err := c.db.opt.FS.ReadDir(dir)
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
		}
	}
	return nil
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
