package engine

import (
	"context"
	"fmt"
)

// prover opens a segment as readers do, from the place that a manifest gives, and
// reads what every use of it begins with.
type prover func(ctx context.Context, ref *SegmentRef) error

// prove opens a segment that a commit is to name. What is wrong with it is found now,
// while nothing depends on it.
func (db *DB) prove(ctx context.Context, ref *SegmentRef) error {
	o, err := db.openRef(ctx, ref)
	if err != nil {
		return err
	}
	err = o.seg.Probe(ctx)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.releaseSegment(o)
	return err
}

// bind makes f the manifest of the database, whose commits name only segments that
// the database can open.
func (db *DB) bind(f *ManifestFile) {
	db.file, f.prove = f, db.prove
}

// prove opens the segments of entries, each once for all attempts of a commit.
func (t *transaction) prove(ctx context.Context, entries []LogEntry) error {
	if t.f.prove == nil {
		return nil
	}
	for _, e := range entries {
		for _, ref := range []*SegmentRef{e.Dels, e.Adds} {
			if ref == nil || t.proven[ref.key(ref.URL)] {
				continue
			}
			if err := t.f.prove(ctx, ref); err != nil {
				return fmt.Errorf("%s: not committed, because a segment cannot be used: %w", t.f.name, err)
			}
			if t.proven == nil {
				t.proven = map[string]bool{}
			}
			t.proven[ref.key(ref.URL)] = true
		}
	}
	return nil
}

// naming returns options for a commit that adds entries.
func (o *CommitOptions) naming(entries ...LogEntry) *CommitOptions {
	c := o.withDefaults()
	c.names = entries
	return &c
}

// without returns the entries of m that have a segment that a log does not have.
func (m *Manifest) without(log []LogEntry) []LogEntry {
	known := map[string]bool{}
	for _, e := range log {
		for _, ref := range []*SegmentRef{e.Dels, e.Adds} {
			if ref != nil {
				known[ref.key(ref.URL)] = true
			}
		}
	}
	var fresh []LogEntry
	for _, e := range m.Log {
		for _, ref := range []*SegmentRef{e.Dels, e.Adds} {
			if ref != nil && !known[ref.key(ref.URL)] {
				fresh = append(fresh, e)
				break
			}
		}
	}
	return fresh
}

// encode returns the bytes of a manifest that is to be written, which is read again
// first: no manifest may come into being that nobody can open.
func (f *ManifestFile) encode(m *Manifest) ([]byte, error) {
	out := m.Encode()
	if len(out) > MaxManifest {
		return nil, fmt.Errorf("%s: not committed: the manifest would have %d bytes, more than the %d that are read", f.name, len(out), MaxManifest)
	}
	back, err := ParseManifest(out)
	if err == nil && (back.Name != m.Name || back.Lineage != m.Lineage || !same(back, m)) {
		err = fmt.Errorf("it does not name what it should")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not committed: the manifest could not be read again: %w", f.name, err)
	}
	return out, nil
}
