package stats

import (
	"context"
	"io"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/dataset"
)

// Bounds of a pass over ids.
const (
	gapIDs   = 4096 // ranges with no more ids between them are one
	leastIDs = 1 << 12
	mostIDs  = 1 << 24
)

// tally counts the quads of each id of some ranges, which stand in the leading column of an
// order, and calls use for one stretch of ids after the other: counts[i] is that of first+i.
// Ids between the ranges may come too. use may not keep counts.
func (c *collector) tally(ctx context.Context, ranges []dataset.IDRange, o dataset.Order, use func(r dataset.IDRange, counts []uint64) error) error {
	const share = 2 * 2 // of two tallies at a time, which leave the other half to lists
	pass := uint64(min(max((c.opt.Memory-c.held.Load())/share/8, leastIDs), mostIDs))
	var counts []uint64
	for _, r := range passes(ranges, pass) {
		n := int(r.Hi - r.Lo + 1)
		counts = slices.Grow(counts[:0], n)[:n]
		clear(counts)
		for _, g := range c.modes() {
			if err := c.tallyGraphs(ctx, g, o, r, counts); err != nil {
				return err
			}
		}
		if err := use(r, counts); err != nil {
			return err
		}
	}
	return nil
}

// passes returns ranges of at most most ids that hold those of the list, which ascend.
func passes(list []dataset.IDRange, most uint64) (out []dataset.IDRange) {
	for _, r := range list {
		if n := len(out); n > 0 && r.Lo-out[n-1].Hi <= gapIDs && uint64(r.Hi-out[n-1].Lo) < most {
			out[n-1].Hi = r.Hi
			continue
		}
		for uint64(r.Hi-r.Lo) >= most {
			out = append(out, dataset.IDRange{Lo: r.Lo, Hi: r.Lo + dataset.ID(most) - 1})
			r.Lo += dataset.ID(most)
		}
		out = append(out, r)
	}
	return out
}

// partIDs is the least number of ids of a pass that several goroutines share.
const partIDs = 1 << 16

// tallyGraphs adds the quads of some graphs. The parts of the scan of one graph share no
// leading id, so goroutines share the counts; of several graphs there is one part.
func (c *collector) tallyGraphs(ctx context.Context, g dataset.Graphs, o dataset.Order, r dataset.IDRange, counts []uint64) error {
	parts := c.opt.Workers
	if len(counts) < partIDs || g.Mode != dataset.Unnamed && c.named > 1 {
		parts = 1
	}
	group, ctx := errgroup.WithContext(ctx)
	for part := range parts {
		group.Go(func() error {
			opt := &dataset.ScanOptions{Cols: o.Columns()[0].Bit(), From: []dataset.ID{r.Lo}, To: []dataset.ID{r.Hi + 1}, Part: part, Parts: parts}
			cursor, err := c.ds.Scan(ctx, dataset.Pattern{G: g}, o, opt)
			if err != nil {
				return err
			}
			defer cursor.Close()
			return add(ctx, cursor, o.Columns()[0], r.Lo, counts)
		})
	}
	return group.Wait()
}

// add adds the rows of a cursor to the counts of the ids of a column.
func add(ctx context.Context, cursor dataset.Cursor, col dataset.Col, first dataset.ID, counts []uint64) error {
	var b dataset.Batch
	for {
		err := cursor.Next(ctx, &b)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, id := range b.Col[col][:b.N] {
			counts[id-first]++
		}
	}
}
