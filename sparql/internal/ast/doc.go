// Package ast reads SPARQL text: queries and updates of SPARQL 1.1 and 1.2.
//
// [ParseQuery] and [ParseUpdate] give a tree ([Query], [Update]) in which
// every node knows its bytes in the text ([Span]). Names are resolved: prefixed
// names and relative IRIs have become absolute IRIs, keywords have become
// constants, and the abbreviations of triples (`;` and `,`, collections,
// `[ … ]`, reified triples and annotations) have become plain triples with
// blank nodes. Ground terms are [rdf.Term] values.
//
//	q, err := ast.ParseQuery("SELECT * { ?s a <http://ex/T> }", nil)
//
// All errors are [*SyntaxError]: line, column, what was found and the set of
// what could have stood there. The rules that the grammar states in notes
// (scope of AS, labels of blank nodes, places of aggregates, GROUP BY, VALUES,
// templates) are checked here too, so a tree that parses can be translated.
//
// String methods print a tree as SPARQL text that parses to the same tree.
//
// A parser keeps no state between calls: all functions may be used by several
// goroutines at once. Trees are not changed after parsing, so they may be
// shared.
package ast
