package compaction

import (
	"cmp"
	"fmt"
)

// What a process takes whatever the data: the runtime, decoders and encoders, the open chunks of runs;
// and four bytes for each term of each layer and role, and five for each of the merged dictionary.
const (
	fixedMemory  = 32 << 20
	workerMemory = 8 << 20
	idBytes      = 4
	mergedBytes  = 5
)

// defaultRows is the memory for rows if nothing is said.
const defaultRows = 256 << 20

// leastRows is the least memory for rows that is worth the while.
const leastRows = 8 << 20

// divide sets the memory of rows, and as much of what is packed, so that all is within MaxMemory: a
// quarter of what is left stays free for the collector of garbage. Where MaxMemory is less than what
// a process takes anyway, as little as can be is held. It returns what the compaction takes in addition to
// what the process takes anyway.
func (o *Options) divide(layers []*layer) (int64, error) {
	working, terms := int64(o.Workers*workerMemory), int64(0)
	fixed := fixedMemory + working
	for _, l := range layers {
		c := &l.counts
		nodes, preds := int64(c.Shared)+int64(c.Subjects)+int64(c.Objects), int64(c.Predicates)
		terms += idBytes*(nodes+int64(c.Shared)+preds) + mergedBytes*(nodes+preds)
	}
	if o.MaxMemory > 0 {
		if need := fixed + terms + leastRows; o.MaxMemory >= fixed && o.MaxMemory < need && terms > leastRows {
			return 0, fmt.Errorf("compaction: the terms of these segments take %d bytes of memory, so that all takes %d, and there are %d", terms, need, o.MaxMemory)
		}
		rows := max((o.MaxMemory-fixed-terms)*3/8, 1)
		o.Memory = min(cmp.Or(max(o.Memory, 0), rows), rows)
	}
	o.Memory = cmp.Or(max(o.Memory, 0), defaultRows)
	return working + terms + 2*o.Memory, nil
}
