// Package transfer copies a graph between places: folders, buckets, web servers. [Copy] sends
// what the manifest names first, several files at once, each checked against its pin. The
// manifest comes last, so that the graph is there whole or not at all, and a copy that was
// interrupted goes on where it stopped.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/carry"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// Options are the choices of [Copy]. The zero value and nil work.
type Options struct {
	// History copies the generations that are archived, too, and what they name.
	History bool
	// Parallel is how many files are copied at once. Default 4.
	Parallel int
	// Stores adds stores for names of the form scheme://….
	Stores map[string]blob.Store
	// Progress is called with the name of each file that is copied.
	Progress func(name string)
}

// Result is what a copy did.
type Result struct {
	Schema     int   `json:"schema"` // 1
	Generation int64 `json:"generation"`
	Copied     int   `json:"copied"`    // segments
	Bytes      int64 `json:"bytes"`     // of these
	Present    int   `json:"present"`   // segments that were there already
	Elsewhere  int   `json:"elsewhere"` // segments at URLs, which stay where they are
	Archives   int   `json:"archives"`
	Current    bool  `json:"current"` // the manifest was there already
}

// Why a graph is not copied.
var (
	// errUnsealed: the journal of one of the two graphs has changes, which a copy would leave
	// behind or not fit.
	errUnsealed = errors.New("changes in its journal are not sealed")
	// errOutside: a segment lies outside the folder of the manifest, so that the copy would
	// not name it.
	errOutside = errors.New("segment outside the folder of the manifest")
)

// Copy copies the graph of one manifest to the place of another one, under the name that the
// latter has. A graph that is there already must be an earlier generation of the same graph, or
// the error is [manifest.ErrConflict].
func Copy(ctx context.Context, from, to string, opt *Options) (*Result, error) {
	c := &copier{done: Result{Schema: 1}}
	if opt != nil {
		c.opt = *opt
	}
	if c.opt.Parallel <= 0 {
		c.opt.Parallel = 4
	}
	memory := cache.New(16 << 20)
	defer memory.Close()
	var err error
	if c.from, err = c.open(from, memory); err != nil {
		return nil, err
	}
	if c.to, err = c.open(to, memory); err != nil {
		return nil, err
	}
	if err := c.copy(ctx); err != nil {
		return &c.done, err
	}
	return &c.done, nil
}

type copier struct {
	opt      Options
	from, to *segments.Store

	turn sync.Mutex // guards done
	done Result
}

func (c *copier) open(name string, memory *cache.Cache) (*segments.Store, error) {
	file, err := manifest.Open(name, blob.MuxOptions{Schemes: c.opt.Stores})
	if err != nil {
		return nil, err
	}
	return &segments.Store{Mux: file.Store(), File: file, Cache: memory}, nil
}

func (c *copier) copy(ctx context.Context) error {
	source, target := c.from.File, c.to.File
	s, err := source.ReadStored(ctx)
	if err != nil {
		return err
	}
	c.done.Generation = s.Generation
	if err := sealed(source.Name(), s.Manifest); err != nil {
		return err
	}
	list := []manifest.Stored{s}
	if c.opt.History {
		if list, err = c.history(ctx, list); err != nil {
			return err
		}
	}
	c.done.Archives = len(list) - 1
	return target.Take(ctx, s, list[1:], source, func(there *manifest.Manifest) error {
		if there != nil {
			c.done.Current = there.State() == s.State()
			if err := sealed(target.Name(), there); err != nil {
				return err
			}
		}
		if dir, _ := blob.Split(target.Name()); !blob.IsRemote(dir) {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
		}
		return c.segments(ctx, list)
	})
}

// sealed refuses a local graph whose journal has changes.
func sealed(name string, m *manifest.Manifest) error {
	if blob.IsRemote(name) {
		return nil
	}
	chain, err := journal.Load(vfs.OS(), name+".changes")
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if n := chain.Lines(m.Sealed[chain.ID()]); n > 0 {
		return fmt.Errorf("%s: %w: %d of them; `rete seal` first", name, errUnsealed, n)
	}
	return nil
}

// history adds the archived generations, newest first, as far as they are kept without a gap.
func (c *copier) history(ctx context.Context, list []manifest.Stored) ([]manifest.Stored, error) {
	for {
		last := list[len(list)-1]
		old, err := c.from.File.ReadArchive(ctx, last.Generation-1)
		if errors.Is(err, blob.ErrNotFound) {
			return list, nil
		}
		if err == nil {
			err = c.from.File.Follows(old, last.Manifest)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, old)
	}
}

// segments copies what generations name.
func (c *copier) segments(ctx context.Context, list []manifest.Stored) error {
	seen := map[string]bool{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(c.opt.Parallel)
	var outside error
	for _, m := range list {
		m.Each(func(ref *manifest.SegmentRef) {
			switch {
			case seen[ref.URL] || outside != nil:
			case blob.IsRemote(ref.URL):
				seen[ref.URL] = true
				c.done.Elsewhere++
			case !filepath.IsLocal(filepath.FromSlash(ref.URL)):
				outside = fmt.Errorf("%s: %w: %s; a compaction brings all into one that is inside", c.from.File.Name(), errOutside, ref.URL)
			default:
				seen[ref.URL] = true
				g.Go(func() error { return c.segment(ctx, ref) })
			}
		})
	}
	return errors.Join(outside, g.Wait())
}

// segment copies one segment, unless it is there.
func (c *copier) segment(ctx context.Context, ref *manifest.SegmentRef) error {
	_, err := c.to.Check(ctx, ref, false, func(int64) {})
	if err == nil {
		return c.count(func(r *Result) { r.Present++ })
	}
	if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if c.opt.Progress != nil {
		c.opt.Progress(ref.URL)
	}
	obj, err := c.from.Mux.Open(ctx, ref.URL)
	if err != nil {
		return c.from.Gone(ctx, ref, err)
	}
	defer obj.Close()
	if obj.Size() != ref.Size {
		return fmt.Errorf("%s: %w: it has %d bytes, its pin says %d", obj.Name(), segments.ErrWrong, obj.Size(), ref.Size)
	}
	local := func(s *segments.Store) bool { return !blob.IsRemote(s.File.Name()) }
	if local(c.from) { // where it costs no network it is read whole, once on the way
		if _, err := c.from.Check(ctx, ref, true, func(int64) {}); err != nil {
			return err
		}
	}
	err = (&carry.Copy{To: c.to.Mux, Name: ref.URL}).Put(ctx, obj)
	if err != nil && !errors.Is(err, blob.ErrExists) {
		return err
	}
	faster := err != nil // another copy was
	if _, err := c.to.Check(ctx, ref, !local(c.from), func(int64) {}); err != nil {
		if !faster {
			err = errors.Join(err, c.to.Mux.Remove(context.WithoutCancel(ctx), ref.URL))
		}
		return err
	}
	return c.count(func(r *Result) { r.Copied, r.Bytes = r.Copied+1, r.Bytes+ref.Size })
}

func (c *copier) count(f func(*Result)) error {
	c.turn.Lock()
	defer c.turn.Unlock()
	f(&c.done)
	return nil
}
