package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// CheckOptions are the choices of [Check]. The zero value and nil work.
type CheckOptions struct {
	// Repair does what is safe: a torn tail of the journal is moved aside, journal
	// files that are sealed are dropped, temporary files older than a day are
	// removed. Nothing that was acknowledged is touched.
	Repair bool
	// Adopt takes over a journal of another manifest, or one of a later generation,
	// such as an older copy of the manifest has beside it: its changes come behind
	// what the log has.
	Adopt bool
	// Progress is called with what is looked at.
	Progress func(object string)
}

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	SeverityNote    Severity = "note"    // as it should be, but worth knowing
	SeverityWarning Severity = "warning" // nothing is lost, somebody should act
	SeverityDamage  Severity = "damage"  // data is hurt, or cannot be read
)

// Finding is one thing that a check found.
type Finding struct {
	Object   string   `json:"object"`
	Severity Severity `json:"severity"`
	Problem  string   `json:"problem"`
	Repaired bool     `json:"repaired"`
}

// CheckReport is what a check found.
type CheckReport struct {
	Schema     int       `json:"schema"` // 1
	Manifest   string    `json:"manifest"`
	Generation int64     `json:"generation"`
	OK         bool      `json:"ok"` // no damage
	Segments   int       `json:"segments"`
	Archives   int       `json:"archives"`
	Batches    int64     `json:"batches"` // in the journal
	Unsealed   int64     `json:"unsealed"`
	Findings   []Finding `json:"findings"`
}

// Check looks at everything that belongs to a manifest: the manifest and its
// archives, each pinned by the next; every segment of every generation, whole; the
// journal, line by line; and what was left behind. What is wrong is in the report;
// an error says that the check itself could not go on.
func Check(ctx context.Context, name string, opt *CheckOptions, dbo *Options) (*CheckReport, error) {
	c := &checker{report: &CheckReport{Schema: 1, Manifest: name, OK: true, Findings: []Finding{}}}
	if opt != nil {
		c.opt = *opt
	}
	o := dbo.withDefaults()
	file, err := OpenManifestFile(name, o.mux())
	if err != nil {
		return nil, err
	}
	if c.db, err = newDB(file.Name(), o, file.Store(), nil); err != nil {
		return nil, err
	}
	c.db.file = file
	defer c.db.Close()
	c.report.Manifest = file.Name()
	m, err := file.Read(ctx)
	if err != nil {
		if errors.Is(err, blob.ErrNotFound) || ctx.Err() != nil {
			return nil, err
		}
		c.found(file.Name(), SeverityDamage, err)
		return c.report, nil
	}
	c.db.manifest, c.report.Generation = m, m.Generation
	for _, step := range []func(context.Context, *Manifest) error{c.history, c.journal, c.leftovers} {
		if err := step(ctx, m); err != nil {
			return c.report, err
		}
	}
	return c.report, ctx.Err()
}

type checker struct {
	db     *DB
	opt    CheckOptions
	report *CheckReport
}

// found notes a finding and returns its place.
func (c *checker) found(object string, s Severity, problem any) *Finding {
	c.report.Findings = append(c.report.Findings, Finding{Object: object, Severity: s, Problem: fmt.Sprint(problem)})
	c.report.OK = c.report.OK && s != SeverityDamage
	return &c.report.Findings[len(c.report.Findings)-1]
}

func (c *checker) progress(object string) {
	if c.opt.Progress != nil {
		c.opt.Progress(object)
	}
}

// history checks the current generation, and the archived ones as far back as they
// reach.
func (c *checker) history(ctx context.Context, m *Manifest) error {
	seen := map[string]bool{}
	if err := c.segments(ctx, m, true, seen); err != nil {
		return err
	}
	file := c.db.file
	for next := m; next.Generation > 1; {
		g := next.Generation - 1
		name := file.archiveName(g)
		c.progress(name)
		old, err := file.readArchive(ctx, g)
		if errors.Is(err, blob.ErrNotFound) {
			return nil // the history ends here
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c.found(name, SeverityDamage, err)
			return nil
		}
		c.report.Archives++
		if p := next.Previous; p != nil && p.Hash != hashOf(old.raw) {
			c.found(name, SeverityDamage, fmt.Sprintf("it is not what generation %d pins: blake3_16 %x, found %x", next.Generation, p.Hash, hashOf(old.raw)))
		}
		if err := c.segments(ctx, old.Manifest, false, seen); err != nil {
			return err
		}
		next = old.Manifest
	}
	return nil
}

// segments checks those of a generation that were not checked yet.
func (c *checker) segments(ctx context.Context, m *Manifest, current bool, seen map[string]bool) error {
	for i, e := range m.Log {
		for _, ref := range []*SegmentRef{e.Dels, e.Adds} {
			if ref == nil {
				continue
			}
			full, err := c.db.mux.Resolve(ref.URL)
			if err != nil {
				c.found(ref.URL, SeverityDamage, err)
				continue
			}
			if key := ref.key(full); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			c.progress(full)
			c.report.Segments++
			err = c.db.check(ctx, ref, new(SegmentStatus), true, func(int64) {})
			switch {
			case err == nil:
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, blob.ErrNotFound) && !current:
				c.found(full, SeverityNote, fmt.Sprintf("it is gone, so generation %d cannot be read any more", m.Generation))
			default:
				c.found(full, SeverityDamage, fmt.Sprintf("entry %d of generation %d: %v", i, m.Generation, err))
			}
		}
	}
	return nil
}

// journal checks the journal's files and reads every line.
func (c *checker) journal(ctx context.Context, m *Manifest) error {
	db := c.db
	if db.journal == "" {
		return nil
	}
	c.progress(db.journal)
	chain, err := journal.Load(db.opt.FS, db.journal)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.found(db.journal, SeverityDamage, err)
		}
		return nil
	}
	sealed := m.Sealed[chain.ID()]
	err = chain.Check(m.Lineage, m.Generation)
	if err == nil {
		err = chain.Joins(sealed)
	}
	if err != nil {
		f := c.found(db.journal, SeverityDamage, err)
		if c.opt.Adopt {
			if err := c.adopt(chain, m); err != nil {
				return err
			}
			f.Repaired, f.Severity = true, SeverityWarning
			c.report.OK = c.clean()
			if chain, err = journal.Load(db.opt.FS, db.journal); err != nil {
				return err
			}
			sealed = 0
		}
	}
	if err := chain.Each(0, func(int64, bool, *rdf.RawQuad) error { return ctx.Err() }); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.found(db.journal, SeverityDamage, err)
	}
	c.report.Batches, c.report.Unsealed = chain.Last(), chain.Lines(sealed)
	mend := len(chain.Files) > 1
	if mend {
		c.found(db.journal, SeverityNote, fmt.Sprintf("%d files of a seal that is not finished", len(chain.Files)-1))
	}
	if t := chain.Torn(); t != nil {
		s := SeverityWarning
		if t.Whole {
			s = SeverityDamage
		}
		c.found(t.File, s, fmt.Sprintf("%d bytes from offset %d on are no whole batch: %v", t.Size, t.Offset, t.Cause))
		mend = true
	}
	if mend && c.opt.Repair && c.report.OK {
		return c.mend(ctx)
	}
	return nil
}

// clean reports whether no damage was found that is not repaired.
func (c *checker) clean() bool {
	for _, f := range c.report.Findings {
		if f.Severity == SeverityDamage {
			return false
		}
	}
	return true
}

func (c *checker) adopt(chain *journal.Chain, m *Manifest) error {
	lock, err := journal.Own(c.db.opt.FS, c.db.journal)
	if err != nil {
		return err
	}
	defer lock.Close()
	return journal.Adopt(lock, chain, m.Lineage, m.Generation)
}

// mend owns the journal for a moment, which repairs it.
func (c *checker) mend(ctx context.Context) error {
	if err := c.db.Own(ctx); err != nil {
		return err
	}
	for i := range c.report.Findings {
		if f := &c.report.Findings[i]; strings.HasPrefix(f.Object, c.db.journal) && f.Severity != SeverityDamage {
			f.Repaired = true
		}
	}
	return nil
}

// staleAfter is how old a temporary file is that no process writes any more.
const staleAfter = 24 * time.Hour

// leftovers looks for what crashes have left.
func (c *checker) leftovers(_ context.Context, m *Manifest) error {
	if blob.IsRemote(c.db.name) {
		return nil
	}
	dir, base := filepath.Split(c.db.name)
	entries, err := c.db.opt.FS.ReadDir(cmpDir(dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		full := filepath.Join(dir, name)
		switch {
		case strings.HasPrefix(name, filepath.Base(c.db.journal)+".torn-") && c.db.journal != "":
			c.found(full, SeverityNote, "a tail of the journal that was moved aside: changes that were never acknowledged")
		case vfs.IsTemp(name) && (strings.HasPrefix(name, base) || strings.HasPrefix(name, m.Name+"-g")):
			f := c.found(full, SeverityNote, "a temporary file")
			info, err := e.Info()
			if err != nil || !c.opt.Repair || time.Since(info.ModTime()) < staleAfter {
				continue
			}
			if err := c.db.opt.FS.Remove(full); err != nil {
				return err
			}
			f.Repaired = true
		}
	}
	return nil
}
