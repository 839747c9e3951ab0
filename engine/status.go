package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifest"
)

// StatusOptions are the choices of [DB.Status]. The zero value and nil work.
type StatusOptions struct {
	// Count counts the visible quads.
	Count bool
	// Full reads remote segments whole too, not only their header and map.
	Full bool
	// Progress is called now and then with the bytes that were checked of all
	// that are to be, by one goroutine at a time.
	Progress func(done, total int64)
}

// Status is the state of a database, with the names that `rete manifest status
// --json` has.
type Status struct {
	Schema       int             `json:"schema"` // 1
	Name         string          `json:"name"`
	Generation   int64           `json:"generation"`
	Entries      int             `json:"entries"`
	VisibleQuads *uint64         `json:"visible_quads"` // null if not counted
	Unsealed     int64           `json:"unsealed"`      // changes that are in no segment yet
	Verified     bool            `json:"verified"`      // every segment is what its pin says
	Lineage      string          `json:"lineage,omitempty"`
	Commit       string          `json:"commit,omitempty"`
	At           *time.Time      `json:"at,omitempty"`
	Note         string          `json:"note,omitempty"`
	Segments     []SegmentStatus `json:"segments"`

	gone bool // a segment is not there, or the DB shows another generation by now
}

// SegmentStatus is what was found of one segment of the log.
type SegmentStatus struct {
	Entry   int    `json:"entry"` // from 0
	Role    string `json:"role"`  // adds or dels
	URL     string `json:"url"`
	Size    int64  `json:"size"`
	Hash    string `json:"blake3_16"`
	Quads   *int64 `json:"quads,omitempty"` // if the manifest or the pinned map says
	OK      bool   `json:"ok"`
	Checked string `json:"checked"`         // header or whole
	Proof   string `json:"proof,omitempty"` // how what queries read is: map, tree, whole (before it is used) or none
	Error   string `json:"error"`           // why it is not OK, else empty
	Damaged bool   `json:"damaged"`         // its bytes are wrong; else it could not be read
}

// maxStatusTries is how many generations a status goes on to, if they are replaced while it
// checks them.
const maxStatusTries = 10

// Status reads the manifest again and checks every segment that it names against
// its pin: local ones whole, remote ones by header and map unless Full. A segment
// that is bad makes no error here; each is told by itself. All of it is of one
// generation: if that was replaced and collected meanwhile, the next one is checked.
func (db *DB) Status(ctx context.Context, opt *StatusOptions) (*Status, error) {
	return operate(ctx, db, func(ctx context.Context) (*Status, error) { return db.status(ctx, opt) })
}

func (db *DB) status(ctx context.Context, opt *StatusOptions) (*Status, error) {
	var o StatusOptions
	if opt != nil {
		o = *opt
	}
	for n := 1; ; n++ {
		if _, err := db.Refresh(ctx); err != nil {
			return nil, err
		}
		m, unsealed, err := db.place()
		if err != nil {
			return nil, err
		}
		s, err := db.statusOf(ctx, m, unsealed, &o)
		if s == nil || !s.gone || n == maxStatusTries || db.file == nil {
			return s, err
		}
		if cur, rerr := db.file.Read(ctx); rerr != nil || cur.Same(m) {
			return s, err
		}
	}
}

// statusOf is the state of one generation.
func (db *DB) statusOf(ctx context.Context, m *manifest.Manifest, unsealed int64, o *StatusOptions) (*Status, error) {
	s := &Status{Schema: 1, Name: m.Name, Generation: m.Generation, Entries: len(m.Log), Verified: true,
		Lineage: m.Lineage, Commit: m.Commit, Note: m.Note, Unsealed: unsealed}
	if !m.At.IsZero() {
		s.At = &m.At
	}
	refs := s.list(m)
	p := &progress{report: o.Progress, done: make([]int64, len(refs))}
	for _, ref := range refs {
		p.total += ref.Size
	}
	var gone atomic.Bool
	g, gctx := errgroup.WithContext(ctx)
	limit := max(db.together(), 2) // one reads while the other computes
	if o.Full {
		limit = 4 // each holds some blocks of a file
	}
	g.SetLimit(limit)
	for i, ref := range refs {
		g.Go(func() error {
			found, err := db.store.Check(gctx, ref, o.Full, func(done int64) { p.set(i, done) })
			s.Segments[i].judge(found, err)
			if errors.Is(err, blob.ErrNotFound) {
				gone.Store(true)
			}
			return gctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return nil, context.Cause(ctx)
	}
	for _, seg := range s.Segments {
		s.Verified = s.Verified && seg.OK
	}
	if s.gone = gone.Load(); !o.Count || !s.Verified {
		return s, nil
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		s.gone = errors.Is(err, ErrExpired)
		return s, err
	}
	defer snap.Close()
	if !snap.state.manifest.Same(m) {
		s.gone = true
		return s, fmt.Errorf("%s: %w: %d, while it was checked", db.name, ErrExpired, m.Generation)
	}
	n, err := snap.Len(ctx)
	s.VisibleQuads = &n
	return s, err
}

// place returns the manifest and the number of changes that are not sealed.
func (db *DB) place() (*manifest.Manifest, int64, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	switch {
	case db.closed:
		return nil, 0, ErrClosed
	case db.live != nil:
		return db.manifest.Clone(), db.live.changes, nil
	}
	return db.manifest.Clone(), db.chain.Lines(db.manifest.Sealed[db.chain.ID()]), nil
}

// list fills in the segments of the log.
func (s *Status) list(m *manifest.Manifest) (refs []*manifest.SegmentRef) {
	s.Segments = []SegmentStatus{}
	for i, e := range m.Log {
		for _, r := range []struct {
			role string
			ref  *manifest.SegmentRef
		}{{"dels", e.Dels}, {"adds", e.Adds}} {
			if r.ref == nil {
				continue
			}
			refs = append(refs, r.ref)
			s.Segments = append(s.Segments, SegmentStatus{Entry: i, Role: r.role, URL: r.ref.URL, Size: r.ref.Size,
				Hash: hex.EncodeToString(r.ref.Hash[:]), Quads: r.ref.Quads})
		}
	}
	return refs
}

// judge records how a check ended.
func (s *SegmentStatus) judge(found segments.Checked, err error) {
	s.Checked, s.Proof, s.Quads, s.OK = "header", string(found.Proof), found.Quads, err == nil
	if found.Whole {
		s.Checked = "whole"
	}
	if err != nil {
		s.Error, s.Damaged = err.Error(), errors.Is(err, damage.Err)
	}
}

// progress sums what several checks have done.
type progress struct {
	report func(done, total int64)
	total  int64
	mu     sync.Mutex // guards done and sum, and is held while report runs
	done   []int64
	sum    int64
}

// set says how far the i-th check is; it never goes back.
func (p *progress) set(i int, done int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done > p.done[i] {
		p.sum += done - p.done[i]
		p.done[i] = done
	}
	if p.report != nil {
		p.report(p.sum, p.total)
	}
}
