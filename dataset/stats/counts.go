package stats

import (
	"context"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
)

// runRows is up to how many rows of a key are read one after the other; more are counted by
// directories.
const runRows = 2 * dataset.MaxBatch

// counts counts the rows of a pattern by a column, which follows the bound ones in an order.
func (c *collector) counts(ctx context.Context, p dataset.Pattern, o dataset.Order, col dataset.Col) (List, error) {
	k := &keys{c: c, p: p, col: col, top: c.top(c.opt.Top)}
	single := p
	if c.named > 0 {
		// Rows of several graphs come once, which tells keys, not how many quads they have.
		k.counted = true
		single.G = dataset.Graphs{Mode: dataset.Merge}
	}
	var err error
	if k.cursor, err = c.ds.Scan(ctx, single, o, &dataset.ScanOptions{Cols: col.Bit()}); err != nil {
		return List{}, err
	}
	defer k.cursor.Close()
	for _, at := range o.Columns() {
		if id := p.At(at); id != 0 {
			k.place = append(k.place, id)
		}
	}
	if err := k.read(ctx); err != nil {
		return List{}, err
	}
	return k.top.list(ctx)
}

// keys is a scan that goes from one id of a column to the next.
type keys struct {
	c       *collector
	p       dataset.Pattern
	col     dataset.Col
	cursor  dataset.Cursor
	place   []dataset.ID // of the bound columns
	counted bool         // rows are counted by directories always
	top     *top

	key dataset.ID // whose rows are read
	n   uint64     // of them so far
}

// read reads the scan to its end.
func (k *keys) read(ctx context.Context) error {
	var b dataset.Batch
	for {
		err := k.cursor.Next(ctx, &b)
		if err == io.EOF {
			return k.flush(ctx)
		}
		if err != nil {
			return err
		}
		for _, id := range b.Col[k.col][:b.N] {
			if id != k.key {
				if err := k.flush(ctx); err != nil {
					return err
				}
				k.key = id
			}
			k.n++
		}
		if k.n > runRows || k.counted && k.n >= uint64(b.N) {
			if err := k.skip(ctx); err != nil {
				return err
			}
		}
	}
}

// flush ends the rows of a key.
func (k *keys) flush(ctx context.Context) error {
	if k.n == 0 {
		return nil
	}
	n := k.n
	k.n = 0
	if k.counted {
		var err error
		if n, err = k.count(ctx); err != nil {
			return err
		}
	}
	return k.top.add(k.key, n)
}

// skip counts a key by directories and goes on to the next one.
func (k *keys) skip(ctx context.Context) error {
	n, err := k.count(ctx)
	if err != nil {
		return err
	}
	k.n = 0
	if err := k.top.add(k.key, n); err != nil {
		return err
	}
	key := append(k.place[:len(k.place):len(k.place)], k.key)
	for len(key) < 3 {
		key = append(key, ids.Local-1) // after every id
	}
	return k.cursor.Seek(ctx, key...)
}

// count returns the number of quads of the key.
func (k *keys) count(ctx context.Context) (total uint64, err error) {
	p := k.p
	if k.col == dataset.P {
		p.P = k.key
	} else {
		p.O = k.key
	}
	for _, p.G = range k.c.modes() {
		n, err := k.c.ds.Count(ctx, p)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
