package sparql

import (
	"github.com/rete-go/rete/rdf"
)

// Names of graphs that every dataset has, for GRAPH, FROM, USING and the
// protocol's parameters: the union of all named graphs, and the graph that has no
// name.
var (
	UnionGraph   = rdf.IRI("urn:x-arq:UnionGraph")
	DefaultGraph = rdf.IRI("urn:x-arq:DefaultGraph")
)
