package build

import (
	"math"

	"github.com/rete-go/rete/internal/scratch"
)

// budget is how the memory of a build is divided. What a stage holds is given back before
// the next one begins.
type budget struct {
	collect int64 // quads and terms as they are read, with what it takes to sort the terms
	sort    int64 // keys that are sorted; 0: as many as there are
	spool   int64 // what is packed; 0: the default of the writer
	block   int   // of temporary files
	chunk   int   // quads that are allocated at a time
	look    int   // bytes of new terms after which a collector looks at the memory
}

// What the process takes whatever the data: the runtime, blocks of documents on their way to
// the parsers, encoders.
const (
	fixedMemory  = 24 << 20
	workerMemory = 8 << 20
)

// What is not worth making smaller.
const (
	leastBlock = 256
	leastChunk = 64
	leastLook  = 1 << 10
)

// divide divides a number of bytes; 0 is no bound.
func divide(memory int64, workers int) budget {
	if memory <= 0 {
		return budget{collect: math.MaxInt64, block: scratch.Block, chunk: quadChunk, look: math.MaxInt}
	}
	rest := max(memory-fixedMemory-int64(workers)*workerMemory, memory/4)
	return budget{
		collect: rest * 3 / 4,
		sort:    rest / 2,
		spool:   max(rest/16, 1),
		block:   int(min(max(rest/4096, leastBlock), scratch.Block)),
		chunk:   int(min(max(rest/(32*quadBytes*int64(workers)), leastChunk), quadChunk)),
		look:    int(max(rest/(32*int64(workers)), leastLook)),
	}
}

// Scale is how many times as much a whole has as a part of it: of what is in memory while documents are
// read, of quads, and of what is packed.
type Scale struct{ Read, Quads, Packed float64 }

// down is the budget of the part, if b is that of the whole.
func (b budget) down(of Scale) budget {
	if b.sort == 0 {
		return b
	}
	less := func(n int64, times float64, least int64) int64 { return max(int64(float64(n)/times), least) }
	b.collect, b.sort, b.spool = less(b.collect, of.Read, 1), less(b.sort, of.Quads, 1), less(b.spool, of.Packed, 1)
	b.block = int(less(int64(b.block), of.Read, leastBlock))
	b.chunk = int(less(int64(b.chunk), of.Read, leastChunk))
	b.look = int(less(int64(b.look), of.Read, leastLook))
	return b
}
