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
		block:   int(min(max(rest/4096, 256), scratch.Block)),
		chunk:   int(min(max(rest/(32*quadBytes*int64(workers)), 64), quadChunk)),
		look:    int(max(rest/(32*int64(workers)), 1<<10)),
	}
}
