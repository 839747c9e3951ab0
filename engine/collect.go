package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/vfs"
)

// CollectOptions are the choices of [DB.Collect]. The zero value and nil work, and
// delete nothing.
type CollectOptions struct {
	// Keep is how many generations stay, the current one included; 0: all.
	Keep int
	// OlderThan lets generations go that are older than this; 0: none by their
	// age. With both a generation goes if both let it.
	OlderThan time.Duration
	// Grace is how long a file stays after the first collection that found that
	// nobody needs it, or after the commit that dropped it. Default 24 h.
	Grace time.Duration
	// Yes marks and deletes; without it nothing is changed.
	Yes bool
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Collection is what a collection found and did.
type Collection struct {
	Schema       int       `json:"schema"` // 1
	Generation   int64     `json:"generation"`
	Oldest       int64     `json:"oldest"` // the oldest generation that stays
	DryRun       bool      `json:"dry_run"`
	Marked       int       `json:"marked"`
	Deleted      int       `json:"deleted"`
	DeletedBytes int64     `json:"deleted_bytes"`
	LiveBytes    int64     `json:"live_bytes"`    // of the segments that stay
	GarbageBytes int64     `json:"garbage_bytes"` // that wait for their time
	Files        []Garbage `json:"files"`
}

// Garbage is a file that no generation that stays needs.
type Garbage struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // segment, archive or temporary
	Size int64  `json:"size"`
	// Since is when it was dropped, or else marked; nil if it is not marked yet.
	Since *time.Time `json:"since,omitempty"`
	// State is found (not marked yet), marked, due (a collection with Yes deletes
	// it) or deleted.
	State string `json:"state"`

	full string
}

// Collect removes files that nobody needs, in two steps. The first collection that
// finds such a file marks it; a later one, after the generation has moved on and
// the grace period has passed, deletes it. Needed is what the generations that stay
// name. Deleted are only segments whose names this manifest's commits made, its
// archives, and temporary files of both; never what [Init] or [DB.Add] were given.
// Where another manifest of the same name lies in the place nothing is deleted.
func (db *DB) Collect(ctx context.Context, opt *CollectOptions) (*Collection, error) {
	return operate(ctx, db, func(ctx context.Context) (*Collection, error) { return db.collect(ctx, opt) })
}

func (db *DB) collect(ctx context.Context, opt *CollectOptions) (*Collection, error) {
	var o CollectOptions
	if opt != nil {
		o = *opt
	}
	if o.Grace <= 0 {
		o.Grace = 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if _, err := db.manifestFile(); err != nil {
		return nil, err
	}
	if db.ReadOnly() && (o.Yes || blob.IsRemote(db.name)) {
		return nil, fmt.Errorf("%s: %w", db.name, blob.ErrReadOnly)
	}
	if err := db.open(); err != nil {
		return nil, err
	}
	c := &collector{db: db, opt: &o, now: o.Now().UTC()}
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	if o.Yes {
		if err := c.alone(ctx); err != nil {
			return nil, err
		}
		if err := c.sweep(ctx); err != nil {
			return c.report(), err
		}
	}
	return c.report(), nil
}

type collector struct {
	db      *DB
	opt     *CollectOptions
	now     time.Time
	history []*Manifest // newest first, as far as they are archived
	stay    int         // how many of them stay
	needed  map[string]int64
	marks   map[string]gcMark
	files   []Garbage
	oldest  int64
}

// look reads the history, the marks and the directory.
func (c *collector) look(ctx context.Context) error {
	if err := c.readHistory(ctx); err != nil {
		return err
	}
	if err := c.readMarks(); err != nil {
		return err
	}
	dropped, err := c.dropped()
	if err != nil {
		return err
	}
	dir, base := filepath.Split(c.db.name)
	entries, err := c.db.opt.FS.ReadDir(cmpDir(dir))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	add := func(full, kind string) error {
		if _, ok := c.needed[full]; ok || seen[full] {
			return nil
		}
		seen[full] = true
		st, err := c.db.opt.FS.Stat(full)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		c.files = append(c.files, c.judge(full, kind, st, dropped))
		return nil
	}
	for _, e := range entries {
		kind := c.kind(e.Name(), base)
		if kind == "" || e.IsDir() {
			continue
		}
		if err := add(filepath.Join(dir, e.Name()), kind); err != nil {
			return err
		}
	}
	// Compactions may have written into other directories.
	for full := range dropped {
		if c.minted(filepath.Base(full)) {
			if err := add(full, "segment"); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(c.files, func(a, b Garbage) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

func cmpDir(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// readHistory reads the archives and decides which generations stay.
func (c *collector) readHistory(ctx context.Context) error {
	cur, err := c.db.file.Read(ctx)
	if err != nil {
		return err
	}
	if cur.Lineage == "" {
		return fmt.Errorf("%s: it has no lineage yet, so nothing in its place is surely its own", c.db.name)
	}
	c.history = []*Manifest{cur}
	for g := cur.Generation - 1; g >= 0; g-- {
		old, err := c.db.file.readArchive(ctx, g)
		if errors.Is(err, blob.ErrNotFound) {
			break
		}
		if err != nil {
			return err
		}
		if old.Lineage != "" && old.Lineage != cur.Lineage {
			break
		}
		c.history = append(c.history, old.Manifest)
	}
	c.stay = len(c.history)
	if c.opt.Keep > 0 || c.opt.OlderThan > 0 {
		for c.stay > 1 {
			// A generation is as old as the commit that replaced it.
			replaced := c.history[c.stay-2].At
			if c.opt.Keep > 0 && c.stay <= c.opt.Keep ||
				c.opt.OlderThan > 0 && (replaced.IsZero() || c.now.Sub(replaced) < c.opt.OlderThan) {
				break
			}
			c.stay--
		}
	}
	c.oldest = c.history[c.stay-1].Generation
	c.needed = map[string]int64{}
	for _, m := range c.history[:c.stay] {
		if err := c.names(m, func(full string, size int64) { c.needed[full] = size }); err != nil {
			return err
		}
	}
	return nil
}

// names calls f for the local segments of a manifest.
func (c *collector) names(m *Manifest, f func(full string, size int64)) error {
	for _, e := range m.Log {
		for _, s := range []*SegmentRef{e.Adds, e.Dels} {
			if s == nil {
				continue
			}
			full, err := c.db.mux.Resolve(s.URL)
			if err != nil {
				return err
			}
			if !blob.IsRemote(full) {
				f(filepath.Clean(full), s.Size)
			}
		}
	}
	return nil
}

// dropped returns when each segment of a generation that goes was dropped: the time
// of the first commit that does not name it any more.
func (c *collector) dropped() (map[string]time.Time, error) {
	out := map[string]time.Time{}
	for i := len(c.history) - 1; i >= c.stay; i-- {
		next := c.history[i-1]
		if err := c.names(c.history[i], func(full string, _ int64) { out[full] = next.At }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// kind says what a file is that this manifest may have made, "" if it may not.
func (c *collector) kind(name, base string) string {
	switch {
	case vfs.IsTemp(name) && (strings.HasPrefix(name, base) || strings.HasPrefix(name, c.history[0].Name+"-g")):
		return "temporary"
	case c.minted(name):
		return "segment"
	}
	if g, ok := strings.CutPrefix(name, base+".g"); ok {
		if n, err := strconv.ParseInt(g, 10, 64); err == nil && strconv.FormatInt(n, 10) == g && n < c.oldest {
			return "archive"
		}
	}
	return ""
}

// minted reports whether a name has the form NAME-gG-HASH8-RRRRRR.rete of this
// manifest's name.
func (c *collector) minted(name string) bool {
	rest, ok := strings.CutPrefix(name, c.history[0].Name+"-g")
	if !ok {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, segmentSuffix); !ok {
		return false
	}
	part := strings.Split(strings.TrimSuffix(rest, ".tomb"), "-")
	if len(part) != 3 || len(part[1]) != 8 || len(part[2]) != 6 {
		return false
	}
	_, err1 := strconv.ParseUint(part[0], 10, 63)
	_, err2 := strconv.ParseUint(part[1], 16, 32)
	return err1 == nil && err2 == nil && strings.Trim(part[2], "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// judge says how far a file is on its way.
func (c *collector) judge(full, kind string, st fs.FileInfo, dropped map[string]time.Time) Garbage {
	g := Garbage{Name: c.relative(full), Kind: kind, Size: st.Size(), State: "found", full: full}
	mark, ok := c.marks[g.Name]
	if !ok {
		return g
	}
	since := mark.At
	if at, ok := dropped[full]; ok && !at.IsZero() {
		since = at
	}
	g.Since, g.State = &since, "marked"
	if c.history[0].Generation > mark.Generation && c.now.Sub(since) >= c.opt.Grace {
		g.State = "due"
	}
	return g
}

// relative names a file as the manifest would.
func (c *collector) relative(full string) string {
	if rel, err := filepath.Rel(cmpDir(filepath.Dir(c.db.name)), full); err == nil {
		return filepath.ToSlash(rel)
	}
	return full
}

// alone refuses a place where another manifest has the same name: its files cannot
// be told from ours.
func (c *collector) alone(ctx context.Context) error {
	dir, base := filepath.Split(c.db.name)
	entries, err := c.db.opt.FS.ReadDir(cmpDir(dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || e.Name() == base || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		raw, err := vfs.ReadFile(c.db.opt.FS, filepath.Join(dir, e.Name()), MaxManifest)
		if err != nil {
			return err
		}
		if m, err := ParseManifest(raw); err == nil && m.Name == c.history[0].Name {
			return fmt.Errorf("%s: %w: %s has the same name %q, so their files cannot be told apart; nothing was deleted",
				c.db.name, ErrConflict, e.Name(), m.Name)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// sweep deletes what is due, archives first, and marks the rest. What is needed is
// looked at again before.
func (c *collector) sweep(ctx context.Context) error {
	cur, err := c.db.file.Read(ctx)
	if err != nil {
		return err
	}
	if cur.Lineage != c.history[0].Lineage {
		return fmt.Errorf("%s: %w: it was replaced by another manifest", c.db.name, ErrConflict)
	}
	if err := c.names(cur, func(full string, size int64) { c.needed[full] = size }); err != nil {
		return err
	}
	for _, kind := range []string{"archive", "segment", "temporary"} {
		for i := range c.files {
			f := &c.files[i]
			if _, ok := c.needed[f.full]; ok || f.State != "due" || f.Kind != kind {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := c.db.opt.FS.Remove(f.full); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			f.State = "deleted"
		}
	}
	return c.writeMarks(cur)
}
func (c *collector) report() *Collection {
	out := &Collection{Schema: 1, Generation: c.history[0].Generation, Oldest: c.oldest, DryRun: !c.opt.Yes, Files: c.files}
	for _, size := range c.needed {
		out.LiveBytes += size
	}
	for i := range c.files {
		switch f := &c.files[i]; f.State {
		case "deleted":
			out.Deleted++
			out.DeletedBytes += f.Size
		default:
			if f.State != "found" {
				out.Marked++
			}
			out.GarbageBytes += f.Size
		}
	}
	if out.Files == nil {
		out.Files = []Garbage{}
	}
	return out
}
