package manifest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/strictjson"
)

// Difference is a place at which a manifest differs from an archived one: a JSON path and
// the values there, as JSON; nil where there is none.
//
// As it is declared:
//
//	type Difference struct {
//	    Path string          `json:"path"`
//	    Was  json.RawMessage `json:"was,omitempty"`
//	    Is   json.RawMessage `json:"is,omitempty"`
//	}
type Difference = strictjson.Change

// maxSkipped bounds the number of generations by which a manifest that is accepted may
// have been counted up without rete.
const maxSkipped = 256

// Changed is a manifest that was changed since it was written, and what a commit that
// takes it over builds on.
type Changed struct {
	Stored
	// Base is the generation that was archived before it, nil if that is not kept, and
	// Compared the full name of that archive.
	Base     *Manifest
	Compared string
	// First is its generation, by the archive, or else by its self.
	First int64
	// Differences are those from Base, without what every commit changes.
	Differences []Difference

	refusal error // why it cannot be accepted, nil if nothing in it speaks against that
}

// commitFields are the fields of the root that every commit changes.
var commitFields = []string{"generation", "commit", "recent", "previous", "self", "at", "note"}

// Compare finds the archive that a changed manifest pins, and lists what differs.
func (f *File) Compare(ctx context.Context, s Stored) (*Changed, error) {
	c := &Changed{Stored: s, First: s.Generation}
	if s.selfFor > 0 {
		c.First = s.selfFor
	}
	var tried []int64
	for _, g := range []int64{s.pinned(), c.First - 1, s.Generation - 1} {
		if g < 0 || slices.Contains(tried, g) {
			continue
		}
		tried = append(tried, g)
		base, err := f.ReadArchive(ctx, g)
		name := f.ArchiveName(g)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			continue
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			c.refusal = fmt.Errorf("the archive to compare it with: %w", err)
		case s.Previous != nil && s.Previous.Hash != base.Hash():
			c.refusal = fmt.Errorf("%s is not what it pins: blake3_16 %x, found %x", name, s.Previous.Hash, base.Hash())
		case base.Lineage != "" && base.Lineage != s.Lineage:
			c.refusal = fmt.Errorf("its lineage is %q, and that of %s is %s", s.Lineage, name, base.Lineage)
		default:
			c.Base, c.Compared, c.First, c.refusal = base.Manifest, name, g+1, nil
			return c, c.differ()
		}
	}
	return c, nil
}

// differ lists what differs from the base.
func (c *Changed) differ() error {
	all, err := strictjson.Diff(c.Base.Encode(), c.Encode())
	if err != nil {
		return err
	}
	if c.Generation != c.First {
		c.Differences = []Difference{{Path: "$.generation", Was: number(c.First), Is: number(c.Generation)}}
	}
	for _, d := range all {
		field, _, _ := strings.Cut(strings.TrimPrefix(d.Path, "$."), ".")
		if field, _, _ = strings.Cut(field, "["); !slices.Contains(commitFields, field) {
			c.Differences = append(c.Differences, d)
		}
	}
	return nil
}

func number(n int64) []byte { return fmt.Append(nil, n) }

// Unarchived reports whether no archive of the generation before First is kept.
func (c *Changed) Unarchived() bool { return c.Base == nil && c.refusal == nil }

// Refusal says what in the manifest speaks against accepting it; nil if nothing does.
// Its segments and the journal are not looked at.
func (c *Changed) Refusal() error {
	switch {
	case c.refusal != nil:
		return c.refusal
	case c.Generation > c.First+maxSkipped:
		return fmt.Errorf("its generation is %d, and it comes after generation %d: set it to %d", c.Generation, c.First-1, c.First)
	}
	known := map[string]bool{}
	if c.Base != nil {
		known = c.Base.innerUnknown()
	}
	for key := range c.innerUnknown() {
		if !known[key] {
			return fmt.Errorf("%q is an unknown field inside an entry, and the archive has none of that name", key)
		}
	}
	return nil
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
	}
	m.Each(func(s *SegmentRef) { add(s.FileRef.unknown) })
	if m.Previous != nil {
		add(m.Previous.unknown)
	}
	return out
}

const acceptedNote = "accepted as it was found: changed since it was written, by another hand than rete's"

// Accept makes a changed manifest the next generation. What the generations were that it
// replaced is not known: their archives hold what is accepted.
func (f *File) Accept(ctx context.Context, s *Changed) error {
	o := (&CommitOptions{Note: acceptedNote}).withDefaults()
	id, err := NewID(o.Rand)
	if err != nil {
		return err
	}
	if err := f.turn.Lock(ctx); err != nil {
		return err
	}
	defer f.turn.Unlock()
	defer f.finishArchive()
	if err := f.trust(ctx); err != nil {
		return err
	}
	t := &transaction{f: f, opt: o, id: id, attempts: 1}
	if err := s.conditional(f.name); err != nil {
		return err
	}
	var cur Stored
	previous := s.Previous
	for g := s.First; g <= max(s.First, s.Generation-1); g++ {
		cur, err = f.ReadArchive(ctx, g) // of a commit that got no further
		switch {
		case errors.Is(err, blob.ErrNotFound):
			m := s.Clone()
			m.Generation, m.Previous = g, previous
			cur = Stored{Manifest: m}
			if cur.Raw, err = f.encode(m); err != nil {
				return err
			}
		case err != nil:
			return err
		case cur.Lineage != s.Lineage:
			return fmt.Errorf("%w: %s has the lineage %q, the manifest %q", ErrTwoHistories, f.ArchiveName(g), cur.Lineage, s.Lineage)
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
