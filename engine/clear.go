package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/rdf"
)

// clearQuads is up to how many quads are deleted one by one, through the journal,
// when a graph is cleared.
const clearQuads = 10_000

// Clear makes all quads invisible. A large graph is not read: the transaction then
// commits a log without what it had, and fails with [ErrConflict] if another
// process has committed meanwhile; see [WriteOptions].
func (tx *Tx) Clear(ctx context.Context) error {
	v, err := tx.View(ctx)
	if err != nil {
		return err
	}
	n, err := v.Len(ctx)
	if err != nil {
		return err
	}
	if n > clearQuads {
		return tx.empty(ctx)
	}
	quads := make([]rdf.Quad, 0, n)
	for q, err := range v.Quads(ctx, dataset.Pattern{}) {
		if err != nil {
			return err
		}
		quads = append(quads, q.Quad())
	}
	return tx.Delete(ctx, quads...)
}

// empty goes on as if the graph had been empty all along.
func (tx *Tx) empty(ctx context.Context) error {
	v, err := emptyView().WithTop(ctx)
	if err != nil {
		return err
	}
	base := *tx.base
	base.view = v
	tx.release(0)
	*tx = Tx{db: tx.db, id: tx.id, done: tx.done, base: &base, cleared: true, view: v, origin: v, before: append(tx.before, tx.spilled), names: tx.names,
		txChanges: newTxChanges(), txMemory: txMemory{from: tx.from}}
	return nil
}

// emptyView is a view of no quads.
func emptyView() *view.Core { return view.NewCore([]logEntry{{Adds: emptyLayer()}}, nil) }

// emptyLayer is what a view needs to be written on where there is no segment.
func emptyLayer() logLayer { return layers.NewMemory("nothing", nil) }

// appendCleared commits a log that has what the transaction has inserted since it
// was cleared, and nothing else. db.writing is held.
func (db *DB) appendCleared(ctx context.Context, own *owner, tx *Tx, base *head) (*Done, error) {
	n, err := base.view.Len(ctx)
	if err != nil {
		return nil, err
	}
	h, err := db.rotate(own)
	if err != nil && !errors.Is(err, ErrNothingToSeal) {
		return nil, err
	}
	entries, changes, err := tx.finish(ctx)
	if err != nil {
		return nil, err
	}
	m, err := replaceLog(ctx, tx.spilled.maker, base.st.manifest, h, entries)
	if err != nil {
		return nil, err
	}
	tx.committed = true
	if err := db.sealed(context.WithoutCancel(ctx), m, nil, basis{}); err != nil {
		return nil, fmt.Errorf("%s: generation %d is committed, but could not be opened: %w", db.name, m.Generation, err)
	}
	return &Done{Generation: m.Generation, Changes: int64(n) + changes, State: own.head.name()}, nil
}

// replaceLog commits a log of entries alone in the place of that of base, with which the changes
// of h, which may be nil, count as sealed.
func replaceLog(ctx context.Context, w *segments.Maker, base *manifest.Manifest, h *head, entries []manifest.Entry) (*manifest.Manifest, error) {
	return w.Commit(ctx, manifest.On(base, (*manifest.CommitOptions)(nil).Naming(entries...)), func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		if h != nil {
			if err := h.seal(cur); err != nil && !errors.Is(err, errSealed) {
				return nil, fmt.Errorf("%s: %w", w.Name, err)
			}
		}
		cur.Log = entries
		return cur, nil
	})
}
