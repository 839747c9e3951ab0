// Package enginetest makes views of logs that no manifest names, for tests: [NewView] of an [Entry]
// for each of their changes.
package enginetest

import (
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/segment"
)

type (
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
func NewView(log []Entry, opt *ViewOptions) engine.View { return view.NewView(log, opt) }

// SegmentLayer returns a segment as a layer.
func SegmentLayer(s *segment.Segment) Layer { return layers.FromSegment(s) }
