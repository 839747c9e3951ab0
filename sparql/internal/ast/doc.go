// Package ast has the trees of SPARQL text: queries and updates of SPARQL 1.1 and 1.2, as
// package parse reads them.
//
// Every node knows its bytes in the text ([Span]). Names are resolved: prefixed names and
// relative IRIs have become absolute IRIs, keywords have become constants, and the abbreviations
// of triples (`;` and `,`, collections, `[ … ]`, reified triples and annotations) have become
// plain triples with blank nodes. Ground terms are [rdf.Term] values.
//
// String methods print a tree as SPARQL text that parses to the same tree. [Query.Shape] prints
// it without the constants that may be exchanged. Trees are not changed after parsing, so they may
// be shared.
package ast
