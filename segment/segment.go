package segment

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
)

type (
	// Segment is one open file: what it says of itself, and whether that is so. It may be used
	// by several goroutines at once.
	//
	// As it is declared:
	//
	//	// Close stops what is being fetched ahead, waits for it, and closes the object.
	//	func (f *Segment) Close() error
	//
	//	// Describe reads the small sections that describe the segment. The exact number of quads of a
	//	// file without a pinned map takes the directories of all graphs.
	//	func (f *Segment) Describe(ctx context.Context) (*Description, error)
	//
	//	// Name returns the name of the object: what errors call it.
	//	func (f *Segment) Name() string
	//
	//	// Summary reads the schema pyramid: the header, the end of the file, and the section. Terms,
	//	// triples and their directories are not read; of a file without a pinned map all is hashed.
	//	// Without a pyramid the error is [ErrNoSummary]; that of a file without a default graph is empty.
	//	func (f *Segment) Summary(ctx context.Context) (*Summary, error)
	//
	//	// Verify reads the whole file and checks everything that can be checked: hashes, the order of
	//	// terms, tiles, rows and graphs, that every order holds the same triples, the counts and flags
	//	// of the header, and the map against all of it. progress, if not nil, is called with bytes done
	//	// and to do. The first difference is returned.
	//	func (f *Segment) Verify(ctx context.Context, progress func(done, total int64)) error
	//
	//	// VerifyTerms reads all terms and graph names and checks that each is valid where it stands,
	//	// which [Segment.Verify] does not: files of other programs may have any. progress, if not nil, is
	//	// called with terms done and to do. The error tells how many are not valid and describes the first.
	//	func (f *Segment) VerifyTerms(ctx context.Context, progress func(done, total int64)) error
	Segment = segment.File
	// Options are the choices of [Open]. A nil pointer and the zero value work.
	//
	// As it is declared:
	//
	//	type Options struct {
	//	    // Cache holds the decoded units. Default: a cache of 64 MiB of its own;
	//	    // programs that open more than one segment share one.
	//	    Cache *engine.Cache
	//	    // MaxUnit bounds the unpacked size of a chunk or tile whose raw length is
	//	    // not known from a pinned map. Default: 1,025 MiB, a run of the
	//	    // longest terms.
	//	    MaxUnit int64
	//	    // Pin is what the file must be. Without one the file is compared with its
	//	    // own header only, and sections of ours are ignored.
	//	    Pin *Pin
	//	    // Trees finds the hash tree of a remote file that has no pinned map, and keeps one that
	//	    // was computed. Default: there is none, and the file is hashed whole before its first use.
	//	    Trees Trees
	//	    // TrustUnverified takes such a file without a tree for what its header says. What is read
	//	    // of it is proven by nothing then but the size and the validator that the server gives.
	//	    TrustUnverified bool
	//	}
	Options = read.Options
	// Trees has the hash trees of a remote file; see [NextTo].
	//
	// As it is declared:
	//
	//	type Trees interface {
	//	    // Open opens the tree that is there for the file, which should have size bytes; nil if
	//	    // there is none. Reading it may say [blob.ErrNotFound] too.
	//	    Open(ctx context.Context, size int64) (blob.Object, error)
	//	    // Keep is given a tree that was computed, since there was none.
	//	    Keep(tree []byte)
	//	}
	Trees = read.Trees
	// Description is what a segment says of itself.
	//
	// As it is declared:
	//
	//	type Description struct {
	//	    Hash       [16]byte // of the content, as the header has it
	//	    Quads      uint64   // of all graphs
	//	    Graphs     int      // named graphs
	//	    Predicates uint64   // distinct
	//	    Subjects   uint64   // distinct
	//	    Objects    uint64   // distinct
	//
	//	    Canonical bool              // its writer has marked, under the pin, that every term is spelled canonically
	//	    Prefixes  map[string]string // namespaces by their prefixes, as documents declared them
	//	    Metadata  []byte            // as stored: a JSON object, by convention
	//	    BuildInfo []byte            // as stored; without a pin of the whole file nobody vouches for it
	//	}
	Description = segment.Description
	// Pin says what a segment must be. Manifests hold one for each segment.
	//
	// As it is declared:
	//
	//	type Pin struct {
	//	    Size  int64
	//	    Hash  [16]byte  // content hash
	//	    Extra *[16]byte // header and the sections outside the content hash; nil if not recorded
	//	}
	Pin = format.Pin
	// UnsupportedError reports a file of a generation that this package does not read.
	//
	// As it is declared:
	//
	//	type UnsupportedError struct {
	//	    Object     string // file name or URL
	//	    Generation uint8  // the format byte that was found
	//	}
	//
	//	// Error names the generation that was found and the one that is read.
	//	func (e *UnsupportedError) Error() string
	UnsupportedError = format.UnsupportedError
)

var (
	// ErrClosed matches the errors of a segment that is used after Close, and of a builder after
	// its end. It is rete.ErrClosed.
	ErrClosed = segment.ErrClosed
	// ErrWrong: the file is another segment than the one that its pin names, or its header is
	// damaged. It matches rete.ErrDamaged too.
	ErrWrong = segment.ErrWrong
	// ErrNoSummary is the error of a file without a schema pyramid.
	ErrNoSummary = segment.ErrNoSummary
)

// Open reads the header of obj and, if the pin covers it, the map: one request of at most 129 KiB
// for a segment of up to a few million quads. Without a pin nothing is read but the header and the
// heads of the dictionary, and the first use of anything reads the whole file once to compare its
// content hash.
//
// The segment owns obj from here on, also if Open fails. Errors match rete.ErrDamaged where the
// bytes are not those of the pin or of the format, and are an [*UnsupportedError] for another
// generation.
func Open(ctx context.Context, obj blob.Object, opt *Options) (*Segment, error) {
	return segment.OpenFile(ctx, obj, opt)
}

// PinOf returns the pin of a file as it is now: size, content hash as its header states it, and
// the hash over the header and the sections outside the content hash, which are read whole.
// Whether the content is what its hash says, [Segment.Verify] tells. obj stays open.
func PinOf(ctx context.Context, obj blob.Object) (*Pin, error) {
	pin, _, err := segment.PinOf(ctx, obj)
	return pin, err
}

// NextTo finds the hash tree of a segment under its name in a store, with the ending .obao.
func NextTo(store blob.Store, name string) Trees { return segment.NextTo(store, name) }
