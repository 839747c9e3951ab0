package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf"
)

// maxReadings is how often a state with findings is read, until two readings agree. A
// reading beside a live writer may show the half of a write.
const maxReadings = 10

// stateReading is one reading of journal and manifest, and what is wrong in it.
type stateReading struct {
	manifest *manifest.Manifest // nil: it cannot be read
	chain    *journal.Chain
	changed  *manifest.Stored // in place of manifest, if it is not as it was written
	unfit    error            // why the journal does not fit the manifest, nil if it does
	foreign  bool             // it does not belong to the manifest
	lost     bool             // batches of the journal cannot be read, or are missing
	mend     bool             // an owner would change the journal's files
	findings []Finding
}

func (s *stateReading) found(object string, severity Severity, problem any) {
	s.findings = append(s.findings, Finding{Object: object, Severity: severity, Problem: fmt.Sprint(problem)})
}

// state reads the journal and the manifest and compares them, until what is found is
// found twice, and repairs what the options ask for.
func (c *checker) state(ctx context.Context) error {
	s, err := c.settle(ctx)
	if err != nil {
		return err
	}
	switch {
	case s.changed != nil:
		s, err = c.takeOver(ctx, s)
	case c.opt.Accept && s.manifest != nil:
		s.found(c.db.name, SeverityNote, "there is nothing to accept")
	}
	if err == nil && s.lost && s.manifest != nil && c.opt.DropTail {
		s, err = c.dropTail(ctx, s)
	}
	if err == nil && s.foreign && s.manifest != nil && c.opt.Adopt {
		s, err = c.adopt(ctx, s)
	}
	if err != nil {
		return err
	}
	c.report.add(s.findings...)
	c.report.Batches = s.chain.Last()
	if c.manifest = s.manifest; c.manifest == nil {
		return nil
	}
	c.report.Generation, c.report.Unsealed = c.manifest.Generation, s.chain.Lines(c.manifest.Sealed[s.chain.ID()])
	c.db.manifest = c.manifest
	if s.mend && c.opt.Repair && c.report.OK {
		return c.mend(ctx)
	}
	return nil
}

// settle reads the state until two readings with findings agree. Damage stays, and what
// a writer has under way does not.
func (c *checker) settle(ctx context.Context) (*stateReading, error) {
	s, err := c.readState(ctx)
	for n := 1; err == nil && len(s.findings) > 0 && n < maxReadings; n++ {
		before := s.findings
		if s, err = c.readState(ctx); err == nil && slices.Equal(s.findings, before) {
			break
		}
	}
	return s, err
}

// readState reads the journal's files, and then the manifest: what a seal moves from one
// to the other meanwhile is at least in one of them, and the manifest is never the older
// of the two.
func (c *checker) readState(ctx context.Context) (*stateReading, error) {
	db := c.db
	s := &stateReading{chain: &journal.Chain{}}
	whole := db.journal != ""
	if whole {
		c.progress(db.journal)
		chain, dropped, err := journal.LoadWhole(db.opt.FS, db.journal)
		switch whole = err == nil && dropped == nil; {
		case whole:
			s.chain = chain
		case err == nil:
			s.found(dropped.File, SeverityDamage, fmt.Sprintf("%v: %v", dropped.Cause, dropped))
			s.chain, s.lost = chain, true
		case !errors.Is(err, fs.ErrNotExist):
			s.found(db.journal, SeverityDamage, err)
		}
	}
	c.progress(db.name)
	m, changed, err := db.file.ReadChanged(ctx)
	if err != nil && (errors.Is(err, blob.ErrNotFound) || ctx.Err() != nil) {
		return nil, err
	}
	if err != nil {
		s.found(db.name, SeverityDamage, err)
		return s, nil
	}
	selfFor, holds, kept := m.Self()
	switch {
	case changed != nil:
		remedy := ""
		if !c.opt.Accept {
			remedy = "; --accept-manifest takes it over as it is"
		}
		s.found(db.name, SeverityDamage, changed.Error()+remedy)
		s.changed = &m
	case kept:
		s.found(db.name, SeverityWarning, fmt.Sprintf("its self is that of generation %d: a program that does not know self has written it since, and what else changes does not show until the next commit", selfFor))
		s.manifest = m.Manifest
	case !holds:
		s.found(db.name, SeverityNote, "it has no self, so what changes in it need not show; the next commit gives it one")
		s.manifest = m.Manifest
	default:
		s.manifest = m.Manifest
	}
	if !whole {
		return s, nil
	}
	of := *m.Manifest
	of.Generation = max(m.Generation, selfFor) // a person may have counted it down
	return s, c.readJournal(ctx, s, &of)
}

// readJournal checks the journal against the manifest, and reads every line.
func (c *checker) readJournal(ctx context.Context, s *stateReading, m *manifest.Manifest) error {
	name := c.db.journal
	if s.unfit = checkChain(s.chain, m); s.unfit != nil {
		s.found(name, SeverityDamage, s.unfit)
		s.lost = errors.Is(s.unfit, journal.ErrShort)
		s.foreign = !s.lost
	}
	switch mark := journal.MarkName(name); {
	case s.chain.BadMark():
		s.found(mark, SeverityWarning, "it does not check, as after a power cut, so nothing tells whether the journal was cut off; the owner of the journal writes it again")
	case s.chain.ForeignMark(m.Lineage):
		s.found(mark, SeverityNote, "it is of another manifest's journal, and says nothing about this one")
	}
	if err := s.chain.Each(0, func(int64, bool, *rdf.RawQuad) error { return ctx.Err() }); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.found(name, SeverityDamage, err)
	}
	if n := len(s.chain.Files); n > 1 {
		s.found(name, SeverityNote, fmt.Sprintf("%d files of a seal that is not finished", n-1))
		s.mend = true
	}
	if t := s.chain.Torn(); t != nil {
		s.found(t.File, SeverityWarning, fmt.Sprintf("%d bytes from offset %d on are no whole batch: %v", t.Size, t.Offset, t.Cause))
		s.mend = true
	}
	return nil
}

// adopt takes the journal over, as it is once it is owned, and reads the state again.
func (c *checker) adopt(ctx context.Context, before *stateReading) (*stateReading, error) {
	own, err := c.db.takeOwnership(ctx)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	lock := journal.Owned(c.db.opt.FS, c.db.journal, own)
	chain, err := lock.Load()
	if err != nil {
		return nil, err
	}
	m, err := c.db.file.Read(ctx)
	if err != nil {
		return nil, err
	}
	if checkChain(chain, m) != nil { // else its owner has put it right
		if err := journal.Adopt(lock, chain, m.Sealed[chain.ID()], m.Lineage, m.Generation); err != nil {
			return nil, err
		}
	}
	return c.readAfter(ctx, before)
}

// readAfter reads the state again after a repair: what is not found any more is repaired.
func (c *checker) readAfter(ctx context.Context, before *stateReading) (*stateReading, error) {
	s, err := c.readState(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range before.findings {
		if !slices.Contains(s.findings, f) {
			f.Repaired, f.Severity = true, SeverityWarning
			s.findings = append(s.findings, f)
		}
	}
	return s, nil
}

// mend owns the journal for a moment, which repairs it. A live owner does that itself.
func (c *checker) mend(ctx context.Context) error {
	err := c.db.Own(ctx)
	if errors.Is(err, ErrOwned) {
		c.found(c.db.journal, SeverityNote, fmt.Sprintf("not repaired: %v", err))
		return nil
	}
	if err != nil {
		return err
	}
	for i := range c.report.Findings {
		if f := &c.report.Findings[i]; strings.HasPrefix(f.Object, c.db.journal) && f.Severity != SeverityDamage {
			f.Repaired = true
		}
	}
	return nil
}
