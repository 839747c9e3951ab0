package view

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/tile"
)

// What a [View] speaks in, from package dataset.
type (
	ID          = dataset.ID
	Pattern     = dataset.Pattern
	Graphs      = dataset.Graphs
	GraphMode   = dataset.GraphMode
	Cols        = dataset.Cols
	ScanOptions = dataset.ScanOptions
	Batch       = dataset.Batch
	Cardinality = dataset.Cardinality
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

// Order is a sort order of the triple columns. Rows of a scan ascend by the
// order's columns in the view's order: nodes by id, predicates by rank.
type Order = tile.Order
