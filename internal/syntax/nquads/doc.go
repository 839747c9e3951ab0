// Package nquads reads and writes N-Quads and N-Triples (RDF 1.1 and 1.2).
//
// Reading copies nothing that is spelled canonically already: the slices that
// Read delivers are views into the buffer. Whole buffers can be cut at line
// ends and parsed by several goroutines, each with a [BlockReader] of its own.
//
// Lines end with LF, CR or CRLF, in any mix; a line holds one statement at
// most.
package nquads
