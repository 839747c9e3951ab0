package view

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/tile"
)

// Order is a sort order of the triple columns. Rows of a scan ascend by the
// order's columns in the view's order: nodes by id, predicates by rank.
type Order = tile.Order

// Section is one of the four dictionary sections of a layer (docs/file-format.md, "Dictionary").
type Section uint8

// The sections. A node is in exactly one of the first three; a predicate is in
// Predicates, and may be a node as well.
const (
	Shared Section = iota
	SubjectOnly
	ObjectOnly
	Predicates
)

// LayerCounts are the sizes of a layer.
type LayerCounts struct {
	Shared, Subjects, Objects, Predicates uint32 // terms of the four sections
	Graphs                                uint32 // named graphs
	// Quads is about how many quads the layer has. It decides which layer owns a
	// term and what is small, never an answer.
	Quads uint64
}

// nodes returns how many nodes the layer has; node numbers are 1 to nodes.
func (c *LayerCounts) nodes() uint64 {
	return uint64(c.Shared) + uint64(c.Subjects) + uint64(c.Objects)
}

// Layer is one immutable set of quads with its own dictionary: a segment, or a
// sorted run in memory. A [View] folds adds and dels layers into one graph.
//
// Subject ids are 1 to Shared+Subjects, object ids 1 to Shared+Objects, the
// first Shared of both are the same terms. Every section and the graph names
// ascend by surface, and no term is in two of the node sections.
//
// All methods may be called concurrently. Errors name the layer's object.
type Layer interface {
	// Name names the layer in errors.
	Name() string
	// Counts returns the layer's sizes without reading anything.
	Counts() LayerCounts
	// Locate sets out[i] to the section-local id of sorted[i], 0 if it is not
	// there. The surfaces ascend.
	Locate(ctx context.Context, sec Section, sorted [][]byte, out []uint32) error
	// LowerBound returns the section-local id of the first term that is not below
	// surface: the section's size plus one if all are.
	LowerBound(ctx context.Context, sec Section, surface []byte) (uint32, error)
	// Decode appends the surfaces of the ascending section-local ids.
	Decode(ctx context.Context, sec Section, local []uint32, out *dataset.Terms) error
	// GraphNames returns the names of the named graphs, ascending. Graph 0 is
	// the default graph, graph i the name i-1. Do not change the result.
	GraphNames(ctx context.Context) ([][]byte, error)
	// PredicateNodes returns, for each predicate (index 0 is predicate 1), the
	// node that it also is, 0 if it is none. Do not change it.
	PredicateNodes(ctx context.Context) ([]uint64, error)
	// GraphNodes returns, for each graph name (index 0 is graph 1), the node that
	// it also is, or the number of nodes plus the predicate that it is, or 0. Do
	// not change it.
	GraphNodes(ctx context.Context) ([]uint64, error)
	// Scan opens the rows of a graph in an order, from lo (included) to hi
	// (excluded), both by the columns of the order.
	Scan(ctx context.Context, graph uint32, o Order, lo, hi [3]uint32) (Runs, error)
	// Tiles returns the directory entries of the tiles of a graph in an order that
	// may hold rows with a prefix. Do not change it.
	Tiles(ctx context.Context, graph uint32, o Order, prefix ...uint32) ([]tile.Entry, error)
	// Count returns the exact number of rows with a prefix.
	Count(ctx context.Context, graph uint32, o Order, prefix ...uint32) (uint64, error)
}

// Run is a stretch of rows of one decoded tile: rows Lo to Hi, Hi excluded. The
// tile is shared: do not change it.
type Run struct {
	Tile   *tile.Tile
	Number int // of the tile; in SPO order through all graphs, see package tombstone
	Lo, Hi int
}

// Runs delivers a layer's rows in order.
type Runs interface {
	// Next returns the next stretch, never an empty one, and io.EOF at the end.
	Next(ctx context.Context) (Run, error)
	// Seek drops the rows before key; it never moves back.
	Seek(ctx context.Context, key [3]uint32) error
}

// Entry is one entry of the log: its dels are taken away, then its adds put in.
// Either may be nil.
type Entry struct {
	Adds, Dels Layer
}

// What a [View] speaks in, from package dataset.
type (
	ID          = dataset.ID
	Pattern     = dataset.Pattern
	Graphs      = dataset.Graphs
	GraphMode   = dataset.GraphMode
	Cols        = dataset.Cols
	ScanOptions = dataset.ScanOptions
	Batch       = dataset.Batch
	Card        = dataset.Card
	Class       = dataset.Class
	IDRange     = dataset.IDRange
)

// The graph modes of a pattern.
const (
	Unnamed = dataset.Unnamed
	Each    = dataset.Each
	Merge   = dataset.Merge
)

// Columns of a quad, as indexes.
const (
	colS = int(dataset.S)
	colP = int(dataset.P)
	colO = int(dataset.O)
	colG = int(dataset.G)
)

var (
	_ dataset.Dataset     = (*View)(nil)
	_ dataset.GraphLister = (*View)(nil)
	_ dataset.RangeShare  = (*View)(nil)
	_ dataset.Spaced      = (*View)(nil)
	_ dataset.TermScan    = (*View)(nil)
	_ dataset.ValueIndex  = (*View)(nil)
)
