package journal

import (
	"fmt"

	"github.com/rete-go/rete/internal/damage"
)

// marks reports whether a batch of a file was on disk when the mark was written.
func (c *Chain) marks(f *File, batch int64) bool {
	return c.mark != nil && c.mark.ID == f.Header.ID && batch <= c.mark.Batch
}

// BadMark reports whether there is a mark that does not check.
func (c *Chain) BadMark() bool { return c.badMark }

// ForeignMark reports whether the mark is one of another manifest's journal, which says
// nothing about this one.
func (c *Chain) ForeignMark(lineage string) bool {
	return c.mark != nil && c.mark.ID != c.ID() && c.mark.Lineage != "" && c.mark.Lineage != lineage
}

// shortError is damage that matches ErrShort too.
type shortError struct{ err error }

func (e shortError) Error() string        { return e.err.Error() }
func (e shortError) Unwrap() error        { return e.err }
func (e shortError) Is(target error) bool { return target == ErrShort }

// Reaches checks that the journal, or what the manifest says is sealed, has every batch
// that the mark knows. The mark is read before the files, and sealed must be read after
// them: then a batch that a seal moves meanwhile is in one of the two.
func (c *Chain) Reaches(log Log) error {
	m := c.mark
	if m == nil || log.Has(m.ID) >= m.Batch || c.ForeignMark(log.Lineage) {
		return nil
	}
	short := func(format string, args ...any) error {
		e := damage.New("", "%s: batch %d of journal %s was on disk, as %s says, and the log has its batches up to %d; put the files back, or accept the loss with `fsck --drop-tail`",
			fmt.Sprintf(format, args...), m.Batch, m.ID, MarkName(c.Name), log.Has(m.ID))
		e.Object = c.Name
		return shortError{e}
	}
	if c.ID() != m.ID {
		if len(c.Files) == 0 {
			return short("the journal is gone, or --journal has to say where it is")
		}
		return short("another journal is in its place")
	}
	if c.Last() < m.Batch {
		return short("its end is missing, batch %d is the last", c.Last())
	}
	if h, ok := c.Hash(m.Batch); ok && h != m.Hash {
		return short("batch %d is another one than the mark knows", m.Batch)
	}
	return nil
}

// Log is what a manifest says of its journal. It must be read after the journal.
type Log struct {
	Lineage    string
	Generation int64
	Sealed     map[string]int64 // the last batch that is in the log, by the id of the journal
	Retired    map[string]int64 // the same of journals that were given up
}

// Has is the last batch of a journal that is in the log.
func (m Log) Has(id string) int64 { return max(m.Sealed[id], m.Retired[id]) }

// Fits refuses a journal that does not belong to a manifest, one that was retired, and one that
// lacks batches.
func (c *Chain) Fits(m Log) error {
	if err := c.Check(m.Lineage, m.Generation); err != nil {
		return err
	}
	if err := c.Serves(m); err != nil {
		return err
	}
	if err := c.Joins(m.Sealed[c.ID()]); err != nil {
		return err
	}
	return c.Reaches(m)
}

// Serves refuses a journal that was retired.
func (c *Chain) Serves(m Log) error {
	last, retired := m.Retired[c.ID()]
	if len(c.Files) == 0 || !retired {
		return nil
	}
	return fmt.Errorf("%s: %w: journal %s, up to batch %d in the log and with %s that came later; `fsck --adopt` takes these over under a new id, or else remove the file and its mark",
		c.Name, ErrRetired, c.ID(), last, count(c.Lines(last), "change"))
}
