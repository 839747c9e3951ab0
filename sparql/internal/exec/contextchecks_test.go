package exec

import (
	"context"
	"testing"

	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

// TestContextChecksInside does what operators do with many rows at once: there is a check of the
// context at least for every 64 Ki rows, it ends with the context at each of its checks, and
// it can be done again then.
func TestContextChecksInside(t *testing.T) {
	const n = 5*checkEvery + 17
	far := make([]id, n) // no two close to each other
	near := make([]id, n)
	few := make([]id, n)
	for i := range far {
		far[i], near[i], few[i] = id(i)*1_000_003, id(i), id(i/9)
	}
	batch := &Batch{N: n, Col: [][]id{far, few}}
	rows := func() *rowSet {
		s := newRowSet(2)
		for i := 0; i < n; i += batchRows {
			part := batch.slice(i, min(batchRows, n-i))
			if err := s.reserve(t.Context(), part.N); err != nil {
				t.Fatal(err)
			}
			for row := range part.N {
				s.add(part.Col, row)
			}
		}
		return s
	}
	full := rows()
	stored := func(r *Run) *relation {
		rel := newRelation([]Var{1, 2})
		rel.add(batch)
		rel.budget = r.Budget
		return rel
	}
	groups := func(r *Run, from int) *groupOp {
		o := &groupOp{run: r, node: &plan.Group{}, hold: r.holding("group"), groups: newRowSet(1)}
		o.aggs = []*aggregate{{ids: true}, {}, {ids: true, seen: newRowSet(2)}}
		for i := range n {
			g, _ := o.groups.add([][]id{far}, (i+from)%n)
			s, _ := value.NewAggregate("SUM", "")
			o.aggs[0].counts = append(o.aggs[0].counts, 1)
			o.aggs[1].states = append(o.aggs[1].states, s)
			o.aggs[2].counts = append(o.aggs[2].counts, 1)
			o.aggs[2].seen.add2(id(g)+1, id(i))
		}
		return o
	}
	// Each returns what is to be done; a work that fails must leave what is needed for
	// another try.
	works := map[string]func(r *Run) func(ctx context.Context) error{
		"table, dense": func(r *Run) func(context.Context) error {
			return func(ctx context.Context) error { return buildTable(ctx, r, [][]id{near}, n) }
		},
		"table, one key": func(r *Run) func(context.Context) error {
			return func(ctx context.Context) error { return buildTable(ctx, r, [][]id{far}, n) }
		},
		"table, two keys": func(r *Run) func(context.Context) error {
			return func(ctx context.Context) error { return buildTable(ctx, r, [][]id{far, few}, n) }
		},
		"row set": func(*Run) func(context.Context) error {
			s := *full
			return func(ctx context.Context) error {
				err := s.grow(ctx)
				if !s.has(batch.Col, n-1) {
					t.Error("a row is lost")
				}
				return err
			}
		},
		"columns": func(r *Run) func(context.Context) error {
			rel := stored(r)
			return func(ctx context.Context) error { return rel.reserve(ctx, cap(rel.col[0])) }
		},
		"span": func(r *Run) func(context.Context) error {
			rel := stored(r)
			return func(ctx context.Context) error {
				s, err := rel.span(ctx, 1)
				if err == nil && (s.lo != far[1] || s.hi != far[n-1] || s.rows != n-1) {
					t.Error("span", s)
				}
				return err
			}
		},
		"ids of a column": func(r *Run) func(context.Context) error {
			rel := stored(r)
			return func(ctx context.Context) error {
				r.Budget.Context = ctx
				s, err := rel.set(2)
				if err == nil && s.stored.Len() != (n-1)/9 {
					t.Error("ids", s.stored.Len())
				}
				return err
			}
		},
		"map": func(*Run) func(context.Context) error {
			m := newIDMap()
			for _, k := range far {
				m.put(k, k)
			}
			return func(ctx context.Context) error {
				err := m.reserve(ctx, 2*n)
				if slot, ok := m.slot(far[n/2]); !ok || m.vals[slot] != far[n/2] {
					t.Error("a key is lost")
				}
				return err
			}
		},
		"places, dense": func(*Run) func(context.Context) error {
			return func(ctx context.Context) error {
				p, err := newPlaceOf(ctx, near)
				if err == nil && p.find(near[n-1]) != n {
					t.Error("a wrong place")
				}
				return err
			}
		},
		"places": func(*Run) func(context.Context) error {
			return func(ctx context.Context) error {
				p, err := newPlaceOf(ctx, far)
				if err == nil && p.find(far[n-1]) != n {
					t.Error("a wrong place")
				}
				return err
			}
		},
		"nodes, dense":  func(*Run) func(context.Context) error { return nodeWork(t, near, n) },
		"nodes, far":    func(*Run) func(context.Context) error { return nodeWork(t, far, 1) },
		"nodes, spread": func(*Run) func(context.Context) error { return nodeWork(t, near, 1<<50) },
		"front": func(*Run) func(context.Context) error {
			f := front{nodes: far, sets: make([]uint64, n)}
			f.sets[n-1] = 1
			return func(ctx context.Context) error {
				of, err := f.byNode(ctx)
				if err == nil && of(far[n-1]) != 1 {
					t.Error("a wrong set")
				}
				return err
			}
		},
		"pairs": func(*Run) func(context.Context) error {
			return func(ctx context.Context) error {
				x, y, err := sortPairs(ctx, append([]id(nil), few...), append([]id(nil), few...))
				if err == nil && (len(x) != (n+8)/9 || len(y) != len(x) || x[len(x)-1] != few[n-1]) {
					t.Error("wrong pairs")
				}
				return err
			}
		},
		"weights": func(*Run) func(context.Context) error {
			return func(ctx context.Context) error {
				w := weights{ids: append([]id(nil), few...), n: make([]uint64, n)}
				for i := range w.n {
					w.n[i] = 1
				}
				w, err := w.sorted(ctx)
				if err != nil {
					return err
				}
				if w, err = w.times(ctx, &weights{ids: w.ids, n: w.n}); err != nil {
					return err
				}
				_, err = w.sum(ctx)
				return err
			}
		},
		"matched rows": func(r *Run) func(context.Context) error {
			o := &joinOp{run: r, node: &plan.Join{Kind: plan.Left}}
			return func(ctx context.Context) error { return o.begin(ctx, n) }
		},
		"rows without a match": func(r *Run) func(context.Context) error {
			return func(ctx context.Context) error {
				o := &joinOp{run: r, node: &plan.Join{Kind: plan.Semi, Apply: true}, stored: newRelation(nil), state: joinFlush, leftDone: true}
				o.stored.n = n
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
		"stored rows": func(r *Run) func(context.Context) error {
			r.Budget.SpillLimit, r.Budget.Dir = 0, t.TempDir()
			return func(ctx context.Context) error {
				r.Values = r.Values.Fork(ctx)
				o := &joinOp{run: r, node: &plan.Join{}, stored: stored(r), hold: r.holding("join")}
				o.m.storedKey = []int{0}
				defer func() { closeFiles(o.giving.files) }()
				return o.spill()
			}
		},
		"groups of two": func(r *Run) func(context.Context) error {
			a, b := groups(r, 0), groups(r, 7)
			return func(ctx context.Context) error { return a.merge(ctx, b) }
		},
		"counts": func(*Run) func(context.Context) error {
			a := &aggregate{counts: make([]int64, n)}
			return func(ctx context.Context) error { return a.growCounts(ctx, n) }
		},
	}
	for name, work := range works {
		t.Run(name, func(t *testing.T) {
			run := func() *Run { return &Run{Budget: &Budget{}, Values: value.NewContext(t.Context()), Workers: 1} }
			ctx := &counting{Context: t.Context()}
			if err := work(run())(ctx); err != nil {
				t.Fatal(err)
			}
			if ctx.checks < n/checkEvery {
				t.Errorf("%d checks for %d rows", ctx.checks, n)
			}
			do := work(run())
			for k := 1; k <= ctx.checks; k += 1 + k/4 {
				ctx := &counting{Context: t.Context(), end: k}
				if err := do(ctx); err != context.Canceled && ctx.checks >= k {
					t.Errorf("ended at check %d: %v", k, err)
				}
			}
			if err := do(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func buildTable(ctx context.Context, r *Run, keys [][]id, n int) error {
	s, err := keyLayoutOf(ctx, keys, n)
	if err != nil {
		return err
	}
	var tab table
	return tab.build(ctx, r, s)
}

// nodeWork puts nodes into a set, and then makes a place for one that lies further away.
func nodeWork(t *testing.T, nodes []id, away id) func(context.Context) error {
	m := newNodeSets(t.Context())
	for _, n := range nodes {
		m.add(n, 1)
	}
	last := nodes[len(nodes)-1]
	return func(ctx context.Context) error {
		m.ctx, m.err = ctx, nil
		if m.err = m.make(last + away); m.get(last) != 1 {
			t.Error("a node is lost")
		}
		return m.err
	}
}

// TestLongChains matches keys that share a place in the table with very many rows of another
// one: there are checks of the context on the way.
func TestLongChains(t *testing.T) {
	const n = 3*checkEvery + 5
	for keys := 1; keys <= 2; keys++ {
		hub, other := id(1), id(0)
		s := keyLayout{n: n, heads: 2, shift: 63}
		for range keys {
			col := make([]id, n)
			for i := range col {
				col[i] = hub
			}
			s.keys = append(s.keys, col)
		}
		hash := func(v id) uint64 { return hashRow([][]id{{v}, {v}}[:keys], 0) >> s.shift }
		for other = hub + 1; hash(other) != hash(hub); other++ {
		}
		o := &joinOp{run: &Run{Values: value.NewContext(t.Context())}, node: &plan.Join{}, state: joinProbe, stored: newRelation(nil)}
		o.pairing, o.made = batches{hold: holding{budget: new(Budget), op: "join"}}, batches{hold: holding{budget: new(Budget), op: "join"}}
		o.m.plain, o.stored.col, o.stored.n = true, s.keys, n
		if err := o.tab.layOut(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if err := o.tab.fill(t.Context(), 0, 2); err != nil {
			t.Fatal(err)
		}
		for c := range keys {
			o.m.probeKey = append(o.m.probeKey, c)
		}
		left := &givenOp{&Batch{N: 2, Col: [][]id{{other, other}, {other, other}}[:keys]}}
		o.left = left
		ctx := &counting{Context: t.Context()}
		if b, err := o.Next(ctx); b != nil || err != nil {
			t.Fatal(b, err)
		}
		if ctx.checks < 2*n/checkEvery {
			t.Errorf("%d keys: %d checks for %d rows", keys, ctx.checks, 2*n)
		}
	}
}
