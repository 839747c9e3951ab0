package estimate

import (
	"math"
)

// sightings has in how many blocks of a sample each of some things is, by their hashes.
type sightings map[uint64]sighting

// sighting is what is known of one of them: the block that had it last, from 1, in how many it is, its bytes,
// and whether each half of the blocks has it.
type sighting struct {
	last, count, bytes uint32
	in                 [2]bool
}

// see counts a thing that block i has. It reports whether it is the first time in the sample, and in its half.
func (s sightings) see(i int, key uint64, bytes int) (first, firstOfHalf bool) {
	t, known := s[key]
	if t.last == uint32(i+1) {
		return false, false
	}
	first, firstOfHalf = !known, !t.in[half(i)]
	t.last, t.count, t.bytes = uint32(i+1), t.count+1, uint32(bytes)
	t.in[half(i)] = true
	s[key] = t
	return first, firstOfHalf
}

// all returns about how many times as many distinct things the whole has as its sample, of which
// each block has been drawn with a probability, and how many times as many bytes they have.
//
// What is in K blocks of the whole is in as many of the sample as a binomial distribution
// says. How many have which K is fitted to the counts that were seen, by expectation and
// maximization over some K; each that was seen stands for those like it that were not.
func (s sightings) all(drawn float64) (things, bytes float64) {
	if drawn >= 1 || len(s) == 0 {
		return 1, 1
	}
	counts, sizes := map[uint32]float64{}, map[uint32]float64{}
	for _, t := range s {
		c := min(t.count, mostSightings)
		counts[c]++
		sizes[c] += float64(t.bytes)
	}
	var in []float64 // the K
	for k := 1.0; k < 4*mostSightings/drawn; k = math.Ceil(k * 1.3) {
		in = append(in, k)
	}
	chance := make(map[uint32][]float64, len(counts)) // of c sightings, for each K, if there is one
	for c := range counts {
		for _, k := range in {
			chance[c] = append(chance[c], binomial(k, float64(c), drawn)/seen(k, drawn))
		}
	}
	weight := make([]float64, len(in))
	for i := range weight {
		weight[i] = 1 / float64(len(in))
	}
	n := float64(len(s))
	for range rounds {
		next := make([]float64, len(in))
		for c, terms := range counts {
			sum := 0.0
			for i, w := range weight {
				sum += w * chance[c][i]
			}
			if sum == 0 {
				continue
			}
			for i, w := range weight {
				next[i] += terms / n * w * chance[c][i] / sum
			}
		}
		weight = next
	}
	total, seenBytes := 0.0, 0.0
	for c, terms := range counts {
		likely, times := 0.0, 0.0
		for i, w := range weight {
			likely += w * chance[c][i]
			times += w * chance[c][i] / seen(in[i], drawn)
		}
		if likely > 0 {
			times /= likely
		}
		times = max(times, 1)
		things += terms * times
		bytes += sizes[c] * times
		total += terms
		seenBytes += sizes[c]
	}
	return things / total, bytes / max(seenBytes, 1)
}

const (
	mostSightings = 64    // more are as many: such things are all in the sample
	rounds        = 10000 // of the fit
)

// seen is the probability that a node of k blocks is in the sample.
func seen(k, drawn float64) float64 { return -math.Expm1(k * math.Log1p(-drawn)) }

// binomial is the probability of c hits in k draws.
func binomial(k, c, p float64) float64 {
	if c > k {
		return 0
	}
	a, _ := math.Lgamma(k + 1)
	b, _ := math.Lgamma(c + 1)
	d, _ := math.Lgamma(k - c + 1)
	return math.Exp(a - b - d + c*math.Log(p) + (k-c)*math.Log1p(-p))
}
