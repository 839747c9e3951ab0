package segment_test

import (
	"testing"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// Graph rows have the triples of all named graphs, and none are made that the cache would not
// keep while half of it is lent.
func TestGraphRowsOfALentCache(t *testing.T) {
	qs := manyQuads(16_000)
	named := 0
	for _, q := range qs {
		if q[3] != "" {
			named++
		}
	}
	file, built := build(t, nil, qs)
	c := cache.New(1 << 19) // one shard, which has room for all quads but not half of them twice
	defer c.Close()
	s := open(t, file, &segment.Options{Pin: built.Pin(), Cache: c})
	if !s.KeepsGraphRows() {
		t.Fatalf("%d quads have no room", len(qs))
	}
	lent := c.Lend(1 << 30)
	for range 2 {
		if p, err := s.RowsByOrder(t.Context(), tile.POS, true); p != nil || err != nil {
			t.Fatalf("graph rows were made that are not kept; %v", err)
		}
	}
	c.Return(lent)
	p, err := s.RowsByOrder(t.Context(), tile.POS, true)
	if p == nil || err != nil || len(p.Rows) > named || len(p.Rows) < named*9/10 {
		t.Fatalf("no graph rows, of about %d: %v", named, err)
	}
	before := cache.StatsOf(c).Loads
	if again, err := s.RowsByOrder(t.Context(), tile.POS, false); again != p || err != nil || cache.StatsOf(c).Loads != before {
		t.Errorf("the graph rows were not kept; %v", err)
	}
}
