package engine_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/tile"
)

// TestEstimatesOfALargeSegment holds guesses against the truth, within a factor of
// two, and counts what they read.
func TestEstimatesOfALargeSegment(t *testing.T) {
	const n = 100_000
	// Property 0 has 7 objects, property 1 a new one for each row, the others some.
	quad := func(i int) [4]string {
		o := i / 10
		switch i % 10 {
		case 0:
			o %= 7
		case 1:
		default:
			o %= 500 * (i % 10)
		}
		return [4]string{
			fmt.Sprintf("<http://data.example/s/%d>", i/10), fmt.Sprintf("<http://data.example/p/%d>", i%10),
			fmt.Sprintf("\"%d\"", o), "",
		}
	}
	v := engine.NewView([]engine.Entry{{Adds: engine.SegmentLayer(benchSegment(t, "base.rete", cache.New(1<<28), numbered(n, quad)))}}, nil)
	for p := range 10 {
		pat := engine.Pattern{}
		out := [1]engine.ID{}
		if err := v.Lookup(t.Context(), [][]byte{[]byte(fmt.Sprintf("<http://data.example/p/%d>", p))}, out[:]); err != nil {
			t.Fatal(err)
		}
		pat.P = out[0]
		c, err := v.Scan(t.Context(), pat, tile.PSO, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := drain(t, c)
		subjects, objects := new(ids.Set), new(ids.Set)
		for _, row := range rows {
			subjects.Add(row[engine.ColS])
			objects.Add(row[engine.ColO])
		}
		card, err := v.Estimate(t.Context(), pat)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []struct {
			what      string
			got, want uint64
		}{
			{"rows", card.Guess, uint64(len(rows))},
			{"subjects", card.Distinct[engine.ColS], subjects.Len()},
			{"objects", card.Distinct[engine.ColO], objects.Len()},
		} {
			if g.got > 2*g.want || 2*g.got < g.want {
				t.Errorf("property %d: %d %s guessed, there are %d", p, g.got, g.what, g.want)
			}
		}
	}
}
