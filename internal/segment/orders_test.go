package segment_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// TestThreeOrders is the rule by which a file has three orders, at its bounds.
func TestThreeOrders(t *testing.T) {
	for _, c := range []struct {
		orders int
		has    segment.Contents
		want   bool
	}{
		{0, segment.Contents{}, false},
		{0, segment.Contents{Default: 1 << 20}, false},
		{0, segment.Contents{Graphs: 1000, Named: 1000}, false},
		{0, segment.Contents{Graphs: 1001, Named: 1001}, true},
		{0, segment.Contents{Graphs: 1001, Named: 200_200}, true},
		{0, segment.Contents{Graphs: 1001, Named: 200_201}, false},
		{0, segment.Contents{Graphs: 1001, Named: 30_000, Default: 3_000}, true},
		{0, segment.Contents{Graphs: 1001, Named: 30_000, Default: 3_001}, false},
		{6, segment.Contents{Graphs: 25_000, Named: 750_000}, false},
		{3, segment.Contents{Default: 1}, true},
	} {
		if got := segment.ThreeOrders(c.orders, c.has); got != c.want {
			t.Errorf("%d orders, %+v: %v", c.orders, c.has, got)
		}
	}
}

// smallGraphs is N-Quads of as many graphs, two quads each, half of which come twice, and of a default graph.
func smallGraphs(graphs, unnamed int) string {
	var b strings.Builder
	for g := range graphs {
		for range 1 + g%2 {
			fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/p> <http://ex/s%d> <http://ex/g%d> .\n", g, g/2, g)
			fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/q> \"v%d\" <http://ex/g%d> .\n", g, g%7, g)
		}
	}
	for i := range unnamed {
		for range 2 {
			fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/p> <http://ex/s0> .\n", i)
		}
	}
	return b.String()
}

// TestOrdersByContents: files of the same quads have as many orders, and the same bytes, in whatever memory
// they were built; it is distinct quads that count.
func TestOrdersByContents(t *testing.T) {
	for _, c := range []struct {
		graphs, unnamed, orders int
		three                   bool
	}{
		{1000, 0, 0, false}, {1001, 0, 0, true}, {1001, 200, 0, true}, {1001, 201, 0, false}, {1001, 0, 6, false}, {20, 3, 3, true},
	} {
		text, want := smallGraphs(c.graphs, c.unnamed), []byte(nil)
		for _, memory := range []int64{0, 1} {
			b := segment.NewBuilder(&segment.BuildOptions{
				WriterOptions: segment.WriterOptions{Orders: c.orders, TempDir: t.TempDir()}, MaxMemory: memory})
			if err := b.AddNQuads(t.Context(), strings.NewReader(text), verbatim, false); err != nil {
				t.Fatal(err)
			}
			file, _ := finish(t, b)
			if want == nil {
				want = file
			}
			if three := !open(t, file, nil).HasOrder(tile.SOP); three != c.three || !bytes.Equal(file, want) {
				t.Errorf("%+v, %d bytes of memory: three orders %v, as in memory %v", c, memory, three, bytes.Equal(file, want))
			}
		}
	}
}

// TestNoSuchOrders: another number of orders than 3 and 6 is an error.
func TestNoSuchOrders(t *testing.T) {
	for _, text := range []string{"", "<http://ex/s> <http://ex/p> <http://ex/o> .\n"} {
		b := segment.NewBuilder(&segment.BuildOptions{WriterOptions: segment.WriterOptions{Orders: 4}})
		if err := b.AddNQuads(t.Context(), strings.NewReader(text), verbatim, false); err != nil {
			t.Fatal(err)
		}
		if _, err := b.WriteTo(t.Context(), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "4 orders") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
