package pattern

import (
	"context"
	"io"

	"github.com/rete-go/rete/tombstone"
)

// windows delivers a layer predicate by predicate, where the predicate is the
// first free column: a window for each, so that no predicate is held whole.
type windows struct {
	outer *window
	inner *window
	bound tombstone.Key
}

func (w *windows) Next(ctx context.Context) ([]tombstone.Row, error) {
	o := w.outer
	for {
		if w.inner != nil {
			rows, err := w.inner.Next(ctx)
			if err != io.EOF {
				return rows, err
			}
			w.inner = nil
		}
		if len(o.keys) == 0 {
			return nil, io.EOF
		}
		lo := o.lo
		lo[o.lead] = o.keys[0].local
		if o.lead == 2 { // one row
			rows, _, err := o.read(ctx, o.keys[:1])
			if err != nil {
				return nil, err
			}
			o.keys = o.keys[1:]
			out, err := ToKeys(ctx, o.q.space, o.q.table, o.l, o.q.Order, rows)
			if err != nil {
				return nil, err
			}
			if out = tombstone.Range(out, w.bound, o.q.Hi); len(out) > 0 {
				return out, nil
			}
			continue
		}
		o.keys = o.keys[1:]
		w.inner = &window{q: o.q, l: o.l, graph: o.graph, order: o.innerOrder(), lo: lo, lead: o.lead + 1, bound: w.bound}
		if err := w.inner.fill(ctx); err != nil {
			return nil, err
		}
	}
}

func (w *windows) Bytes() int64 {
	n := w.outer.Bytes()
	if w.inner != nil {
		n += w.inner.Bytes()
	}
	return n
}

func (w *windows) Seek(key tombstone.Key) {
	if w.bound.Compare(key) < 0 {
		w.bound = key
		w.outer.Seek(key)
		if w.inner != nil {
			w.inner.Seek(key)
		}
	}
}
