package engine

import (
	"context"
	"fmt"
	"maps"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf/prefixes"
)

// Prefixes returns what namespaces are called in this graph, in a map of the caller's own: those
// of the manifest, or of a single segment. Documents that are added bring theirs along.
func (db *DB) Prefixes(ctx context.Context) (map[string]string, error) {
	return operate(ctx, db, func(ctx context.Context) (map[string]string, error) {
		db.mu.Lock()
		known := maps.Clone(db.manifest.Prefixes)
		db.mu.Unlock()
		if db.file != nil || known != nil {
			return known, nil
		}
		names, err := db.segmentPrefixes(ctx)
		if err != nil {
			return nil, err
		}
		known = prefixes.Set{}.Joined(names)
		db.mu.Lock()
		db.manifest.Prefixes = known
		db.mu.Unlock()
		return maps.Clone(known), nil
	})
}

// segmentPrefixes reads those of a single segment. One that is remote stays open for the
// queries that follow.
func (db *DB) segmentPrefixes(ctx context.Context) (prefixes.Set, error) {
	if blob.IsRemote(db.name) {
		snap, err := db.openSnapshot(ctx)
		if err != nil {
			return nil, err
		}
		defer snap.Close()
		return snap.state.open[0].Seg.Prefixes(ctx)
	}
	seg, err := db.store.OpenFile(ctx, db.Manifest().Log[0].Adds)
	if err != nil {
		return nil, err
	}
	defer seg.Close()
	return seg.Prefixes(ctx)
}

// ChangePrefixes takes prefixes out of the manifest and then sets others, in one commit: a new
// generation with the same log. Where all is so already nothing is committed. It returns the
// manifest after that.
func (db *DB) ChangePrefixes(ctx context.Context, set map[string]string, remove []string, opt *manifest.CommitOptions) (*manifest.Manifest, error) {
	for name, namespace := range set {
		if err := prefixes.Check(name, namespace); err != nil {
			return nil, err
		}
	}
	return db.changePrefixes(ctx, opt, func(now prefixes.Set) prefixes.Set {
		for _, name := range remove {
			delete(now, name)
		}
		maps.Copy(now, set)
		return now
	})
}

// KeepPrefixes adds prefixes whose names the manifest lacks, in one commit, or in none if it has
// them all. Those that cannot be kept are left out.
func (db *DB) KeepPrefixes(ctx context.Context, set map[string]string) error {
	known, err := db.Prefixes(ctx)
	if err != nil || len(prefixes.Set(known).Joined(set)) == len(known) {
		return err
	}
	_, err = db.changePrefixes(ctx, &manifest.CommitOptions{Note: "prefixes"}, func(now prefixes.Set) prefixes.Set { return now.Joined(set) })
	return err
}

// changePrefixes commits what change makes of the prefixes, which are its own.
func (db *DB) changePrefixes(ctx context.Context, opt *manifest.CommitOptions, change func(prefixes.Set) prefixes.Set) (*manifest.Manifest, error) {
	return operate(ctx, db, func(ctx context.Context) (*manifest.Manifest, error) {
		file, err := db.manifestFile()
		if err != nil {
			return nil, err
		}
		m, err := file.Commit(ctx, opt, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
			next := maps.Clone(cur.Prefixes)
			if next == nil {
				next = prefixes.Set{}
			}
			if next = change(next); maps.Equal(cur.Prefixes, next) {
				return nil, nil
			}
			if len(next) > prefixes.MaxNames {
				return nil, fmt.Errorf("%s: %d prefixes, at most %d are kept", db.name, len(next), prefixes.MaxNames)
			}
			cur.Prefixes = next
			return cur, nil
		})
		if err != nil {
			return nil, err
		}
		if err := db.install(context.WithoutCancel(ctx), m, basis{}); err != nil {
			return nil, err
		}
		return m.Clone(), nil
	})
}
