package engine

import (
	"context"
	"maps"

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
		seg, err := db.store.OpenFile(ctx, db.Manifest().Log[0].Adds)
		if err != nil {
			return nil, err
		}
		defer seg.Close()
		names, err := seg.Prefixes(ctx)
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

// ChangePrefixes commits the prefixes that change makes of those of the manifest, which are the
// function's own, as a new generation with the same log; where they stay the same nothing is
// committed. It may be called again, as a [manifest.Change].
func (db *DB) ChangePrefixes(ctx context.Context, opt *manifest.CommitOptions, change func(map[string]string) (map[string]string, error)) (*manifest.Manifest, error) {
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
			changed, err := change(next)
			if err != nil || maps.Equal(cur.Prefixes, changed) {
				return nil, err
			}
			cur.Prefixes = changed
			return cur, nil
		})
		if err != nil {
			return nil, err
		}
		if err := db.settle(context.WithoutCancel(ctx), m, basis{}); err != nil {
			return nil, err
		}
		return m.Clone(), nil
	})
}

// KeepPrefixes adds prefixes whose names the manifest lacks, in one commit, or in none if it has
// them all.
func (db *DB) KeepPrefixes(ctx context.Context, set map[string]string) error {
	if known, err := db.Prefixes(ctx); err != nil || len(prefixes.Set(known).Joined(set)) == len(known) {
		return err
	}
	_, err := db.ChangePrefixes(ctx, &manifest.CommitOptions{Note: "prefixes"}, func(now map[string]string) (map[string]string, error) {
		return prefixes.Set(now).Joined(set), nil
	})
	return err
}
