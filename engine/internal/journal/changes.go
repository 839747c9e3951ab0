package journal

import (
	"bytes"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

// ID is the name of the journal; "" of a missing or plain one.
func (c *Chain) ID() string {
	if len(c.Files) == 0 {
		return ""
	}
	return c.Files[0].Header.ID
}

// Last is the number of the last whole batch, 0 if there never was one.
func (c *Chain) Last() int64 {
	if len(c.Files) == 0 {
		return 0
	}
	return c.Files[len(c.Files)-1].next() - 1
}

// Lines is the number of changes in the batches after a number.
func (c *Chain) Lines(after int64) (n int64) {
	for _, f := range c.Files {
		for _, b := range f.batchesAfter(after) {
			n += b.Lines
		}
	}
	return n
}

// batchesAfter returns the batches after a number.
func (f *File) batchesAfter(after int64) []Batch {
	if len(f.Batches) == 0 {
		return nil
	}
	known := after + 1 - f.Batches[0].Number // the numbers have no gap
	return f.Batches[min(max(known, 0), int64(len(f.Batches))):]
}

// Hash returns the hash in the commit line of a batch, which covers all batches
// before it too. ok is false if the chain does not have the batch, or it has no
// commit line.
func (c *Chain) Hash(batch int64) (hash uint64, ok bool) {
	for _, f := range c.Files {
		if b := f.batchesAfter(batch - 1); len(b) > 0 && b[0].Number == batch && !f.Plain {
			k, ok := parseCommit(lineAt(f.data, b[0].to))
			return k.hash, ok
		}
	}
	return 0, false
}

// Torn is the tail after the last whole batch, nil if there is none.
func (c *Chain) Torn() *Torn {
	if len(c.Files) == 0 {
		return nil
	}
	return c.Files[len(c.Files)-1].Torn
}

// Check refuses a journal of another lineage and one that was begun on a later
// generation than the manifest has.
func (c *Chain) Check(lineage string, generation int64) error {
	for _, f := range c.Files {
		switch {
		case f.Plain, len(f.Batches) == 0 && f.Torn == nil && (f.Header.Lineage != lineage || lineage == ""):
		case f.Header.Lineage != "" && f.Header.Lineage != lineage:
			return fmt.Errorf("%s: %w: its lineage is %s, the manifest has %q; `fsck --adopt` takes it over", f.Name, ErrForeign, f.Header.Lineage, lineage)
		case f.Header.Base > generation:
			return fmt.Errorf("%s: %w: it was begun at generation %d, the manifest is at %d, as if an older copy had been put in its place; `fsck --adopt` takes the journal over", f.Name, ErrForeign, f.Header.Base, generation)
		}
	}
	return nil
}

// Joins checks that no batch is missing between those that are sealed and the
// first of the chain.
func (c *Chain) Joins(sealed int64) error {
	if len(c.Files) == 0 || c.Files[0].Plain || c.Files[0].Header.First <= sealed+1 {
		return nil
	}
	f := c.Files[0]
	return damage.In(f.Name, damage.New("header", "it begins at batch %d, but the manifest has only batches up to %d in its log: batches are missing, or the manifest is an older copy; `fsck --adopt` takes the journal over as it is", f.Header.First, sealed))
}

// Each calls fn for every change of the batches after a number, in order. The
// quad is valid during the call.
func (c *Chain) Each(after int64, fn func(batch int64, add bool, q *rdf.RawQuad) error) error {
	for _, f := range c.Files {
		if err := f.each(after, fn); err != nil {
			return err
		}
	}
	return nil
}

// each reads a file as one document: the marks of the lines are blanked out, and
// commit lines are comments.
func (f *File) each(after int64, fn func(int64, bool, *rdf.RawQuad) error) error {
	batches := f.batchesAfter(after)
	if len(batches) == 0 {
		return nil
	}
	from := batches[0].from
	text := bytes.Clone(f.data[from:f.good])
	first := 1 + bytes.Count(f.data[:from], []byte("\n"))
	r := nquads.NewBlockReader(text, first, rdf.Options{File: f.Name, Blank: rdf.Verbatim})
	var q rdf.RawQuad
	for _, b := range batches {
		for at := b.from - from; at < b.to-from; {
			line := lineAt(text, at)
			if !isChange(line) {
				return f.broken(b, "expected a change, found %q", clip(line))
			}
			text[at] = ' '
			at += len(line)
		}
	}
	for _, b := range batches {
		at := b.from
		for range b.Lines {
			if err := r.Read(&q); err != nil {
				if err == io.EOF {
					err = io.ErrUnexpectedEOF
				}
				return f.broken(b, "%v", err)
			}
			if err := fn(b.Number, f.data[at] == '+', &q); err != nil {
				return err
			}
			at += len(lineAt(f.data, at))
		}
	}
	if err := r.Read(&q); err != io.EOF {
		return f.broken(batches[len(batches)-1], "more statements than lines")
	}
	return nil
}

func (f *File) broken(b Batch, format string, args ...any) error {
	e := damage.New(fmt.Sprintf("batch %d", b.Number), format, args...)
	e.Object = f.Name
	return e
}
