package manifest

import (
	"context"
	"fmt"
	"slices"
)

// Prover opens a segment as readers do, from the place that a manifest gives, and
// reads what every use of it begins with.
type Prover func(ctx context.Context, ref *SegmentRef) error

// prove opens the segments of entries, each once for all attempts of a commit.
func (t *transaction) prove(ctx context.Context, entries []Entry) error {
	if t.f.prove == nil {
		return nil
	}
	for _, e := range entries {
		for _, ref := range e.Segments() {
			if t.proven[ref.Key(ref.URL)] {
				continue
			}
			if err := t.f.prove(ctx, ref); err != nil {
				return fmt.Errorf("%s: not committed, because a segment cannot be used: %w", t.f.name, err)
			}
			if t.proven == nil {
				t.proven = map[string]bool{}
			}
			t.proven[ref.Key(ref.URL)] = true
		}
	}
	return nil
}

// Naming returns the options for a commit that adds entries; o may be nil.
func (o *CommitOptions) Naming(entries ...Entry) *CommitOptions {
	c := o.withDefaults()
	c.names = entries
	return &c
}

// without returns the entries of m that have a segment that a log does not have.
func (m *Manifest) without(log []Entry) []Entry {
	known := map[string]bool{}
	for _, e := range log {
		for _, ref := range e.Segments() {
			known[ref.Key(ref.URL)] = true
		}
	}
	var fresh []Entry
	for _, e := range m.Log {
		if slices.ContainsFunc(e.Segments(), func(ref *SegmentRef) bool { return !known[ref.Key(ref.URL)] }) {
			fresh = append(fresh, e)
		}
	}
	return fresh
}

// encode returns the bytes of a manifest that is to be written, which is read again
// first: no manifest may come into being that nobody can open.
func (f *File) encode(m *Manifest) ([]byte, error) {
	out := m.Encode()
	if len(out) > MaxBytes {
		return nil, fmt.Errorf("%s: not committed: the manifest would have %d bytes, more than the %d that are read", f.name, len(out), MaxBytes)
	}
	back, err := Parse(out)
	if err == nil && (back.Name != m.Name || back.Lineage != m.Lineage || !back.Same(m)) {
		err = fmt.Errorf("it does not name what it should")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not committed: the manifest could not be read again: %w", f.name, err)
	}
	return out, nil
}
