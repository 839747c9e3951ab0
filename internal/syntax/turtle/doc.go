// Package turtle reads and writes Turtle and TriG (RDF 1.1 and 1.2). A [Reader] is
// an [rdf.Reader], a [Writer] an [rdf.Writer]; a [Shortener] spells single terms.
//
// The reader is a state machine with a stack of its own: it holds the token
// that it looks at, the open brackets, and nothing else of the document, so
// the size of a document, of a statement or of a collection does not matter,
// and deep nesting costs memory, not stack. One Read does the work for one
// statement.
//
// The writer streams, too: it joins neighbouring statements that share their
// subject, or subject and predicate, and shortens IRIs by the prefixes that it
// was given; it never reorders.
package turtle
