package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// txBulk takes the inserts of a transaction that are more than a batch of the journal holds:
// they go into the builder of a segment, and nothing is looked up for them. The next read or
// delete, and the commit, spill that segment.
type txBulk struct {
	builder *segment.Builder // nil: there are none
	run     int64            // quads that were inserted since the last read or delete
}

// bulkLeast is the least number of quads in a call for which several goroutines add them.
const bulkLeast = 1 << 8

// leastBuild is the least memory that a builder is given.
const leastBuild = 1 << 20

// bulky reports whether n more quads to insert go into a segment.
func (tx *Tx) bulky(n int) bool {
	tx.bulk.run += int64(n)
	return tx.bulk.builder != nil || tx.bulk.run > tx.db.opt.MaxBatchLines
}

// insertBulk adds quads to the builder. After an error the transaction has failed.
func (tx *Tx) insertBulk(ctx context.Context, quads []rdf.Quad) error {
	tx.failed = tx.insertChunks(ctx, quads)
	var invalid *rdf.InvalidError
	if errors.As(tx.failed, &invalid) {
		tx.failed = fmt.Errorf("engine: %w", invalid)
	}
	return tx.failed
}

func (tx *Tx) insertChunks(ctx context.Context, quads []rdf.Quad) error {
	for len(quads) > 0 {
		n, err := tx.batch(ctx, quads)
		if err != nil {
			return err
		}
		if tx.bulk.builder == nil {
			if err := tx.beginBulk(); err != nil {
				return err
			}
		}
		if err := tx.addBulk(ctx, quads[:n]); err != nil {
			return err
		}
		quads = quads[n:]
	}
	return nil
}

// beginBulk makes a builder, which takes the pending inserts. Of the pending changes the deletes
// are left.
func (tx *Tx) beginBulk() error {
	if tx.spilled.maker == nil {
		var err error
		if tx.spilled.maker, err = tx.newMaker(); err != nil {
			return err
		}
	}
	build := tx.spilled.maker.Build
	build.MaxMemory = max(tx.db.opt.WriteMemory, leastBuild) // what does not fit waits in temporary files
	tx.bulk.builder = segment.NewBuilder(&build)
	left := newTxChanges()
	for _, r := range tx.order {
		switch {
		case r.now == r.was:
		case r.was:
			left.order = append(left.order, r)
		default:
			raw := r.quad.Raw()
			if err := tx.bulk.builder.AddUnchecked(&raw); err != nil {
				return err
			}
		}
	}
	tx.txChanges, tx.text = left, 0
	return nil
}

func (tx *Tx) addBulk(ctx context.Context, quads []rdf.Quad) error {
	b := tx.bulk.builder
	if len(quads) >= bulkLeast {
		return b.AddQuads(ctx, func(yield func(rdf.Quad, error) bool) {
			for _, q := range quads {
				if !yield(q, nil) {
					return
				}
			}
		}, rdf.Verbatim)
	}
	for _, q := range quads {
		raw := q.Raw()
		if err := b.AddQuad(&raw); err != nil {
			return err
		}
	}
	return nil
}

// bulkCount counts what the quads of a builder change, once they are written.
type bulkCount struct {
	tx      *Tx
	before  *view.Core        // what the entry is on top of
	deleted map[rdf.Quad]bool // the deletes of their entry
	empty   bool              // nothing was there
	n       int64
}

// beginCount is called before the entry of a builder is written; nil: there is no builder.
func (tx *Tx) beginCount() *bulkCount {
	if tx.bulk.builder == nil {
		return nil
	}
	c := &bulkCount{tx: tx, before: tx.base.view, deleted: make(map[rdf.Quad]bool, len(tx.order))}
	c.empty = len(tx.spilled.entries) == 0 && (tx.cleared || len(tx.base.st.log) == 0 && tx.base.changes == 0)
	for _, r := range tx.order {
		c.deleted[r.quad] = true
	}
	return c
}

// count returns by how many the quads that an entry adds make those more that are not as they
// were when the transaction began.
func (c *bulkCount) count(ctx context.Context, e *manifest.Entry, added logLayer) (int64, error) {
	if c.empty {
		return *e.Adds.Quads, nil
	}
	err := eachBatch(ctx, view.NewCore([]logEntry{{Adds: added}}, nil), func(list []rdf.Quad) error { return c.add(ctx, list) })
	return c.n, err
}

func (c *bulkCount) add(ctx context.Context, list []rdf.Quad) error {
	had, err := hasQuads(ctx, c.before, list)
	if err != nil {
		return err
	}
	was := had
	if c.before != c.tx.origin {
		if was, err = hasQuads(ctx, c.tx.origin, list); err != nil {
			return err
		}
	}
	for i, q := range list {
		switch {
		case had[i] && !c.deleted[q]:
		case was[i]:
			c.n--
		default:
			c.n++
		}
	}
	return nil
}

// finishBulk writes the last entry, with the quads of the builder, and counts these.
func (tx *Tx) finishBulk(ctx context.Context) ([]manifest.Entry, int64, error) {
	s, bulk := &tx.spilled, tx.beginCount()
	last, err := tx.write(ctx, s.maker, tx.steps())
	if err != nil {
		return nil, 0, err
	}
	added, err := bulk.count(ctx, &last[0], s.layers[len(s.layers)-1].Adds)
	return last, added, err
}
