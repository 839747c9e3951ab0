package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/segment"
)

// What can be wrong with a segment beside damage in it.
var (
	// ErrExpired: a segment of the generation that was asked for is gone, and the current
	// generation does not name it: it was collected. [DB.Refresh] shows the current one.
	ErrExpired = errors.New("snapshot has expired")
	// ErrMissingSegment: a segment that the current generation names is not there. Nothing
	// of rete removes such a file; it must be put back.
	ErrMissingSegment = errors.New("missing segment")
	// ErrWrongSegment: what has the name of a segment is not the one that the manifest
	// pins. It matches the damage sentinel too.
	ErrWrongSegment = segment.ErrWrong
)

// gone says what it means that a segment of the manifest is not found: it is missing, or
// the manifest has gone on without it. Other errors are returned as they are.
func (db *DB) gone(ctx context.Context, ref *manifest.SegmentRef, err error) error {
	if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if db.file != nil {
		cur, rerr := db.file.Read(ctx)
		if rerr == nil && !cur.Names(ref) {
			return fmt.Errorf("%w: %w, and generation %d, the current one, does not name it", ErrExpired, err, cur.Generation)
		}
	}
	return fmt.Errorf("%w: %w, and the manifest names it: put it back", ErrMissingSegment, err)
}

// ofGeneration names the generation whose segments cannot be had.
func (db *DB) ofGeneration(m *manifest.Manifest, err error) error {
	if db.file != nil && (errors.Is(err, ErrExpired) || errors.Is(err, ErrMissingSegment)) {
		return fmt.Errorf("%s: generation %d: %w", db.name, m.Generation, err)
	}
	return err
}

// watched is the object of a segment. A file that is not there any more when it is opened
// again, or is another one, is told like one that is so at the start.
type watched struct {
	blob.Object
	db   *DB
	ref  *manifest.SegmentRef
	lost atomic.Bool
}

// ReadRanges implements [blob.Object].
func (o *watched) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	return o.told(ctx, o.Object.ReadRanges(ctx, rs, bufs))
}

// check returns nil if the next read finds the file, without opening it.
func (o *watched) check(ctx context.Context) error {
	if file, ok := o.Object.(interface{ Check() error }); ok {
		return o.told(ctx, file.Check())
	}
	return nil
}

// told puts an error of the object into the engine's words.
func (o *watched) told(ctx context.Context, err error) error {
	gone, changed := errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrChanged)
	if !gone && !changed {
		return err
	}
	o.lost.Store(true)
	o.db.lost.Store(true)
	if changed {
		return fmt.Errorf("%w: %w", ErrWrongSegment, err)
	}
	return o.db.gone(ctx, o.ref, err)
}

// Identity tells package segment whether the file is still the same.
func (o *watched) Identity() string {
	if file, ok := o.Object.(interface{ Identity() string }); ok {
		return file.Identity()
	}
	return ""
}

// reopen opens again what the known state is made of, where a segment was lost: it may
// have been put back. Until then readers keep what they have.
func (db *DB) reopen(ctx context.Context) error {
	if err := db.opening.Lock(ctx); err != nil {
		return err
	}
	defer db.opening.Unlock()
	db.mu.Lock()
	m, chain := db.manifest, db.chain
	db.mu.Unlock()
	h, err := db.openHead(ctx, m, chain, basis{})
	if err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || db.manifest != m || db.chain != chain {
		db.releaseState(h.st)
		return nil
	}
	db.forget()
	db.live = h
	return nil
}
