package rowset

import (
	"math/rand/v2"
	"testing"
)

// TestNodeSets compares with a map, over nodes that lie close together, far apart,
// in falling order, and first close and then far.
func TestNodeSets(t *testing.T) {
	const layer = 1 << 40
	r := rand.New(rand.NewPCG(3, 3))
	for name, node := range map[string]func(i int) id{
		"close":   func(int) id { return id(r.IntN(30000)) },
		"far":     func(int) id { return id(r.Uint64()) },
		"falling": func(i int) id { return id(1<<20 - i) },
		"rising":  func(i int) id { return id(i) },
		"layers":  func(i int) id { return id(i/20000)*layer + id(r.IntN(20000)) },
		"mixed":   func(i int) id { return id(i/10000)*id(i%1000/999)*layer + id(i) },
	} {
		t.Run(name, func(t *testing.T) {
			m, want := NewNodeSets(), map[id]uint64{}
			dense := false
			for i := range 50000 {
				n, set := node(i), uint64(1)<<r.IntN(64)|1
				if fresh := m.Add(t.Context(), n, set); fresh != set&^want[n] {
					t.Fatalf("node %d: %x is new of %x over %x", n, fresh, set, want[n])
				}
				want[n] |= set
				dense = dense || m.dense != nil
			}
			for n, set := range want {
				if got := m.Get(n); got != set {
					t.Fatalf("node %d has %x, want %x", n, got, set)
				}
			}
			if got := m.Get(layer / 2); got != want[layer/2] {
				t.Errorf("a node that was not added has %x", got)
			}
			if dense != (name != "far") {
				t.Errorf("an array was used: %v", dense)
			}
		})
	}
}
