package steady

import (
	"runtime"
	"time"
)

// Pair is work with what it is compared with.
type Pair struct {
	Work  func(w *Watch) // starts and stops the watch around what counts
	Limit func()
	// Works and Limits are how often each is done for one sample.
	Works, Limits int
	// Before and After, if they are set, are what is done around the works of a sample.
	Before, After func()
}

// Sample is one sample of a pair: the mean times of its work and of its limit.
type Sample struct{ Work, Limit time.Duration }

// ratio is how fast the work was, as a share of the speed of the limit.
func (s Sample) ratio() float64 { return float64(s.Limit) / float64(max(s.Work, 1)) }

// Compare takes a sample of a pair. The limit comes first if first is set; callers take turns.
func Compare(p Pair, first bool) (s Sample) {
	limit := func() {
		runtime.GC()
		s.Limit = timed(func() {
			for range p.Limits {
				p.Limit()
			}
		}) / time.Duration(p.Limits)
	}
	if first {
		limit()
	}
	s.Work = p.works()
	if !first {
		limit()
	}
	return s
}

// works is the mean time of the works of a sample.
func (p *Pair) works() time.Duration {
	if p.Before != nil {
		p.Before()
	}
	if p.After != nil {
		defer p.After()
	}
	runtime.GC()
	var w Watch
	for range p.Works {
		p.Work(&w)
	}
	return w.Time() / time.Duration(p.Works)
}

// Rates returns the ratios of samples, and the medians of the times.
func Rates(list []Sample) (ratio Interval, work, limit time.Duration) {
	var ratios, works, limits []float64
	for _, s := range list {
		ratios = append(ratios, s.ratio())
		works = append(works, float64(s.Work))
		limits = append(limits, float64(s.Limit))
	}
	return Of(ratios), time.Duration(Of(works).At), time.Duration(Of(limits).At)
}
