// Package textindex is the layout of the text index of a segment: for each token of the
// literals of the default graph the subjects that have it. docs/text-index.md describes the
// rule by which text becomes tokens, and the bytes.
//
// A [Splitter] applies the rule, a [Builder] makes the section, [ParseTable] and [AppendList]
// read it.
package textindex
