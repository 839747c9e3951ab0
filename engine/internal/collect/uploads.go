package collect

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
)

// uploads finds the uploads in parts of what commits and copies of this manifest write. They need
// no marks: nothing can name them, and the store knows when they were begun. A store that refuses
// the list is a warning, since all else can be collected without it.
func (c *remote) uploads(ctx context.Context, dir string) error {
	list, err := c.file.Place().Uploads(ctx, dir)
	if err != nil {
		return c.warn(ctx, "uploads in parts were not listed, and what killed writers have left of them stays", err)
	}
	for _, u := range list {
		full, _ := segmentOf(c.normal(u.Name))
		_, name := blob.Split(u.Name)
		of, _ := segmentOf(name)
		graph, minted := manifest.GraphOf(of)
		_, needed := c.needed[full]
		_, gone := c.gone[full]
		if !(minted && graph == c.cur.Name) && !needed && !gone {
			continue
		}
		g := Garbage{Name: name, Kind: "upload", State: "found", full: u.Name, abort: u.Abort}
		if !u.Begun.IsZero() {
			g.Since = &u.Begun
			if c.now.Sub(u.Begun) >= c.opt.Grace {
				g.State = "due"
			}
		}
		c.files = append(c.files, g)
	}
	return nil
}

// abort ends the uploads that are due.
func (c *remote) abort(ctx context.Context) error {
	for i := range c.files {
		f := &c.files[i]
		if f.Kind != "upload" || f.State != "due" {
			continue
		}
		err := f.abort(ctx)
		if err != nil && !errors.Is(err, blob.ErrNotFound) {
			return c.warn(ctx, "uploads in parts were not aborted", err)
		}
		f.State = "deleted"
	}
	return nil
}

// warn keeps a warning, unless the collection was ended.
func (c *remote) warn(ctx context.Context, what string, err error) error {
	if cerr := context.Cause(ctx); cerr != nil {
		return cerr
	}
	c.warnings = append(c.warnings, fmt.Sprintf("%s: %v", what, err))
	return nil
}
