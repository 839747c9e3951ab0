package chart

import (
	"math"
	"testing"
)

func TestScale(t *testing.T) {
	for _, c := range []struct {
		most, step float64
		ticks      int
	}{
		{1, 0.5, 2}, {1.2, 0.5, 3}, {2.4, 0.5, 5}, {2.6, 1, 3}, {5.1, 2, 3}, {9.9, 2, 5}, {0.034, 0.01, 4}, {1250, 500, 3},
		{0, 1, 1}, {math.NaN(), 1, 1}, {math.Inf(1), 1, 1},
	} {
		if step, ticks := scale(c.most); math.Abs(step-c.step) > 1e-9 || ticks != c.ticks {
			t.Errorf("up to %v: %d ticks of %v, want %d of %v", c.most, ticks, step, c.ticks, c.step)
		}
	}
}
