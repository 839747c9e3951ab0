package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	dbmetrics "github.com/rete-go/rete/engine/metrics"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// Database makes a Store of a rete.DB, which stays the caller's to close. Of a graph on a web server or in a
// bucket that is open without a journal, a change that another writer overtakes is made again, on what that has
// committed.
func Database(db *rete.DB) Store { return &database{db: db} }

type database struct {
	db   *rete.DB
	past past
}

var (
	_ Maintainer = (*database)(nil)
	_ Metered    = (*database)(nil)
	_ Prober     = (*database)(nil)
	_ Namer      = (*database)(nil)
	_ historian  = (*database)(nil)
	_ previewer  = (*database)(nil)
	_ single     = (*database)(nil)
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
	repeat := func(o *engine.WriteOptions) { o.Repeat = !d.once() }
	done, err := d.db.Write(ctx, func(tx *rete.Tx) error { return change(tx) }, rete.IfState(ifState), repeat)
	if err != nil {
		return Written{}, err
	}
	return Written{State: done.State, Changes: done.Changes}, nil
}

// once: a local graph has a journal, so that other writers wait.
func (d *database) once() bool { return !blob.IsRemote(d.db.Engine().Name()) }

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
	return d.past.at(ctx, d.db, generation)
}

// past is the earlier generations that are open. Requests of one share it, and few are open at a
// time: each has segments and memory of its own.
type past struct {
	mu   sync.Mutex
	open map[int64]*pastGeneration
}

// pastGeneration is open while it has uses, which are guarded by past.mu.
type pastGeneration struct {
	uses   int
	opened chan struct{}
	snap   *rete.Snapshot
	err    error
}

// maxPast is how many earlier generations are open at a time.
const maxPast = 4

func (p *past) at(ctx context.Context, db *rete.DB, generation int64) (Snapshot, error) {
	p.mu.Lock()
	g := p.open[generation]
	first := g == nil
	if first {
		if len(p.open) >= maxPast {
			p.mu.Unlock()
			return nil, busy(1, fmt.Sprintf("%d other earlier generations are being asked", maxPast))
		}
		if p.open == nil {
			p.open = map[int64]*pastGeneration{}
		}
		g = &pastGeneration{opened: make(chan struct{})}
		p.open[generation] = g
	}
	g.uses++
	p.mu.Unlock()
	s := &pastSnapshot{leave: sync.OnceValue(func() error { return p.leave(generation, g) })}
	if first { // for those who wait, too
		g.snap, g.err = db.At(context.WithoutCancel(ctx), generation)
		close(g.opened)
	}
	var err error
	select {
	case <-g.opened:
		s.Snapshot, err = g.snap, g.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = s.leave() // which closes nothing that failed
		return nil, err
	}
	return s, nil
}

func (p *past) leave(generation int64, g *pastGeneration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.uses--; g.uses > 0 {
		return nil
	}
	delete(p.open, generation)
	if g.snap == nil {
		return nil
	}
	return g.snap.Close()
}

// pastSnapshot is a use of an earlier generation.
type pastSnapshot struct {
	*rete.Snapshot
	leave func() error
}

// Close implements [Snapshot].
func (s *pastSnapshot) Close() error { return s.leave() }

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
	if of, ok := s.(*pastSnapshot); ok {
		s = of.Snapshot
	}
	return s.(*rete.Snapshot).Engine().Summary(ctx, memory)
}
