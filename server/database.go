package server

import (
	"context"
	"errors"
	"iter"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	dbmetrics "github.com/rete-go/rete/engine/metrics"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// Database makes a Store of a rete.DB, which stays the caller's to close.
func Database(db *rete.DB) Store { return &database{db} }

type database struct{ db *rete.DB }

var (
	_ Maintainer = (*database)(nil)
	_ Metered    = (*database)(nil)
	_ Prober     = (*database)(nil)
	_ Namer      = (*database)(nil)
	_ historian  = (*database)(nil)
	_ previewer  = (*database)(nil)
)

// Snapshot of a state that was collected is that of the newest one.
func (d *database) Snapshot(ctx context.Context) (Snapshot, error) {
	s, err := d.db.Snapshot(ctx)
	if errors.Is(err, engine.ErrExpired) {
		if _, err := d.db.Refresh(ctx); err != nil {
			return nil, err
		}
		return d.db.Snapshot(ctx)
	}
	return s, err
}

func (d *database) Ready(ctx context.Context) error { return d.db.Engine().Ready(ctx) }

func (d *database) Prefixes(ctx context.Context) (map[string]string, error) {
	return d.db.Prefixes(ctx)
}

func (d *database) Writable() bool { return !d.db.Engine().ReadOnly() }

func (d *database) Write(ctx context.Context, ifState string, change func(dataset.Tx) error) (Written, error) {
	done, err := d.db.Write(ctx, func(tx *rete.Tx) error { return change(tx) }, rete.IfState(ifState))
	if err != nil {
		return Written{}, err
	}
	return Written{State: done.State, Changes: done.Changes}, nil
}

func (d *database) Preview(ctx context.Context, ifState string, change func(dataset.Tx) error, f func(added bool, q *rdf.RawQuad) error) (string, error) {
	try := func(o *engine.WriteOptions) {
		o.Preview = func(c engine.Change) error { return f(c.Added, c.Quad) }
	}
	done, err := d.db.Write(ctx, func(tx *rete.Tx) error { return change(tx) }, rete.IfState(ifState), try)
	if err != nil {
		return "", err
	}
	return done.State, nil
}

func (d *database) Refresh(ctx context.Context) (bool, error) { return d.db.Refresh(ctx) }

func (d *database) Seal(ctx context.Context) (Tended, error) {
	m, err := d.db.Engine().Seal(ctx, nil)
	if errors.Is(err, engine.ErrNothingToSeal) {
		return Tended{Generation: d.db.Engine().Manifest().Generation}, nil
	}
	return tended(m, err)
}

func (d *database) Compact(ctx context.Context, busy func() bool) (Tended, error) {
	opt := &engine.CompactOptions{Busy: busy}
	opt.Fold.TextIndex = true
	m, err := d.db.Engine().Compact(ctx, opt)
	if errors.Is(err, engine.ErrCompact) {
		return Tended{Generation: d.db.Engine().Manifest().Generation}, nil
	}
	return tended(m, err)
}

func tended(m *manifest.Manifest, err error) (Tended, error) {
	if err != nil {
		return Tended{}, err
	}
	return Tended{Generation: m.Generation, Done: true}, nil
}

func (d *database) Metrics() prometheus.Collector { return dbmetrics.New(d.db.Engine()) }

func (d *database) Log(ctx context.Context, limit int) ([]engine.Generation, error) {
	return d.db.Log(ctx, limit)
}

func (d *database) At(ctx context.Context, generation int64) (Snapshot, error) {
	return d.db.At(ctx, generation)
}

func (d *database) Diff(ctx context.Context, from, to int64) iter.Seq2[engine.Change, error] {
	return d.db.Engine().Diff(ctx, from, to)
}

func (d *database) Revert(ctx context.Context, generation int64, note string) (Tended, error) {
	opt := &engine.RevertOptions{}
	opt.Note = note
	before := d.db.Engine().Manifest().Generation
	m, err := d.db.Engine().Revert(ctx, generation, opt)
	done, err := tended(m, err)
	done.Done = err == nil && done.Generation != before
	return done, err
}

func (d *database) Summary(ctx context.Context, s Snapshot, memory int64) (*segment.Summary, error) {
	return s.(*rete.Snapshot).Engine().Summary(ctx, memory)
}
