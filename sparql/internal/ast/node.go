package ast

import "github.com/rete-go/rete/rdf"

// Span is the bytes text[Start:End] that a node was read from. A node that an
// abbreviation stands for (the rdf:first of a collection) has the span of the
// abbreviation.
type Span struct{ Start, End uint32 }

// Range returns the span; every node has it by embedding.
func (s Span) Range() Span { return s }

// NodeKind says what stands in a position of a triple.
type NodeKind uint8

const (
	NoNode     NodeKind = iota // nothing: the default graph as a quad's graph
	TermNode                   // an IRI, a literal, or a triple term without variables and blank nodes
	VarNode                    // a variable
	BlankNode                  // a blank node, labelled or not
	TripleNode                 // a triple term that holds a variable or a blank node
)

// Node is what stands in a position of a triple, in GRAPH and SERVICE, and in
// DESCRIBE.
type Node struct {
	Span
	Kind NodeKind
	// Blank is the number of a blank node: equal numbers are one node. Numbers
	// start at 1 in each query, and in each update request.
	Blank int32
	// Term is the term of a TermNode.
	Term rdf.Term
	// Name is the name of a variable without its mark, or the label of a blank
	// node, empty for one without a label.
	Name string
	// Triple is the content of a TripleNode.
	Triple *TripleTerm
}

// TripleTerm is a triple term (`<<( s p o )>>`) that is not ground.
type TripleTerm struct {
	Span
	S, P, O Node
}

// Var is a variable by name, without its mark.
type Var struct {
	Span
	Name string
}

// Triple is one triple of a pattern or a template. Exactly one of P and Path is
// set: P.Kind is NoNode where the predicate is a property path. A path of one
// IRI is no path.
type Triple struct {
	Span
	S, P, O Node
	Path    *Path
}

// Quad is a triple in a graph: of the text of an update. Graph.Kind is NoNode
// outside GRAPH, where it means the default graph of the operation (that of
// WITH, if there is one).
type Quad struct {
	Triple
	Graph Node
}
