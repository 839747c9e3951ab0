package engine

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// What a transaction holds, as it is counted: a quad that it has touched, a term in addition
// to its text, a change in a run of [Tx.View], and a quad in a builder of a segment.
const (
	rowHeld  = 200
	termHeld = 140
	runHeld  = 80
	bulkHeld = 128
)

const (
	// txFree is how many bytes of a transaction are not drawn, and txDraw the least that is
	// drawn at once.
	txFree = 64 << 10
	txDraw = 256 << 10
	// txBatch is the most, and txLeast the least quads that are looked up together.
	txBatch = 1 << 14
	txLeast = 1 << 6
)

// txMemory is the memory of the changes of a transaction.
type txMemory struct {
	from   dataset.Memory // nil: only Options.WriteMemory is a bound
	held   int64          // as it is counted
	text   int64          // of the terms, in it
	inRuns int64          // of the views, in it
	drawn  int64          // from from
}

// Draw makes the transaction draw the memory of its changes. Where it is refused, the changes
// are written to segments next to the manifest, which are committed with the rest, or removed.
// When it has ended it gives everything back, and closes m. It draws from one memory: false, if
// there is one already.
func (tx *Tx) Draw(m dataset.Memory) bool {
	if tx.from != nil || tx.done.Over() != nil {
		return false
	}
	tx.from = m
	return true
}

// Spills reports how often the transaction has written changes to segments because there was no
// memory for them.
func (tx *Tx) Spills() int { return tx.spilled.times }

// batch sees to it that there is memory for the next quads, and returns how many.
func (tx *Tx) batch(ctx context.Context, quads []rdf.Quad) (int, error) {
	tx.settle()
	each := int64(rowHeld + 4*termHeld)
	if tx.bulk.builder != nil {
		each = bulkHeld
	}
	for n := min(len(quads), txBatch); ; n = max(n/4, txLeast) {
		need := int64(0)
		for _, q := range quads[:min(n, len(quads))] {
			need += each + int64(len(q.S.Surface())+len(q.P.Surface())+len(q.O.Surface())+len(q.G.Surface()))
		}
		room, err := tx.reserve(ctx, need)
		if err != nil || room {
			return min(n, len(quads)), err
		}
		if n <= txLeast {
			return min(n, len(quads)), tx.take(ctx, need)
		}
	}
}

// install counts what the transaction came to hold, for which more was reserved.
func (tx *Tx) settle() {
	tx.held = int64(len(tx.order))*rowHeld + int64(len(tx.terms))*termHeld + tx.text + tx.inRuns
	if b := tx.bulk.builder; b != nil {
		tx.held += b.Memory()
	}
}

// reserve asks for bytes, for which changes are spilled if need be; false: there are not so
// many.
func (tx *Tx) reserve(ctx context.Context, bytes int64) (bool, error) {
	for {
		// A builder has a bound of its own.
		if (tx.bulk.builder != nil || tx.held+bytes <= tx.db.opt.WriteMemory) && tx.try(bytes) {
			tx.held += bytes
			return true, nil
		}
		if len(tx.order) == 0 && tx.bulk.builder == nil {
			return false, nil
		}
		if err := tx.spill(ctx); err != nil {
			return false, err
		}
	}
}

// missing is how much must be drawn so that bytes more are held.
func (tx *Tx) missing(bytes int64) int64 {
	if more := tx.held + bytes - txFree - tx.drawn; more > 0 {
		return max(more, txDraw)
	}
	return 0
}

func (tx *Tx) try(bytes int64) bool {
	more := tx.missing(bytes)
	if more == 0 || tx.from == nil {
		return true
	}
	if !tx.from.Try(more) {
		return false
	}
	tx.drawn += more
	return true
}

// take is reserve for what must be had.
func (tx *Tx) take(ctx context.Context, bytes int64) error {
	if more := tx.missing(bytes); more > 0 && tx.from != nil {
		if err := tx.from.Take(ctx, more); err != nil {
			return err
		}
		tx.drawn += more
	}
	tx.held += bytes
	return nil
}

// release gives back what was drawn, but for most bytes.
func (tx *Tx) release(most int64) {
	if tx.drawn > most {
		tx.from.Give(tx.drawn - most)
		tx.drawn = most
	}
}
