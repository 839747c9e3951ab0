package engine

import (
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// RevertOptions are the choices of [DB.Revert]. The zero value and nil work.
type RevertOptions struct {
	manifest.CommitOptions
	// Build is how the segments are written.
	Build segment.BuildOptions
	// NoSeal makes Revert fail with ErrConflict where the journal has changes that
	// it would have to seal first.
	NoSeal bool
}

// Revert appends an entry that restores the graph of an earlier generation, and
// returns the manifest that has it, or the current one if the graph is that one
// already. The history stays; changes of the journal become a generation of their
// own first. Writers wait meanwhile.
func (db *DB) Revert(ctx context.Context, generation int64, opt *RevertOptions) (*manifest.Manifest, error) {
	return changeLog(ctx, db, "rete.revert", func(ctx context.Context) (*manifest.Manifest, error) { return db.revertTo(ctx, generation, opt) })
}

func (db *DB) revertTo(ctx context.Context, generation int64, opt *RevertOptions) (*manifest.Manifest, error) {
	var o RevertOptions
	if opt != nil {
		o = *opt
	}
	if _, err := db.manifestFile(); err != nil {
		return nil, err
	}
	if db.ReadOnly() {
		return nil, fmt.Errorf("%s: %w", db.name, blob.ErrReadOnly)
	}
	if err := db.sealing.Lock(ctx); err != nil {
		return nil, err
	}
	defer db.sealing.Unlock()
	if err := db.open(); err != nil {
		return nil, err
	}
	if err := db.writing.Lock(ctx); err != nil {
		return nil, err
	}
	defer db.writing.Unlock()
	if err := db.sealFirst(ctx, &o); err != nil {
		return nil, err
	}
	base, err := db.file.Read(ctx)
	if err != nil {
		return nil, err
	}
	if g := o.IfGeneration; g != nil && *g != base.Generation {
		return nil, fmt.Errorf("%s: %w: generation %d was asked for, the manifest is at %d", db.name, ErrConflict, *g, base.Generation)
	}
	o.IfGeneration = &base.Generation // the difference is that to this one
	w, err := db.newMaker(base, o.Build, nil)
	if err != nil {
		return nil, err
	}
	m, err := db.appendDiff(ctx, w, generation, &o)
	if err != nil {
		if m == nil {
			w.Undo(ctx, err)
		}
		return nil, err
	}
	db.opt.Logger.Info("reverted", "manifest", db.name, "generation", m.Generation, "to", generation)
	return m.Clone(), nil
}

// sealFirst seals what the journal has. A condition on the generation means the one
// before it.
func (db *DB) sealFirst(ctx context.Context, o *RevertOptions) error {
	h, err := db.unsealed(ctx)
	if err != nil || h == nil {
		return err
	}
	if o.NoSeal {
		return fmt.Errorf("%s: %w: its journal has %d changes that are not sealed", db.name, ErrConflict, h.changes)
	}
	if h, err = db.rotate(db.own); err != nil {
		return err
	}
	m, entry, err := db.sealHead(ctx, h, &SealOptions{CommitOptions: manifest.CommitOptions{IfGeneration: o.IfGeneration}})
	if err != nil {
		return err
	}
	if o.IfGeneration != nil {
		o.IfGeneration = &m.Generation
	}
	return db.sealed(context.WithoutCancel(ctx), m, nil, basis{head: h, sealed: entry})
}

// appendDiff commits the difference to an earlier generation as an entry.
func (db *DB) appendDiff(ctx context.Context, w *segments.Maker, generation int64, o *RevertOptions) (*manifest.Manifest, error) {
	now, err := db.At(ctx, w.Base.Generation)
	if err != nil {
		return nil, err
	}
	defer now.Close()
	then, err := db.At(ctx, generation)
	if err != nil {
		return nil, err
	}
	defer then.Close()
	adds, dels := segment.NewBuilder(&w.Build), segment.NewBuilder(&w.Build)
	defer adds.Abort()
	defer dels.Abort()
	if err := diff(ctx, now, then, func(added bool, q *rdf.RawQuad) error {
		if added {
			return adds.AddUnchecked(q)
		}
		return dels.AddUnchecked(q)
	}, dataset.Unnamed, dataset.Each); err != nil {
		return nil, err
	}
	var e manifest.Entry
	if e.Dels, err = w.Put(ctx, true, func(out io.Writer) (*segment.Built, error) { return dels.WriteTo(ctx, out) }); err != nil {
		return nil, err
	}
	if e.Adds, err = w.Put(ctx, false, func(out io.Writer) (*segment.Built, error) { return adds.WriteTo(ctx, out) }); err != nil {
		return nil, err
	}
	if e.Adds == nil && e.Dels == nil {
		return w.Base, nil
	}
	return db.appendLog(ctx, w, &o.CommitOptions, false, []manifest.Entry{e})
}
