package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/manifest"
)

// openSegment is a segment that states share. uses is guarded by DB.mu.
type openSegment struct {
	*segments.Open
	key  string
	uses int
}

// openRef returns a segment of the manifest, with one use for the caller.
func (db *DB) openRef(ctx context.Context, ref *manifest.SegmentRef) (*openSegment, error) {
	full, err := db.store.Mux.Resolve(ref.URL)
	if err != nil {
		return nil, err
	}
	key := ref.Key(full)
	if o := db.share(key); o != nil {
		return o, nil
	}
	opened, err := db.store.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	o := &openSegment{Open: opened, key: key, uses: 1}
	db.mu.Lock()
	defer db.mu.Unlock()
	if first := db.segments[key]; first != nil && !first.File.Lost() { // named twice in one log
		o.Seg.Close()
		first.uses++
		return first, nil
	}
	db.segments[key] = o
	return o, nil
}

func (db *DB) share(key string) *openSegment {
	db.mu.Lock()
	defer db.mu.Unlock()
	o := db.segments[key]
	if o == nil || o.File.Lost() {
		return nil
	}
	o.uses++
	return o
}

// releaseSegment drops one use. db.mu is held.
func (db *DB) releaseSegment(o *openSegment) {
	if o.uses--; o.uses == 0 {
		if db.segments[o.key] == o {
			delete(db.segments, o.key)
		}
		o.Seg.Close()
		db.warmer.nudge() // there is room
	}
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
	db.dropLive()
	db.live = h
	return nil
}

// ofGeneration names the generation whose segments cannot be had.
func (db *DB) ofGeneration(m *manifest.Manifest, err error) error {
	if db.file != nil && (errors.Is(err, ErrExpired) || errors.Is(err, ErrMissingSegment)) {
		return fmt.Errorf("%s: generation %d: %w", db.name, m.Generation, err)
	}
	return err
}

// prove opens a segment that a commit is to name. What is wrong with it is found now,
// while nothing depends on it.
func (db *DB) prove(ctx context.Context, ref *manifest.SegmentRef) error {
	o, err := db.openRef(ctx, ref)
	if err != nil {
		return err
	}
	err = o.Seg.Probe(ctx)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.releaseSegment(o)
	return err
}

// bind makes f the manifest of the database, whose commits name only segments that
// the database can open.
func (db *DB) bind(f *manifest.File) {
	db.file, db.store.File = f, f
	f.ProveWith(db.prove)
}
