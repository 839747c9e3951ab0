package fsck

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// history checks the current generation, and the archived ones as far back as they
// reach, those before a damaged one too.
func (c *checker) history(ctx context.Context) error {
	m := c.manifest
	if err := c.segments(ctx, m); err != nil {
		return err
	}
	c.oldest = m.Generation
	next := m // nil after an archive that is damaged
	for ; c.oldest > 0; c.oldest-- {
		g := c.oldest - 1
		name := c.file.ArchiveName(g)
		c.progress(name)
		old, err := c.file.ReadArchive(ctx, g)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			return nil // the history ends here
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && unreachable(name, err):
			return err
		case err != nil:
			c.found(name, SeverityDamage, err)
			next = nil
			continue
		}
		c.report.Archives++
		if next != nil {
			err = c.file.Follows(old, next)
		} else {
			err = c.file.SameHistory(old, m)
		}
		if err != nil {
			c.found(name, SeverityDamage, err)
		}
		if err := c.segments(ctx, old.Manifest); err != nil {
			return err
		}
		next = old.Manifest
	}
	return nil
}

// segments checks those of a generation that were not checked yet.
func (c *checker) segments(ctx context.Context, m *manifest.Manifest) error {
	for i, e := range m.Log {
		for _, ref := range []*manifest.SegmentRef{e.Dels, e.Adds} {
			if ref == nil {
				continue
			}
			full, err := c.segment(ctx, ref)
			problem := fmt.Sprintf("entry %d of generation %d: %v", i, m.Generation, err)
			switch {
			case err == nil:
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, blob.ErrNotFound):
				if err := c.gone(ctx, m, ref, full, problem); err != nil {
					return err
				}
			case unreachable(full, err):
				return err
			default:
				c.found(full, SeverityDamage, problem)
			}
		}
	}
	return nil
}

// segment reads a segment whole, unless that was done already, and returns its full name.
func (c *checker) segment(ctx context.Context, ref *manifest.SegmentRef) (full string, err error) {
	if full, err = c.Segments.Mux.Resolve(ref.URL); err != nil {
		return ref.URL, err
	}
	key := ref.Key(full)
	if c.seen[key] {
		return full, nil
	}
	c.seen[key] = true
	c.progress(full)
	c.report.Segments++
	_, err = c.Segments.Check(ctx, ref, true, func(int64) {})
	return full, err
}

// gone tells that a segment is not there: damage if the manifest, as it is by now, names
// it; nothing if its generation was collected meanwhile.
func (c *checker) gone(ctx context.Context, m *manifest.Manifest, ref *manifest.SegmentRef, full, problem string) error {
	cur, err := c.file.Read(ctx)
	if err != nil {
		return err
	}
	if cur.Names(ref) {
		c.found(full, SeverityDamage, problem)
		return nil
	}
	_, err = c.file.ReadArchive(ctx, m.Generation)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return nil
	case err != nil:
		return ctx.Err() // it is told where the archives are read
	}
	c.found(full, SeverityNote, fmt.Sprintf("it is gone, so generation %d cannot be read any more", m.Generation))
	return nil
}

// staleAfter is how old a temporary file is that no process writes any more.
const staleAfter = 24 * time.Hour

// leftovers looks for what crashes, and copies of other states, have left.
func (c *checker) leftovers(ctx context.Context) error {
	if blob.IsRemote(c.file.Name()) {
		return nil
	}
	dir, base := filepath.Dir(c.file.Name()), filepath.Base(c.file.Name())
	entries, err := c.FS.ReadDir(dir)
	if err != nil {
		return err
	}
	// Read after the directory: no archive in it is of a later generation.
	cur, err := c.file.ReadStored(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		full := filepath.Join(dir, name)
		temp := vfs.TempTarget(name)
		of, _ := manifest.GraphOf(temp)
		switch {
		case strings.HasPrefix(name, filepath.Base(c.Journal)+".torn-") && c.Journal != "":
			c.found(full, SeverityNote, "a torn tail that was cut off the journal: changes that were never acknowledged")
		case strings.HasPrefix(name, filepath.Base(c.Journal)+".dropped-") && c.Journal != "":
			c.found(full, SeverityNote, "what was dropped of a damaged journal: changes that may have been acknowledged")
		case strings.HasPrefix(name, base+".g"):
			if err := c.archived(ctx, cur, full, strings.TrimPrefix(name, base+".g")); err != nil {
				return err
			}
		case temp != "" && (temp == base || strings.HasPrefix(temp, base+".") || of == c.manifest.Name):
			info, err := e.Info()
			if err != nil || time.Since(info.ModTime()) < staleAfter {
				continue // it is gone, or still written
			}
			f := Finding{Object: full, Severity: SeverityNote, Problem: "a temporary file, left by a crash"}
			if c.opt.Repair {
				if err := c.FS.Remove(full); err != nil {
					return err
				}
				f.Repaired = true
			}
			c.report.add(f)
		}
	}
	return nil
}

// archived judges an archive that the history does not reach.
func (c *checker) archived(ctx context.Context, cur manifest.Stored, full, number string) error {
	g, err := strconv.ParseInt(number, 10, 64)
	if err != nil || strconv.FormatInt(g, 10) != number {
		return nil
	}
	switch {
	case g > cur.Generation:
		c.found(full, SeverityWarning, fmt.Sprintf("an archive of generation %d, and the manifest is at %d, as if an older copy had been put in its place: no commit gets past generation %d unless one of the two is moved away",
			g, cur.Generation, g))
	case g == cur.Generation:
		same, err := c.file.IsArchived(ctx, cur)
		if err == nil && !same {
			c.found(full, SeverityWarning, fmt.Sprintf("it holds another generation %d than the manifest: nothing can be committed unless one of the two is moved away", g))
		}
		return ctx.Err()
	case g < c.oldest-1:
		c.found(full, SeverityNote, fmt.Sprintf("generation %d cannot be reached: generation %d is not archived", g, c.oldest-1))
	}
	return nil
}
