package join

import (
	"testing"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// TestJoinClosed closes a join that has set an input: the run has nothing of its rows any
// more, of which nobody counts the memory.
func TestJoinClosed(t *testing.T) {
	const key = 1
	side := func(ids ...id) *plan.Values {
		v := &plan.Values{}
		v.Vars, v.Sure = []plan.Var{key}, plan.SetOf(key)
		v.N, v.IDs = len(ids), ids
		return v
	}
	n := &plan.Join{Left: side(1, 2, 3), Right: side(2, 3, 4), Keys: []plan.Var{key}, Apply: true, Input: 2}
	n.Vars, n.Sure = []plan.Var{key}, plan.SetOf(key)
	r := &run.Run{Operator: func(r *run.Run, n plan.Node) (rowset.Op, error) { return scan.NewValues(r, n.(*plan.Values)), nil }, Budget: &mem.Budget{}}
	op, err := New(r, n)
	if err != nil {
		t.Fatal(err)
	}
	b, err := op.Next(t.Context())
	if err != nil || b == nil || b.N != 2 || r.Input(2) == nil {
		t.Fatal(b, err)
	}
	op.Close()
	for i := range 5 {
		rel := r.Input(i)
		if rel != nil {
			t.Errorf("input %d has %d rows", i, rel.N)
		}
	}
}
