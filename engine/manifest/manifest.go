// Package manifest is the document that names what a graph is made of: a [Manifest] is an
// ordered log, each [Entry] of it names segments to add and to delete, and a [SegmentRef] pins
// one by size and hash.
//
// [Parse] and [Manifest.Encode] are the document with the digest of its own bytes; what is not
// valid is an [*Error] with line, column and JSON path. [Find] and [NewName] are what commands
// make of the names that people give.
//
// Package engine commits: [CommitOptions] say what a commit is called and what it expects.
package manifest

import "github.com/rete-go/rete/internal/manifest"

type (
	// Manifest is the document of one generation.
	//
	// As it is declared:
	//
	//	type Manifest struct {
	//	    // Name becomes a prefix of file names.
	//	    Name string
	//	    // Generation counts commits.
	//	    Generation int64
	//	    // Log is the graph: entries, oldest first.
	//	    Log []Entry
	//	    // Lineage is a random number in 32 hex digits that init draws and nobody
	//	    // changes; "" in a manifest of another program.
	//	    Lineage string
	//	    // Commit is the id of the commit that made this generation, 32 hex digits.
	//	    Commit string
	//	    // Recent are the last commits, oldest first, this one included.
	//	    Recent []RecentCommit
	//	    // Sealed says for each journal which batch is the last that is in the log.
	//	    Sealed map[string]int64
	//	    // Retired says the same of journals that were given up: nothing more of them comes to the log.
	//	    Retired map[string]int64
	//	    // Previous pins the archived manifest of one generation back.
	//	    Previous *FileRef
	//	    // At is the time of the commit; zero if it is not recorded.
	//	    At  time.Time
	//	    // Note is the reason of the commit.
	//	    Note string
	//	    // Prefixes are what namespaces are called in the texts of people; no answer depends on them.
	//	    Prefixes map[string]string
	//	    // Card is a JSON object with title, licence and the like for the compacted
	//	    // segment; nil if there is none.
	//	    Card []byte
	//	}
	//
	//	// Clone returns a copy that shares nothing with m that either may change.
	//	func (m *Manifest) Clone() *Manifest
	//
	//	// Each calls f for the segments of the log, oldest first.
	//	func (m *Manifest) Each(f func(*SegmentRef))
	//
	//	// Encode returns the manifest as it is written: UTF-8, two spaces a level, the
	//	// keys in the order of docs/manifest.md, then the unknown ones in theirs, then the self of
	//	// these bytes, one newline at the end. What [Parse] reads from it equals m.
	//	func (m *Manifest) Encode() []byte
	//
	//	// Names reports whether the log has a segment.
	//	func (m *Manifest) Names(ref *SegmentRef) bool
	//
	//	// Same reports whether two manifests are one generation.
	//	func (m *Manifest) Same(o *Manifest) bool
	//
	//	// Self is what the self of a manifest says about it, as it was read: the generation that it
	//	// is for, 0 without a valid one. holds says that the file is as it was written. kept says
	//	// that a program that does not know self has written the file since and kept it.
	//	func (m *Manifest) Self() (generation int64, holds, kept bool)
	//
	//	// State names the content of a generation: by its commit, or by its segments where
	//	// there is none.
	//	func (m *Manifest) State() string
	//
	//	// Validate says what would keep m from being written and read again; nil if
	//	// nothing does.
	//	func (m *Manifest) Validate() error
	Manifest = manifest.Manifest
	// Entry is an element of the log: a segment of quads to add, one of quads to delete, or both.
	//
	// As it is declared:
	//
	//	type Entry struct {
	//	    Adds, Dels *SegmentRef // one may be nil, not both
	//	}
	//
	//	// Same reports whether two entries have the same adds and the same dels.
	//	func (e Entry) Same(f Entry) bool
	//
	//	// Segments returns the segments of an entry, in the order of the fold: one or two.
	//	func (e Entry) Segments() []*SegmentRef
	//
	//	// Size is the bytes of an entry's segments.
	//	func (e Entry) Size() (n int64)
	Entry = manifest.Entry
	// FileRef names a file and pins it.
	//
	// As it is declared:
	//
	//	type FileRef struct {
	//	    // URL is relative to the manifest, an absolute path, or scheme://….
	//	    URL string
	//	    // Size is the object's length in bytes.
	//	    Size int64
	//	    // Hash is blake3_16: of a segment the content hash, of an archived
	//	    // manifest the first half of BLAKE3 over its bytes.
	//	    Hash [16]byte
	//	}
	FileRef = manifest.FileRef
	// SegmentRef names a segment and pins it.
	//
	// As it is declared:
	//
	//	type SegmentRef struct {
	//	    FileRef
	//	    // Quads is the number of quads; nil if it is not recorded.
	//	    Quads *int64
	//	    // Canonical says whether all terms are spelled canonically; nil if nobody
	//	    // looked yet.
	//	    Canonical *bool
	//	    // Extra pins the header and the sections outside the content hash; nil if
	//	    // it is not recorded.
	//	    Extra *[16]byte
	//	}
	//
	//	// Key names a segment, of which full is the full name, and its pin: another pin is another
	//	// segment.
	//	func (s *SegmentRef) Key(full string) string
	//
	//	// Pin is what the manifest says of the bytes of a segment.
	//	func (s *SegmentRef) Pin() *segment.Pin
	SegmentRef = manifest.SegmentRef
	// RecentCommit is one of the last commits, by which a commit of unknown outcome is found.
	//
	// As it is declared:
	//
	//	type RecentCommit struct {
	//	    ID         string
	//	    Generation int64
	//	}
	RecentCommit = manifest.RecentCommit
	// CommitOptions are the choices of a commit. The zero value works.
	//
	// As it is declared:
	//
	//	type CommitOptions struct {
	//	    // IfGeneration makes the commit fail with ErrConflict unless the manifest
	//	    // has this generation.
	//	    IfGeneration *int64
	//	    // Note is recorded as the reason.
	//	    Note string
	//	    // Attempts bounds how often a lost race is run again. Default 100.
	//	    Attempts int
	//	    // Time bounds all attempts together. Default 60 s.
	//	    Time time.Duration
	//	    // Rand gives the commit id; nil is the system's randomness.
	//	    Rand io.Reader
	//	    // Now gives the time of the commit; nil is the clock.
	//	    Now func() time.Time
	//	}
	//
	//	// Naming returns the options for a commit that adds entries; o may be nil.
	//	func (o *CommitOptions) Naming(entries ...Entry) *CommitOptions
	CommitOptions = manifest.CommitOptions
	// CommitError is the error of a commit that is not known to have happened.
	//
	// As it is declared:
	//
	//	type CommitError struct {
	//	    Manifest string // full name
	//	    ID       string // of the commit
	//	    Attempts int
	//	    Outcome  error // ErrConflict or ErrUnknownOutcome
	//	    Cause    error
	//	}
	//
	//	func (e *CommitError) Error() string
	//
	//	// Unwrap gives the outcome and the cause.
	//	func (e *CommitError) Unwrap() []error
	CommitError = manifest.CommitError
	// Error is what is not valid in a document, and where.
	//
	// As it is declared:
	//
	//	type Error struct {
	//	    File   string // "" where the parser knows no name
	//	    Line   int    // from 1
	//	    Column int    // in characters, from 1
	//	    Path   string // JSON path, $ is the root
	//	    Detail string
	//	}
	//
	//	func (e *Error) Error() string
	//
	//	// Is makes the error match engine.ErrDamaged.
	//	func (e *Error) Is(target error) bool
	Error = manifest.Error
	// Difference is what a manifest that was changed has in another place than it was written with.
	//
	// As it is declared:
	//
	//	type Difference strictjson.Change
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
