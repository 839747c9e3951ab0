package run

import (
	"context"
	"maps"
	"runtime"

	"github.com/rete-go/rete/sparql/internal/exec/cores"
)

// most returns how many goroutines a run may have.
func (r *Run) most() int {
	switch {
	case r.Workers < 0:
		return -r.Workers
	case r.Workers > 0:
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Parallel reports whether the run may have several goroutines.
func (r *Run) Parallel() bool { return r.most() > 1 && r.Warnings == nil }

// Cores returns the bound of goroutines.
func (r *Run) Cores() cores.Limit {
	if !r.Parallel() {
		return cores.Limit{Most: 1, Forced: r.Workers < 0}
	}
	return cores.Limit{Most: r.most(), Forced: r.Workers < 0}
}

// Fork returns a run for another goroutine.
func (r *Run) Fork(ctx context.Context, ask func(op string, bytes int64) error) *Run {
	w := &Run{
		Operator: r.Operator,
		Terms:    r.Terms.Fork(), Values: r.Values.Fork(ctx), Vars: r.Vars, Budget: r.Budget.Fork(ask), Workers: 1, Doubt: r.Doubt,
		Functions: r.Functions, Constants: maps.Clone(r.Constants), TermSets: maps.Clone(r.TermSets), Built: maps.Clone(r.Built),
		Compared: r.Compared,
	}
	w.Terms.Grow = func(bytes int64) error { return w.Budget.Take("terms", bytes) }
	w.Terms.Shrink = w.Budget.Give
	w.countTexts()
	w.Terms.CacheBytes /= int64(r.most())
	w.Start()
	return w
}
