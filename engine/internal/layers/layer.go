package layers

import (
	"context"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/tile"
)

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

// Layer is one immutable set of quads with its own dictionary: a segment, or a
// sorted run in memory. A view folds adds and dels layers into one graph.
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
	Counts() Counts
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
	Scan(ctx context.Context, graph uint32, o tile.Order, lo, hi [3]uint32) (Runs, error)
	// Tiles returns the directory entries of the tiles of a graph in an order that
	// may hold rows with a prefix. Do not change it.
	Tiles(ctx context.Context, graph uint32, o tile.Order, prefix ...uint32) ([]tile.Entry, error)
	// Count returns the exact number of rows with a prefix.
	Count(ctx context.Context, graph uint32, o tile.Order, prefix ...uint32) (uint64, error)
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

// TermsOf returns a list of surfaces as slices into a slab.
func TermsOf(t *ids.Terms) [][]byte {
	out := make([][]byte, t.Len())
	for i := range out {
		out[i] = t.At(i)
	}
	return out
}

// TilesIn returns the directory entries whose tiles may hold rows from lo to hi,
// hi excluded.
func TilesIn(entries []tile.Entry, lo, hi [3]uint32) []tile.Entry {
	from := sort.Search(len(entries), func(i int) bool { return Compare(MaxRow(&entries[i]), lo) >= 0 })
	to := from + sort.Search(len(entries)-from, func(i int) bool { return Compare(MinRow(&entries[from+i]), hi) >= 0 })
	return entries[from:to]
}

// AfterPrefix returns the first row that does not begin with the first n ids of k.
func AfterPrefix(k [3]uint32, n int) [3]uint32 {
	if n == 0 {
		return EndRow
	}
	clear(k[n:])
	for n--; n >= 0; n-- {
		if k[n]++; k[n] != 0 {
			return k
		}
	}
	return EndRow
}

// MinRow returns a row that no row of a tile is below, as high as its entry allows.
func MinRow(e *tile.Entry) [3]uint32 {
	r := [3]uint32{e.MinA}
	if e.HasSynopsis && e.MinA == e.MaxA {
		r[1] = e.MinB
		if e.MinB == e.MaxB {
			r[2] = e.MinC
		}
	}
	return r
}

// MaxRow returns a row that no row of a tile is above, as low as its entry allows.
func MaxRow(e *tile.Entry) [3]uint32 {
	r := [3]uint32{e.MaxA, 1<<32 - 1, 1<<32 - 1}
	if e.HasSynopsis && e.MinA == e.MaxA {
		r[1] = e.MaxB
		if e.MinB == e.MaxB {
			r[2] = e.MaxC
		}
	}
	return r
}

// EndRow is above every row of a layer.
var EndRow = [3]uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1}

// Compare orders rows by their columns, the first one first.
func Compare(a, b [3]uint32) int {
	for i := range a {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// prefixRow returns the first row that may have a prefix.
func prefixRow(prefix []uint32) (row [3]uint32) {
	copy(row[:], prefix)
	return row
}
