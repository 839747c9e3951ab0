package federate

import (
	"lukechampine.com/blake3"

	"github.com/rete-go/rete/rdf"
)

// tripleSet is a set of triples, each as the first half of its BLAKE3.
type tripleSet struct {
	sums map[[16]byte]struct{}
	room int64 // how many it may have; 0: any
}

// tripleBytes is what a triple of a set takes at most.
const tripleBytes = 40

func sumOf(q rdf.Quad) [16]byte {
	text := make([]byte, 0, 256)
	text = append(append(append(append(append(text, q.S.Surface()...), ' '), q.P.Surface()...), ' '), q.O.Surface()...)
	sum := blake3.Sum256(text)
	return [16]byte(sum[:16])
}

func (s *tripleSet) has(sum [16]byte) bool {
	_, ok := s.sums[sum]
	return ok
}

func (s *tripleSet) add(sum [16]byte) {
	if s.sums == nil {
		s.sums = make(map[[16]byte]struct{})
	}
	if s.room == 0 || int64(len(s.sums)) < s.room {
		s.sums[sum] = struct{}{}
	}
}
