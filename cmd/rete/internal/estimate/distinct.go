package estimate

import (
	"hash/maphash"
	"io"
	"math"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

// sightings counts in how many blocks of the sample each node is.
type sightings struct {
	seed  maphash.Seed
	terms map[uint64]sighting // by hash
}

// sighting is what is known of a node: the block that had it last, in how many it is, its bytes, and whether
// it is in a block of an odd number, which are those of the half.
type sighting struct {
	last, count, bytes uint32
	half               bool
}

func newSightings() *sightings {
	return &sightings{maphash.MakeSeed(), map[uint64]sighting{}}
}

// block counts the nodes of a block, by its number, from 1.
func (s *sightings) block(number uint32, text []byte, opt rdf.Options) {
	r := nquads.NewBlockReader(text, 1, opt)
	var q rdf.RawQuad
	for {
		switch err := r.Read(&q); {
		case err == io.EOF:
			return
		case err != nil:
			return // the build tells
		}
		s.term(number, q.S)
		s.term(number, q.O)
	}
}

func (s *sightings) term(number uint32, surface []byte) {
	key := maphash.Bytes(s.seed, surface)
	t := s.terms[key]
	if t.last != number {
		s.terms[key] = sighting{number, t.count + 1, uint32(len(surface)), t.half || number%2 == 1}
	}
}

// bytes returns those of the distinct nodes of the sample, and of its half.
func (s *sightings) bytes() (all, half int64) {
	for _, t := range s.terms {
		all += int64(t.bytes)
		if t.half {
			half += int64(t.bytes)
		}
	}
	return all, half
}

// all returns about how many times as many distinct nodes the whole has as its sample, of which
// each block has been drawn with a probability, and how many times as many bytes they have.
//
// A node that is in K blocks of the whole is in as many of the sample as a binomial distribution
// says. How many nodes have which K is fitted to the counts that were seen, by expectation and
// maximization over some K; each such node that was seen stands for those that were not.
func (s *sightings) all(drawn float64) (nodes, bytes float64) {
	if drawn >= 1 || len(s.terms) == 0 {
		return 1, 1
	}
	counts, sizes := map[uint32]float64{}, map[uint32]float64{}
	for _, t := range s.terms {
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
	n := float64(len(s.terms))
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
		nodes += terms * times
		bytes += sizes[c] * times
		total += terms
		seenBytes += sizes[c]
	}
	return nodes / total, bytes / max(seenBytes, 1)
}

const (
	mostSightings = 64    // more are as many: such nodes are all in the sample
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
