package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/rdf"
)

// maxReadings is how often a state with findings is read, until two readings agree. A
// reading while a writer lives may show the half of a write.
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
		s.found(c.file.Name(), SeverityNote, "there is nothing to accept")
	}
	if err == nil && s.lost && s.manifest != nil && c.opt.DropTail {
		s, err = c.dropTail(ctx, s)
	}
	if err == nil && s.foreign && s.manifest != nil && c.opt.Adopt {
		s, err = c.adopt(ctx, s)
	}
	if err == nil && s.manifest != nil && c.opt.Retire != "" {
		err = c.retire(ctx, s)
	}
	if err != nil {
		return err
	}
	c.elsewhere(s)
	c.report.add(s.findings...)
	c.report.Batches = s.chain.Last()
	if c.manifest = s.manifest; c.manifest == nil {
		return nil
	}
	c.report.Generation, c.report.Unsealed = c.manifest.Generation, s.chain.Lines(c.manifest.Sealed[s.chain.ID()])
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
	s := &stateReading{chain: &journal.Chain{}}
	whole := c.Journal != ""
	if whole {
		c.progress(c.Journal)
		chain, dropped, err := journal.LoadWhole(c.FS, c.Journal)
		switch whole = err == nil && dropped == nil; {
		case whole:
			s.chain = chain
		case err == nil:
			s.found(dropped.File, SeverityDamage, fmt.Sprintf("%v: %v", dropped.Cause, dropped))
			s.chain, s.lost = chain, true
		case !errors.Is(err, fs.ErrNotExist):
			s.found(c.Journal, SeverityDamage, err)
		}
		if _, err := journal.ReadPrefixes(c.FS, c.Journal); err != nil {
			s.found(journal.PrefixesName(c.Journal), SeverityDamage, err)
		}
	}
	c.progress(c.file.Name())
	m, changed, err := c.file.ReadChanged(ctx)
	if err != nil && (unreachable(c.file.Name(), err) || errors.Is(err, blob.ErrNotFound) || ctx.Err() != nil) {
		return nil, err
	}
	if err != nil {
		s.found(c.file.Name(), SeverityDamage, err)
		return s, nil
	}
	selfFor, holds, kept := m.Self()
	switch {
	case changed != nil:
		remedy := ""
		if !c.opt.Accept {
			remedy = "; --accept-manifest takes it over as it is"
		}
		s.found(c.file.Name(), SeverityDamage, changed.Error()+remedy)
		s.changed = &m
	case kept:
		s.found(c.file.Name(), SeverityWarning, fmt.Sprintf("its self is that of generation %d: a program that does not know self has written it since, and what else changes does not show until the next commit", selfFor))
		s.manifest = m.Manifest
	case !holds:
		s.found(c.file.Name(), SeverityNote, "it has no self, so what changes in it need not show; the next commit gives it one")
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
	name := c.Journal
	if s.unfit = s.chain.Fits(logOf(m)); s.unfit != nil {
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
