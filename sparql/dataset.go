package sparql

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// What a query needs of storage, from package dataset.
type (
	Dataset     = dataset.Dataset
	ID          = dataset.ID
	Terms       = dataset.Terms
	Pattern     = dataset.Pattern
	Graphs      = dataset.Graphs
	GraphMode   = dataset.GraphMode
	Order       = dataset.Order
	ScanOptions = dataset.ScanOptions
	Batch       = dataset.Batch
	Cursor      = dataset.Cursor
	Trie        = dataset.Trie
	Card        = dataset.Cardinality
	Class       = dataset.Class
	IDRange     = dataset.IDRange
	IDSet       = dataset.IDSet
)

// The graph modes of a pattern.
const (
	Unnamed = dataset.Unnamed
	Each    = dataset.Each
	Merge   = dataset.Merge
)

// Names of graphs that every dataset has, for GRAPH, FROM, USING and the
// protocol's parameters: the union of all named graphs, and the graph that has no
// name.
var (
	UnionGraph   = rdf.IRI("urn:x-arq:UnionGraph")
	DefaultGraph = rdf.IRI("urn:x-arq:DefaultGraph")
)
