package engine

import (
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
)

// View is the fold of a log of entries as one graph, lazily: a scan reads what its pattern
// needs. It is a [dataset.Dataset], and ends with the snapshot or the transaction that gave it:
// then its methods fail with [ErrClosed].
//
// As it is declared:
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
//	// Search yields the best limit subjects and literals of the default graph that have all words of a query, all of them if limit is not above 0; see package textsearch.
//	func (v *View) Search(ctx context.Context, words string, limit int) iter.Seq2[textsearch.Hit, error]
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
//	// TextTokens returns, for each word, the tokens that it stands for in the visible literals of the default graph, with their subjects; nil where the base's file has no text index, or too much was changed since.
//	func (v *View) TextTokens(ctx context.Context, words []dataset.TextWord) (found [][]dataset.TextToken, sorted []dataset.IDRange, err error)
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
type View = view.View

type (
	logEntry = layers.Entry
	logLayer = layers.Layer
)
