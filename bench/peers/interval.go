package main

import (
	"math/rand/v2"
	"slices"
	"time"
)

// ratio is a peer's median time by that of rete, over the runs that both made, with
// the bounds between which 95 of 100 draws of these runs have it.
type ratio struct{ low, at, high float64 }

const draws = 2000

// common returns those runs of a that b made as well: all, if all runs are of one query.
func common(a, b []time.Duration, fixed bool) []time.Duration {
	if fixed {
		return a
	}
	return a[:min(len(a), len(b))]
}

// compare returns the ratio of the medians of b to those of a. Runs of one number have
// the same constants and are drawn together, unless all runs are of one query.
func compare(a, b []time.Duration, fixed bool) ratio {
	a, b = common(a, b, fixed), common(b, a, fixed)
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]time.Duration, len(a)), make([]time.Duration, len(b))
	found := make([]float64, draws)
	for d := range found {
		for i := range x {
			k := r.IntN(len(a))
			x[i] = a[k]
			if !fixed {
				y[i] = b[k]
			}
		}
		if fixed {
			for i := range y {
				y[i] = b[r.IntN(len(b))]
			}
		}
		found[d] = quotient(median(y), median(x))
	}
	slices.Sort(found)
	return ratio{found[draws*25/1000], quotient(median(b), median(a)), found[draws*975/1000]}
}

func quotient(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

// small is the time under which a difference counts only from bar on.
const (
	small = 300 * time.Microsecond
	bar   = 100 * time.Microsecond
)

// slower reports whether rete is slower than the peer: the whole interval says so, and
// of short times the difference is more than the bar.
func slower(own, peer time.Duration, r ratio) bool {
	return r.high < 1 && (own >= small || own-peer > bar)
}
