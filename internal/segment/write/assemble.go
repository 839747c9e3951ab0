package write

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/spool"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"lukechampine.com/blake3"
)

// copyBuffer is how much is hashed and written at once: BLAKE3 is fast on large
// buffers only.
const copyBuffer = 1 << 20

// part is a section as it will be written.
type part struct {
	kind format.Kind
	body *spool.Rope
	off  uint64
}

// WriteTo puts the file together and writes it to out. The writer has ended
// afterwards, whatever the result. Same terms, same triples, same options: same
// bytes.
func (w *Writer) WriteTo(ctx context.Context, out io.Writer) (*format.Built, error) {
	if w.done {
		return nil, ErrDone
	}
	defer w.Abort()
	if w.open != nil {
		return nil, fmt.Errorf("segment: graph %q is not closed", w.open.name)
	}
	for _, info := range [][]byte{w.opt.Metadata, w.opt.BuildInfo} {
		if len(info) > format.MaxInfo {
			return nil, format.TooLarge("metadata or build-info", uint64(len(info)), format.MaxInfo)
		}
	}
	if err := w.opt.checkOrders(); err != nil {
		return nil, err
	}
	if w.def == nil {
		if err := w.emptyDefault(); err != nil {
			return nil, err
		}
	}
	if err := w.checkIDs(); err != nil {
		return nil, err
	}
	if !w.opt.Plain && len(w.names) != len(w.graphs) {
		return nil, fmt.Errorf("segment: %d terms name graphs, there are %d graphs", len(w.names), len(w.graphs))
	}
	parts, head, err := w.sections(ctx)
	if err != nil {
		return nil, err
	}
	if head.Hash, err = contentHash(ctx, parts); err != nil {
		return nil, err
	}
	built := &format.Built{
		Size: int64(head.FileSize()), Hash: head.Hash, Quads: head.Quads,
		Terms: head.Terms, Graphs: len(w.graphs), Canonical: w.opt.Canonical,
	}
	rawHead := head.Append(nil)
	if !w.opt.Plain {
		for _, p := range parts {
			if p.kind == format.KindDigests {
				built.Extra = format.ExtraOf(rawHead, p.body.Parts[0].(spool.Literal))
			}
		}
	}
	o := newChunkedWriter(ctx, out, int64(head.FileSize()))
	o.Write(rawHead)
	for _, p := range parts {
		if _, err := p.body.WriteTo(o); err != nil {
			return nil, err
		}
	}
	io.WriteString(o, format.Footer)
	if err := o.flush(); err != nil {
		return nil, err
	}
	return built, nil
}

// emptyDefault writes the default graph of a file that has named graphs only,
// or nothing at all.
func (w *Writer) emptyDefault() error {
	g := &GraphWriter{w: w}
	h := format.Header{Mask: w.mask}
	for o := range g.orders {
		if h.Has(o) {
			g.orders[o] = &OrderWriter{g: g, stored: w.newSpool(), done: true}
		}
	}
	g.closed = true
	w.def = g
	return nil
}

// sections lays out the file and returns its parts in physical order, which is
// also the order of the directory but for build-info.
func (w *Writer) sections(ctx context.Context) ([]part, *format.Header, error) {
	c := w.TermCounts()
	head := &format.Header{
		Flags: format.FlagSynopses, Quads: w.quads,
		Terms:     uint64(c.Shared) + uint64(c.Subjects) + uint64(c.Objects) + uint64(c.Predicates),
		DictCodec: uint8(w.opt.Codec.id()), BlockCodec: uint8(w.opt.Codec.id()), Mask: w.mask,
	}
	if len(w.graphs) > 0 {
		head.Flags |= format.FlagNamedGraphs
	}
	if w.quote {
		head.Flags |= format.FlagTripleTerms
	}
	dictionary, err := w.dictionary()
	if err != nil {
		return nil, nil, err
	}
	extra, err := w.makeParts(ctx, head)
	if err != nil {
		return nil, nil, err
	}
	index := w.def.container()
	named := new(spool.Rope)
	if len(w.graphs) > 0 {
		named.Bytes(binary.AppendUvarint(nil, uint64(len(w.graphs))))
		for i := range w.graphs {
			w.graphs[i].Off += uint64(named.Size)
		}
		for i := range w.tables {
			w.tables[i].shift(named.Size)
		}
		named.Spool(w.named)
	}
	meta, info := new(spool.Rope), new(spool.Rope)
	meta.Bytes(w.opt.Metadata)
	info.Bytes(w.opt.BuildInfo)
	parts := []part{
		{kind: format.KindMetadata, body: meta}, {kind: format.KindBuildInfo, body: info}, {kind: format.KindDictionary, body: dictionary},
		{kind: format.KindIndex, body: index},
	}
	parts = append(append(parts, extra...), part{kind: format.KindNamedGraphs, body: named})
	off := uint64(format.HeaderSize)
	for i := range parts {
		parts[i].off = off
		off += uint64(parts[i].body.Size)
	}
	if !w.opt.Plain {
		m := w.absolute(parts)
		ours, err := w.ownSections(ctx, m, info, extra)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range ours {
			p.off = off
			off += uint64(p.body.Size)
			parts = append(parts, p)
		}
	}
	head.Sections = directory(parts)
	return parts, head, nil
}

// directory lists the parts in canonical order.
func directory(parts []part) []format.SectionRange {
	find := func(k format.Kind) format.SectionRange {
		for _, p := range parts {
			if p.kind == k && p.body.Size > 0 {
				return format.SectionRange{Kind: k, Offset: p.off, Length: uint64(p.body.Size)}
			}
		}
		return format.SectionRange{Kind: k}
	}
	list := []format.SectionRange{find(format.KindMetadata), find(format.KindDictionary), find(format.KindIndex), find(format.KindPyramid), find(format.KindNamedGraphs)}
	list[0].Offset = format.HeaderSize
	for _, k := range []format.Kind{format.KindTextIndex, format.KindBuildInfo} {
		if r := find(k); r.Length > 0 {
			list = append(list, r)
		}
	}
	for _, p := range parts {
		if p.kind >= format.KindDigests && p.body.Size > 0 {
			list = append(list, find(p.kind))
		}
	}
	return list
}

// dictionary finishes the four sections and moves the offsets of their chunks
// to where they are in the container.
func (w *Writer) dictionary() (*spool.Rope, error) {
	r := new(spool.Rope)
	r.Bytes([]byte{format.Sections})
	for i := range w.terms {
		t := &w.terms[i]
		_, head, err := t.w.Finish()
		if err != nil {
			return nil, err
		}
		r.Bytes(append(binary.AppendUvarint(nil, uint64(len(head))+uint64(t.stored.Size)), head...))
		for k := range t.chunks {
			t.chunks[k].Off += uint64(r.Size)
		}
		r.Spool(t.stored)
	}
	return r, nil
}

func (t *graphTables) shift(by int64) {
	for o := range t.orders {
		for i := range t.orders[o] {
			t.orders[o][i].Off += by
		}
	}
}

// absolute turns the offsets of chunks, tiles and graphs, so far relative to
// their sections, into offsets in the file.
func (w *Writer) absolute(parts []part) *mapBuilder {
	at := make(map[format.Kind]uint64)
	for _, p := range parts {
		at[p.kind] = p.off
	}
	for i := range w.terms {
		for k := range w.terms[i].chunks {
			w.terms[i].chunks[k].Off += at[format.KindDictionary]
		}
	}
	def := graphTables{}
	for o, ow := range w.def.orders {
		if ow != nil {
			def.orders[o] = ow.refs
		}
	}
	def.shift(int64(at[format.KindIndex]))
	for i := range w.tables {
		w.tables[i].shift(int64(at[format.KindNamedGraphs]))
	}
	for i := range w.graphs {
		w.graphs[i].Off += at[format.KindNamedGraphs]
	}
	return &mapBuilder{w: w, tables: append([]graphTables{def}, w.tables...)}
}

// ownSections makes the sections of ours, in physical order: the prefixes, the canonical mark,
// the value index, the pages of the map, the digests of the optional parts, the list of digests,
// and last the map's root page.
func (w *Writer) ownSections(ctx context.Context, m *mapBuilder, info *spool.Rope, extra []part) ([]part, error) {
	mark := new(spool.Rope)
	flags := byte(0)
	if w.opt.Canonical {
		flags = format.CanonicalTerms
	}
	mark.Bytes([]byte{format.CanonicalVersion, flags})
	names := new(spool.Rope)
	names.Bytes(prefixes.Set(w.opt.Prefixes).Encode())
	pages := w.newSpool()
	rootPage, err := m.build(pages)
	if err != nil {
		return nil, err
	}
	valuePages, valueRoot, err := w.valueSections(ctx)
	if err != nil {
		return nil, err
	}
	pagesRope, root, sums := new(spool.Rope), new(spool.Rope), new(spool.Rope)
	pagesRope.Spool(pages)
	if err := partDigests(sums, extra); err != nil {
		return nil, err
	}
	root.Bytes(rootPage)

	var list []byte
	list = appendDigest(list, format.KindBuildInfo, info)
	list = appendDigest(list, format.KindPrefixes, names)
	list = appendDigest(list, format.KindCanonical, mark)
	list = appendDigest(list, format.KindValuePages, valuePages)
	list = appendDigest(list, format.KindValues, valueRoot)
	list = appendDigest(list, format.KindMapPages, pagesRope)
	list = appendDigest(list, format.KindPartDigests, sums)
	list = appendDigest(list, format.KindMap, root)
	digests := new(spool.Rope)
	digests.Bytes(list)
	return []part{
		{kind: format.KindPrefixes, body: names}, {kind: format.KindCanonical, body: mark}, {kind: format.KindValuePages, body: valuePages},
		{kind: format.KindValues, body: valueRoot}, {kind: format.KindMapPages, body: pagesRope},
		{kind: format.KindPartDigests, body: sums}, {kind: format.KindDigests, body: digests}, {kind: format.KindMap, body: root},
	}, nil
}

// appendDigest appends one record of the digest list: kind, length, BLAKE3
// (docs/manifest.md). An empty section has none.
func appendDigest(dst []byte, k format.Kind, r *spool.Rope) []byte {
	if r.Size == 0 {
		return dst
	}
	h := blake3.New(32, nil)
	r.WriteTo(h)
	return h.Sum(format.AppendRecord(dst, k, uint64(r.Size)))
}

// contentHash hashes the parts under the content hash, in its order.
func contentHash(ctx context.Context, parts []part) (sum [16]byte, err error) {
	h := blake3.New(32, nil)
	size := int64(0)
	for _, p := range parts {
		size += p.body.Size
	}
	o := newChunkedWriter(ctx, h, size)
	for _, k := range format.Hashed {
		for _, p := range parts {
			if p.kind == k {
				if _, err := p.body.WriteTo(o); err != nil {
					return sum, err
				}
			}
		}
	}
	if err := o.flush(); err != nil {
		return sum, err
	}
	copy(sum[:], h.Sum(nil))
	return sum, nil
}

// chunkedWriter joins small writes to large ones and stops when ctx ends. It
// remembers its first error.
type chunkedWriter struct {
	ctx context.Context
	w   io.Writer
	buf []byte
	err error
}

// newChunkedWriter makes one for size bytes in all.
func newChunkedWriter(ctx context.Context, w io.Writer, size int64) *chunkedWriter {
	return &chunkedWriter{ctx: ctx, w: w, buf: make([]byte, 0, min(copyBuffer, size))}
}

func (c *chunkedWriter) Write(p []byte) (int, error) {
	if len(c.buf)+len(p) > cap(c.buf) {
		if err := c.flush(); err != nil {
			return 0, err
		}
		if len(p) >= cap(c.buf) {
			_, c.err = c.w.Write(p)
			return len(p), c.err
		}
	}
	c.buf = append(c.buf, p...)
	return len(p), c.err
}

func (c *chunkedWriter) flush() error {
	if c.err == nil {
		c.err = context.Cause(c.ctx)
	}
	if c.err == nil && len(c.buf) > 0 {
		_, c.err = c.w.Write(c.buf)
	}
	c.buf = c.buf[:0]
	return c.err
}
