package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/ownership"
	"github.com/rete-go/rete/internal/manifest"
)

// adopt takes the journal over, as it is once it is owned, and reads the state again.
func (c *checker) adopt(ctx context.Context, before *stateReading) (*stateReading, error) {
	own, err := c.own(ctx)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	lock := journal.Owned(c.FS, c.Journal, own)
	chain, err := lock.Load()
	if err != nil {
		return nil, err
	}
	m, err := c.file.Read(ctx)
	if err != nil {
		return nil, err
	}
	if chain.Fits(logOf(m)) != nil { // else its owner has put it right
		if err := journal.Adopt(lock, chain, logOf(m).Has(chain.ID()), m.Lineage, m.Generation); err != nil {
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
	err := c.recover(ctx)
	if errors.Is(err, ownership.ErrOwned) {
		c.found(c.Journal, SeverityNote, fmt.Sprintf("not repaired: %v", err))
		return nil
	}
	if err != nil {
		return err
	}
	for i := range c.report.Findings {
		if f := &c.report.Findings[i]; strings.HasPrefix(f.Object, c.Journal) && f.Severity != SeverityDamage {
			f.Repaired = true
		}
	}
	return nil
}

func (c *checker) recover(ctx context.Context) error {
	if c.ReadOnly {
		return fmt.Errorf("%s: %w", c.file.Name(), blob.ErrReadOnly)
	}
	own, err := c.own(ctx)
	if err != nil {
		return err
	}
	read := func() (journal.Log, error) {
		m, err := c.file.Read(ctx)
		if err != nil {
			return journal.Log{}, err
		}
		return logOf(m), nil
	}
	w, err := journal.Recover(journal.Owned(c.FS, c.Journal, own), read, journal.Options{Logger: c.Logger})
	if err != nil {
		own.Close()
		return err
	}
	return w.Close()
}

// own takes the ownership of manifest and journal.
func (c *checker) own(ctx context.Context) (*ownership.Lock, error) {
	name := c.file.Name()
	if blob.IsRemote(name) {
		name = "" // its writers own their journals
	}
	return ownership.TakeWithin(ctx, c.FS, name, c.Journal, c.OwnerWait)
}

// logOf is what a manifest says of its journal.
func logOf(m *manifest.Manifest) journal.Log {
	return journal.Log{Lineage: m.Lineage, Generation: m.Generation, Sealed: m.Sealed, Retired: m.Retired}
}
