// Package steady measures work on machines that do other work too.
//
// A [Watch] leaves out the time in which this process was ready and waited for a processor, but
// not that in which it slept or waited for a disk. [Compare] runs work and a limit in turns, a
// fixed number of times each, and [Of] gives the median of what came out, with an interval that
// holds the true median in 95 of 100 series whatever the times are distributed like.
package steady

import (
	"math"
	"slices"
	"time"
)

// Watch is a stopwatch. The zero value stands still at zero. It is right in a process with
// GOMAXPROCS=1, where goroutines take turns; elsewhere work on two cores counts its time on both.
type Watch struct {
	sum   time.Duration
	start moment
}

// moment is what the clocks showed.
type moment struct {
	wall  time.Time
	cpu   time.Duration // of the process
	delay time.Duration // in which its threads were ready and did not run
}

// Start lets it run.
func (w *Watch) Start() { w.start = now() }

// Stop lets it stand and adds the time since Start.
func (w *Watch) Stop() {
	end := now()
	w.sum += busy(end.wall.Sub(w.start.wall), end.cpu-w.start.cpu, end.delay-w.start.delay)
}

// busy is the time on the clock less the waiting for a processor, but never less than the
// processor's time: waits of the runtime's own threads are among those that are counted.
func busy(wall, cpu, delay time.Duration) time.Duration {
	return max(min(cpu, wall), wall-delay)
}

// Time is the time of all stretches between Start and Stop.
func (w *Watch) Time() time.Duration { return w.sum }

// timed returns the busy time of f.
func timed(f func()) time.Duration {
	var w Watch
	w.Start()
	f()
	w.Stop()
	return w.Time()
}

// Interval is a median with the bounds of its 95% interval.
type Interval struct {
	Low  float64 `json:"low"`
	At   float64 `json:"at"`
	High float64 `json:"high"`
}

// Of returns the median of samples and the smallest pair of samples, of equal distance from both
// ends, that encloses the median of what they are drawn from with 95% or more; all of them if
// there are fewer than six. There is at least one.
func Of(samples []float64) Interval {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	k := outside(n)
	return Interval{sorted[k], (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[n-1-k]}
}

// outside returns how many of n sorted samples may be left out at each end: the largest k for which
// fewer than k+1 heads in n throws of a coin come with at most 2.5%.
func outside(n int) int {
	sum, k := 0.0, 0
	for i := range (n - 1) / 2 {
		choose, _ := math.Lgamma(float64(n + 1))
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(choose - a - b - float64(n)*math.Ln2)
		if sum > 0.025 {
			break
		}
		k = i
	}
	return k
}

// Width is the width of the interval as a share of the median.
func (i Interval) Width() float64 { return (i.High - i.Low) / i.At }
