package engine

import (
	"context"
	"io"
)

// windows delivers a layer predicate by predicate, where the predicate is the
// first free column: a window for each, so that no predicate is held whole.
type windows struct {
	outer *window
	inner *window
	bound key3
}

func (w *windows) next(ctx context.Context) (sideRows, error) {
	o := w.outer
	for {
		if w.inner != nil {
			rows, err := w.inner.next(ctx)
			if err != io.EOF {
				return rows, err
			}
			w.inner = nil
		}
		if len(o.keys) == 0 {
			return sideRows{}, io.EOF
		}
		lo := o.lo
		lo[o.lead] = o.keys[0].local
		if o.lead == 2 { // one row
			rows, _, err := o.read(ctx, o.keys[:1])
			if err != nil {
				return sideRows{}, err
			}
			o.keys = o.keys[1:]
			out, err := o.q.v.toKeys(ctx, o.q.names, o.l, o.q.order, rows)
			if err != nil {
				return sideRows{}, err
			}
			if out = sideRange(out, w.bound, o.q.hi); len(out) > 0 {
				return sideRows{rows: out}, nil
			}
			continue
		}
		o.keys = o.keys[1:]
		w.inner = &window{q: o.q, l: o.l, graph: o.graph, order: o.innerOrder(), lo: lo, lead: o.lead + 1, bound: w.bound}
		if err := w.inner.fill(ctx); err != nil {
			return sideRows{}, err
		}
	}
}

func (w *windows) bytes() int64 {
	n := w.outer.bytes()
	if w.inner != nil {
		n += w.inner.bytes()
	}
	return n
}

func (w *windows) seek(key key3) {
	if w.bound.compare(key) < 0 {
		w.bound = key
		w.outer.seek(key)
		if w.inner != nil {
			w.inner.seek(key)
		}
	}
}
