// Package build makes a file from quads in any order: it numbers terms, sorts them and the
// triples, and hands both to package write.
package build

import (
	"cmp"
	"context"
	"iter"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment/write"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// Progress is how far a build is.
type Progress struct {
	Stage string // "read", "sort", "write"
	Bytes int64  // of documents, unpacked, read so far
	Quads int64  // read so far, repeats included
	Terms int    // distinct terms; 0 while documents are read
	// Scratch is the most bytes that temporary files had at one time.
	Scratch int64
}

// BuildOptions are the choices of a [Builder]. A nil pointer and the zero value
// work.
type BuildOptions struct {
	write.WriterOptions
	// Workers is the number of goroutines that parse, sort and pack.
	// Default: GOMAXPROCS. The file does not depend on it.
	Workers int
	// NoPrefixes leaves the prefixes that documents declare out of the file, which is then one of
	// the quads alone; [Builder.Prefixes] has them all the same.
	NoPrefixes bool
	// MaxMemory bounds the memory of the build, about; what does not fit waits in temporary
	// files. The file does not depend on it. Default: no bound.
	MaxMemory int64
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(Progress)
	// Skip, if not nil, is asked about each line of N-Triples and N-Quads that cannot be taken,
	// by one goroutine at a time, in no order. Where it returns nil the line is left out; else its
	// error ends the build. Other syntaxes have no lines that could be left out.
	Skip func(Skipped) error `json:"-"`
}

// Skipped is a line that cannot be taken.
type Skipped struct {
	File string
	Line int    // from 1
	Text []byte // without the line's end; valid until Skip returns
	Err  error  // with the place
}

// noGraph is the graph number of quads without a name.
const noGraph = ^uint32(0)

// idQuad is a quad of interned terms: subject, predicate, object, graph.
type idQuad [4]uint32

// quadBytes is the size of an idQuad, and QuadMemory what each quad counts in [Builder.Memory]: it
// becomes a key in four lists.
const (
	quadBytes  = 16
	QuadMemory = quadBytes + 4*8
)

// quadChunk is how many quads are allocated at a time.
const quadChunk = 1 << 15

// Builder collects quads in any order, with repeats, and writes the segment that
// holds them. Same set of quads and same options: same bytes. The Add methods
// may not be called concurrently; they use several goroutines themselves.
//
// Quads and terms beyond [BuildOptions].MaxMemory wait in temporary files, sorted.
// A builder must end with WriteTo or Abort.
type Builder struct {
	opt    BuildOptions
	budget budget
	folder *scratch.Folder
	direct *collector // of AddQuad
	stored *collector // of AddUnchecked
	bytes  atomic.Int64
	quads  atomic.Int64
	graph  []byte            // of SetGraph
	names  prefixes.Declared // of the documents so far; mu guards it
	lines  sync.Mutex        // held by the one document that all workers parse
	broken atomic.Pointer[error]
	part   func() float64 // of [PartRead]

	// Collectors at work hold work for reading; a spill holds it alone.
	work sync.RWMutex
	in   *interner
	runs []*run

	spilled int64 // quads in runs
	held    int64 // bytes in memory when the writing began, about

	mu         sync.Mutex // guards all below, and the calls of Progress
	collectors map[*collector]struct{}
	reading    map[*labels]struct{} // of documents that are being read; a writer of it holds work, too
	docs       int                  // documents so far
	full       [][]idQuad
	spare      [][]idQuad // chunks that are free

	// What a spill uses again.
	files runFiles
	rank  []uint32
	items []termItem
}

// NewBuilder returns an empty builder.
func NewBuilder(opt *BuildOptions) *Builder { return NewTrial(opt, Scale{1, 1, 1}) }

// NewTrial returns a builder of a part of something. Of the memory for the whole it takes as much less as the
// part is less, so that of both the same goes to temporary files.
func NewTrial(opt *BuildOptions, of Scale) *Builder {
	b := &Builder{in: newInterner(), part: func() float64 { return 0 }, collectors: map[*collector]struct{}{}, reading: map[*labels]struct{}{}}
	if opt != nil {
		b.opt = *opt
	}
	if b.opt.Workers <= 0 {
		b.opt.Workers = runtime.GOMAXPROCS(0)
	}
	b.budget = divide(b.opt.MaxMemory, b.opt.Workers).down(of)
	if b.budget.spool > 0 {
		b.opt.Memory = min(cmp.Or(b.opt.Memory, math.MaxInt64), b.budget.spool)
	}
	b.opt.TempDir = vfs.TempDir(b.opt.TempDir)
	b.folder = scratch.New(vfs.OS(), b.opt.TempDir, b.opt.MaxScratch)
	b.opt.Canonical = true // each quad is checked, or was
	b.direct, b.stored = b.collector(checkAll, nil), b.collector(checkNothing, nil)
	return b
}

// PartRead has a builder ask which part of its documents has been read, from 0 to 1, so that the error of a full
// disk tells what all of them would take. It must be called before anything is added.
func PartRead(b *Builder, part func() float64) { b.part = part }

// Abort gives back temporary files. It does nothing after WriteTo.
func (b *Builder) Abort() {
	b.end(write.ErrDone)
	_ = b.folder.Close() // what could not be removed the next run removes
}

// over returns the error that ended the builder, if one did.
func (b *Builder) over() error {
	if err := b.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// end makes the builder of no further use; the first error says why.
func (b *Builder) end(err error) { b.broken.CompareAndSwap(nil, &err) }

// fail notes the error of an Add method.
func (b *Builder) fail(err error) error {
	if err != nil {
		b.end(err)
	}
	return err
}

// tooMuch reports whether quads and terms take more memory than they may.
func (b *Builder) tooMuch() bool {
	if b.budget.collect == math.MaxInt64 {
		return false
	}
	b.mu.Lock()
	quads := int64(len(b.full)+len(b.collectors)) * int64(b.budget.chunk)
	b.mu.Unlock()
	return quads*quadBytes+b.in.memory() > b.budget.collect
}

// Memory returns about how many bytes it takes to write what was added so far.
func (b *Builder) Memory() int64 {
	// Terms are sorted while quads are there as ids and become keys; then there are four lists of
	// keys, and what is packed.
	return (b.quads.Load()-b.spilled)*QuadMemory + b.in.memory()
}

// AddQuad adds one quad; blank node labels are taken as they are, and nothing of q
// is kept. A quad that does not pass [rdf.RawQuad.Check] is an error and leaves the
// builder as it was.
func (b *Builder) AddQuad(q *rdf.RawQuad) error {
	if err := b.over(); err != nil {
		return err
	}
	return b.direct.add(q)
}

// AddUnchecked is [Builder.AddQuad] for a quad that a graph has had: it may be older
// than the checks of today, and is taken as it is.
func (b *Builder) AddUnchecked(q *rdf.RawQuad) error {
	if err := b.over(); err != nil {
		return err
	}
	return b.stored.add(q)
}

// SetGraph says where the quads go that documents and readers added from here on have in the
// default graph; the zero term leaves them there. A quad of a named graph is then an error.
func (b *Builder) SetGraph(g rdf.Term) {
	b.graph = nil
	if !g.IsZero() {
		b.graph = []byte(g.Surface())
	}
}

// Prefixes are those that the documents added so far declare; with their namespaces, in their order.
func (b *Builder) Prefixes() iter.Seq2[string, string] { return b.names.All() }

// AddReader adds all quads of a reader, checked as [Builder.AddQuad] does. Labels
// of blank nodes are taken as they are. After an error the builder is of no further use.
func (b *Builder) AddReader(ctx context.Context, r rdf.Reader) error {
	if err := b.over(); err != nil {
		return err
	}
	if r == nil {
		return errNoReader
	}
	return b.fail(b.addReader(ctx, r, nil, checkAll))
}

// addReader adds all quads of a reader. With a document, which the reader must read through and must
// name blank nodes by [rdf.Document], the labels get the prefix of the document.
func (b *Builder) addReader(ctx context.Context, r rdf.Reader, doc *document, check checks) error {
	var l *labels
	if doc != nil {
		l = b.newLabels()
		doc.read = func(n int) { b.bytes.Add(int64(n)) }
	}
	c := b.collector(check, l)
	c.graph = b.graph
	c.begin()
	err := c.read(ctx, r)
	c.end()
	if err != nil {
		return err
	}
	if d, ok := r.(prefixes.Declarer); ok {
		b.mu.Lock()
		b.names.Gather(d.Declared())
		b.mu.Unlock()
	}
	if l == nil {
		return nil
	}
	prefix, err := doc.prefix()
	if err != nil {
		return err
	}
	b.named(l, prefix)
	return nil
}
