package engine

import (
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/segment"
)

// The fold of a log as one graph, for programs that make views of their own.
type (
	// View is the fold of a log of entries as one graph, lazily: making one reads nothing,
	// and a scan reads what its pattern needs. It is a [dataset.Dataset]. That of a snapshot
	// or a transaction ends with it: then its methods fail with [ErrClosed].
	//
	// As it is declared:
	//
	//	// Append returns the view of a longer log: that of v and more entries after it.
	//	func (v *View) Append(log ...Entry) *View
	//
	//	// Count returns the exact number of visible quads that match p: the base's rows by its tiles, without the hidden ones, and the inserts.
	//	func (v *View) Count(ctx context.Context, p dataset.Pattern) (n uint64, err error)
	//
	//	// Decode appends the surfaces of ids, which ascend and are distinct, to out.
	//	func (v *View) Decode(ctx context.Context, list []dataset.ID, out *dataset.Terms) error
	//
	//	// Distant implements [dataset.Distant].
	//	func (v *View) Distant() bool
	//
	//	// Each calls f for every visible quad, the default graph first.
	//	func (v *View) Each(ctx context.Context, f func(*rdf.RawQuad) error) error
	//
	//	// Ended returns an error that matches [closed.Err] once the snapshot or transaction that gave the view has ended.
	//	func (v *View) Ended() error
	//
	//	// Estimate guesses the number of rows of p from tile directories, without reading a tile where they hold counts, else from at most eight of them.
	//	func (v *View) Estimate(ctx context.Context, p dataset.Pattern) (c dataset.Cardinality, err error)
	//
	//	// Len returns the exact number of visible quads.
	//	func (v *View) Len(ctx context.Context) (n uint64, err error)
	//
	//	// Lookup sets out[i] to the id of terms[i], 0 if it is not in the data.
	//	func (v *View) Lookup(ctx context.Context, terms []rdf.Term, out []dataset.ID) error
	//
	//	// NamedGraphs returns the ids of the named graphs that have a visible quad, by name.
	//	func (v *View) NamedGraphs(ctx context.Context) (list []dataset.ID, err error)
	//
	//	// Orders returns the orders in which a scan of p reads no more than its rows: the bound columns lead, and the largest layer stores the order.
	//	func (v *View) Orders(p dataset.Pattern) []dataset.Order
	//
	//	// Quads calls f for every visible quad that matches p, whose graph part is ignored: the default graph comes first, then the named ones in the order of their names.
	//	func (v *View) Quads(ctx context.Context, p dataset.Pattern, f func(*rdf.RawQuad) error) error
	//
	//	// RangeShare guesses which part of the rows of p have an id of some ranges in a column, from the tile directories of the base alone; ok is false where these say nothing.
	//	func (v *View) RangeShare(ctx context.Context, p dataset.Pattern, c dataset.Col, list []dataset.IDRange) (share float64, ok bool, err error)
	//
	//	// Ranges returns ascending, disjoint intervals that hold every id of the terms of a class: a few for each layer.
	//	func (v *View) Ranges(ctx context.Context, c dataset.Class) (list []dataset.IDRange, exact bool, err error)
	//
	//	// Scan opens a cursor over the visible quads that match p.
	//	func (v *View) Scan(_ context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error)
	//
	//	// ScanTerms calls use for one stretch after the other of the terms of a range of ids, which is of one layer: surface k of t, lo <= k < hi, is that of the id first+k.
	//	func (v *View) ScanTerms(ctx context.Context, r dataset.IDRange, use func(first dataset.ID, t *dataset.Terms, lo, hi int) error) error
	//
	//	// SortedGraph is [View.SortedQuads] for one graph; the zero term is the default graph, which always exists.
	//	func (v *View) SortedGraph(ctx context.Context, graph rdf.Term, f func(*rdf.RawQuad) error) error
	//
	//	// SortedQuads calls f for every visible quad, sorted by graph, subject, predicate and object, each by surface, the default graph first.
	//	func (v *View) SortedQuads(ctx context.Context, f func(*rdf.RawQuad) error) error
	//
	//	// Space implements [dataset.Spaced]: views that see the same have equal ones.
	//	func (v *View) Space() any
	//
	//	// State names the view as no other of the process is named.
	//	func (v *View) State() string
	//
	//	// Trie opens the rows of p in an order whose bound columns lead.
	//	func (v *View) Trie(ctx context.Context, p dataset.Pattern, o dataset.Order) (dataset.Trie, error)
	//
	//	// ValueCount returns how many ids [View.ValueIDs] would find at most.
	//	func (v *View) ValueCount(ctx context.Context, i dataset.Interval, worth uint64) (n uint64, err error)
	//
	//	// ValueIDs returns a set that has the id of every literal with a key in the interval, and may have others: those whose keys are next to it, and all literals of the journal and of other layers without an index.
	//	func (v *View) ValueIDs(ctx context.Context, i dataset.Interval, worth uint64) (set *dataset.IDSet, err error)
	//
	//	// ValueStep returns the key up to which, from a key on, about n literals of a class have their keys, so that a walk in the order of values asks for stretch after stretch; n is not 0.
	//	func (v *View) ValueStep(ctx context.Context, c dataset.ValueClass, from dataset.ValueKey, n, worth uint64, down bool) (key dataset.ValueKey, err error)
	View = view.View
	// ViewOptions bound what a view keeps in memory.
	//
	// As it is declared:
	//
	//	type ViewOptions struct {
	//	    // DeltaBytes is the most that the rows of small layers may take once they are
	//	    // held in memory, translated and sorted (docs/architecture.md, "The fold"). Zero
	//	    // means 64 MiB; a negative number keeps every layer where it is.
	//	    DeltaBytes int64
	//	    // MatchRows is how many rows of a layer a scan translates and sorts at once
	//	    // where the layer is not in memory. Zero means 65,536.
	//	    MatchRows int
	//	}
	ViewOptions = view.ViewOptions
	// Entry is one entry of a log: first its dels go, then its adds come.
	//
	// As it is declared:
	//
	//	type Entry struct {
	//	    Adds, Dels Layer
	//	}
	Entry = layers.Entry
	// Layer is one immutable set of quads with its own dictionary.
	//
	// As it is declared:
	//
	//	type Layer interface {
	//	    // Name names the layer in errors.
	//	    Name() string
	//	    // Counts returns the layer's sizes without reading anything.
	//	    Counts() Counts
	//	    // Locate sets out[i] to the section-local id of sorted[i], 0 if it is not
	//	    // there. The surfaces ascend.
	//	    Locate(ctx context.Context, sec Section, sorted [][]byte, out []uint32) error
	//	    // LowerBound returns the section-local id of the first term that is not below
	//	    // surface: the section's size plus one if all are.
	//	    LowerBound(ctx context.Context, sec Section, surface []byte) (uint32, error)
	//	    // Decode appends the surfaces of the ascending section-local ids.
	//	    Decode(ctx context.Context, sec Section, local []uint32, out *dataset.Terms) error
	//	    // GraphNames returns the names of the named graphs, ascending. Graph 0 is
	//	    // the default graph, graph i the name i-1. Do not change the result.
	//	    GraphNames(ctx context.Context) ([][]byte, error)
	//	    // PredicateNodes returns, for each predicate (index 0 is predicate 1), the
	//	    // node that it also is, 0 if it is none. Do not change it.
	//	    PredicateNodes(ctx context.Context) ([]uint64, error)
	//	    // GraphNodes returns, for each graph name (index 0 is graph 1), the node that
	//	    // it also is, or the number of nodes plus the predicate that it is, or 0. Do
	//	    // not change it.
	//	    GraphNodes(ctx context.Context) ([]uint64, error)
	//	    // Scan opens the rows of a graph in an order, from lo (included) to hi
	//	    // (excluded), both by the columns of the order.
	//	    Scan(ctx context.Context, graph uint32, o tile.Order, lo, hi [3]uint32) (Runs, error)
	//	    // Tiles returns the directory entries of the tiles of a graph in an order that
	//	    // may hold rows with a prefix. Do not change it.
	//	    Tiles(ctx context.Context, graph uint32, o tile.Order, prefix ...uint32) ([]tile.Entry, error)
	//	    // Count returns the exact number of rows with a prefix.
	//	    Count(ctx context.Context, graph uint32, o tile.Order, prefix ...uint32) (uint64, error)
	//	}
	Layer = layers.Layer
)

// NewView returns the fold of a log, oldest entry first. Layers must outlive it.
func NewView(log []Entry, opt *ViewOptions) *View { return view.NewView(log, opt) }

// SegmentLayer returns a segment as a layer.
func SegmentLayer(s *segment.Segment) Layer { return layers.FromSegment(s) }
