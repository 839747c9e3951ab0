package segment

import (
	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment/build"
	"github.com/rete-go/rete/internal/segment/write"
)

type (
	// Builder collects quads in any order, with repeats, and writes the segment of the set
	// of them: AddInputs, AddInput, AddNQuads, AddReader, AddQuads, AddQuad, then WriteTo.
	Builder = build.Builder
	// BuildOptions are the choices of a [Builder]. A nil pointer and the zero value work.
	BuildOptions = build.BuildOptions
	// Skipped is a line of a document that cannot be taken.
	Skipped = build.Skipped
	// Progress is how far a build is.
	Progress = build.Progress
)

// NewBuilder returns an empty builder.
func NewBuilder(opt *BuildOptions) *Builder { return build.NewBuilder(opt) }

// Scale is how many times as much a whole has as a part of it.
type Scale = build.Scale

// NewTrial returns a builder of a part of something, in as much less memory as the part is less.
func NewTrial(opt *BuildOptions, of Scale) *Builder { return build.NewTrial(opt, of) }

// PartRead has a builder ask which part of its documents has been read, from 0 to 1, so that the error of a full
// disk tells what all of them would take.
func PartRead(b *Builder, part func() float64) { build.PartRead(b, part) }

// What a build takes, for estimates of it.
const (
	QuadMemory    = build.QuadMemory
	MuchMemory    = build.MuchMemory
	DefaultMemory = write.DefaultMemory
)

type (
	// Writer makes a segment of terms that ascend, and of the triples of one graph after
	// the other in each order: AddTerm, Graph, then WriteTo, or Abort.
	Writer = write.Writer
	// WriterOptions are the choices of a [Writer].
	WriterOptions = write.WriterOptions
	// GraphWriter takes the triples of one graph, in each order that the file stores.
	GraphWriter = write.GraphWriter
	// OrderWriter takes the triples of one graph in one order.
	OrderWriter = write.OrderWriter
	// Placed is where a term went.
	Placed = write.Placed
	// Role says where a term is used. Roles are joined with |.
	Role = write.Role
	// Codec says how chunks and tiles are stored.
	Codec = write.Codec
)

// Contents is what a file's graphs hold.
type Contents = write.Contents

// ThreeOrders reports whether a file of these contents has three orders, given [WriterOptions].Orders.
func ThreeOrders(orders int, c Contents) bool { return write.ThreeOrders(orders, c) }

// NewWriter returns a writer. [Writer] must end with WriteTo or Abort.
func NewWriter(opt *WriterOptions) *Writer { return write.NewWriter(opt) }

// NewWriterIn is NewWriter with the folder of temporary files of a run, which stays open.
func NewWriterIn(opt *WriterOptions, folder *scratch.Folder) *Writer {
	return write.NewWriterIn(opt, folder, 0)
}

// The roles of a term.
const (
	InSubject   = write.InSubject
	InPredicate = write.InPredicate
	InObject    = write.InObject
	InGraph     = write.InGraph
)

// The codecs. The zero value is the default.
const (
	ZstdCodec = write.ZstdCodec
	RawCodec  = write.RawCodec
)
