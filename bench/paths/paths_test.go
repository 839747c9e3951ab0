package paths_test

import (
	"strconv"
	"testing"

	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/paths"
)

// The answers follow from the sizes.
func TestAnswers(t *testing.T) {
	const statements = 3100
	s := paths.SizesFor(statements)
	if total := s.Chain + s.Tree + s.Cycle + s.Hub; total < statements*8/10 || total > statements*13/10 {
		t.Errorf("%+v: %d links", s, total)
	}
	set := paths.Set(statements)
	snap := benchtest.Open(t, set)
	for name, want := range map[string]int{
		"chain-from": s.Chain, "chain-to": 5, "tree-root": s.Tree, "cycle": s.Cycle, "hub-to": s.Hub,
	} {
		q, _ := set.Find(name)
		if rows := benchtest.Rows(t, snap, set.Fixed(q)); rows[0][0].Value() != strconv.Itoa(want) {
			t.Errorf("%s: %v, want %d", name, rows[0][0], want)
		}
	}
	for name, want := range map[string]int{
		"chain-end": s.Chain - 5 + 1, "tree-leaf": 1, "hub-from": 0, "hub-one": 1,
		"free-chain": 100, "free-tree": 100, "free-cycle": 100, "free-hub": 100, "free-zero": 100,
	} {
		q, _ := set.Find(name)
		if rows := benchtest.Rows(t, snap, set.Fixed(q)); len(rows) != want {
			t.Errorf("%s: %d rows, want %d", name, len(rows), want)
		}
	}
}
