package rowset

import (
	"context"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/canceltest"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// TestContextChecks // does what is done with many rows at once: there is a check of the context
// at least for every 64 Ki rows, it ends with the context at each of its checks, and it can be
// done again then.
func TestContextChecks(t *testing.T) {
	const n = 5*cancel.Every + 17
	far := make([]id, n) // no two close to each other
	near := make([]id, n)
	few := make([]id, n)
	for i := range far {
		far[i], near[i], few[i] = id(i)*1_000_003, id(i), id(i/9)
	}
	batch := &Batch{N: n, Col: [][]id{far, few}}
	rows := func() *Set {
		s := NewSet(2)
		for i := 0; i < n; i += dataset.MaxBatch {
			part := batch.Slice(i, min(dataset.MaxBatch, n-i))
			if err := s.Reserve(t.Context(), part.N); err != nil {
				t.Fatal(err)
			}
			for row := range part.N {
				s.Add(part.Col, row)
			}
		}
		return s
	}
	full := rows()
	stored := func() *Relation {
		rel := NewRelation([]plan.Var{1, 2})
		rel.Add(batch)
		rel.Budget = new(mem.Budget)
		return rel
	}
	// A work that fails must leave what is needed for another try.
	works := map[string]func() func(ctx context.Context) error{
		"table, dense": func() func(context.Context) error {
			return func(ctx context.Context) error { return buildTable(ctx, cores.Limit{Most: 1}, [][]id{near}, n) }
		},
		"table, one key": func() func(context.Context) error {
			return func(ctx context.Context) error { return buildTable(ctx, cores.Limit{Most: 1}, [][]id{far}, n) }
		},
		"table, two keys": func() func(context.Context) error {
			return func(ctx context.Context) error { return buildTable(ctx, cores.Limit{Most: 1}, [][]id{far, few}, n) }
		},
		"row set": func() func(context.Context) error {
			s := *full
			return func(ctx context.Context) error {
				err := s.grow(ctx)
				if !s.Has(batch.Col, n-1) {
					t.Error("a row is lost")
				}
				return err
			}
		},
		"columns": func() func(context.Context) error {
			rel := stored()
			return func(ctx context.Context) error { return rel.reserve(ctx, cap(rel.Col[0])) }
		},
		"span": func() func(context.Context) error {
			rel := stored()
			return func(ctx context.Context) error {
				s, err := rel.Span(ctx, 1)
				if err == nil && (s.Lo != far[1] || s.Hi != far[n-1] || s.Rows != n-1) {
					t.Error("span", s)
				}
				return err
			}
		},
		"ids of a column": func() func(context.Context) error {
			rel := stored()
			return func(ctx context.Context) error {
				s, err := rel.IDs(ctx, 2)
				if err == nil && s.Stored.Len() != (n-1)/9 {
					t.Error("ids", s.Stored.Len())
				}
				return err
			}
		},
		"map": func() func(context.Context) error {
			m := NewIDMap()
			for _, k := range far {
				at, _ := m.Add(k)
				m.Vals[at] = k
			}
			return func(ctx context.Context) error {
				err := m.Reserve(ctx, 2*n)
				if at := m.Find(far[n/2]); at < 0 || m.Vals[at] != far[n/2] {
					t.Error("a key is lost")
				}
				return err
			}
		},
		"places, dense": func() func(context.Context) error {
			return func(ctx context.Context) error {
				p, err := TableOf(ctx, near)
				if err == nil && p.Find(near[n-1]) != n {
					t.Error("a wrong place")
				}
				return err
			}
		},
		"places": func() func(context.Context) error {
			return func(ctx context.Context) error {
				p, err := TableOf(ctx, far)
				if err == nil && p.Find(far[n-1]) != n {
					t.Error("a wrong place")
				}
				return err
			}
		},
		"nodes, dense":  func() func(context.Context) error { return nodeWork(t, near, n) },
		"nodes, far":    func() func(context.Context) error { return nodeWork(t, far, 1) },
		"nodes, spread": func() func(context.Context) error { return nodeWork(t, near, 1<<50) },
	}
	for name, work := range works {
		t.Run(name, func(t *testing.T) {
			canceltest.Work(t, n, func() func(context.Context) error { return work() })
		})
	}
}

func buildTable(ctx context.Context, l cores.Limit, keys [][]id, n int) error {
	s, err := LayoutOf(ctx, keys, n)
	if err != nil {
		return err
	}
	var tab Table
	return tab.Build(ctx, l, s)
}

// nodeWork puts nodes into a set, and then makes a place for one that lies further away.
func nodeWork(t *testing.T, nodes []id, away id) func(context.Context) error {
	m := NewNodeSets()
	for _, n := range nodes {
		m.Add(t.Context(), n, 1)
	}
	last := nodes[len(nodes)-1]
	return func(ctx context.Context) error {
		m.Err = nil
		if m.Err = m.make(ctx, last+away); m.Get(last) != 1 {
			t.Error("a node is lost")
		}
		return m.Err
	}
}
