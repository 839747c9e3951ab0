package segment

import (
	"github.com/rete-go/rete/internal/segment/build"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/write"
)

type (
	// Builder collects quads in any order, with repeats, and writes the segment of the set
	// of them: AddInputs, AddInput, AddNQuads, AddReader, AddQuads, AddQuad, then WriteTo.
	//
	// As it is declared:
	//
	//	// Abort gives back temporary files. It does nothing after WriteTo.
	//	func (b *Builder) Abort()
	//
	//	// AddInput adds a document in any of the syntaxes, unpacked if it is compressed.
	//	// [rdfio.Unknown] goes by the name, and then by the content. N-Triples and N-Quads are parsed by all
	//	// workers at once. Blank nodes are named by opt.Blank: with [rdf.Document] their
	//	// labels get the prefix of the document, with [rdf.Verbatim] they are kept.
	//	// After an error the builder is of no further use. Unlike the other methods it may be called by several
	//	// goroutines at once, see [Builder.AddInputs].
	//	func (b *Builder) AddInput(ctx context.Context, name string, r io.Reader, f rdfio.Format, opt rdf.Options) error
	//
	//	// AddInputs calls add for each of n documents, by their numbers from 0, for as many at a time as there
	//	// are workers: add adds its document by [Builder.AddInput]. So several documents are parsed at once, in
	//	// any syntax; of N-Triples and N-Quads one at a time, by all workers. Of several errors that of the
	//	// first document is returned.
	//	func (b *Builder) AddInputs(ctx context.Context, n int, add func(ctx context.Context, i int) error) error
	//
	//	// AddNQuads adds an unpacked document of N-Quads, or of N-Triples if triplesOnly
	//	// is set, parsed by all workers at once. Blank nodes are named as [Builder.AddInput]
	//	// says. After an error the builder is of no further use.
	//	func (b *Builder) AddNQuads(ctx context.Context, r io.Reader, opt rdf.Options, triplesOnly bool) error
	//
	//	// AddQuad adds one quad; blank node labels are taken as they are, and nothing of q
	//	// is kept. A quad that does not pass [rdf.RawQuad.Check] is an error and leaves the
	//	// builder as it was.
	//	func (b *Builder) AddQuad(q *rdf.RawQuad) error
	//
	//	// AddQuads adds the quads of a sequence, checked as [Builder.AddQuad] does, by all workers at
	//	// once. With [rdf.Document] the blank nodes are those of the sequence alone: their labels get a
	//	// prefix that is made of the quads which have some, so the same sequence gives the same labels.
	//	// With [rdf.Verbatim] labels are kept. An error of the sequence is returned as it is, and one
	//	// of a quad, an [*rdf.InvalidError], with the quad's place in the sequence, from 1. After an error
	//	// the builder is of no further use.
	//	func (b *Builder) AddQuads(ctx context.Context, quads iter.Seq2[rdf.Quad, error], blank rdf.BlankMode) error
	//
	//	// AddReader adds all quads of a reader, checked as [Builder.AddQuad] does. Labels
	//	// of blank nodes are taken as they are. After an error the builder is of no further use.
	//	func (b *Builder) AddReader(ctx context.Context, r rdf.Reader) error
	//
	//	// AddUnchecked is [Builder.AddQuad] for a quad that a graph has had: it may be older
	//	// than the checks of today, and is taken as it is.
	//	func (b *Builder) AddUnchecked(q *rdf.RawQuad) error
	//
	//	// Memory returns about how many bytes it takes to write what was added so far.
	//	func (b *Builder) Memory() int64
	//
	//	// Prefixes are those that the documents added so far declare; with their namespaces, in their order.
	//	func (b *Builder) Prefixes() iter.Seq2[string, string]
	//
	//	// SetGraph says where the quads go that documents and readers added from here on have in the
	//	// default graph; the zero term leaves them there. A quad of a named graph is then an error.
	//	func (b *Builder) SetGraph(g rdf.Term)
	//
	//	// WriteTo sorts what was added and writes the file. The builder is empty
	//	// afterwards and of no further use.
	//	func (b *Builder) WriteTo(ctx context.Context, out io.Writer) (*Built, error)
	Builder = build.Builder
	// BuildOptions are the choices of a [Builder]. A nil pointer and the zero value work.
	//
	// As it is declared:
	//
	//	type BuildOptions struct {
	//	    WriterOptions
	//
	//	    // Workers is the number of goroutines that parse, sort and pack.
	//	    // Default: GOMAXPROCS. The file does not depend on it.
	//	    Workers int
	//	    // NoPrefixes leaves the prefixes that documents declare out of the file, which is then one of
	//	    // the quads alone; [Builder.Prefixes] has them all the same.
	//	    NoPrefixes bool
	//	    // MaxMemory bounds the memory of the build, about; what does not fit waits in temporary
	//	    // files. The file does not depend on it. Default: no bound.
	//	    MaxMemory int64
	//	    // Progress, if not nil, is called now and then, by one goroutine at a time.
	//	    Progress func(Progress)
	//	    // Skip, if not nil, is asked about each line of N-Triples and N-Quads that cannot be taken,
	//	    // by one goroutine at a time, in no order. Where it returns nil the line is left out; else its
	//	    // error ends the build. Other syntaxes have no lines that could be left out.
	//	    Skip func(Skipped) error `json:"-"`
	//	}
	BuildOptions = build.BuildOptions
	// WriterOptions are those that compaction has too: what the file has besides quads, and how
	// it is packed.
	//
	// As it is declared:
	//
	//	type WriterOptions struct {
	//	    Codec     Codec
	//	    Level     tile.Level // of the zstd encoder; zero is the default
	//	    Orders    int        `json:",omitempty"` // stored: 6, or 3 (SPO, POS and OSP); 0: 3 where named graphs are many and small, else 6
	//	    Plain     bool       // no sections of ours: the file has no map and is hashed whole when it is opened
	//	    Metadata  []byte     // opaque, inside the content hash
	//	    BuildInfo []byte     // opaque, outside the content hash
	//	    NoValues  bool       // no value index
	//	    Pyramid   bool       // schema pyramid and communities of the default graph
	//	    TextIndex bool       // the words of the literals of the default graph, for searches
	//	    // Made, if not nil, is told of each optional part that was made: bytes, and how long it took.
	//	    Made       func(part string, size int64, took time.Duration) `json:"-"`
	//	    Canonical  bool                                              // every term is spelled canonically: recorded in the file
	//	    Prefixes   map[string]string                                 `json:"-"` // of namespaces: recorded in the file, outside the content hash
	//	    Memory     int64                                             // bytes that wait in memory rather than in temporary files; default 256 MiB
	//	    TempDir    string                                            // of temporary files; default: the system's
	//	    MaxScratch int64                                             `json:"-"` // bytes of temporary files at most; 0: no bound
	//	}
	WriterOptions = write.WriterOptions
	// Codec says how chunks and tiles are stored.
	//
	// As it is declared:
	//
	//	type Codec uint8
	Codec = write.Codec
	// Built describes a file that was written.
	//
	// As it is declared:
	//
	//	type Built struct {
	//	    Size      int64
	//	    Hash      [16]byte // content hash
	//	    Extra     [16]byte // extra_blake3_16 of a manifest; zero for a plain file
	//	    Quads     uint64
	//	    Terms     uint64
	//	    Graphs    int
	//	    Canonical bool // every term is spelled canonically
	//	}
	//
	//	// Pin returns the pin of the file.
	//	func (b *Built) Pin() *Pin
	Built = format.Built
	// Progress is how far a build is.
	//
	// As it is declared:
	//
	//	type Progress struct {
	//	    Stage string // "read", "sort", "write"
	//	    Bytes int64  // of documents, unpacked, read so far
	//	    Quads int64  // read so far, repeats included
	//	    Terms int    // distinct terms; 0 while documents are read
	//	    // Scratch is the most bytes that temporary files had at one time.
	//	    Scratch int64
	//	}
	Progress = build.Progress
	// Skipped is a line of a document that cannot be taken.
	//
	// As it is declared:
	//
	//	type Skipped struct {
	//	    File string
	//	    Line int    // from 1
	//	    Text []byte // without the line's end; valid until Skip returns
	//	    Err  error  // with the place
	//	}
	Skipped = build.Skipped
)

// The codecs. The zero value is the default.
const (
	ZstdCodec = write.ZstdCodec
	RawCodec  = write.RawCodec
)

// NewBuilder returns an empty builder.
func NewBuilder(opt *BuildOptions) *Builder { return build.NewBuilder(opt) }
