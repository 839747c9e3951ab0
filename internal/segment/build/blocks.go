package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// blockSize is how much of a line-based document a worker parses at a time.
const blockSize = 1 << 20

// AddInput adds a document in any of the syntaxes, unpacked if it is compressed.
// [rdfio.Unknown] goes by the name, and then by the content. N-Triples and N-Quads are parsed by all
// workers at once. Blank nodes are named by opt.Blank: with [rdf.Document] their
// labels get the prefix of the document, with [rdf.Verbatim] they are kept.
// After an error the builder is of no further use. Unlike the other methods it may be called by several
// goroutines at once, see [Builder.AddInputs].
func (b *Builder) AddInput(ctx context.Context, name string, r io.Reader, f rdfio.Format, opt rdf.Options) error {
	if err := b.over(); err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("%s: %w", name, errNoReader)
	}
	return b.fail(b.addInput(ctx, name, r, f, opt))
}

func (b *Builder) addInput(ctx context.Context, name string, r io.Reader, f rdfio.Format, opt rdf.Options) error {
	if opt.File == "" {
		opt.File = name
	}
	plain, err := rdfio.Decompress(r)
	if err != nil {
		return fmt.Errorf("%s: %w", opt.File, err)
	}
	if f == rdfio.Unknown {
		if plain, f, err = rdfio.Detect(name, plain); err != nil {
			return err
		}
	}
	if f == rdfio.NTriples || f == rdfio.NQuads {
		return b.addLines(ctx, plain, opt, f == rdfio.NTriples)
	}
	var doc *document
	if opt.Blank == rdf.Document {
		doc = newDocument(plain)
		plain = doc
	}
	rd, err := rdfio.Open(name, plain, f, opt)
	if err != nil {
		return err
	}
	err = inDocument(opt.File, b.addReader(ctx, rd, doc, checkSize))
	if syntax := (*rdf.SyntaxError)(nil); b.opt.Skip != nil && errors.As(err, &syntax) {
		err = fmt.Errorf("%w; nothing of %v is skipped, only lines of N-Triples and N-Quads are", err, f)
	}
	return err
}

// inDocument adds the place in a document to an error that does not have it.
func inDocument(name string, err error) error {
	var invalid *rdf.InvalidError
	if errors.As(err, &invalid) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// AddNQuads adds an unpacked document of N-Quads, or of N-Triples if triplesOnly
// is set, parsed by all workers at once. Blank nodes are named as [Builder.AddInput]
// says. After an error the builder is of no further use.
func (b *Builder) AddNQuads(ctx context.Context, r io.Reader, opt rdf.Options, triplesOnly bool) error {
	if err := b.over(); err != nil {
		return err
	}
	if r == nil {
		return errNoReader
	}
	return b.fail(b.addLines(ctx, r, opt, triplesOnly))
}

// block is some whole lines of a document.
type block struct {
	b     []byte
	line  int // number of the first line
	off   int64
	index int
}

// lineParser is the shared state of the goroutines that parse one document.
type lineParser struct {
	b       *Builder
	opt     rdf.Options
	triples bool
	labels  *labels
	cancel  context.CancelFunc

	mu     sync.Mutex // guards the fields below
	failed int        // index of the first block with an error
	err    error
}

// addLines cuts a document into blocks of lines; the workers parse them.
func (b *Builder) addLines(ctx context.Context, r io.Reader, opt rdf.Options, triples bool) error {
	if opt.File == "" {
		opt.File = "input"
	}
	p := &lineParser{b: b, opt: opt, triples: triples}
	var h *blake3.Hasher
	if opt.Blank == rdf.Document {
		p.labels = b.newLabels()
		h = blake3.New(32, nil)
	}
	b.lines.Lock()
	defer b.lines.Unlock()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	p.cancel = cancel
	work := make(chan block, b.opt.Workers)
	free := make(chan []byte, 2*b.opt.Workers+2)
	var workers sync.WaitGroup
	for range b.opt.Workers {
		workers.Go(func() { p.parse(work, free) })
	}
	readErr := cutBlocks(inner, r, opt.File, work, free, func(chunk []byte) {
		b.bytes.Add(int64(len(chunk)))
		if h != nil {
			h.Write(chunk)
		}
	})
	close(work)
	workers.Wait()
	switch {
	case p.err != nil:
		return p.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case readErr != nil:
		return readErr
	}
	if h != nil {
		b.named(p.labels, labelPrefix(h.Sum(nil)))
	}
	return nil
}

// fail notes the error that comes first in the document.
func (p *lineParser) fail(index int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil || index < p.failed {
		p.failed, p.err = index, err
	}
	p.cancel()
}

// parse is one worker. Blocks after one with an error are dropped.
func (p *lineParser) parse(work <-chan block, free chan<- []byte) {
	c := p.b.collector(checkSize, p.labels)
	c.graph = p.b.graph
	var rd *nquads.BlockReader
	if p.triples {
		rd = nquads.NewTriplesBlockReader(nil, 1, p.opt)
	} else {
		rd = nquads.NewBlockReader(nil, 1, p.opt)
	}
	for blk := range work {
		p.mu.Lock()
		skip := p.err != nil && blk.index > p.failed
		p.mu.Unlock()
		if skip {
			continue
		}
		c.begin()
		if err := p.parseBlock(c, rd, blk); err != nil {
			p.fail(blk.index, err)
		}
		c.rest()
		select {
		case free <- blk.b:
		default:
		}
	}
	c.end()
}

// parseBlock adds the quads of a block. Lines that cannot be taken end it, unless they are to be
// left out.
func (p *lineParser) parseBlock(c *collector, rd *nquads.BlockReader, blk block) error {
	var q rdf.RawQuad
	rd.Reset(blk.b, blk.line)
	for {
		err := rd.Read(&q)
		line := rd.Line()
		if err == nil {
			if err = c.add(&q); err == nil {
				continue
			}
			err = inDocument(fmt.Sprintf("%s:%d", p.opt.File, line), err)
		}
		if err == io.EOF {
			return nil
		}
		var syntax *rdf.SyntaxError
		if errors.As(err, &syntax) {
			moved := *syntax
			moved.Offset += blk.off
			line, err = syntax.Line, &moved
		} else if invalid := (*rdf.InvalidError)(nil); !errors.As(err, &invalid) {
			return err
		}
		if p.b.opt.Skip == nil {
			return err
		}
		from := lineStart(blk.b, line-blk.line)
		to := from + lineStart(blk.b[from:], 1)
		p.mu.Lock()
		err = p.b.opt.Skip(Skipped{p.opt.File, line, bytes.TrimRight(blk.b[from:to], "\r\n"), err})
		p.mu.Unlock()
		if err != nil {
			return err
		}
		blk = block{b: blk.b[to:], line: line + 1, off: blk.off + int64(to), index: blk.index}
		rd.Reset(blk.b, blk.line)
	}
}

// byteOrderMark may stand before the first line of a document.
var byteOrderMark = []byte("\xef\xbb\xbf")

// fill reads until p is full or the source ends. Unlike [io.ReadFull] it gives the
// error of the source as it is, so that a source that was cut off
// ([io.ErrUnexpectedEOF]) is not taken for one that ended.
func fill(r io.Reader, p []byte) (n int, err error) {
	for idle := 0; n < len(p) && err == nil; {
		var k int
		k, err = r.Read(p[n:])
		n += k
		if idle++; k > 0 {
			idle = 0
		} else if idle == 100 && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// cutBlocks reads a document and sends it off in blocks of whole lines. note
// gets all bytes, in order.
func cutBlocks(ctx context.Context, r io.Reader, name string, work chan<- block, free <-chan []byte, note func(chunk []byte)) error {
	var rest []byte // the start of a line that is not whole yet
	next := block{line: 1}
	for atEnd := false; !atEnd; {
		var buf []byte
		select {
		case buf = <-free:
			buf = buf[:0]
		default:
		}
		size := max(blockSize, 2*len(rest))
		if cap(buf) < size {
			buf = make([]byte, 0, size)
		}
		buf = append(buf, rest...)
		n, err := fill(r, buf[len(buf):size])
		note(buf[len(buf) : len(buf)+n])
		buf = buf[:len(buf)+n]
		switch err {
		case nil:
		case io.EOF:
			atEnd = true
		default:
			return fmt.Errorf("%s: %w", name, err)
		}
		if next.index == 0 && next.off == 0 && bytes.HasPrefix(buf, byteOrderMark) {
			buf = buf[len(byteOrderMark):]
			next.off = int64(len(byteOrderMark))
		}
		cut := len(buf)
		if !atEnd {
			if cut = nquads.Cut(buf); cut == 0 && len(buf) > rdf.MaxToken {
				return &rdf.SyntaxError{File: name, Line: next.line, Column: 1, Offset: next.off,
					Expected: fmt.Sprintf("a line of at most %d bytes", rdf.MaxToken), Found: "a longer one"}
			}
		}
		rest = append(rest[:0:0], buf[cut:]...)
		if cut == 0 {
			continue
		}
		next.b = buf[:cut]
		select {
		case work <- next:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		next.line += nquads.CountLines(buf[:cut])
		next.off += int64(cut)
		next.index++
	}
	return nil
}

// lineStart returns where the line begins that is n lines after the first of b; its length if
// there are fewer.
func lineStart(b []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(b); n-- {
		end := bytes.IndexAny(b[at:], "\r\n")
		if end < 0 {
			return len(b)
		}
		if at += end + 1; b[at-1] == '\r' && at < len(b) && b[at] == '\n' {
			at++
		}
	}
	return at
}
