package segment_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
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

// An id of a small graph that the dictionary has no term for is damage in graph rows too, as in a
// scan of that graph.
func TestGraphRowsOfForeignIDs(t *testing.T) {
	var qs []quad
	for i := range 100 {
		qs = append(qs, quad{fmt.Sprintf("<http://ex/s%02d>", i), "<http://ex/p>", "<http://ex/o>", fmt.Sprintf("<http://ex/g%02d>", i)})
	}
	built, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec, Plain: true}}, qs)
	head, err := segment.ParseHeader(built)
	if err != nil {
		t.Fatal(err)
	}
	encoded := func(row [3]uint32) []byte { // a tile and its synopsis: the bounds of b and of c
		var out []byte
		w := tile.NewWriter(tile.Options{}, func(stored []byte, _ tile.Entry) error {
			out = append(out, stored...)
			return nil
		})
		if err := w.Add(row[0], row[1], row[2]); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		return append(out, byte(row[1]), 0, byte(row[2]), 0)
	}
	was := [3]uint32{70, 1, 1}
	for name, row := range map[string][3]uint32{"subject": {101, 1, 1}, "predicate": {70, 2, 1}, "object": {70, 1, 2}} {
		file := bytes.Clone(built)
		old, now := encoded(was), encoded(row)
		at := bytes.Index(file[head.Section(segment.KindNamedGraphs).Offset:], old) + int(head.Section(segment.KindNamedGraphs).Offset)
		if len(old) != len(now) || at < int(head.Section(segment.KindNamedGraphs).Offset) {
			t.Fatalf("%s: graph 70 has other bytes than expected", name)
		}
		copy(file[at:], now)
		if first := file[at-3]; row[0] != was[0] && first == byte(was[0]) { // the directory: first a, its span, length
			file[at-3] = byte(row[0])
		}
		pin := reseal(file)
		pin.Extra = nil
		s := open(t, file, &segment.Options{Pin: pin})
		if _, err := s.RowsByGraph(t.Context(), true); !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "terms for it") {
			t.Errorf("%s %d: %v, want damage", name, row, err)
		}
		if _, err := s.RowsByOrder(t.Context(), tile.POS, true); !errors.Is(err, damage.Err) {
			t.Errorf("%s %d in another order: %v, want damage", name, row, err)
		}
	}
}
