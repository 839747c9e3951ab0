package segment_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// TestNoTileInVain: a tile in which one predicate ends and the next one begins has wide bounds, but
// its neighbours say where it begins and ends. So a probe reads only tiles that have rows of it.
func TestNoTileInVain(t *testing.T) {
	const n = 50_000
	r := rand.New(rand.NewPCG(18, 1))
	var qs []quad
	for i := range 2 * n {
		s, p, o := fmt.Sprintf("<http://ex/%d>", i/2), fmt.Sprintf("<http://ex/p%d>", i%2), fmt.Sprintf("<http://ex/%d>", r.IntN(n))
		qs = append(qs, quad{s, p, o, ""})
	}
	file, built := build(t, nil, qs)
	s := open(t, file, &segment.Options{Pin: built.Pin()})
	for _, o := range []tile.Order{tile.PSO, tile.POS} {
		scan, err := s.Scan(t.Context(), 0, o)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := rowsOf(t.Context(), scan, o)
		if err != nil {
			t.Fatal(err)
		}
		want := map[[2]uint32]int{}
		for _, row := range rows {
			k := o.Permute(row)
			want[[2]uint32(k[:2])]++
		}
		vain := int64(0)
		for range 2_000 {
			key := o.Permute(rows[r.IntN(len(rows))])
			var c reads.Counter
			ctx := reads.With(t.Context(), &c)
			probe, err := s.Scan(ctx, 0, o, key[0], key[1])
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for run, err := probe.Next(ctx); err == nil; run, err = probe.Next(ctx) {
				got += run.Len()
				vain--
			}
			if want := want[[2]uint32(key[:2])]; got != want {
				t.Fatalf("%v: %v: %d rows, want %d", o, key, got, want)
			}
			vain += c.Tiles.Load()
		}
		if vain > 5 { // for keys that begin a tile
			t.Errorf("%v: %d tiles were read that have none of the rows", o, vain)
		}
	}
}
