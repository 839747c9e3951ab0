package pyramid

import (
	"context"
	"slices"
)

// Bounds of the clustering. They are part of the canonical form.
const (
	movePasses = 4       // over the links of one round, at most
	maxRounds  = 8       // of clustering
	maxPairs   = 1 << 19 // of communities that are told apart after the first round
)

// cluster finds communities by moving vertices to where they have the most links, more than
// expected by chance (modularity: Blondel et al. 2008), and then the same with what it found. It
// returns the community of each vertex, from 0, how many there are, and the rounds it took.
//
// The triples are read once for the links, the links movePasses+1 times at most, and what follows
// works on maxPairs pairs at most. Nothing depends on chance or the machine: vertices are visited
// in order, ties go to the lesser number, sums are integers, and the products of gains are
// rounded, each alone, as IEEE 754 says.
func cluster(ctx context.Context, l *links) (of []uint32, n, rounds int, err error) {
	of = make([]uint32, l.n)
	for v := range of {
		of[v] = uint32(v)
	}
	n = l.n
	var g adjacency = l
	degrees := l.degrees
	for rounds < maxRounds && l.total > 0 {
		part, moved, err := moveAll(ctx, g, degrees, l.total)
		if err != nil {
			return nil, 0, 0, err
		}
		if !moved {
			break
		}
		rounds++
		n = dense(part)
		for v := range of {
			of[v] = part[of[v]]
		}
		next := make([]uint64, n)
		for v, c := range part {
			next[c] += degrees[v]
		}
		degrees = next
		if g, err = quotient(ctx, g, part, n); err != nil {
			return nil, 0, 0, err
		}
	}
	return of, n, rounds, nil
}

// moveAll begins with each vertex alone and moves it to the community of a neighbour where that
// gains the most, until few vertices move.
func moveAll(ctx context.Context, g adjacency, degrees []uint64, total uint64) (of []uint32, moved bool, err error) {
	of = make([]uint32, len(degrees))
	for v := range of {
		of[v] = uint32(v)
	}
	sum := slices.Clone(degrees) // of the members of a community
	links := make([]uint64, len(degrees))
	var touched []uint32
	for range movePasses {
		moves := 0
		err := g.each(ctx, func(v uint32, to, weight []uint32) {
			for i, u := range to {
				c := of[u]
				if links[c] == 0 {
					touched = append(touched, c)
				}
				links[c] += uint64(weight[i])
			}
			own, d := of[v], degrees[v]
			sum[own] -= d
			best, most := own, gain(links[own], total, sum[own], d)
			for _, c := range touched {
				if x := gain(links[c], total, sum[c], d); x > most || x == most && best != own && c < best {
					best, most = c, x
				}
				links[c] = 0
			}
			touched = touched[:0]
			sum[best] += d
			if of[v] = best; best != own {
				moves++
			}
		})
		if err != nil {
			return nil, false, err
		}
		moved = moved || moves > 0
		if moves <= len(of)/256 {
			break
		}
	}
	return of, moved, nil
}

// gain is what it gains to join a community: its links times all, less what chance would give.
// The conversions keep the products from being fused with the difference, which some machines do.
func gain(links, total, sum, degree uint64) float64 {
	return float64(float64(links)*float64(total)) - float64(float64(sum)*float64(degree))
}

// dense numbers communities in the order of their first vertices and returns how many there are.
func dense(part []uint32) int {
	number := make([]uint32, len(part)) // plus one
	n := uint32(0)
	for v, c := range part {
		if number[c] == 0 {
			n++
			number[c] = n
		}
		part[v] = number[c] - 1
	}
	return int(n)
}

// pair is two communities, the lesser one first in the high half.
type pair uint64

// quotient makes the graph of the communities, n of them. Of more than maxPairs pairs the weakest
// are left out, as they are found.
func quotient(ctx context.Context, g adjacency, of []uint32, n int) (adjacency, error) {
	weights := make(map[pair]uint64)
	least := uint64(1)
	err := g.each(ctx, func(v uint32, to, weight []uint32) {
		x := of[v]
		for i, u := range to {
			if y := of[u]; x < y { // each edge comes at both ends
				weights[pair(x)<<32|pair(y)] += uint64(weight[i])
			}
		}
		for len(weights) > maxPairs {
			for p, w := range weights {
				if w <= least {
					delete(weights, p)
				}
			}
			least *= 2
		}
	})
	if err != nil {
		return nil, err
	}
	return inMemory(weights, n), nil
}
