package engine

import (
	"errors"

	"github.com/rete-go/rete/internal/ids"
)

// ID is the id of one term in one [View]: the layer that owns the term above bit
// 40, the term's number in that layer below. See architecture.md section 4.
type ID = ids.ID

// Columns of a quad, as indexes into [Pattern.Columns], [ScanOptions.Within] and
// [Batch.Col].
const (
	ColS = iota
	ColP
	ColO
	ColG
)

// Pattern is a quad pattern over ids; an id of 0 is free.
type Pattern struct {
	S, P, O ID
	G       Graphs
}

// Columns returns the three triple columns in s, p, o order.
func (p Pattern) Columns() [3]ID { return [3]ID{p.S, p.P, p.O} }

// GraphMode says how a pattern sees graphs.
type GraphMode uint8

const (
	// Unnamed matches the default graph alone.
	Unnamed GraphMode = iota
	// Each matches named graphs one by one and delivers the graph as a column.
	Each
	// Merge matches a set of graphs as one graph: a triple of two graphs once.
	Merge
)

// Graphs is the graph part of a [Pattern].
//
// Set restricts Each and Merge; for Merge, id 0 in it is the default graph. A nil
// Set means every named graph for Each, and every graph, the default graph
// included, for Merge (without the default graph if NamedOnly). A Set that is
// not nil and empty matches nothing.
type Graphs struct {
	Mode      GraphMode
	Set       []ID
	NamedOnly bool
}

// Cols is a set of columns, a bit each: 1<<ColS and so on. Zero means all.
type Cols uint8

// Has reports whether column c is wanted.
func (c Cols) Has(col int) bool { return c == 0 || c&(1<<col) != 0 }

// ScanOptions narrow a scan. The zero value and nil mean the whole pattern.
type ScanOptions struct {
	Cols   Cols        // columns to fill; the others are left empty
	Within [4]*ids.Set // per column, nil: any
	From   []ID        // first key, by the columns of the order; included
	To     []ID        // last key, by the columns of the order; excluded
	Part   int         // this part, from 0
	Parts  int         // of this many; 0 and 1: no parts

	// Hold, if not nil, is told how many bytes the scan comes to hold in all, beside what
	// lies in the cache. False refuses them, and the scan does with less; an error ends
	// it. A closed scan holds none.
	Hold func(bytes int64) (bool, error)
}

// BatchRows is the largest number of rows in a batch.
const BatchRows = 1024

// firstRows is the size of a cursor's first batch; then sizes double.
const firstRows = 64

// Batch is up to [BatchRows] rows by column. A column that was not wanted is
// empty. G is empty unless the graph mode is Each. The memory belongs to the
// caller and is used again by the next call of Next with the same batch.
type Batch struct {
	N   int
	Col [4][]ID
}

// Card is an estimate of a number of rows. Low and High are hard bounds as far
// as the tiles and the log say; Distinct is a guess for each column.
type Card struct {
	Low, High, Guess uint64
	Distinct         [4]uint64
}

// Class is a set of terms that [View.Ranges] turns into id intervals.
type Class struct {
	Kind TermKind
	// Prefix restricts IRIs by the beginning of their text and literals by that
	// of their escaped text. Other kinds take none.
	Prefix string
}

// TermKind is the kind of a term.
type TermKind uint8

// The kinds of terms.
const (
	KindIRI TermKind = iota + 1
	KindBlank
	KindLiteral
	KindTriple
)

// IDRange is the ids from Lo to Hi, both included.
type IDRange struct{ Lo, Hi ID }

// ErrNoTrie says that a pattern has no trie in this order; plan without one.
var ErrNoTrie = errors.New("engine: no trie for this pattern")
