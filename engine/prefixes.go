package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/internal/vfs"
)

// Prefixes returns what namespaces are called in this graph, in a map of the caller's own: those
// of the manifest and those of transactions that are not sealed yet, or those of a single segment.
// Documents that are added bring theirs along.
func (db *DB) Prefixes(ctx context.Context) (map[string]string, error) {
	return operate(ctx, db, func(ctx context.Context) (map[string]string, error) {
		db.mu.Lock()
		known := maps.Clone(db.manifest.Prefixes)
		db.mu.Unlock()
		if db.file != nil {
			unsealed, err := db.unsealedNames()
			return prefixes.Set(known).Joined(unsealed), err
		}
		if known != nil {
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

// changePrefixes commits what change makes of the prefixes, which are its own.
func (db *DB) changePrefixes(ctx context.Context, opt *manifest.CommitOptions, change func(prefixes.Set) prefixes.Set) (*manifest.Manifest, error) {
	return operate(ctx, db, func(ctx context.Context) (*manifest.Manifest, error) {
		file, err := db.manifestFile()
		if err != nil {
			return nil, err
		}
		var folded prefixes.Set
		m, err := file.Commit(ctx, manifest.Keeping(opt), func(cur *manifest.Manifest) (*manifest.Manifest, error) {
			before := cur.Prefixes
			folded = db.foldNames(cur)
			next := maps.Clone(cur.Prefixes)
			if next == nil {
				next = prefixes.Set{}
			}
			if next = change(next); maps.Equal(before, next) {
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
		ctx = context.WithoutCancel(ctx)
		if err := db.install(ctx, m, basis{}); err != nil {
			return nil, err
		}
		if err := db.writing.Lock(ctx); err != nil {
			return nil, err
		}
		defer db.writing.Unlock()
		db.dropNames(folded)
		return m.Clone(), nil
	})
}

// NamePrefixes has the graph keep prefixes, with the namespaces that they stand for, once the
// transaction has changed it. Those that it has keep their namespaces, and what cannot be kept is left out.
func (tx *Tx) NamePrefixes(set map[string]string) { tx.names = tx.names.Joined(set) }

// readNames reads the prefixes that are not sealed yet; none without a journal.
func (db *DB) readNames() (prefixes.Set, error) {
	if db.journal == "" {
		return nil, nil
	}
	set, err := journal.ReadPrefixes(db.opt.FS, db.journal)
	if err != nil {
		err = fmt.Errorf("%s: %w", journal.PrefixesName(db.journal), err)
	}
	return set, err
}

// unsealedNames are the prefixes that are not sealed yet: as the owner knows them, or as they are
// in the file.
func (db *DB) unsealedNames() (prefixes.Set, error) {
	if known := db.names.Load(); known != nil {
		return *known, nil
	}
	return db.readNames()
}

// keepNames keeps the prefixes of a transaction. db.writing is held, and the journal is owned.
func (db *DB) keepNames(set prefixes.Set) {
	if len(set) == 0 || db.atOnce { // see Tx.finish
		return
	}
	db.mu.Lock()
	known := db.manifest.Prefixes
	db.mu.Unlock()
	db.changeNames(func(now prefixes.Set) prefixes.Set {
		next := maps.Clone(prefixes.Set(known).Joined(now).Joined(set))
		maps.DeleteFunc(next, func(name, _ string) bool { return known[name] != "" })
		return next
	})
}

// dropNames drops the prefixes that a commit has taken over. db.writing is held.
func (db *DB) dropNames(taken prefixes.Set) {
	db.changeNames(func(now prefixes.Set) prefixes.Set {
		next := maps.Clone(now)
		maps.DeleteFunc(next, func(name, _ string) bool { return taken[name] != "" })
		return next
	})
}

// changeNames writes what change makes of the prefixes that are not sealed yet. No answer depends
// on them, so what goes wrong changes nothing about the write or the seal. db.writing is held.
func (db *DB) changeNames(change func(now prefixes.Set) prefixes.Set) {
	now, err := db.unsealedNames()
	if err == nil {
		next := change(now)
		switch {
		case len(next) == len(now): // it only grows or shrinks
			return
		case len(next) == 0:
			if err = db.opt.FS.Remove(journal.PrefixesName(db.journal)); errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		default:
			_, err = vfs.WriteFile(db.opt.FS, journal.PrefixesName(db.journal), next.Encode(), db.opt.FS.Rename)
		}
		if err == nil && db.own != nil {
			db.names.Store(&next)
		}
	}
	if err != nil {
		db.opt.Logger.Warn("the prefixes that are not sealed yet stay as they were", "manifest", db.name, "error", err)
	}
}

// foldNames takes the prefixes that are not sealed yet, which it returns, into a manifest that is
// to be committed.
func (db *DB) foldNames(cur *manifest.Manifest) prefixes.Set {
	set, err := db.unsealedNames()
	if err != nil {
		db.opt.Logger.Warn("prefixes are not sealed", "manifest", db.name, "error", err)
	}
	cur.Prefixes = prefixes.Set(cur.Prefixes).Joined(set)
	return set
}
