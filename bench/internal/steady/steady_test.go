package steady_test

import (
	"testing"
	"time"

	"github.com/rete-go/rete/bench/internal/steady"
)

// Bounds of the interval are those of the binomial distribution.
func TestOf(t *testing.T) {
	upTo := func(n int) (list []float64) {
		for i := range n {
			list = append(list, float64((i*13)%n+1)) // 1 to n in another order
		}
		return list
	}
	for _, want := range []struct {
		n             int
		low, at, high float64
	}{
		{1, 1, 1, 1},
		{2, 1, 1.5, 2},
		{5, 1, 3, 5},
		{6, 1, 3.5, 6},    // 96.9%
		{9, 2, 5, 8},      // 96.1%
		{11, 2, 6, 10},    // 98.8%, and the next is 93.5%
		{20, 6, 10.5, 15}, // 95.9%
		{21, 6, 11, 16},   // 97.3%
		{99, 40, 50, 60},
	} {
		if got := steady.Of(upTo(want.n)); got != (steady.Interval{Low: want.low, At: want.at, High: want.high}) {
			t.Errorf("of %d samples: %v, want %v", want.n, got, want)
		}
	}
}

// What lies between stretches does not count.
func TestWatch(t *testing.T) {
	var w steady.Watch
	w.Start()
	w.Stop()
	once := w.Time()
	time.Sleep(time.Millisecond)
	if w.Time() != once || once < 0 {
		t.Errorf("%v, then %v", once, w.Time())
	}
}

// A sample is the mean of as many runs as the pair says, in the order that is asked for.
func TestCompare(t *testing.T) {
	var order string
	p := steady.Pair{
		Work: func(w *steady.Watch) {
			w.Start()
			order += "w"
			w.Stop()
		},
		Limit: func() { order += "l" },
		Works: 2, Limits: 3,
	}
	steady.Compare(p, true)
	steady.Compare(p, false)
	if order != "lllwwwwlll" {
		t.Errorf("the order is %s", order)
	}
	ratio, work, limit := steady.Rates([]steady.Sample{{Work: 10, Limit: 5}, {Work: 20, Limit: 5}, {Work: 5, Limit: 10}})
	if ratio.At != 0.5 || ratio.Low != 0.25 || ratio.High != 2 || work != 10 || limit != 5 {
		t.Errorf("%v of %v and %v", ratio, work, limit)
	}
}
