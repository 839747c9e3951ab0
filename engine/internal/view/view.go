package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/pattern"
	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

// ViewOptions bound what a view keeps in memory. The zero value and nil work.
type ViewOptions struct {
	// DeltaBytes is the most that the rows of small layers may take once they are
	// held in memory, translated and sorted (docs/architecture.md, "The fold"). Zero
	// means 64 MiB; a negative number keeps every layer where it is.
	DeltaBytes int64
	// MatchRows is how many rows of a layer a scan translates and sorts at once
	// where the layer is not in memory. Zero means 65,536.
	MatchRows int
}

// Core is a [View] without an end: what the engine itself works with.
type Core = view

// view is a [View] without an end, which the engine itself works with.
type view struct {
	idspace.IDs
	top     *top        // committed batches above the log, nil without a journal
	durable atomic.Bool // readers have the view: its batches are on disk

	names  ctxsync.Lazy[viewNames]
	seed   atomic.Pointer[seed] // what names is made of, until it is; nil: of the layers alone
	budget int64
	match  int // ViewOptions.MatchRows
	cut    atomic.Pointer[cutScan]
	chosen atomic.Pointer[graphChoice]
	// ranks is 0 and the ranks of all named graphs, once they were asked for.
	ranks  atomic.Pointer[[]uint32]
	cards  cardinalities
	text   ctxsync.Lazy[textLevels]
	since  *textSince    // nil: the words of what the top has changed are read anew
	number atomic.Uint64 // see State; 0: not asked for yet
}

// ErrNoGraph: the graph has no visible quad, so it does not exist.
var ErrNoGraph = errors.New("no such graph")

var errTrieClosed = fmt.Errorf("engine: the trie: %w", closed.Err)

var errCursorClosed = fmt.Errorf("engine: the cursor: %w", closed.Err)

// errLacks says that the log of a new view lacks a quad that it must have.
var errLacks = errors.New("engine: the log lacks a quad of the previous one")

// views is how many views have been given a number.
var views atomic.Uint64

// State names the view as no other of the process is named; see [Snapshot.State] for
// names of what is stored.
func (v *view) State() string {
	if v.number.Load() == 0 {
		v.number.CompareAndSwap(0, views.Add(1))
	}
	return "view/" + strconv.FormatUint(v.number.Load(), 10)
}

// Space implements [dataset.Spaced]: a view has the same ids for all of its life.
func (v *view) Space() any { return v }

// NewCore is [NewView].
func NewCore(log []layers.Entry, opt *ViewOptions) *view {
	v := &view{budget: 64 << 20, match: 1 << 16}
	if opt != nil && opt.DeltaBytes != 0 {
		v.budget = max(opt.DeltaBytes, 0)
	}
	if opt != nil && opt.MatchRows > 0 {
		v.match = opt.MatchRows
	}
	v.Extend(log)
	return v
}

// Append is [View.Append].
func (v *view) Append(log ...layers.Entry) *view { return v.Appended(log, false) }

// Appended is Append; sealed says that the first entry has the batches of v's top.
func (v *view) Appended(log []layers.Entry, sealed bool) *view {
	next := &view{budget: v.budget, match: v.match}
	next.Entries = v.Entries
	if core := v.core(); len(core.Adds) > 0 { // dels alone take nothing away
		next.IDs = core.Clipped()
		next.seed.Store(v.seedOf(sealed))
	}
	next.Extend(log)
	return next
}

// core returns the view of the log alone.
func (v *view) core() *view {
	if v.top != nil {
		return v.top.core
	}
	return v
}

// viewNames are the predicates and the graph names of a view, and what is ordered
// by their ranks.
type viewNames struct {
	idspace.Names
	delta *deltaBox
}

// table returns the names of the view, made on first use: read from every layer, or made
// from those of a view that has the same first layers.
func (v *view) table(ctx context.Context) (*viewNames, error) {
	return v.names.Get(ctx, func(ctx context.Context) (*viewNames, error) {
		s := v.seed.Load()
		if s == nil {
			return v.readNames(ctx)
		}
		n, err := v.inherit(ctx, s)
		if err == nil {
			v.seed.Store(nil)
		}
		return n, err
	})
}

// readNames makes the names from all layers.
func (v *view) readNames(ctx context.Context) (*viewNames, error) {
	n, err := v.ReadNames(ctx)
	if err != nil {
		return nil, err
	}
	return &viewNames{*n, newDeltaBox(newDelta(len(v.Layers)))}, nil
}

// Lookup is [View.Lookup].
func (v *view) Lookup(ctx context.Context, terms []rdf.Term, out []dataset.ID) error {
	surfaces := make([][]byte, len(terms))
	for i, t := range terms {
		surfaces[i] = []byte(t.Surface())
	}
	return v.LookupSurfaces(ctx, surfaces, out)
}

// LookupSurfaces is Lookup of canonical surfaces. Literals are no names, so they are found
// without these, of which there may be thousands.
func (v *view) LookupSurfaces(ctx context.Context, terms [][]byte, out []dataset.ID) error {
	n := &viewNames{}
	if slices.ContainsFunc(terms, func(t []byte) bool { return !bytes.HasPrefix(t, []byte(`"`)) }) {
		var err error
		if n, err = v.table(ctx); err != nil {
			return err
		}
	}
	return v.LookupIn(ctx, &n.Names, terms, out)
}

// Columns of a quad, as indexes.
const (
	colS = int(dataset.S)
	colP = int(dataset.P)
	colO = int(dataset.O)
	colG = int(dataset.G)
)

// query is a pattern made ready for one order, of a view.
type query struct {
	pattern.Query
	v     *view
	names *viewNames
}

// newQuery resolves the pattern's predicate and the bounds of the order.
func (v *view) newQuery(ctx context.Context, n *viewNames, p dataset.Pattern, o tile.Order, opt *dataset.ScanOptions) (*query, error) {
	q, err := pattern.NewQuery(ctx, &v.IDs, &n.Names, v.match, p, o, opt)
	if err != nil {
		return nil, err
	}
	return &query{q, v, n}, nil
}
