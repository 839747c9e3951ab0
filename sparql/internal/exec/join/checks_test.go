package join

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

// TestJoinChecks // does what is done with many rows at once: there is a check of the context
// at least for every 64 Ki rows, it ends with the context at each of its checks, and it can be
// done again then.
func TestJoinChecks(t *testing.T) {
	const n = 5*cancel.Every + 17
	far := make([]id, n) // no two close to each other
	near := make([]id, n)
	few := make([]id, n)
	for i := range far {
		far[i], near[i], few[i] = id(i)*1_000_003, id(i), id(i/9)
	}
	batch := &rowset.Batch{N: n, Col: [][]id{far, few}}
	stored := func(r *run.Run) *rowset.Relation {
		rel := rowset.NewRelation([]plan.Var{1, 2})
		rel.Add(batch)
		rel.Budget = r.Budget
		return rel
	}
	works := map[string]func(r *run.Run) func(ctx context.Context) error{
		"pairs": func(*run.Run) func(context.Context) error {
			return func(ctx context.Context) error {
				x, y, err := sortPairs(ctx, append([]id(nil), few...), append([]id(nil), few...))
				if err == nil && (len(x) != (n+8)/9 || len(y) != len(x) || x[len(x)-1] != few[n-1]) {
					t.Error("wrong pairs")
				}
				return err
			}
		},
		"matched rows": func(r *run.Run) func(context.Context) error {
			o := &joinOp{run: r, node: &plan.Join{Kind: plan.Left}}
			return func(ctx context.Context) error { return o.begin(ctx, n) }
		},
		"rows without a match": func(r *run.Run) func(context.Context) error {
			return func(ctx context.Context) error {
				o := &joinOp{run: r, node: &plan.Join{Kind: plan.Semi, Apply: true}, stored: rowset.NewRelation(nil), state: joinFlush, leftDone: true}
				o.stored.N = n
				if err := o.begin(t.Context(), n); err != nil {
					return err
				}
				b, err := o.Next(ctx)
				if b != nil {
					t.Error("a row")
				}
				return err
			}
		},
		"stored rows": func(r *run.Run) func(context.Context) error {
			r.Budget.SpillLimit, r.Budget.Dir = 0, t.TempDir()
			return func(ctx context.Context) error {
				o := &joinOp{run: r, node: &plan.Join{}, stored: stored(r), hold: r.Holding("join")}
				o.m.storedKey = []int{0}
				defer func() { o.giving.files.Close() }()
				return o.Spill(ctx)
			}
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

// TestLongChains matches keys that share a place in the table with very many rows of another
// one: there are checks of the context on the way.
func TestLongChains(t *testing.T) {
	const n = 3*cancel.Every + 5
	for keys := 1; keys <= 2; keys++ {
		hub, other := id(1), id(0)
		s := rowset.Layout{N: n, Heads: 2, Shift: 63}
		for range keys {
			col := make([]id, n)
			for i := range col {
				col[i] = hub
			}
			s.Keys = append(s.Keys, col)
		}
		hash := func(v id) uint64 { return rowset.HashRow([][]id{{v}, {v}}[:keys], 0) >> s.Shift }
		for other = hub + 1; hash(other) != hash(hub); other++ {
		}
		o := &joinOp{run: &run.Run{Values: value.NewContext(t.Context())}, node: &plan.Join{}, state: joinProbe, stored: rowset.NewRelation(nil)}
		o.pairing, o.made = rowset.Batches{Hold: mem.Holding{Budget: new(mem.Budget), Op: "join"}}, rowset.Batches{Hold: mem.Holding{Budget: new(mem.Budget), Op: "join"}}
		o.m.plain, o.stored.Col, o.stored.N = true, s.Keys, n
		if err := o.tab.LayOut(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if err := o.tab.Fill(t.Context(), 0, 2); err != nil {
			t.Fatal(err)
		}
		for c := range keys {
			o.m.probeKey = append(o.m.probeKey, c)
		}
		left := &rowset.Given{Batch: &rowset.Batch{N: 2, Col: [][]id{{other, other}, {other, other}}[:keys]}}
		o.left = left
		ctx := &canceltest.Counting{Context: t.Context()}
		if b, err := o.Next(ctx); b != nil || err != nil {
			t.Fatal(b, err)
		}
		if ctx.Checks < 2*n/cancel.Every {
			t.Errorf("%d keys: %d checks for %d rows", keys, ctx.Checks, 2*n)
		}
	}
}
