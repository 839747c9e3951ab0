package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/manifest"
)

// Snapshot is the graph of one generation and one place in the journal. It does not change, whatever is
// committed, and may be used by several goroutines. It must be closed.
type Snapshot struct {
	View
	end   *view.Ending // comes with Close
	db    *DB
	state *state // the generation, with its segments open: of one use, which Close gives back
	head  *head  // the place in the journal on it
	once  sync.Once

	at            time.Time // when it was taken
	before, after *Snapshot // of the open ones, in the order of their time; guarded by DB.mu
}

// state is a generation with its segments open. uses is guarded by DB.mu.
type state struct {
	manifest *manifest.Manifest
	log      []logEntry // the layers of manifest.Log
	view     *view.Core
	open     []*openSegment
	uses     int
	named    atomic.Pointer[string] // see name
}

// Snapshot returns the state that the DB knows (see [DB.Refresh]). The first call
// after a change opens the new segments.
func (db *DB) Snapshot(ctx context.Context) (*Snapshot, error) {
	if s := db.ready(); s != nil {
		return s, nil
	}
	return operate(ctx, db, db.openSnapshot)
}

func (db *DB) openSnapshot(ctx context.Context) (*Snapshot, error) {
	if err := db.opening.Lock(ctx); err != nil {
		return nil, err
	}
	defer db.opening.Unlock()
	if s := db.ready(); s != nil {
		return s, nil // somebody opened it meanwhile
	}
	db.mu.Lock()
	m, chain, before, closed := db.manifest, db.chain, db.previous, db.closed
	if before != nil {
		before.st.uses++ // if it leads to the new one, that has it
	}
	db.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	h, err := db.nextHead(ctx, m, chain, before)
	db.outcomes.note(ctx, &db.outcomes.open, err)
	if err != nil {
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		db.releaseState(h.st)
		return nil, ErrClosed
	}
	if db.manifest == m && db.chain == chain && db.live == nil {
		h.st.uses++
		db.live = h
		if before == nil || before.st != h.st {
			db.warmer.nudge()
		}
		db.dropPrevious()
	}
	return db.handOut(h), nil
}

// nextHead is openHead for a caller that holds a use of the state of the previous head, or
// nil, which it drops: where only the journal has gone on, only what is new in it is
// applied.
func (db *DB) nextHead(ctx context.Context, m *manifest.Manifest, chain *journal.Chain, before *head) (*head, error) {
	if before == nil {
		return db.openHead(ctx, m, chain, basis{})
	}
	var h *head
	var err error
	if before.st.manifest.Same(m) {
		h, err = before.next(ctx, chain)
	}
	if h != nil && err == nil {
		return h, nil
	}
	defer db.unref(before.st)
	if err != nil {
		return nil, err
	}
	return db.openHead(ctx, m, chain, basis{head: before})
}

// basis is what a generation may go on from: a head of which a use is held, or nil; the
// entry that its batches became, or nil; and what entries of its log became, or nil. The manifest
// is not read where it is known.
type basis struct {
	head      *head
	sealed    *manifest.Entry
	compacted *compacted
	known     *manifest.Manifest
}

// compacted says that entries of a log became one of the same effect.
type compacted struct {
	run  []manifest.Entry
	made []manifest.Entry // none if they had no effect
}

// openHead opens what a manifest names and applies the journal, with one use of
// the state. db.opening is held.
func (db *DB) openHead(ctx context.Context, m *manifest.Manifest, chain *journal.Chain, from basis) (*head, error) {
	st, err := db.openState(ctx, m, from)
	if err != nil {
		return nil, db.ofGeneration(m, err)
	}
	h, err := replay(ctx, st, chain)
	if err != nil {
		db.mu.Lock()
		defer db.mu.Unlock()
		db.releaseState(st)
		return nil, err
	}
	return h, nil
}

// At returns the state of an earlier generation, which must still be archived
// with all its segments: else it is [ErrNoGeneration], [ErrExpired] or, if the current
// generation has the segment too, [ErrMissingSegment].
func (db *DB) At(ctx context.Context, generation int64) (*Snapshot, error) {
	return operate(ctx, db, func(ctx context.Context) (*Snapshot, error) { return db.openAt(ctx, generation) })
}

func (db *DB) openAt(ctx context.Context, generation int64) (*Snapshot, error) {
	file, err := db.manifestFile()
	if err != nil {
		return nil, err
	}
	m, err := file.ReadGeneration(ctx, generation)
	if err != nil {
		return nil, err
	}
	if err := db.opening.Lock(ctx); err != nil {
		return nil, err
	}
	defer db.opening.Unlock()
	st, err := db.openState(ctx, m, basis{})
	if err != nil {
		return nil, db.ofGeneration(m, err)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		db.releaseState(st)
		return nil, ErrClosed
	}
	return db.handOut(&head{st: st, view: st.view}), nil
}

// ready returns a snapshot of the current state if it is open.
func (db *DB) ready() *Snapshot {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || db.live == nil {
		return nil
	}
	db.live.st.uses++
	return db.handOut(db.live)
}

// handOut wraps a use of a state that is counted already. db.mu is held.
func (db *DB) handOut(h *head) *Snapshot {
	h.view.MarkDurable()
	db.users++
	end := view.NewEnding(errSnapshotClosed)
	s := &Snapshot{View: h.view.Until(end), end: end, db: db, state: h.st, head: h, at: time.Now(), before: db.newest}
	if db.newest == nil {
		db.oldest = s
	} else {
		db.newest.after = s
	}
	db.newest = s
	return s
}

// unlink takes a snapshot out of those that are open. db.mu is held.
func (s *Snapshot) unlink() {
	if s.before == nil {
		s.db.oldest = s.after
	} else {
		s.before.after = s.after
	}
	if s.after == nil {
		s.db.newest = s.before
	} else {
		s.after.before = s.before
	}
	s.before, s.after = nil, nil
}

// openState opens what a manifest names, with one use. db.opening is held.
func (db *DB) openState(ctx context.Context, m *manifest.Manifest, from basis) (*state, error) {
	st := &state{manifest: m, uses: 1}
	layers := make([]logEntry, len(m.Log))
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(db.together(), 8))
	open := func(ref *manifest.SegmentRef, to *logLayer) {
		if ref == nil {
			return
		}
		g.Go(func() error {
			o, err := db.openRef(ctx, ref)
			if err == nil {
				*to = o.Layer
				mu.Lock()
				st.open = append(st.open, o)
				mu.Unlock()
			}
			return err
		})
	}
	for i, e := range m.Log {
		open(e.Dels, &layers[i].Dels)
		open(e.Adds, &layers[i].Adds)
	}
	err := g.Wait()
	if err != nil {
		db.mu.Lock()
		defer db.mu.Unlock()
		db.releaseState(st)
		return nil, err
	}
	st.log = layers
	if st.view = st.goOn(from); st.view == nil {
		st.view = db.viewOf(layers)
	}
	db.opt.Logger.Debug("opened", "manifest", db.name, "generation", m.Generation, "segments", len(st.open))
	return st, nil
}

// goOn returns the view of a state that goes on from an earlier one; nil if it does not,
// or a layer has come that is larger than the base, which all is then made anew for.
func (st *state) goOn(from basis) *view.Core {
	if from.head == nil {
		return nil
	}
	old, v := from.head.st, from.head.view
	if !slices.ContainsFunc(old.log, func(e logEntry) bool { return e.Adds != nil }) || st.outgrows(v.BaseQuads()) {
		return nil
	}
	if c := from.compacted; c != nil {
		at, m := find(old.manifest.Log, c.run), st.manifest.Log
		if at < 0 || at+len(c.made) > len(m) || !slices.EqualFunc(m[at:at+len(c.made)], c.made, manifest.Entry.Same) {
			return nil
		}
		return v.Regrouped(old.log, st.log, at, len(c.run), len(c.made))
	}
	n := len(old.log)
	if len(st.log) < n || !slices.Equal(st.log[:n], old.log) {
		return nil
	}
	rest := st.log[n:]
	sealed := v.HasTop() && from.sealed != nil && len(rest) > 0 && from.sealed.Same(st.manifest.Log[n])
	return v.Appended(rest, sealed)
}

// viewOf returns the view of a log that can be written on.
func (db *DB) viewOf(log []logEntry) *view.Core {
	if !slices.ContainsFunc(log, func(e logEntry) bool { return e.Adds != nil }) {
		log = append(log, logEntry{Adds: emptyLayer()})
	}
	return view.NewCore(log, db.viewOptions())
}

// viewOptions are those of the views of a database.
func (db *DB) viewOptions() *view.ViewOptions {
	return &view.ViewOptions{DeltaBytes: min(db.opt.CacheBytes/4, maxDelta)}
}

// outgrows reports whether a state has a layer of more quads than the base of an earlier
// one.
func (st *state) outgrows(quads uint64) bool {
	return slices.ContainsFunc(st.log, func(e logEntry) bool {
		return e.Adds != nil && e.Adds.Counts().Quads > quads
	})
}

// releaseState drops one use of a state. db.mu is held.
func (db *DB) releaseState(st *state) {
	if st.uses--; st.uses > 0 {
		return
	}
	for _, o := range st.open {
		db.releaseSegment(o)
	}
}

// State names the content of the snapshot: the generation, and the place in the
// journal if that has more. Equal states give equal answers; a seal or a compaction gives the same
// graph another state.
func (s *Snapshot) State() string { return s.head.name() }

// Unsealed is the number of changes of the snapshot that are in the journal alone.
func (s *Snapshot) Unsealed() int64 { return s.head.changes }

// Generation is the number of the generation; 0 of a single segment.
func (s *Snapshot) Generation() int64 { return s.state.manifest.Generation }

// Manifest returns the manifest of the generation; it is the caller's to change.
func (s *Snapshot) Manifest() *manifest.Manifest { return s.state.manifest.Clone() }

// Close ends the snapshot and its cursors. It may be called concurrently with other methods, which then
// give their answer or [ErrClosed]. Closing twice is safe.
func (s *Snapshot) Close() error {
	s.once.Do(func() {
		s.end.Come()
		s.db.mu.Lock()
		s.unlink()
		s.db.releaseState(s.state)
		s.db.dropUser()
	})
	return nil
}
