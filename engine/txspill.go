package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// txSpill is what a transaction has written to segments that no manifest names yet: entries
// of the log that is to be, of which later ones win. The graph that the transaction sees is
// the log that it began on, a segment with the changes of the journal, and these.
type txSpill struct {
	maker   *segments.Maker // of the entries
	private *segments.Maker // of what is for this transaction alone
	entries []manifest.Entry
	layers  []logEntry
	open    []*openSegment
	changes int64 // quads of the entries that appeared or disappeared, in all
	times   int
}

// spill writes the changes since the last time to segments, and drops them. If that fails
// the transaction has failed.
func (tx *Tx) spill(ctx context.Context) error {
	tx.failed = tx.spillChanges(ctx)
	return tx.failed
}

func (tx *Tx) spillChanges(ctx context.Context) error {
	n, err := tx.count(ctx)
	if err != nil {
		return err
	}
	s := &tx.spilled
	if err := tx.beginSpill(ctx); err != nil {
		return err
	}
	known := tx.view != tx.base.view
	bulk := tx.beginCount()
	entries, err := tx.write(ctx, s.maker, tx.steps())
	if err != nil {
		return err
	}
	tx.bulk = txBulk{}
	if bulk != nil {
		added, err := bulk.count(ctx, &entries[0], s.layers[len(s.layers)-1].Adds)
		if err != nil {
			return err
		}
		n += added
	}
	if s.entries = append(s.entries, entries...); !known {
		tx.base.view.DropTerms() // no view has them
	}
	s.changes += n
	s.times++
	tx.db.mu.Lock()
	tx.db.spills++
	tx.db.mu.Unlock()
	log := slices.Clip(tx.base.st.log)
	if tx.cleared {
		log = nil
	}
	view, err := tx.db.viewOf(append(log, s.layers...)).WithTop(ctx)
	if err != nil {
		return err
	}
	base := *tx.base
	base.view = view
	tx.base, tx.view = &base, view
	tx.txChanges = newTxChanges()
	tx.held, tx.text, tx.inRuns = 0, 0, 0
	tx.release(0)
	return nil
}

// beginSpill makes the segment of the changes of the journal, at the first time.
func (tx *Tx) beginSpill(ctx context.Context) (err error) {
	s := &tx.spilled
	if s.maker == nil {
		if s.maker, err = tx.newMaker(); err != nil {
			return err
		}
	}
	if tx.cleared || tx.base.changes == 0 || s.private != nil {
		return nil
	}
	if s.private, err = tx.newMaker(); err != nil {
		return err
	}
	_, err = tx.write(ctx, s.private, tx.base.step(ctx))
	return err
}

func (tx *Tx) newMaker() (*segments.Maker, error) {
	return tx.db.newMaker(tx.base.st.manifest, segment.BuildOptions{}, nil)
}

// write makes segments of steps and opens them.
func (tx *Tx) write(ctx context.Context, w *segments.Maker, steps []Step) ([]manifest.Entry, error) {
	s := &tx.spilled
	entries, err := w.Entries(ctx, steps)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var layers logEntry
		for _, part := range []struct {
			ref   *manifest.SegmentRef
			layer *logLayer
		}{{e.Dels, &layers.Dels}, {e.Adds, &layers.Adds}} {
			if part.ref == nil {
				continue
			}
			o, err := tx.db.openRef(ctx, part.ref)
			if err != nil {
				return nil, err
			}
			s.open = append(s.open, o)
			*part.layer = o.Layer
		}
		s.layers = append(s.layers, layers)
	}
	return entries, nil
}

// steps are the changes since the last spill as an entry to make. What was looked up is
// dropped: the list is enough from here on.
func (tx *Tx) steps() []Step {
	tx.rows, tx.terms = nil, nil
	step := Step{Adds: tx.changed(true), Dels: tx.changed(false)}
	if b := tx.bulk.builder; b != nil {
		step.Adds = segments.Built(b)
	}
	return []Step{step}
}

// finish writes the last changes and returns the entries of all, and how many quads they make
// appear or disappear.
func (tx *Tx) finish(ctx context.Context) (entries []manifest.Entry, changes int64, err error) {
	s := &tx.spilled
	if changes, err = tx.count(ctx); err != nil {
		return nil, 0, err
	}
	if s.maker == nil {
		if s.maker, err = tx.newMaker(); err != nil {
			return nil, 0, err
		}
	}
	if tx.db.atOnce { // without a journal there is no later seal that could take them over
		s.maker.Declare(tx.names)
	}
	if tx.bulk.builder == nil {
		last, err := s.maker.Entries(ctx, tx.steps())
		return append(s.entries, last...), s.changes + changes, err
	}
	last, added, err := tx.finishBulk(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: not committed: %w", tx.db.name, err)
	}
	return append(s.entries, last...), s.changes + changes + added, nil
}

// count returns by how many the changes since the last spill make the quads more that are
// not as they were when the transaction began: it is below zero where they take back what was
// spilled.
func (tx *Tx) count(ctx context.Context) (n int64, err error) {
	changed := slices.Clone(tx.order)
	changed = slices.DeleteFunc(changed, func(r *txRow) bool { return r.now == r.was })
	if tx.spilled.times == 0 {
		return int64(len(changed)), nil
	}
	for part := range slices.Chunk(changed, txBatch) {
		quads := make([]rdf.Quad, len(part))
		for i, r := range part {
			quads[i] = r.quad
		}
		was, err := hasQuads(ctx, tx.origin, quads)
		if err != nil {
			return 0, err
		}
		for i, r := range part {
			if r.now == was[i] {
				n--
			} else {
				n++
			}
		}
	}
	return n, nil
}

// hasQuads reports which quads are visible in a view.
func hasQuads(ctx context.Context, v *view.Core, quads []rdf.Quad) ([]bool, error) {
	surfaces := make([][]byte, 0, 4*len(quads))
	for _, q := range quads {
		raw := q.Raw()
		surfaces = append(surfaces, raw.S, raw.P, raw.O, raw.G)
	}
	list := slices.Clone(surfaces)
	slices.SortFunc(list, bytes.Compare)
	list = slices.CompactFunc(list, bytes.Equal)
	if len(list) > 0 && len(list[0]) == 0 {
		list = list[1:]
	}
	found := make([]dataset.ID, len(list))
	if err := v.LookupSurfaces(ctx, list, found); err != nil {
		return nil, err
	}
	id := func(surface []byte) dataset.ID {
		if at, ok := slices.BinarySearchFunc(list, surface, bytes.Compare); ok {
			return found[at]
		}
		return 0
	}
	var keys []view.QuadKey
	var at []int
	for i := range quads {
		part := surfaces[4*i : 4*i+4]
		k := view.QuadKey{S: id(part[0]), P: id(part[1]), O: id(part[2]), G: id(part[3])}
		if k.S != 0 && k.P != 0 && k.O != 0 && (k.G != 0) == (len(part[3]) > 0) {
			keys, at = append(keys, k), append(at, i)
		}
	}
	has, log, out := make([]bool, len(keys)), make([]bool, len(keys)), make([]bool, len(quads))
	if err := v.HasQuads(ctx, keys, has, log); err != nil {
		return nil, err
	}
	for k, i := range at {
		out[i] = has[k]
	}
	return out, nil
}

// end gives back what the transaction holds, and removes the segments that it wrote and that
// are not committed. err is that of the commit.
func (tx *Tx) end(ctx context.Context, err error) {
	tx.release(0)
	if tx.bulk.builder != nil {
		tx.bulk.builder.Abort()
	}
	if tx.from != nil {
		_ = tx.from.Close() // it has nothing left that could fail
	}
	for i, s := range append(tx.before, tx.spilled) {
		tx.db.mu.Lock()
		for _, o := range s.open {
			tx.db.releaseSegment(o)
		}
		tx.db.mu.Unlock()
		if s.private != nil {
			s.private.Undo(ctx, nil)
		}
		if s.maker != nil && (i < len(tx.before) || !tx.committed) {
			s.maker.Undo(ctx, err)
		}
	}
}
