package fsck

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete/engine/internal/journal"
)

// dropTail ends the journal before what cannot be read of it, or where it ends before its
// mark, and reads the state again.
func (c *checker) dropTail(ctx context.Context, before *stateReading) (*stateReading, error) {
	own, err := c.own(ctx)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	lock := journal.Owned(c.FS, c.Journal, own)
	chain, dropped, err := journal.LoadWhole(c.FS, c.Journal)
	if err != nil {
		return nil, err
	}
	m, err := c.file.Read(ctx)
	if err != nil {
		return nil, err
	}
	of := logOf(m)
	sealed := of.Has(chain.ID())
	if dropped == nil && chain.Fits(of) == nil {
		return c.readAfter(ctx, before) // its owner has put it right
	}
	if err := errors.Join(chain.Check(m.Lineage, m.Generation), chain.Serves(of), chain.Joins(sealed)); err != nil && !c.opt.Adopt {
		return nil, fmt.Errorf("%w; it is damaged too: `fsck --adopt --drop-tail` takes over what can be read", err)
	}
	last := chain.Last()
	kept, err := journal.DropTail(lock, chain, sealed, m.Lineage, m.Generation)
	if err != nil {
		return nil, err
	}
	s, err := c.readAfter(ctx, before)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("the journal ends after batch %d now", last)
	if dropped != nil {
		text = fmt.Sprintf("%s; what was dropped, %v, is in %s", text, dropped, kept)
	}
	s.findings = append(s.findings, Finding{Object: c.Journal, Severity: SeverityWarning, Problem: text, Repaired: true})
	return s, nil
}
