package compaction

import (
	"cmp"

	"github.com/rete-go/rete/tile"
)

// What a process takes whatever the data: the runtime, decoders and encoders, the open chunks of runs;
// and four bytes for each term of each layer and role, and of the merged dictionary.
const (
	fixedMemory  = 32 << 20
	workerMemory = 8 << 20
	idBytes      = 4
)

// defaultRows is the memory for rows if nothing is said.
const defaultRows = 256 << 20

// leastRows is the least memory for rows that is worth the while.
const leastRows = 8 << 20

// packedRow is about what a row takes in temporary files once it is packed, in all orders.
const packedRow = 30

// division is how the memory of a compaction is divided.
type division struct {
	maps    int64 // pages of maps
	batch   int   // rows of a batch
	rows    int64 // rows that wait, and as much of what is packed
	takes   int64 // in addition to what the process takes anyway
	scratch int64 // temporary files, about
}

// divide divides the memory of a compaction of layers: all maps, if that leaves some to rows, else a third of
// what is free to pages of them, and a third to batches. Of the rest a quarter stays free for the collector
// of garbage. Where MaxMemory is less than what a process takes anyway, as little as can be is held.
func (o *Options) divide(layers []*layer) division {
	terms, least, quads := int64(0), int64(0), int64(0)
	for _, l := range layers {
		c := &l.counts
		nodes, preds := int64(c.Shared)+int64(c.Subjects)+int64(c.Objects), int64(c.Predicates)
		mine := idBytes * (2*nodes + int64(c.Shared) + 2*preds + 5) // the first numbers are not used
		terms += mine
		least += min(mine, 4*pageBytes) // its sections are written side by side
		quads += int64(c.Quads)
	}
	d := division{maps: terms, batch: leastBatch, rows: cmp.Or(max(o.Memory, 0), defaultRows)}
	orders := min(o.Workers, tile.NumOrders)
	working := int64(o.Workers * workerMemory)
	if o.MaxMemory > 0 {
		free := max(o.MaxMemory-fixedMemory-working, 0)
		batches := int64(0)
		if terms > max(free-leastRows, least) {
			d.maps = max(free/3, least)
			most := max(min(free/3/int64(orders*batchBytes), quads, mostBatch), leastBatch)
			d.batch, batches = int(most), most*int64(orders*batchBytes)
		}
		rows := max((free-d.maps-batches)*3/8, 1)
		d.rows = min(cmp.Or(max(o.Memory, 0), rows), rows)
		working += batches
	}
	d.takes = working + d.maps + 2*d.rows
	// What is packed beyond memory lies in files with what there was before, so that half of the memory counts.
	d.scratch = terms - d.maps + max(quads*int64(rowBytes*orders)-d.rows, 0) + max(quads*packedRow-d.rows/2, 0)
	return d
}
