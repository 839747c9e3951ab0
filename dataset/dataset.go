// Package dataset is the contract between storage and queries: one interface,
// [Dataset], and the small types that it speaks in. Storage implements it and a query
// engine consumes it; neither knows the other. Package datasettest checks an
// implementation.
//
// The nouns are the *id*, one 64-bit number a term, equal in all four columns
// of one dataset; the *pattern*, a quad with free positions; the *order*, one
// of the six in which a scan may deliver the rows of a pattern; and the
// *cursor*, which delivers them in batches of columns.
//
// A Dataset may be used by several goroutines at a time, a cursor or a trie by
// one. Slices that are passed in belong to the caller and are not kept. An
// error of a Dataset is never a SPARQL error: it is damage, input and output,
// a limit or a cancelled context, and it ends the query.
package dataset

import (
	"context"

	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/rdf"
)

// ID is one term of one dataset; equal ids are equal terms, in every column. Zero is unbound; ids with bit
// 63 set are made by a query and are never handed to a Dataset.
//
// As it is declared:
//
//	type ID uint64
//
//	// IsLocal reports whether id was made by a query.
//	func (id ID) IsLocal() bool
type ID = ids.ID

// Terms is a list of canonical term surfaces.
//
// As it is declared:
//
//	type Terms struct {
//	    Slab []byte
//	    Ends []uint32 // Ends[i] is the end of surface i in Slab
//	}
//
//	// Append adds one surface. The slab holds at most 4 GiB.
//	func (t *Terms) Append(surface []byte)
//
//	// At returns surface i, a view into the slab: do not change it, and copy it if
//	// it must outlive the next Append or Reset.
//	func (t *Terms) At(i int) []byte
//
//	// Len returns the number of surfaces.
//	func (t *Terms) Len() int
//
//	// Reset empties the list and keeps its memory.
//	func (t *Terms) Reset()
type Terms = ids.Terms

// Dataset is one unchanging set of quads.
type Dataset interface {
	// State names the content: within one process, equal states give equal answers.
	State() string

	// Lookup sets ids[i] to the id of terms[i], or to 0 if no quad has it. Test for
	// that: 0 in a [Pattern] is every term.
	Lookup(ctx context.Context, terms []rdf.Term, ids []ID) error

	// Decode appends the surfaces of ids to out. The ids are ascending,
	// distinct and of this dataset.
	Decode(ctx context.Context, ids []ID, out *Terms) error

	// Ranges returns ascending, disjoint intervals that hold every id of the
	// class. If exact is false they may hold other ids too, and a filter must
	// look again.
	Ranges(ctx context.Context, c Class) (r []IDRange, exact bool, err error)

	// Orders returns the orders in which Scan delivers the pattern, the
	// cheapest first; at least one.
	Orders(p Pattern) []Order

	// Estimate guesses how many rows the pattern has, from directories alone.
	Estimate(ctx context.Context, p Pattern) (Cardinality, error)

	// Count returns how many rows a scan of the pattern delivers.
	Count(ctx context.Context, p Pattern) (uint64, error)

	// Scan opens a cursor over the rows of the pattern in one of its orders.
	// opt may be nil.
	Scan(ctx context.Context, p Pattern, o Order, opt *ScanOptions) (Cursor, error)

	// Trie opens the rows of the pattern as a trie with a level for each
	// column of the order, or returns ErrNoTrie.
	Trie(ctx context.Context, p Pattern, o Order) (Trie, error)
}

// Pattern is a quad with free positions, which are 0: each term is in it there.
type Pattern struct {
	S, P, O ID
	G       Graphs
}

// Columns returns the ids of the columns S, P and O.
func (p *Pattern) Columns() [3]ID { return [3]ID{p.S, p.P, p.O} }

// At returns the id in column c of the pattern; 0 for the graph.
func (p *Pattern) At(c Col) ID {
	switch c {
	case S:
		return p.S
	case P:
		return p.P
	case O:
		return p.O
	}
	return 0
}

// GraphMode tells how the graphs of a pattern become rows.
type GraphMode uint8

const (
	// Unnamed is the default graph alone. Set is not used.
	Unnamed GraphMode = iota
	// Each delivers every row of every named graph in Set, with the graph in
	// column G. Graph follows graph: an order holds inside one graph.
	Each
	// Merge delivers the set union of the graphs in Set: a triple that stands
	// in two graphs once. Column G is empty.
	Merge
)

// Graphs selects the graphs of a pattern.
type Graphs struct {
	Mode GraphMode
	// Set holds the ids of the graphs, ascending and distinct. Nil means all
	// named graphs, and under Merge the default graph too unless NamedOnly;
	// empty and not nil means none. Under Merge the id 0 stands for the default
	// graph. Ids that name no graph are ignored.
	Set       []ID
	NamedOnly bool
}

// Cardinality is an estimate of the rows of a pattern.
type Cardinality struct {
	Low, High, Guess uint64 // Low <= Guess <= High; all equal: exact
	// Distinct guesses the distinct ids of each column (S, P, O, G), 1 for a
	// bound one and 0 where nothing is known.
	Distinct [4]uint64
}

// Cursor delivers the rows of a scan, in its order.
type Cursor interface {
	// Next fills b from its beginning. It returns io.EOF at the end, and no
	// empty batch before.
	Next(ctx context.Context, b *Batch) error
	// Seek moves forward to the first row whose columns, in the scan's order,
	// are at or after key, which may be shorter than the order and stands in
	// the cursor's own order for predicates and graphs. A key that lies after
	// the cursor's place moves nothing. Under Each the place is one in the
	// current graph; when that has no such row, the next graph begins at its
	// first row at or after key.
	Seek(ctx context.Context, key ...ID) error
	// Close frees what the cursor holds. It may be called twice.
	Close() error
}

// Trie walks the distinct ids of one level below the ids of the levels above.
type Trie interface {
	Open(ctx context.Context) (bool, error)        // down to the first id of the next level
	Next(ctx context.Context) (bool, error)        // the next id of this level
	Seek(ctx context.Context, id ID) (bool, error) // the first id of this level at or after id
	Key() ID                                       // the id of this level
	Size() uint64                                  // about how many rows are below it
	Up()                                           // back to the level above
	Close() error
}

// Loader is a Dataset that counts what it decodes from storage.
type Loader interface {
	// Loaded returns the units (tiles, chunks of the dictionary, pages of
	// directories) that were decoded so far, and their bytes, by all users of the
	// storage.
	Loaded() (units, bytes uint64)
}

// GraphLister is a Dataset that lists its named graphs without reading quads.
type GraphLister interface {
	// NamedGraphs returns the ids of the named graphs, in no order.
	NamedGraphs(ctx context.Context) ([]ID, error)
	// GraphCounts returns the graphs in which a pattern under Each has rows, in no order, and
	// how many rows a scan delivers of each. Before it takes memory it asks room for all that it
	// then holds, in bytes, maybe more than once; an error of room is its own. A nil room has no bound.
	GraphCounts(ctx context.Context, p Pattern, room func(bytes int64) error) (graphs []ID, rows []uint64, err error)
}

// GraphPlacer is a Dataset of which scans under [Each] deliver the graphs in one order,
// whatever the pattern.
type GraphPlacer interface {
	// GraphPlace returns the place of a named graph in that order, 0 for other terms.
	GraphPlace(ctx context.Context, id ID) (uint64, error)
}

// Spaced is a Dataset of which it can be told whether its ids are those of another.
type Spaced interface {
	// Space returns a comparable value: Datasets with equal ones have the same quads
	// with the same ids.
	Space() any
}
