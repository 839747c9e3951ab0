package ast

import "github.com/rete-go/rete/rdf"

// PathOp is an operator of property paths (SPARQL 1.1, section 9.1).
type PathOp uint8

const (
	PathLink       PathOp = iota // IRI
	PathInverse                  // ^ Args[0]
	PathSeq                      // Args[0] / Args[1] / …, two or more
	PathAlt                      // Args[0] | Args[1] | …, two or more
	PathZeroOrOne                // Args[0] ?
	PathZeroOrMore               // Args[0] *
	PathOneOrMore                // Args[0] +
	PathNegated                  // !( Links )
)

// Path is a property path.
type Path struct {
	Span
	Op    PathOp
	IRI   rdf.Term      // of PathLink
	Args  []*Path       // of the operators
	Links []NegatedLink // of PathNegated; may be empty
}

// NegatedLink is a member of a negated property set: IRI, or ^IRI.
type NegatedLink struct {
	Span
	IRI     rdf.Term
	Inverse bool
}
