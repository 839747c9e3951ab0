package rdf

import "fmt"

// BlankMode says how a reader names blank nodes.
type BlankMode uint8

const (
	// Document gives labels that say how the node was written: x and the label
	// for a labelled node, n and a count of nine digits for one without a
	// label. The two cannot clash.
	Document BlankMode = iota
	// Verbatim keeps labels as they are written. A node without one gets n and
	// a count of nine digits that no label read so far has; a later label that
	// is the same as one given out is an error.
	Verbatim
)

// Options are what every reader takes. The zero value works.
type Options struct {
	// File names the input in error messages. Default: "input".
	File string
	// Base is the IRI that relative references are resolved against. Without
	// one they are errors, until the document declares its own.
	Base string
	// Blank says how blank nodes are named.
	Blank BlankMode
	// Lenient takes some input that the specifications refuse: relative
	// references in N-Triples and N-Quads, which are resolved if there is a
	// base and kept as written if not; relative references without a base in
	// the other syntaxes, kept as written; and characters that IRIs may not
	// hold, which are percent-encoded.
	Lenient bool
}

// MaxToken is the length in bytes of the longest token (of N-Triples and
// N-Quads: the longest line) that the readers of streams take. Longer ones are
// errors; buffers grow up to this bound only as far as the input really goes.
const MaxToken = 64 << 20

// MaxQuad is the length in bytes of the longest quad that a graph takes in,
// written as a line of canonical N-Quads with its end: what can be added can also
// be dumped and read again.
const MaxQuad = MaxToken

// MaxDepth bounds how deep triple terms nest in one another.
const MaxDepth = 1000

// InexpressibleError says that a syntax has no way to write something, such as a
// triple term in JSON-LD: it is an error, never left out or changed.
type InexpressibleError struct {
	What   string // that is to be written
	Syntax string // by its name for people
}

func (e *InexpressibleError) Error() string { return e.What + ": " + e.Syntax + " cannot hold it" }

// SyntaxError says where a document breaks the rules of its syntax.
type SyntaxError struct {
	File     string
	Line     int   // from 1; LF, CR and CRLF end a line
	Column   int   // from 1, in characters
	Offset   int64 // from 0, in bytes
	Expected string
	Found    string
}

func (e *SyntaxError) Error() string {
	file := e.File
	if file == "" {
		file = "input"
	}
	return fmt.Sprintf("%s:%d:%d: expected %s, found %s", file, e.Line, e.Column, e.Expected, e.Found)
}
