package compaction

import "fmt"

// What a process takes whatever the data: the runtime, decoders and encoders, the open chunks of runs;
// and four bytes for each term of each layer and role, and five for each of the merged dictionary.
const (
	fixedMemory  = 32 << 20
	workerMemory = 8 << 20
	idBytes      = 4
	mergedBytes  = 5
)

// leastRows is the least memory for rows that is worth the while.
const leastRows = 8 << 20

// divide sets the memory of rows, and as much of what is packed, so that all is within MaxMemory: a
// quarter of what is left stays free for the collector of garbage. Where MaxMemory is less than what
// a process takes anyway, as little as can be is held.
func (o *Options) divide(layers []*layer) error {
	if o.MaxMemory <= 0 {
		return nil
	}
	fixed, terms := int64(fixedMemory+o.Workers*workerMemory), int64(0)
	for _, l := range layers {
		c := &l.counts
		nodes, preds := int64(c.Shared)+int64(c.Subjects)+int64(c.Objects), int64(c.Predicates)
		terms += idBytes*(nodes+int64(c.Shared)+preds) + mergedBytes*(nodes+preds)
	}
	if need := fixed + terms + leastRows; o.MaxMemory >= fixed && o.MaxMemory < need && terms > leastRows {
		return fmt.Errorf("compaction: the terms of these segments take %d bytes of memory, so that all takes %d, and there are %d", terms, need, o.MaxMemory)
	}
	o.Memory = max((o.MaxMemory-fixed-terms)*3/8, 1)
	return nil
}
