package textindex

import (
	"context"
	"math/bits"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/extsort"
)

// lists keeps the tokens of literals, and the subjects that have them, as they come: the tokens of a
// literal once, however many subjects it has.
type lists struct {
	tokens [][]uint32 // lists of the numbers of tokens, each after its length
	owners [][]uint64 // subjects, each above the place of its list
	count  int        // of owners
	pairs  int        // of a token and a subject
	room   int64      // bytes of the chunks, and of what owners are sorted in
}

// Lists and owners are allocated by chunks, at first small ones: what grows as a whole is moved again and again.
const (
	leastChunk = 1 << 6
	chunkBits  = 12
	chunk      = 1 << chunkBits
	// mostChunks is how many chunks of tokens have places of 32 bits.
	mostChunks = 1 << (32 - chunkBits)
	// ownerBytes is what an owner takes while they are sorted.
	ownerBytes = 16
)

// chunkSize returns how much room a chunk has, by its number.
func chunkSize(i int) int { return min(leastChunk<<min(i, chunkBits), chunk) }

// add keeps the tokens of a literal and returns their place.
func (l *lists) add(tokens []uint32) (place uint32) {
	last := len(l.tokens) - 1
	if last < 0 || cap(l.tokens[last])-len(l.tokens[last]) <= len(tokens) {
		c := make([]uint32, 0, max(chunkSize(last+1), len(tokens)+1))
		l.tokens, last = append(l.tokens, c), last+1
		l.room += int64(cap(c)) * 4
	}
	c := &l.tokens[last]
	place = uint32(last<<chunkBits | len(*c))
	*c = append(append(*c, uint32(len(tokens))), tokens...)
	return place
}

// own gives the list at a place, of n tokens, to a subject.
func (l *lists) own(subject, place uint32, n int) {
	last := len(l.owners) - 1
	if last < 0 || len(l.owners[last]) == cap(l.owners[last]) {
		c := make([]uint64, 0, chunkSize(last+1))
		l.owners, last = append(l.owners, c), last+1
		l.room += int64(cap(c)) * ownerBytes
	}
	l.owners[last] = append(l.owners[last], uint64(subject)<<32|uint64(place))
	l.count++
	l.pairs += n
}

// at returns the list of an owner.
func (l *lists) at(owner uint64) []uint32 {
	place := uint32(owner)
	c := l.tokens[place>>chunkBits][place%chunk:]
	return c[1 : 1+c[0]]
}

// bytes returns what the lists take in memory, and what they are sorted in.
func (l *lists) bytes() int64 {
	return l.room + int64(l.pairs)*4
}

// full reports whether there are no places for more.
func (l *lists) full() bool { return len(l.tokens) == mostChunks }

// byToken returns the subjects of each of n tokens, ascending: those of token i are
// subjects[begins[i]:begins[i+1]], with repeats. The lists are empty afterwards.
func (l *lists) byToken(ctx context.Context, n int) (begins []int, subjects []uint32, err error) {
	begins = make([]int, n+1) // first where the subjects of a token end, then where they begin
	owners, largest := make([]uint64, 0, l.count), uint64(0)
	for i, part := range l.owners {
		for _, o := range part {
			largest = max(largest, o)
			for _, t := range l.at(o) {
				begins[t]++
			}
		}
		owners, l.owners[i] = append(owners, part...), nil
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	total := 0
	for i, k := range begins {
		total += k
		begins[i] = total
	}
	owners = extsort.Numbers(owners, make([]uint64, len(owners)), 32, bits.Len64(largest>>32))
	subjects = make([]uint32, total)
	for i := range owners {
		o := owners[len(owners)-1-i]
		for _, t := range l.at(o) {
			begins[t]--
			subjects[begins[t]] = uint32(o >> 32)
		}
		if err := cancel.Check(ctx, i); err != nil {
			return nil, nil, err
		}
	}
	*l = lists{}
	return begins, subjects, nil
}
