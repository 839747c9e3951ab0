package backup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rete-go/rete/blob"
)

// prune removes the oldest backups of the graph of b until keep are left, and then the
// files that no backup of the place needs. The lock is held: without one a file could be
// removed that another backup has just found.
func (p *Place) prune(ctx context.Context, b *Backup, keep int) (removed []string, size int64, err error) {
	removed = []string{}
	all, err := p.List(ctx) // with a list that cannot be read nobody knows what is needed
	if err != nil {
		return removed, 0, err
	}
	mine := 0
	for _, other := range all {
		if other.Lineage == b.Lineage && other.Graph == b.Graph {
			mine++
		}
	}
	needed := map[Digest]bool{}
	for _, other := range all {
		if other.Lineage == b.Lineage && other.Graph == b.Graph && other.Name != b.Name && mine > keep {
			if err := p.store.Remove(ctx, other.Name); err != nil {
				return removed, 0, err
			}
			removed = append(removed, other.Name)
			mine--
			continue
		}
		for f := range other.files() {
			needed[f.Hash] = true
		}
	}
	// A list must not come back after a crash that took its files.
	if err := p.fs.SyncDir(p.name); err != nil {
		return removed, 0, err
	}
	have, err := p.objects(ctx)
	if err != nil {
		return removed, 0, err
	}
	for d, n := range have {
		if needed[d] {
			continue
		}
		if err := p.store.Remove(ctx, objectName(d)); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return removed, size, err
		}
		size += n
	}
	return removed, size, p.fs.SyncDir(filepath.Join(p.name, filesDir))
}

// unpruned is the error of a place without a lock.
func (p *Place) unpruned() error {
	return fmt.Errorf("%s: backups are removed in a local place alone: %w", p.name, errors.ErrUnsupported)
}
