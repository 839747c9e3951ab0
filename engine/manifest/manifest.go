// Package manifest is the document that names what a graph is made of: a [Manifest] is an
// ordered log, each [Entry] of it names segments to add and to delete, and a [SegmentRef] pins
// one by size and hash.
//
// [Parse] and [Manifest.Encode] are the document with the digest of its own bytes; what is not
// valid is an [*Error] with line, column and JSON path. [Find] and [NewName] are what commands
// make of the names that people give.
//
// Package engine commits: [CommitOptions] say what a commit is called and what it expects, and
// a commit is done, definitely not done, or unknown: [ErrConflict] and [ErrUnknownOutcome].
package manifest

import "github.com/rete-go/rete/internal/manifest"

type (
	// Manifest is the document of one generation.
	Manifest = manifest.Manifest
	// Entry is an element of the log: a segment of quads to add, one of quads to delete, or both.
	Entry = manifest.Entry
	// FileRef names a file and pins it.
	FileRef = manifest.FileRef
	// SegmentRef names a segment and pins it.
	SegmentRef = manifest.SegmentRef
	// RecentCommit is one of the last commits, by which a commit of unknown outcome is found.
	RecentCommit = manifest.RecentCommit
	// CommitOptions are the choices of a commit. The zero value works.
	CommitOptions = manifest.CommitOptions
	// CommitError is the error of a commit that is not known to have happened.
	CommitError = manifest.CommitError
	// Error is what is not valid in a document, and where.
	Error = manifest.Error
	// Difference is what a manifest that was changed has in another place than it was written with.
	Difference = manifest.Difference
)

// Bounds of the document, and its version.
const (
	Suffix    = manifest.Suffix    // of the names of manifests
	MaxBytes  = manifest.MaxBytes  // of a document
	MaxRecent = manifest.MaxRecent // commits that a document remembers
	Version   = manifest.Version   // that this package reads and writes
)

// Parse reads a document. What is not valid is an [*Error].
func Parse(src []byte) (*Manifest, error) { return manifest.Parse(src) }

// Find returns the name of the manifest that a person means: by its own name, by that of the
// graph without the suffix, or by the folder or URL that has one manifest.
func Find(name string) (string, error) { return manifest.Find(name) }

// NewName returns the name that a new manifest gets from the one that a person gave.
func NewName(name string) string { return manifest.NewName(name) }
