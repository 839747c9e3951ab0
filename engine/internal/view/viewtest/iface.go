package viewtest

import (
	"context"
	"iter"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// View is what a view of package engine has, of whatever layers it is.
type View interface {
	dataset.Dataset
	dataset.Distant
	dataset.GraphLister
	dataset.GraphPlacer
	dataset.RangeShare
	dataset.Spaced
	dataset.TermScan
	dataset.ValueIndex
	Quads(ctx context.Context, p dataset.Pattern) iter.Seq2[*rdf.RawQuad, error]
	SortedQuads(ctx context.Context) iter.Seq2[*rdf.RawQuad, error]
	SortedGraph(ctx context.Context, graph rdf.Term) iter.Seq2[*rdf.RawQuad, error]
	Len(ctx context.Context) (uint64, error)
}
