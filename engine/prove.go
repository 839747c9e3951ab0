package engine

import (
	"context"

	"github.com/rete-go/rete/engine/manifest"
)

// prove opens a segment that a commit is to name. What is wrong with it is found now,
// while nothing depends on it.
func (db *DB) prove(ctx context.Context, ref *manifest.SegmentRef) error {
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
func (db *DB) bind(f *manifest.File) {
	db.file = f
	f.ProveWith(db.prove)
}
