package fsck

import (
	"context"
	"fmt"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
)

// takeOver compares a changed manifest with its archive, and accepts it if the options ask
// for that.
func (c *checker) takeOver(ctx context.Context, s *stateReading) (*stateReading, error) {
	changed, err := c.file.Compare(ctx, *s.changed)
	if err != nil {
		return s, err
	}
	c.report.Compared, c.report.Differences = changed.Compared, changed.Differences
	if changed.Unarchived() {
		s.found(c.file.Name(), SeverityNote, fmt.Sprintf("generation %d is not archived, so there is nothing to compare it with", changed.First-1))
	}
	if !c.opt.Accept {
		return s, nil
	}
	refusal, err := c.accept(ctx, changed, s.unfit)
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		s.found(c.file.Name(), SeverityDamage, fmt.Sprintf("not accepted: %v", refusal))
		return s, nil
	}
	c.Logger.Info("accepted a changed manifest", "manifest", c.file.Name())
	return c.readAfter(ctx, s)
}

// accept commits a changed manifest as a new generation, if it can be read from end to
// end, and returns why not else. unfit says why the journal does not fit it.
func (c *checker) accept(ctx context.Context, s *manifest.Changed, unfit error) (refusal, err error) {
	if err := s.Refusal(); err != nil {
		return err, nil
	}
	if unfit != nil {
		return fmt.Errorf("the journal does not fit it: %w", unfit), nil
	}
	for i, e := range s.Log {
		for _, ref := range e.Segments() {
			if full, err := c.segment(ctx, ref); err != nil {
				return fmt.Errorf("entry %d: %s: %w", i, full, err), ctx.Err()
			}
		}
	}
	if c.ReadOnly {
		return nil, fmt.Errorf("%s: %w", c.file.Name(), blob.ErrReadOnly)
	}
	return nil, c.file.Accept(ctx, s)
}
