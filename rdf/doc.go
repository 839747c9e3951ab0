// Package rdf holds RDF terms, quads, and what every RDF syntax has in common.
//
// A [Term] is an IRI, a blank node, a literal (with a datatype, or a language
// tag and perhaps a base direction) or a triple term. It is kept as its
// canonical surface (docs/file-format.md, "Surfaces"): the N-Triples token, spelled in the
// one way that makes two terms equal exactly when their surfaces are the same
// bytes. Lexical forms are kept as written: 012.50 and 12.5 are two terms.
//
// A [Quad] is four terms. The readers of package rdfio deliver a
// [RawQuad], which holds surfaces as byte slices and lives until the next
// Read, so that nothing is allocated for a statement; the writers take one.
//
//	r, err := rdfio.Open("data.nq", file, rdfio.Unknown, rdf.Options{File: "data.nq"})
//	…
//	var q rdf.RawQuad
//	for {
//		if err := r.Read(&q); err == io.EOF {
//			break
//		} else if err != nil {
//			return err // *rdf.SyntaxError: data.nq:3:17: expected …, found …
//		}
//		use(q.S, q.P, q.O, q.G)
//	}
//
// Choices that the specifications leave open, the same in every syntax:
//
//   - A literal of datatype rdf:langString without a language tag, and one of
//     rdf:dirLangString without a direction, is an error.
//   - Language tags follow the Turtle grammar, not BCP 47: a subtag may be longer
//     than eight characters, except the first one, where RDF 1.2 says so (lenient
//     readers take it). They are compared and kept in lower case.
//   - An IRI that has a scheme is kept as written, dot segments included; only
//     relative references are resolved.
//   - Escapes of lone surrogates, bytes that are not UTF-8, and characters that
//     IRIs may not hold (also escaped ones) are errors.
//   - The syntax of RDF 1.2 (triple terms, reifiers, annotations, base
//     directions, version directives) is always understood.
//
// Values of this package may be used by several goroutines at once; readers
// and writers may not.
package rdf
