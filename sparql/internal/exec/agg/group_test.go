package agg

import (
	"context"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/canceltest"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

// TestGroupChecks // does what is done with many rows at once: there is a check of the context
// at least for every 64 Ki rows, it ends with the context at each of its checks, and it can be
// done again then.
func TestGroupChecks(t *testing.T) {
	const n = 5*cancel.Every + 17
	far := make([]id, n) // no two close to each other
	near := make([]id, n)
	few := make([]id, n)
	for i := range far {
		far[i], near[i], few[i] = id(i)*1_000_003, id(i), id(i/9)
	}
	groups := func(r *run.Run, from int) *groupOp {
		o := &groupOp{run: r, node: &plan.Group{}, hold: r.Holding("group"), groups: rowset.NewSet(1)}
		o.aggs = []*aggregate{{ids: true}, {}, {ids: true, seen: rowset.NewSet(2)}}
		for i := range n {
			g, _ := o.groups.Add([][]id{far}, (i+from)%n)
			s, _ := value.NewAggregate("SUM", "")
			o.aggs[0].counts = append(o.aggs[0].counts, 1)
			o.aggs[1].states = append(o.aggs[1].states, s)
			o.aggs[2].counts = append(o.aggs[2].counts, 1)
			o.aggs[2].seen.Add2(id(g)+1, id(i))
		}
		return o
	}
	works := map[string]func(r *run.Run) func(ctx context.Context) error{
		"groups of two": func(r *run.Run) func(context.Context) error {
			a, b := groups(r, 0), groups(r, 7)
			return func(ctx context.Context) error { return a.merge(ctx, b) }
		},
		"counts": func(*run.Run) func(context.Context) error {
			a := &aggregate{counts: make([]int64, n)}
			return func(ctx context.Context) error { return a.growCounts(ctx, n) }
		},
	}
	for name, work := range works {
		t.Run(name, func(t *testing.T) {
			canceltest.Work(t, n, func() func(context.Context) error {
				return work(&run.Run{Budget: &mem.Budget{}, Values: value.NewContext(t.Context()), Cores: cores.Limit{Most: 1}})
			})
		})
	}
}
