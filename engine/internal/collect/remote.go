package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
)

// remote is one collection in a place of a store, where nothing can be locked: what keeps a
// segment that is about to be named is its age, since writers name only what they wrote a
// quarter of the grace period ago or later. Names are full.
type remote struct {
	file *manifest.File
	opt  *Options
	now  time.Time
	base string // file name of the manifest

	cur       *manifest.Manifest
	oldest    int64             // generation that stays
	needed    map[string]int64  // what generations that stay name, with sizes
	others    map[string]string // what other manifests name → the manifest
	gone      map[string]dropped
	archives  map[string]time.Time // that go, and when a later generation came
	marks     map[string]gcMark
	validator string // of the list of marks, "" if there is none

	files    []Garbage
	kept     []Kept
	warnings []string
}

// runRemote is [Run] for a manifest that is not in a local directory.
func runRemote(ctx context.Context, file *manifest.File, o *Options) (*Collection, error) {
	_, base := blob.Split(file.Name())
	c := &remote{file: file, opt: o, now: o.Now().UTC(), base: base}
	if err := c.scan(ctx); err != nil {
		return nil, err
	}
	if o.Yes {
		// What was committed since the place was listed, which took its time.
		found := c.files
		if err := c.scan(ctx); err != nil {
			return nil, err
		}
		err := c.delete(ctx, found)
		return c.report(), err
	}
	return c.report(), nil
}

func (c *remote) report() *Collection {
	out := report(c.cur, c.oldest, c.opt, c.files, c.kept, c.needed)
	out.Warnings = c.warnings
	return out
}

// scan lists the place, reads the manifests in it, and weighs what else there is.
func (c *remote) scan(ctx context.Context) error {
	c.needed, c.others, c.gone, c.archives = map[string]int64{}, map[string]string{}, map[string]dropped{}, map[string]time.Time{}
	c.files, c.kept, c.warnings = nil, nil, nil
	dir, _ := blob.Split(c.file.Name())
	list, err := c.file.Place().List(ctx, dir)
	if err != nil {
		return err
	}
	// Read after the list: what it has is at least as old as the manifest.
	if c.cur, err = c.file.Read(ctx); err != nil {
		return err
	}
	if c.cur.Lineage == "" {
		return fmt.Errorf("%s: it has no lineage yet, so nothing in its place is surely its own", c.file.Name())
	}
	if err := c.readMarks(ctx); err != nil {
		return err
	}
	var archived []int64
	for _, i := range list {
		_, name := blob.Split(i.Name)
		if g, ok := (&ownNames{base: c.base}).archive(name); ok {
			archived = append(archived, g)
		} else if name != c.base && strings.HasSuffix(folder.Archived(name), ".json") {
			if err := c.other(ctx, i, name); err != nil {
				return err
			}
		}
	}
	if err := c.history(ctx, archived); err != nil {
		return err
	}
	for _, i := range list {
		c.weigh(i)
	}
	return c.uploads(ctx, dir)
}

// other takes in what another manifest of the place, or an archive of one, names.
func (c *remote) other(ctx context.Context, i blob.Info, name string) error {
	if i.Size > manifest.MaxBytes {
		return nil
	}
	raw, _, err := c.file.Place().ReadAll(ctx, i.Name, manifest.MaxBytes)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := manifest.Parse(raw)
	switch {
	case err != nil && strings.HasSuffix(folder.Archived(name), manifest.Suffix):
		return fmt.Errorf("%s: nothing was deleted, since it is not known what %s names: %w", c.file.Name(), name, err)
	case err != nil:
		return nil // some other document
	case strings.EqualFold(m.Name, c.cur.Name):
		return fmt.Errorf("%s: nothing was deleted: %s, in the same place, is a manifest of the name %q too, and the segments of the two cannot be told apart", c.file.Name(), name, m.Name)
	}
	m.Each(func(s *manifest.SegmentRef) {
		if full, ok := c.full(s.URL); ok {
			c.others[full] = name
		}
	})
	return nil
}

// history reads the archives, newest first, and decides which generations stay.
func (c *remote) history(ctx context.Context, archived []int64) error {
	slices.Sort(archived)
	slices.Reverse(archived)
	c.oldest = c.cur.Generation
	c.keep(c.cur)
	newer, n := c.cur, 1
	for _, g := range archived {
		if g > c.cur.Generation {
			return fmt.Errorf("%s: nothing was deleted: there is an archive of generation %d, and the manifest is at %d, as if an older copy had been put in its place", c.file.Name(), g, c.cur.Generation)
		}
		old, err := c.file.ReadArchive(ctx, g)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			continue
		case err != nil:
			return err
		}
		if err := c.file.SameHistory(old, c.cur); err != nil {
			return err
		}
		if g == c.cur.Generation {
			continue
		}
		if g == newer.Generation-1 {
			if err := c.file.Follows(old, newer); err != nil {
				return err
			}
		}
		if goes(c.opt, c.now, n, newer.At) {
			c.drop(old.Manifest, newer.At)
			c.archives[c.normal(c.file.ArchiveName(g))] = newer.At
		} else {
			for full, f := range c.gone { // one between that would go: the history has no holes
				c.needed[full] = f.size
			}
			clear(c.gone)
			clear(c.archives)
			c.keep(old.Manifest)
			c.oldest = g
		}
		newer = old.Manifest
		n++
	}
	return nil
}

func (c *remote) keep(m *manifest.Manifest) {
	m.Each(func(s *manifest.SegmentRef) {
		if full, ok := c.full(s.URL); ok {
			c.needed[full] = s.Size
		}
	})
}

func (c *remote) drop(m *manifest.Manifest, at time.Time) {
	m.Each(func(s *manifest.SegmentRef) {
		full, ok := c.full(s.URL)
		if _, dropped := c.gone[full]; dropped || !ok {
			return
		}
		if _, needed := c.needed[full]; !needed {
			c.gone[full] = dropped{at, s.Size}
		}
	})
}

// full returns the full name of a segment.
func (c *remote) full(name string) (string, bool) {
	full, err := c.file.Store().Resolve(name)
	return c.normal(full), err == nil
}

// normal spells a full name as listings do.
func (c *remote) normal(full string) string {
	u, err := url.Parse(full)
	if err != nil {
		return full
	}
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: u.Path}).String()
}

// weigh says how far an object that this manifest does not need is on its way, or for which
// other manifest it stays.
func (c *remote) weigh(i blob.Info) {
	full, tree := segmentOf(c.normal(i.Name))
	_, name := blob.Split(i.Name)
	of, _ := segmentOf(name)
	g := Garbage{Name: name, Size: i.Size, State: "found", full: i.Name}
	graph, minted := manifest.GraphOf(of)
	after, archive := c.archives[full]
	switch {
	case archive:
		g.Kind = "archive"
	case minted && graph == c.cur.Name && tree:
		g.Kind = "tree"
	case minted && graph == c.cur.Name:
		g.Kind = "segment"
	case strings.HasPrefix(name, c.base+".probe-"):
		g.Kind = "temporary"
	default:
		return
	}
	if _, needed := c.needed[full]; needed {
		return
	}
	if by := c.others[full]; by != "" {
		c.kept = append(c.kept, Kept{name, g.Kind, g.Size, by, "named"})
		return
	}
	if mark, ok := markOf(c.marks, name, of); ok {
		since := mark.At
		if f, ok := c.gone[full]; ok && !f.at.IsZero() {
			since = f.at
		}
		if archive && !after.IsZero() {
			since = after // so that it goes with what it alone names, or earlier
		}
		g.Since, g.State = &since, "marked"
		if c.cur.Generation > mark.Generation && c.now.Sub(since) >= c.opt.Grace {
			g.State = "due"
		}
	}
	c.files = append(c.files, g)
}

// deletesAtOnce is how many requests that delete run together.
const deletesAtOnce = 8

// delete deletes what was due in two scans, archives first, and marks the rest.
func (c *remote) delete(ctx context.Context, found []Garbage) error {
	due := map[string]bool{}
	for _, f := range found {
		if f.Kind != "upload" { // of an object that may be there too
			due[f.full] = f.State == "due"
		}
	}
	for _, kind := range deleteOrder {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(deletesAtOnce)
		for i := range c.files {
			f := &c.files[i]
			if f.Kind != kind || f.State != "due" || !due[f.full] {
				continue
			}
			g.Go(func() error {
				err := c.file.Place().Remove(ctx, f.full)
				if err == nil || errors.Is(err, blob.ErrNotFound) {
					f.State = "deleted"
					return nil
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	if err := c.abort(ctx); err != nil {
		return err
	}
	return c.writeMarks(ctx)
}

func (c *remote) readMarks(ctx context.Context) error {
	c.marks, c.validator = map[string]gcMark{}, ""
	name := c.file.NextTo(gcSuffix)
	text, validator, err := c.file.Place().ReadAll(ctx, name, manifest.MaxBytes)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var f gcFile
	if err := json.Unmarshal(text, &f); err != nil || f.Version != 1 {
		return fmt.Errorf("%s: it is no list of marks (%v); remove it, and collection begins anew", name, err)
	}
	c.validator = validator
	if f.Lineage == c.cur.Lineage {
		for _, m := range f.Marks {
			c.marks[m.Name] = m
		}
	}
	return nil
}

// writeMarks keeps the marks of objects that are still garbage, and marks the new ones, unless
// another collection has done so meanwhile.
func (c *remote) writeMarks(ctx context.Context) error {
	out := nextMarks(c.files, c.marks, c.cur, c.now)
	slices.SortFunc(out.Marks, func(a, b gcMark) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	cond := blob.IfAbsent()
	if c.validator != "" {
		cond = blob.IfMatch(c.validator)
	}
	if _, err = c.file.Place().Put(ctx, c.file.NextTo(gcSuffix), append(text, '\n'), cond); err != nil {
		return fmt.Errorf("what is to go was not marked: %w", err)
	}
	return nil
}
