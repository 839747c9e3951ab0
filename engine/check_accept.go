package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/strictjson"
)

// Difference is a place at which a manifest differs from an archived one: a JSON path and
// the values there, as JSON; nil where there is none.
type Difference = strictjson.Change

// maxSkipped bounds the number of generations by which a manifest that is accepted may
// have been counted up without rete.
const maxSkipped = 256

// changedManifest is a manifest that was changed since it was written, and what a commit
// that takes it over builds on.
type changedManifest struct {
	stored
	base    *Manifest // that was archived before it, nil if that is not kept
	first   int64     // its generation, by the archive, or else by its self
	refusal error     // why it cannot be accepted, nil if it can
}

// commitFields are the fields of the root that every commit changes.
var commitFields = []string{"generation", "commit", "recent", "previous", "self", "at", "note"}

// takeOver compares a changed manifest with its archive, and accepts it if the options ask
// for that.
func (c *checker) takeOver(ctx context.Context, s *stateReading) (*stateReading, error) {
	if err := c.compare(ctx, s.changed); err != nil {
		return s, err
	}
	if s.changed.base == nil && s.changed.refusal == nil {
		s.found(c.db.name, SeverityNote, fmt.Sprintf("generation %d is not archived, so there is nothing to compare it with", s.changed.first-1))
	}
	if !c.opt.Accept {
		return s, nil
	}
	refusal, err := c.accept(ctx, s)
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		s.found(c.db.name, SeverityDamage, fmt.Sprintf("not accepted: %v", refusal))
		return s, nil
	}
	c.db.opt.Logger.Info("accepted a changed manifest", "manifest", c.db.name)
	return c.readAfter(ctx, s)
}

// compare finds the archive that a changed manifest pins, and lists what differs.
func (c *checker) compare(ctx context.Context, s *changedManifest) error {
	s.first = s.Generation
	if s.selfFor > 0 {
		s.first = s.selfFor
	}
	var tried []int64
	for _, g := range []int64{s.pinned(), s.first - 1, s.Generation - 1} {
		if g < 0 || slices.Contains(tried, g) {
			continue
		}
		tried = append(tried, g)
		base, err := c.db.file.readArchive(ctx, g)
		name := c.db.file.archiveName(g)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			s.refusal = fmt.Errorf("the archive to compare it with: %w", err)
		case s.Previous != nil && s.Previous.Hash != hashOf(base.raw):
			s.refusal = fmt.Errorf("%s is not what it pins: blake3_16 %x, found %x", name, s.Previous.Hash, hashOf(base.raw))
		case base.Lineage != "" && base.Lineage != s.Lineage:
			s.refusal = fmt.Errorf("its lineage is %q, and that of %s is %s", s.Lineage, name, base.Lineage)
		default:
			s.base, s.first, s.refusal = base.Manifest, g+1, nil
			c.report.Compared = name
			return c.differ(s)
		}
	}
	return nil
}

func (c *checker) differ(s *changedManifest) error {
	all, err := strictjson.Diff(s.base.Encode(), s.Encode())
	if err != nil {
		return err
	}
	if s.Generation != s.first {
		c.report.Differences = []Difference{{Path: "$.generation", Was: number(s.first), Is: number(s.Generation)}}
	}
	for _, d := range all {
		field, _, _ := strings.Cut(strings.TrimPrefix(d.Path, "$."), ".")
		if field, _, _ = strings.Cut(field, "["); !slices.Contains(commitFields, field) {
			c.report.Differences = append(c.report.Differences, d)
		}
	}
	return nil
}

func number(n int64) []byte { return fmt.Append(nil, n) }

// accept commits a changed manifest as a new generation, if it can be read from end to
// end, and returns why not else.
func (c *checker) accept(ctx context.Context, r *stateReading) (refusal, err error) {
	s := r.changed
	switch {
	case s.refusal != nil:
		return s.refusal, nil
	case r.unfit != nil:
		return fmt.Errorf("the journal does not fit it: %w", r.unfit), nil
	case s.Generation > s.first+maxSkipped:
		return fmt.Errorf("its generation is %d, and it comes after generation %d: set it to %d", s.Generation, s.first-1, s.first), nil
	}
	known := map[string]bool{}
	if s.base != nil {
		known = s.base.innerUnknown()
	}
	for key := range s.innerUnknown() {
		if !known[key] {
			return fmt.Errorf("%q is an unknown field inside an entry, and the archive has none of that name", key), nil
		}
	}
	for i, e := range s.Log {
		for _, ref := range []*SegmentRef{e.Dels, e.Adds} {
			if ref == nil {
				continue
			}
			if full, err := c.segment(ctx, ref); err != nil {
				return fmt.Errorf("entry %d: %s: %w", i, full, err), ctx.Err()
			}
		}
	}
	if c.db.ReadOnly() {
		return nil, fmt.Errorf("%s: %w", c.db.name, blob.ErrReadOnly)
	}
	return nil, c.db.file.accept(ctx, s)
}

// innerUnknown are the names of the unknown fields that are not the root's.
func (m *Manifest) innerUnknown() map[string]bool {
	out := map[string]bool{}
	add := func(fields []unknownField) {
		for _, f := range fields {
			out[f.key] = true
		}
	}
	for _, e := range m.Log {
		add(e.unknown)
		for _, s := range []*SegmentRef{e.Adds, e.Dels} {
			if s != nil {
				add(s.FileRef.unknown)
			}
		}
	}
	if m.Previous != nil {
		add(m.Previous.unknown)
	}
	return out
}

const acceptedNote = "accepted as it was found: changed since it was written, by another hand than rete's"

// accept makes a changed manifest the next generation. What the generations were that it
// replaced is not known: their archives hold what is accepted.
func (f *ManifestFile) accept(ctx context.Context, s *changedManifest) error {
	o := (&CommitOptions{Note: acceptedNote}).withDefaults()
	id, err := randomID(o.Rand)
	if err != nil {
		return err
	}
	t := &transaction{f: f, opt: o, id: id, attempts: 1}
	if err := s.conditional(f.name); err != nil {
		return err
	}
	var cur stored
	previous := s.Previous
	for g := s.first; g <= max(s.first, s.Generation-1); g++ {
		cur, err = f.readArchive(ctx, g) // of a commit that got no further
		switch {
		case errors.Is(err, blob.ErrNotFound):
			m := s.Clone()
			m.Generation, m.Previous = g, previous
			cur = stored{Manifest: m}
			if cur.raw, err = f.encode(m); err != nil {
				return err
			}
		case err != nil:
			return err
		case cur.Lineage != s.Lineage:
			return fmt.Errorf("%w: %s has the lineage %q, the manifest %q", ErrTwoHistories, f.archiveName(g), cur.Lineage, s.Lineage)
		}
		if previous, err = f.archive(ctx, cur); err != nil {
			return err
		}
	}
	if err := t.prove(ctx, s.Log); err != nil {
		return err
	}
	next, err := t.sign(ctx, cur, s.Clone())
	if err != nil {
		return err
	}
	_, err = t.swap(ctx, s.validator, next)
	return t.final(err)
}
