package write

import (
	"context"
	"io"
	"time"

	"golang.org/x/sync/errgroup"
	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/pyramid"
	"github.com/rete-go/rete/internal/segment/sorted"
	"github.com/rete-go/rete/internal/segment/spool"
)

// optional is an optional part of a file that is being made.
type optional struct {
	kind format.Kind
	make func(ctx context.Context, from *sorted.File, out io.Writer) error
	out  *spool.Spool
	took time.Duration
}

// wanted lists the optional parts that the options ask for, in physical order. What the header
// says of them goes there.
func (w *Writer) wanted(head *format.Header) (list []*optional) {
	if w.opt.Pyramid {
		list = append(list, &optional{kind: format.KindPyramid, make: func(ctx context.Context, from *sorted.File, out io.Writer) (err error) {
			head.Levels, head.SchemaLength, err = pyramid.Write(ctx, from, out)
			return err
		}})
	}
	if w.opt.TextIndex {
		list = append(list, &optional{kind: format.KindTextIndex, make: writeText})
	}
	return list
}

// makeParts makes the optional parts, all at the same time, from the terms and triples that are
// packed.
func (w *Writer) makeParts(ctx context.Context, head *format.Header) ([]part, error) {
	list := w.wanted(head)
	if len(list) == 0 {
		return nil, nil
	}
	from := w.sorted()
	group, inner := errgroup.WithContext(ctx)
	for _, p := range list {
		p.out = w.newSpool()
		group.Go(func() error {
			begin := time.Now()
			err := p.make(inner, from, p.out)
			p.took = time.Since(begin)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var parts []part
	for _, p := range list {
		body := new(spool.Rope)
		body.Spool(p.out)
		parts = append(parts, part{kind: p.kind, body: body})
		if w.opt.Made != nil {
			w.opt.Made(p.kind.String(), body.Size, p.took)
		}
	}
	return parts, nil
}

// sorted returns what the parts are made from. The dictionary is finished, all graphs are closed.
func (w *Writer) sorted() *sorted.File {
	f := &sorted.File{
		Counts: w.TermCounts(), Codec: w.opt.Codec.id(), Level: w.opt.Level, Memory: w.partMemory, Temp: w.newSpool,
	}
	for i := range w.terms {
		f.Chunks[i] = sorted.Chunks{Refs: w.terms[i].chunks, Stored: w.terms[i].stored}
		f.Literals[i] = w.terms[i].literals
	}
	for o, ow := range w.def.orders {
		if ow != nil {
			f.Tiles[o] = sorted.Tiles{Refs: ow.refs, Stored: ow.stored}
		}
	}
	return f
}

// partDigests appends the section with the digests of the pages of the parts.
func partDigests(to *spool.Rope, parts []part) error {
	d := format.PartDigests{}
	for _, p := range parts {
		h := &pageHasher{hash: blake3.New(32, nil)}
		if _, err := p.body.WriteTo(h); err != nil {
			return err
		}
		if h.end(); len(h.pages) > 0 {
			d[p.kind] = h.pages
		}
	}
	to.Bytes(d.Append(nil))
	return nil
}

// pageHasher hashes what is written to it, page by page.
type pageHasher struct {
	hash  *blake3.Hasher
	n     int // bytes of the open page
	pages [][16]byte
}

// Write implements [io.Writer].
func (h *pageHasher) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), format.PartPage-h.n)
		h.hash.Write(rest[:n])
		h.n += n
		rest = rest[n:]
		if h.n == format.PartPage {
			h.end()
		}
	}
	return len(p), nil
}

// end closes the open page, if there is one.
func (h *pageHasher) end() {
	if h.n > 0 {
		h.pages = append(h.pages, [16]byte(h.hash.Sum(nil)))
		h.hash.Reset()
		h.n = 0
	}
}
