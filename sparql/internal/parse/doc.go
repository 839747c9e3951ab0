// Package parse reads SPARQL text: [Query] and [Update] give the trees of package ast.
//
//	q, err := parse.Query("SELECT * { ?s a <http://ex/T> }", nil)
//
// All errors are [*ast.SyntaxError]: line, column, what was found and the set of
// what could have stood there. The rules that the grammar states in notes
// (scope of AS, labels of blank nodes, places of aggregates, GROUP BY, VALUES,
// templates) are checked here too, so a tree that parses can be translated.
//
// A parser keeps no state between calls: all functions may be used by several
// goroutines at once.
package parse
