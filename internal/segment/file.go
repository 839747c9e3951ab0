package segment

import (
	"context"

	"github.com/rete-go/rete/blob"
)

// File is one open segment as programs outside see it: what it says of itself, and whether
// that is so. It may be used by several goroutines at once.
//
// The quads in it are read by a database: rete.Open and engine.Open take the name of a segment
// as they take that of a manifest.
type File struct{ s *Segment }

// FileOf returns an open segment as programs outside see it.
func FileOf(s *Segment) *File { return &File{s} }

// Of returns the segment of a file.
func Of(f *File) *Segment { return f.s }

// OpenFile is [Open] for programs outside.
func OpenFile(ctx context.Context, obj blob.Object, opt *Options) (*File, error) {
	s, err := Open(ctx, obj, opt)
	if err != nil {
		return nil, err
	}
	return FileOf(s), nil
}

// Description is what a segment says of itself.
type Description struct {
	Hash       [16]byte // of the content, as the header has it
	Quads      uint64   // of all graphs
	Graphs     int      // named graphs
	Predicates uint64   // distinct
	Subjects   uint64   // distinct
	Objects    uint64   // distinct

	Canonical bool              // its writer has marked, under the pin, that every term is spelled canonically
	Prefixes  map[string]string // namespaces by their prefixes, as documents declared them
	Metadata  []byte            // as stored: a JSON object, by convention
	BuildInfo []byte            // as stored; without a pin of the whole file nobody vouches for it
}

// Describe reads the small sections that describe the segment. The exact number of quads of a
// file without a pinned map takes the directories of all graphs.
func (f *File) Describe(ctx context.Context) (*Description, error) {
	info, err := f.s.Info(ctx)
	if err != nil {
		return nil, err
	}
	quads, err := f.s.Quads(ctx)
	if err != nil {
		return nil, err
	}
	prefixes, err := f.s.Prefixes(ctx)
	if err != nil {
		return nil, err
	}
	c := info.Counts
	return &Description{
		Hash: info.Header.Hash, Quads: quads, Graphs: c.Graphs, Predicates: uint64(c.Predicates),
		Subjects: uint64(c.Shared) + uint64(c.Subjects), Objects: uint64(c.Shared) + uint64(c.Objects),
		Canonical: info.Canonical, Prefixes: prefixes, Metadata: info.Metadata, BuildInfo: info.BuildInfo,
	}, nil
}

// Summary reads the schema pyramid: the header, the end of the file, and the section. Terms,
// triples and their directories are not read; of a file without a pinned map all is hashed.
// Without a pyramid the error is [ErrNoSummary]; that of a file without a default graph is empty.
func (f *File) Summary(ctx context.Context) (*Summary, error) { return f.s.Summary(ctx) }

// Verify reads the whole file and checks everything that can be checked: hashes, the order of
// terms, tiles, rows and graphs, that every order holds the same triples, the counts and flags
// of the header, and the map against all of it. progress, if not nil, is called with bytes done
// and to do. The first difference is returned.
func (f *File) Verify(ctx context.Context, progress func(done, total int64)) error {
	return f.s.Verify(ctx, progress)
}

// VerifyTerms reads all terms and graph names and checks that each is valid where it stands,
// which [File.Verify] does not: files of other programs may have any. progress, if not nil, is
// called with terms done and to do. The error tells how many are not valid and describes the first.
func (f *File) VerifyTerms(ctx context.Context, progress func(done, total int64)) error {
	return f.s.VerifyTerms(ctx, progress)
}

// Name returns the name of the object: what errors call it.
func (f *File) Name() string { return f.s.Name() }

// Close stops what is being fetched ahead, waits for it, and closes the object.
func (f *File) Close() error { return f.s.Close() }
