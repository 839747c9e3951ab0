package run

import (
	"context"
	"maps"

	"github.com/rete-go/rete/sparql/internal/exec/cores"
)

// Parallel reports whether the run may have several goroutines.
func (r *Run) Parallel() bool { return r.Cores.Most > 1 }

// Fork returns a run for another goroutine.
func (r *Run) Fork(ctx context.Context, ask func(ctx context.Context, op string, bytes int64) error) *Run {
	w := &Run{
		Operator: r.Operator,
		Terms:    r.Terms.Fork(), Values: r.Values.Fork(ctx), Vars: r.Vars, Budget: r.Budget.Fork(ask), Cores: cores.Limit{Most: 1}, Choices: r.Choices,
		Functions: r.Functions, Constants: maps.Clone(r.Constants), TermSets: maps.Clone(r.TermSets), Built: maps.Clone(r.Built),
		Compared: r.Compared,
	}
	w.Terms.Grow = func(ctx context.Context, bytes int64) error { return w.Budget.Take(ctx, "terms", bytes) }
	w.Terms.Shrink = w.Budget.Give
	w.countTexts()
	w.Terms.CacheBytes /= int64(r.Cores.Most)
	w.Start()
	return w
}
