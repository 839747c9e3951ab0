// Package rdfxml reads and writes RDF/XML (RDF 1.1, and what RDF 1.2 adds:
// annotations, triple terms and base directions). A [Reader] is an [rdf.Reader],
// a [Writer] an [rdf.Writer].
//
// The reader is a state machine over the tokens of encoding/xml. It holds the
// open elements, the text of the property element at hand, and the values of
// rdf:ID, which must not repeat; nothing else of the document. Base directions
// and rdf:parseType="Triple" count where rdf:version="1.2" is in scope, as RDF
// 1.2 asks for: without it a direction is ignored, and such a property, too.
//
// Entities that the internal subset of the document type declares are
// replaced; they may not hold markup. External ones are not fetched. Encodings
// are UTF-8, UTF-16 and, declared, those of one byte a character.
//
// Names of elements and attributes are those of the fourth edition of XML 1.0,
// which encoding/xml implements.
//
// The writer streams: neighbouring statements with one subject share an
// element. RDF/XML cannot hold every graph: predicates must end in an XML name,
// and literals may not hold most control characters; the writer says which
// statement it cannot write.
package rdfxml
