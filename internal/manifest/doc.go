// Package manifest is the document that names what a graph is made of, and its commits.
//
// [Parse] and [Manifest.Encode] are the document: an ordered log of segments, each pinned
// by size and hash, with the digest of its own bytes. What is not valid is an [*Error]
// with line, column and JSON path.
//
// A [File] is a manifest in a store. [File.Commit] replaces it by compare-and-swap: it reads
// it, archives that generation, and puts the next one in its place if nobody else did
// meanwhile; else it begins again on the new state. A commit is done, definitely not done,
// or unknown: [ErrConflict] and [ErrUnknownOutcome] say which. [File.Compare] and
// [File.Accept] take over a manifest that was changed since it was written.
//
// The package knows the names and pins of segments, not their content: [File.ProveWith]
// takes what opens them.
package manifest
