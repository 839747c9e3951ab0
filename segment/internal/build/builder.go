// Package build makes a file from quads in any order: it numbers terms, sorts them and the
// triples, and hands both to package write.
package build

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/prefixes"
	"github.com/rete-go/rete/segment/internal/write"
	"lukechampine.com/blake3"
)

// Progress is how far a build is.
type Progress struct {
	Stage string // "read", "sort", "write"
	Bytes int64  // of documents, unpacked, read so far
	Quads int64  // read so far, repeats included
	Terms int    // distinct terms; 0 while documents are read
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
	// MaxMemory bounds what quads and terms take while they are collected and
	// sorted, by a rough account; beyond it the build fails with
	// [ErrMemory]. Default: no bound.
	MaxMemory int64
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(Progress)
}

// noGraph is the graph number of quads without a name.
const noGraph = ^uint32(0)

// idQuad is a quad of interned terms: subject, predicate, object, graph.
type idQuad [4]uint32

// quadChunk is how many quads are allocated at a time.
const quadChunk = 1 << 15

// Builder collects quads in any order, with repeats, and writes the segment that
// holds them. Same set of quads and same options: same bytes. The Add methods
// may not be called concurrently; they use several goroutines themselves.
type Builder struct {
	opt    BuildOptions
	in     *interner
	direct *collector // of AddQuad
	stored *collector // of AddUnchecked
	mu     sync.Mutex // guards full and the calls of Progress
	full   [][]idQuad
	bytes  atomic.Int64
	quads  atomic.Int64
	docs   int               // documents so far
	graph  []byte            // of SetGraph
	names  prefixes.Declared // of the documents so far
	broken error
}

// NewBuilder returns an empty builder.
func NewBuilder(opt *BuildOptions) *Builder {
	b := &Builder{in: newInterner()}
	if opt != nil {
		b.opt = *opt
	}
	if b.opt.Workers <= 0 {
		b.opt.Workers = runtime.GOMAXPROCS(0)
	}
	b.opt.TempDir = vfs.TempDir(b.opt.TempDir)
	b.opt.Canonical = true // each quad is checked, or was
	b.direct, b.stored = b.collector(checkAll), b.collector(checkNothing)
	return b
}

// checks say what a collector checks of its quads.
type checks uint8

const (
	checkNothing checks = iota // a graph had them
	checkSize                  // a reader of documents made them: terms are valid
	checkAll
)

// collector takes the quads of one goroutine.
type collector struct {
	b      *Builder
	check  checks
	cache  *internCache
	chunk  []idQuad
	prefix []byte // put before blank node labels; nil: labels are final
	graph  []byte // takes the quads of the default graph; nil: they stay there
	blanks []uint32
	buf    []byte
}

func (b *Builder) collector(c checks) *collector {
	return &collector{b: b, check: c, cache: b.in.newCache()}
}

// add checks a quad, interns its terms and keeps it.
func (c *collector) add(q *rdf.RawQuad) (err error) {
	if c.graph != nil {
		if err := q.MoveTo(c.graph); err != nil {
			return err
		}
	}
	if err := c.valid(q); err != nil {
		return fmt.Errorf("segment: %w", err)
	}
	var out idQuad
	if out[0], err = c.term(q.S, write.InSubject); err != nil {
		return err
	}
	if out[1], err = c.term(q.P, write.InPredicate); err != nil {
		return err
	}
	if out[2], err = c.term(q.O, write.InObject); err != nil {
		return err
	}
	out[3] = noGraph
	if len(q.G) > 0 {
		if out[3], err = c.term(q.G, write.InGraph); err != nil {
			return err
		}
	}
	if c.chunk = append(c.chunk, out); len(c.chunk) < quadChunk {
		return nil
	}
	err = c.flush()
	c.chunk = make([]idQuad, 0, quadChunk) // more will come
	return err
}

// valid checks a quad. What a reader of documents delivers is of valid terms, but
// may be too long: escapes and the prefix of labels make it longer than it was.
func (c *collector) valid(q *rdf.RawQuad) error {
	if len(q.S) == 0 || len(q.P) == 0 || len(q.O) == 0 || c.check == checkAll {
		if err := q.CheckParts(); err != nil {
			return err
		}
	}
	if c.check == checkSize || c.prefix != nil {
		if err := c.fits(q); err != nil {
			return err
		}
	}
	if c.check != checkAll {
		return nil
	}
	for i, surface := range [4][]byte{q.S, q.P, q.O, q.G} {
		if len(surface) == 0 || c.cache.knows(surface) {
			continue
		}
		if err := rdf.CheckPart(i, surface); err != nil {
			return err
		}
	}
	return nil
}

// fits checks the size of a quad whose labels have their prefix.
func (c *collector) fits(q *rdf.RawQuad) error {
	if len(q.S)+len(q.P)+len(q.O)+len(q.G) <= rdf.MaxQuad/4 {
		return nil
	}
	final := *q
	for _, t := range []*[]byte{&final.S, &final.O, &final.G} {
		if c.prefix != nil && hasLabels(*t) {
			*t = withPrefix(nil, *t, c.prefix)
		}
	}
	return final.CheckParts()
}

func (c *collector) term(surface []byte, role write.Role) (uint32, error) {
	labels := c.prefix != nil && hasLabels(surface)
	if labels {
		c.buf = withPrefix(c.buf[:0], surface, c.prefix)
		surface = c.buf
	}
	id, isNew, err := c.cache.id(surface, role)
	if isNew && labels {
		c.blanks = append(c.blanks, id)
	}
	return id, err
}

// flush hands the chunk over and reports progress.
func (c *collector) flush() error {
	b := c.b
	n := b.quads.Add(int64(len(c.chunk)))
	if len(c.chunk) > 0 {
		b.mu.Lock()
		b.full = append(b.full, c.chunk)
		if b.opt.Progress != nil {
			b.opt.Progress(Progress{Stage: "read", Bytes: b.bytes.Load(), Quads: n})
		}
		b.mu.Unlock()
		c.chunk = nil
	}
	if limit := b.opt.MaxMemory; limit > 0 {
		if need := b.Memory(); need > limit {
			return fmt.Errorf("%w: about %d MiB after %d quads, allowed are %d MiB", ErrMemory, need>>20, n, limit>>20)
		}
	}
	return nil
}

// Memory returns about how many bytes it takes to write what was added so far.
func (b *Builder) Memory() int64 {
	// While sorting, each quad is there as ids, and up to four times in
	// sorted form; each term once as text and in some arrays of numbers.
	return b.quads.Load()*(16+4*12) + b.in.memory()*3/2
}

// AddQuad adds one quad; blank node labels are taken as they are, and nothing of q
// is kept. A quad that does not pass [rdf.RawQuad.Check] is an error and leaves the
// builder as it was.
func (b *Builder) AddQuad(q *rdf.RawQuad) error {
	if b.broken != nil {
		return b.broken
	}
	return b.direct.add(q)
}

// AddUnchecked is [Builder.AddQuad] for a quad that a graph has had: it may be older
// than the checks of today, and is taken as it is.
func (b *Builder) AddUnchecked(q *rdf.RawQuad) error {
	if b.broken != nil {
		return b.broken
	}
	return b.stored.add(q)
}

// Document is an [io.Reader] that hashes what is read through it: the bytes of
// a document, unpacked, on their way to its parser. The hash names the blank
// nodes of the document (docs/manifest.md, "Terms and blank nodes").
type Document struct {
	r    io.Reader
	h    *blake3.Hasher
	buf  []byte // collects small reads: hashing those is slow
	read func(n int)
}

// NewDocument wraps the unpacked bytes of a document.
func NewDocument(r io.Reader) *Document {
	return &Document{r: r, h: blake3.New(32, nil)}
}

// Read implements [io.Reader].
func (d *Document) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	d.note(p[:n])
	return n, err
}

func (d *Document) note(p []byte) {
	if d.read != nil {
		d.read(len(p))
	}
	if len(d.buf)+len(p) > 1<<20 {
		d.h.Write(d.buf)
		d.buf = d.buf[:0]
	}
	if len(p) >= 1<<19 {
		d.h.Write(p)
		return
	}
	d.buf = append(d.buf, p...)
}

// prefix returns what stands before the labels of the document's blank nodes,
// after reading what is left of it.
func (d *Document) prefix() ([]byte, error) {
	if _, err := io.Copy(io.Discard, onlyReader{d}); err != nil {
		return nil, err
	}
	d.h.Write(d.buf)
	d.buf = d.buf[:0]
	return labelPrefix(d.h.Sum(nil)), nil
}

type onlyReader struct{ io.Reader }

// labelPrefix is b and 16 digits of the hash of the document.
func labelPrefix(sum []byte) []byte {
	return hex.AppendEncode([]byte("b"), sum[:8])
}

// placeholder stands for the prefix while a document is read: it has the same
// length, and a character that no label has.
func placeholder(doc int) []byte {
	return fmt.Appendf(nil, "~%016d", doc)[:17]
}

// rename puts the prefix of a document where its placeholder stands.
func (b *Builder) rename(blanks []uint32, prefix []byte) {
	for _, id := range blanks {
		surface := b.in.surface(id)
		eachLabel(surface, func(at int) { copy(surface[at:at+len(prefix)], prefix) })
	}
}

// SetGraph says where the quads go that documents and readers added from here on have in the
// default graph; the zero term leaves them there. A quad of a named graph is then an error.
func (b *Builder) SetGraph(g rdf.Term) {
	b.graph = nil
	if !g.IsZero() {
		b.graph = []byte(g.Surface())
	}
}

// Prefixes are those that the documents added so far declare; they are the builder's own.
func (b *Builder) Prefixes() *prefixes.Declared { return &b.names }

// AddReader adds all quads of a reader, checked as [Builder.AddQuad] does. With a
// document, which the reader must read through and must name blank nodes by
// [rdf.Document], the labels get the prefix of the document; without one they are
// taken as they are. After an error the builder is of no further use.
func (b *Builder) AddReader(ctx context.Context, r rdf.Reader, doc *Document) error {
	if b.broken != nil {
		return b.broken
	}
	b.broken = b.addReader(ctx, r, doc, checkAll)
	return b.broken
}

func (b *Builder) addReader(ctx context.Context, r rdf.Reader, doc *Document, check checks) error {
	c := b.collector(check)
	c.graph = b.graph
	if doc != nil {
		c.prefix = placeholder(b.docs)
		b.docs++
		doc.read = func(n int) { b.bytes.Add(int64(n)) }
	}
	var q rdf.RawQuad
	for i := 0; ; i++ {
		if i&1023 == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		err := r.Read(&q)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = c.add(&q)
		}
		if err != nil {
			return err
		}
	}
	if d, ok := r.(prefixes.Declarer); ok {
		b.names.Gather(d.Declared())
	}
	if err := c.flush(); err != nil || len(c.blanks) == 0 {
		return err
	}
	prefix, err := doc.prefix()
	if err != nil {
		return err
	}
	b.rename(c.blanks, prefix)
	return nil
}
