package engine

import (
	"context"
	"iter"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/rdf"
)

// View is the fold of a log of entries as one graph, lazily: a scan reads what its pattern
// needs. It is all that a query can use of a dataset, and the quads as sequences, whose last
// element is an error if there was one. It ends with the snapshot or the transaction that gave
// it: then its methods fail with [ErrClosed].
type View interface {
	dataset.Dataset
	dataset.Distant
	dataset.GraphLister
	dataset.GraphPlacer
	dataset.RangeShare
	dataset.Spaced
	dataset.TermScan
	dataset.TextIndex
	dataset.ValueIndex

	// Quads returns the visible quads that match p, whose graph part is ignored: those of the
	// default graph first, then those of the named ones in the order of their names. A quad is
	// valid until the loop goes on; its method Quad makes a copy that stays.
	Quads(ctx context.Context, p dataset.Pattern) iter.Seq2[*rdf.RawQuad, error]

	// SortedQuads returns the visible quads sorted by graph, subject, predicate and object, each
	// by surface, the default graph first. The order depends on the quads alone, not on the layers
	// that hold them, so two dumps of one graph are the same bytes.
	SortedQuads(ctx context.Context) iter.Seq2[*rdf.RawQuad, error]

	// SortedGraph is SortedQuads for one graph; the zero term is the default graph, which always
	// exists. A named graph without a visible quad is [ErrNoGraph].
	SortedGraph(ctx context.Context, graph rdf.Term) iter.Seq2[*rdf.RawQuad, error]

	// Search returns the best limit subjects and literals of the default graph that have all words
	// of a query, all of them if limit is not above 0; see package textsearch.
	Search(ctx context.Context, words string, limit int) iter.Seq2[textsearch.Hit, error]

	// Len returns the exact number of visible quads.
	Len(ctx context.Context) (uint64, error)

	// Ended returns an error that matches [ErrClosed] once the snapshot or transaction has ended.
	Ended() error
}

var _ View = (*view.View)(nil)

type (
	logEntry = layers.Entry
	logLayer = layers.Layer
)
