package view

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync/atomic"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/rdf"
)

// Ending is the end of a snapshot or of a transaction: what these gave ends with them. The
// nil one never comes. What is under way when it comes gets its answer, or the error of the
// end, whatever it fails with.
type Ending = ending

type ending struct {
	come atomic.Bool
	err  error
}

// NewEnding returns the end of what fails with an error afterwards.
func NewEnding(err error) *Ending { return &ending{err: err} }

// Come says that the end has come.
func (e *ending) Come() { e.come.Store(true) }

// Until returns the view with an end.
func (v *view) Until(end *Ending) *View { return &View{v, end} }

// Over returns the error of a use after the end; nil before it.
func (e *ending) Over() error {
	if e != nil && e.come.Load() {
		return e.err
	}
	return nil
}

// Late turns the error of what was under way when the end came into that of the end. One of the
// context has its cause.
func (e *ending) Late(ctx context.Context, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if over := e.Over(); over != nil {
		return over
	}
	return cancel.Why(ctx, err)
}

// View is the fold of a log of entries as one graph, lazily: making one reads
// nothing, and a scan reads what its pattern needs.
//
// A term has one id in a view, in every column: the number of the largest adds
// layer that has it, and its node number there (or, if it is no node there, its
// place among the predicates and graph names, which come after the nodes). A View may be
// used by several goroutines; it is immutable but for what it remembers. That of a
// snapshot or a transaction ends with it: then its methods, and those of its cursors and
// tries, fail with an error that matches [closed.Err].
type View struct {
	core *view   // shared by all that see the same; its methods are not this one's
	end  *ending // nil: it has none
}

var (
	_ dataset.Dataset     = (*View)(nil)
	_ dataset.GraphLister = (*View)(nil)
	_ dataset.GraphPlacer = (*View)(nil)
	_ dataset.RangeShare  = (*View)(nil)
	_ dataset.Spaced      = (*View)(nil)
	_ dataset.TermScan    = (*View)(nil)
	_ dataset.TextIndex   = (*View)(nil)
	_ dataset.ValueIndex  = (*View)(nil)
)

// NewView returns the fold of a log, oldest entry first. Layers must outlive it.
func NewView(log []layers.Entry, opt *ViewOptions) *View { return &View{core: NewCore(log, opt)} }

// State names the view as no other of the process is named.
func (v *View) State() string { return v.core.State() }

// Space implements [dataset.Spaced]: views that see the same have equal ones.
func (v *View) Space() any { return v.core.Space() }

// Ended returns an error that matches [closed.Err] once the snapshot or transaction that gave
// the view has ended.
func (v *View) Ended() error { return v.end.Over() }

// Distant implements [dataset.Distant].
func (v *View) Distant() bool { return v.core.Distant() }

// Lookup sets out[i] to the id of terms[i], 0 if it is not in the data. The terms may
// come in any order; a batch is one pass through the dictionaries. The lengths must be
// equal.
func (v *View) Lookup(ctx context.Context, terms []rdf.Term, out []dataset.ID) error {
	if err := v.end.Over(); err != nil {
		return err
	}
	return v.end.Late(ctx, v.core.Lookup(ctx, terms, out))
}

// Decode appends the surfaces of ids, which ascend and are distinct, to out. An
// id that the view never handed out is an error.
func (v *View) Decode(ctx context.Context, list []dataset.ID, out *dataset.Terms) error {
	if err := v.end.Over(); err != nil {
		return err
	}
	return v.end.Late(ctx, v.core.Decode(ctx, list, out))
}

// Orders returns the orders in which a scan of p reads no more than its rows: the
// bound columns lead, and the largest layer stores the order. The first is the one
// that other readers of the file would choose.
func (v *View) Orders(p dataset.Pattern) []dataset.Order { return v.core.Orders(p) }

// Scan opens a cursor over the visible quads that match p. Any order serves any
// pattern; those of [View.Orders] read no more than the pattern's rows. Nothing is
// read before the first Next.
//
// Rows ascend by the order's columns: nodes by id, predicates by surface. Under
// Each the order holds inside one graph, and graphs follow by name.
func (v *View) Scan(_ context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	if err := v.end.Over(); err != nil {
		return nil, err
	}
	c, err := v.core.scan(p, o, opt)
	if err != nil {
		return nil, err
	}
	c.end = v.end
	return c, nil
}

// Trie opens the rows of p in an order whose bound columns lead. A free predicate
// column has an order of its own, and several graphs under Each follow each other,
// so both are [dataset.ErrNoTrie].
func (v *View) Trie(ctx context.Context, p dataset.Pattern, o dataset.Order) (dataset.Trie, error) {
	if err := v.end.Over(); err != nil {
		return nil, err
	}
	t, err := v.core.trie(ctx, p, o)
	if err != nil {
		return nil, v.end.Late(ctx, err)
	}
	t.end = v.end
	return t, nil
}

// Count returns the exact number of visible quads that match p: the base's rows
// by its tiles, without the hidden ones, and the inserts. Under Merge with more than
// one graph the rows are merged and counted.
func (v *View) Count(ctx context.Context, p dataset.Pattern) (n uint64, err error) {
	if err = v.end.Over(); err == nil {
		n, err = v.core.Count(ctx, p)
	}
	return n, v.end.Late(ctx, err)
}

// Estimate guesses the number of rows of p from tile directories, without reading
// a tile where they hold counts, else from at most eight of them. Rows of other
// layers than the base count as if they were disjoint. Over many graphs it looks
// at the first few and scales, or counts those of the graph rows.
func (v *View) Estimate(ctx context.Context, p dataset.Pattern) (c dataset.Cardinality, err error) {
	if err = v.end.Over(); err == nil {
		c, err = v.core.Estimate(ctx, p)
	}
	return c, v.end.Late(ctx, err)
}

// NamedGraphs returns the ids of the named graphs that have a visible quad, by
// name. A graph exists while it has a quad, so each name of the layers is looked
// at, but no more than one batch of it.
func (v *View) NamedGraphs(ctx context.Context) (list []dataset.ID, err error) {
	if err = v.end.Over(); err == nil {
		list, err = v.core.NamedGraphs(ctx)
	}
	return list, v.end.Late(ctx, err)
}

// GraphPlace implements [dataset.GraphPlacer]: graphs come in the order of their names.
func (v *View) GraphPlace(ctx context.Context, id dataset.ID) (place uint64, err error) {
	if err = v.end.Over(); err == nil {
		place, err = v.core.GraphPlace(ctx, id)
	}
	return place, v.end.Late(ctx, err)
}

// GraphCounts returns the graphs in which p has visible quads, by name, and how many: those of
// whole graphs as the base's file lists them, where no other layer speaks of the graph. Of
// p.G the mode must be Each. What it holds in bytes it asks of room before, unless that is nil.
func (v *View) GraphCounts(ctx context.Context, p dataset.Pattern, room func(bytes int64) error) (graphs []dataset.ID, rows []uint64, err error) {
	if err = v.end.Over(); err == nil {
		graphs, rows, err = v.core.GraphCounts(ctx, p, room)
	}
	return graphs, rows, v.end.Late(ctx, err)
}

// Ranges returns ascending, disjoint intervals that hold every id of the terms of
// a class: a few for each layer. If exact is false, they hold ids of other terms
// too: a segment's whose terms are not spelled canonically, where there is a prefix,
// those of a long journal, and of classes of values. Each bound opens one dictionary
// chunk at most; a class of values takes an index, which is made where there is none.
func (v *View) Ranges(ctx context.Context, c dataset.Class) (list []dataset.IDRange, exact bool, err error) {
	if err = v.end.Over(); err == nil {
		list, exact, err = v.core.Ranges(ctx, c)
	}
	return list, exact, v.end.Late(ctx, err)
}

// RangeShare guesses which part of the rows of p have an id of some ranges in a
// column, from the tile directories of the base alone; ok is false where these say
// nothing.
func (v *View) RangeShare(ctx context.Context, p dataset.Pattern, c dataset.Col, list []dataset.IDRange) (share float64, ok bool, err error) {
	if err = v.end.Over(); err == nil {
		share, ok, err = v.core.RangeShare(ctx, p, c, list)
	}
	return share, ok, v.end.Late(ctx, err)
}

// ScanTerms calls use for one stretch after the other of the terms of a range of ids,
// which is of one layer: surface k of t, lo <= k < hi, is that of the id first+k. A
// stretch is a chunk of a dictionary, whose bytes use sees; it may not change or keep
// them. Ids that belong to other layers are among them.
func (v *View) ScanTerms(ctx context.Context, r dataset.IDRange, use func(first dataset.ID, t *dataset.Terms, lo, hi int) error) error {
	if err := v.end.Over(); err != nil {
		return err
	}
	var failed error // of use, which may end for reasons of its own
	err := v.core.ScanTerms(ctx, r, func(first dataset.ID, t *dataset.Terms, lo, hi int) error {
		failed = use(first, t, lo, hi)
		return failed
	})
	if failed != nil {
		return err
	}
	return v.end.Late(ctx, err)
}

// ValueCount returns how many ids [View.ValueIDs] would find at most. Where a layer
// has no value index one is made if not more than worth literals must be read.
func (v *View) ValueCount(ctx context.Context, i dataset.Interval, worth uint64) (n uint64, err error) {
	if err = v.end.Over(); err == nil {
		n, err = v.core.ValueCount(ctx, i, worth)
	}
	return n, v.end.Late(ctx, err)
}

// ValueIDs returns a set that has the id of every literal with a key in the
// interval, and may have others: those whose keys are next to it, and all literals of
// the journal and of other layers without an index. It says nothing of which ids are
// visible.
func (v *View) ValueIDs(ctx context.Context, i dataset.Interval, worth uint64) (set *dataset.IDSet, err error) {
	if err = v.end.Over(); err == nil {
		set, err = v.core.ValueIDs(ctx, i, worth)
	}
	return set, v.end.Late(ctx, err)
}

// ValueStep returns the key up to which, from a key on, about n literals of a class
// have their keys, so that a walk in the order of values asks for stretch after
// stretch; n is not 0. Each step but the last ends at the key of a literal. Down walks from greater to smaller keys. At
// the end of the line the result is the end of the line.
func (v *View) ValueStep(ctx context.Context, c dataset.ValueClass, from dataset.ValueKey, n, worth uint64, down bool) (key dataset.ValueKey, err error) {
	if err = v.end.Over(); err == nil {
		key, err = v.core.ValueStep(ctx, c, from, n, worth, down)
	}
	return key, v.end.Late(ctx, err)
}

// errLeft ends what hands out quads where the loop over them was left.
var errLeft = errors.New("the loop was left")

// stream returns the quads that run hands out, until the end comes; an error is last.
func (e *ending) stream(ctx context.Context, run func(f func(*rdf.RawQuad) error) error) iter.Seq2[*rdf.RawQuad, error] {
	return func(yield func(*rdf.RawQuad, error) bool) {
		err := e.during(ctx, func(q *rdf.RawQuad) error {
			if !yield(q, nil) {
				return errLeft
			}
			return nil
		}, run)
		if err != nil && !errors.Is(err, errLeft) {
			yield(nil, err)
		}
	}
}

// during runs what hands quads to f, until the end comes; the error of f is its caller's.
func (e *ending) during(ctx context.Context, f func(*rdf.RawQuad) error, run func(f func(*rdf.RawQuad) error) error) error {
	if err := e.Over(); err != nil {
		return err
	}
	var failed error
	err := run(func(q *rdf.RawQuad) error {
		if failed = e.Over(); failed == nil {
			failed = f(q)
		}
		return failed
	})
	if failed != nil {
		return err
	}
	return e.Late(ctx, err)
}
