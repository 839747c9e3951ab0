package read

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sort"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/internal/segment/format"
)

// Chunks is the sequence of chunks of one section.
type Chunks struct {
	s     *Segment
	Sec   format.Section
	R     int              // run length
	pages []format.MapPage // by the map; else
	Refs  []format.ChunkRef
}

// chunksOf opens a section: nothing is read but a directory that is not in the
// cache.
func (s *Segment) chunksOf(ctx context.Context, sec format.Section) (*Chunks, error) {
	if sec >= format.Sections {
		return nil, fmt.Errorf("%s: no dictionary %v", s.name, sec)
	}
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	c := &Chunks{s: s, Sec: sec}
	if s.root != nil {
		c.R = int(min(s.root.Runs[sec], 1<<31-1))
		c.pages = s.root.Table(format.ChunkTable, uint64(sec))
		return c, nil
	}
	c.R = s.dirs.runs(sec)
	var err error
	c.Refs, err = s.dirs.chunks(ctx, sec)
	return c, err
}

// pageOf returns the place of the page that alone can route to a term, -1 if there is none.
func (c *Chunks) pageOf(term []byte) int {
	return sort.Search(len(c.pages), func(i int) bool { return bytes.Compare(c.pages[i].Key, term) > 0 }) - 1
}

// pageWith returns the place of the page with the chunk of term k, -1 if there is none.
func (c *Chunks) pageWith(k uint32) int {
	return sort.Search(len(c.pages), func(i int) bool { return c.pages[i].Start > uint64(k) }) - 1
}

// route returns the chunk that alone can hold a term, nil if the term is before
// all, and the key of the chunk after it, nil if there is none.
func (c *Chunks) route(ctx context.Context, term []byte) (r *format.ChunkRef, next []byte, err error) {
	refs := c.Refs
	if c.pages != nil {
		p := c.pageOf(term)
		if p < 0 {
			return nil, c.pages[0].Key, nil
		}
		if refs, err = c.s.chunkPage(ctx, &c.pages[p], nil); err != nil {
			return nil, nil, err
		}
		if p+1 < len(c.pages) {
			next = c.pages[p+1].Key
		}
	}
	i := sort.Search(len(refs), func(i int) bool { return bytes.Compare(refs[i].Key, term) > 0 })
	if i < len(refs) {
		next = refs[i].Key
	}
	if i == 0 {
		return nil, next, nil
	}
	return &refs[i-1], next, nil
}

// Holds returns the chunk that holds term k, counted from 0.
func (c *Chunks) Holds(ctx context.Context, k uint32) (*format.ChunkRef, error) {
	refs := c.Refs
	if c.pages != nil {
		p := c.pageWith(k)
		if p < 0 {
			return nil, c.missing(k)
		}
		var err error
		if refs, err = c.s.chunkPage(ctx, &c.pages[p], nil); err != nil {
			return nil, err
		}
	}
	i := sort.Search(len(refs), func(i int) bool { return refs[i].Start > k }) - 1
	if i < 0 || k-refs[i].Start >= refs[i].Terms {
		return nil, c.missing(k)
	}
	return &refs[i], nil
}

func (c *Chunks) missing(k uint32) error {
	return c.s.named(damage.New("dictionary", "no chunk of the %v section holds term %d", c.Sec, k+1))
}

// load returns a chunk, decoded; its bytes come from batch if that is not nil.
func (c *Chunks) load(ctx context.Context, r *format.ChunkRef, b *batch) (*dict.Chunk, error) {
	s := c.s
	count := reads.Of(ctx)
	count.Chunk(int64(r.Length))
	if v, ok := cache.Peek(s.cache, s.key(unitChunk|r.Off)); ok { // no closure is made
		return v.(*dict.Chunk), nil
	}
	return cached(ctx, s, unitChunk|r.Off, func(ctx context.Context) (*dict.Chunk, int64, error) {
		count.Decode()
		var stored []byte
		var err error
		switch {
		case c.Sec == format.Predicates && s.root != nil && len(s.root.PredChunk) == int(r.Length):
			stored = s.root.PredChunk
		case b != nil:
			stored, err = b.get(ctx, int64(r.Off), int64(r.Length))
		default:
			stored, err = s.bytesAt(ctx, int64(r.Off), int64(r.Length))
		}
		if err != nil {
			return nil, 0, err
		}
		d, err := s.decodeChunk(stored, c.Sec, c.R, r)
		if err != nil {
			return nil, 0, err
		}
		return d, d.Bytes() + 128, nil
	})
}

// wanted is a chunk and the stretch of a batch that it answers.
type wanted struct {
	c      *Chunks
	ref    *format.ChunkRef
	lo, hi int
}

// wantedRoom is the number of chunks for which a list lies on the stack.
const wantedRoom = 4

// each loads chunks in order, some ahead, and calls use for each.
func (s *Segment) each(ctx context.Context, list []wanted, use func(w wanted, d *dict.Chunk)) error {
	if len(list) == 1 { // the common case needs no goroutine
		d, err := list[0].c.load(ctx, list[0].ref, nil)
		if err == nil {
			use(list[0], d)
		}
		return err
	}
	var ahead []*future[*dict.Chunk]
	step := 0 // how many were begun together
	for i := range list {
		if begun := i + len(ahead); len(ahead) <= step/2 && begun < len(list) {
			more := s.beginChunks(ctx, list[begun:])
			ahead, step = append(ahead, more...), len(more)
		}
		d, err := ahead[0].wait(ctx)
		if err != nil {
			return err
		}
		ahead = ahead[1:]
		reads.Of(ctx).Chunk(int64(list[i].ref.Length))
		use(list[i], d)
	}
	return nil
}

// beginChunks starts to load the first chunks of a list: as many as are asked for together.
func (s *Segment) beginChunks(ctx context.Context, list []wanted) []*future[*dict.Chunk] {
	b := &batch{s: s}
	var out []*future[*dict.Chunk]
	for _, w := range list {
		var have *future[*dict.Chunk]
		if v, ok := cache.Peek(s.cache, s.key(unitChunk|w.ref.Off)); ok {
			have = now(v.(*dict.Chunk))
		} else {
			b.add(int64(w.ref.Off), int64(w.ref.Length))
			reads.Of(ctx).Decode()
		}
		out = append(out, have)
		if s.enough(len(out), b.bytes, remoteMost) {
			break
		}
	}
	for i := range out { // the batch is complete
		if out[i] == nil {
			w := list[i]
			out[i] = later(s, func(ctx context.Context) (*dict.Chunk, error) { return w.c.load(ctx, w.ref, b) })
		}
	}
	return out
}

// enough reports whether the given units, with the bytes that are to be read, are asked
// for together.
func (s *Segment) enough(units int, bytes, most int64) bool {
	if s.remote {
		return bytes >= most || units >= remoteUnits
	}
	return units >= localWindow
}

// Locate finds terms in one section: out[i] is the id of sorted[i] in the
// section, counted from 1, or 0 if it is not there. The surfaces must ascend;
// repeats are allowed. out must be as long as sorted. Each chunk is opened once.
func (s *Segment) Locate(ctx context.Context, sec format.Section, sorted [][]byte, out []uint32) (err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	out = out[:len(sorted)]
	clear(out)
	c, err := s.chunksOf(ctx, sec)
	if err != nil || s.counts.Size(sec) == 0 {
		return err
	}
	if err := c.pagesFor(ctx, len(sorted), func(i int) int { return c.pageOf(sorted[i]) }); err != nil {
		return err
	}
	var room [wantedRoom]wanted
	list := room[:0]
	for i := 0; i < len(sorted); {
		if i > 0 && bytes.Compare(sorted[i-1], sorted[i]) > 0 {
			return fmt.Errorf("segment: Locate: %q after %q: terms must ascend", sorted[i], sorted[i-1])
		}
		r, next, err := c.route(ctx, sorted[i])
		if err != nil {
			return err
		}
		end := i + 1
		for end < len(sorted) && (next == nil || bytes.Compare(sorted[end], next) < 0) {
			if bytes.Compare(sorted[end-1], sorted[end]) > 0 {
				return fmt.Errorf("segment: Locate: %q after %q: terms must ascend", sorted[end], sorted[end-1])
			}
			end++
		}
		if r != nil {
			list = append(list, wanted{c, r, i, end})
		}
		i = end
	}
	if len(list) == 0 {
		return context.Cause(ctx)
	}
	return s.each(ctx, list, func(w wanted, d *dict.Chunk) {
		at := 0
		for i := w.lo; i < w.hi; i++ {
			place, found := d.FindFrom(at, sorted[i])
			if found {
				out[i] = w.ref.Start + uint32(place) + 1
				if i+1 < w.hi && !bytes.Equal(sorted[i], sorted[i+1]) {
					place++
				}
			}
			at = place
		}
	})
}

// Decode appends the surfaces of section-local ids, which must ascend (repeats
// allowed), to out. Each chunk is opened once. An id that the section does not
// have is damage: it came from a tile.
func (s *Segment) Decode(ctx context.Context, sec format.Section, local []uint32, out *ids.Terms) (err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	var room [wantedRoom]wanted
	list, err := s.holders(ctx, sec, local, room[:0])
	if err != nil || len(list) == 0 {
		return err
	}
	return s.each(ctx, list, func(w wanted, d *dict.Chunk) { w.decode(d, local, out) })
}

// DecodeAll is [Segment.Decode] for several sections, those of the numbers of the lists of
// ids: what they need is asked for together.
func (s *Segment) DecodeAll(ctx context.Context, local [][]uint32, out []ids.Terms) (err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	var room [wantedRoom]wanted
	list := room[:0]
	for sec := range min(len(local), len(out)) {
		if list, err = s.holders(ctx, format.Section(sec), local[sec], list); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return context.Cause(ctx)
	}
	return s.each(ctx, list, func(w wanted, d *dict.Chunk) { w.decode(d, local[w.c.Sec], &out[w.c.Sec]) })
}

// decode appends the surfaces of the ids that the chunk answers.
func (w *wanted) decode(d *dict.Chunk, local []uint32, out *ids.Terms) {
	for _, id := range local[w.lo:w.hi] {
		out.Append(d.At(int(id - 1 - w.ref.Start)))
	}
}

// holders appends the chunks that hold ids of a section.
func (s *Segment) holders(ctx context.Context, sec format.Section, local []uint32, list []wanted) ([]wanted, error) {
	c, err := s.chunksOf(ctx, sec)
	if err != nil || len(local) == 0 {
		return list, err
	}
	if err := c.pagesFor(ctx, len(local), func(i int) int { return c.pageWith(max(local[i], 1) - 1) }); err != nil {
		return nil, err
	}
	n := s.counts.Size(sec)
	for i := 0; i < len(local); {
		id := local[i]
		if id == 0 || id > n || i > 0 && id < local[i-1] {
			if i > 0 && id < local[i-1] {
				return nil, fmt.Errorf("segment: Decode: id %d after %d: ids must ascend", id, local[i-1])
			}
			return nil, s.named(damage.New("index", "a triple uses term %d of the %v section, which has %d", id, sec, n))
		}
		r, err := c.Holds(ctx, id-1)
		if err != nil {
			return nil, err
		}
		end := i + 1
		for end < len(local) && local[end] >= local[end-1] && local[end]-1-r.Start < r.Terms {
			end++
		}
		list = append(list, wanted{c, r, i, end})
		i = end
	}
	return list, nil
}

// TermScan goes through the terms of one section in order. It belongs to one
// goroutine.
type TermScan struct {
	s      *Segment
	sec    format.Section
	chunks *Chunks
	next   uint32 // number of the next term, from 0
	chunk  *dict.Chunk
	ref    *format.ChunkRef
	ahead  *future[*dict.Chunk] // of the chunk after the current one
	after  *format.ChunkRef
}

// AllTerms returns a scan of all terms of a section.
func (s *Segment) AllTerms(sec format.Section) *TermScan { return &TermScan{s: s, sec: sec} }

// Next returns the next term, or io.EOF. The slice is a view that must not be
// changed; it stays valid.
func (t *TermScan) Next(ctx context.Context) (_ []byte, err error) {
	if err = t.s.over(); err != nil {
		return
	}
	defer t.s.late(&err)
	if t.chunk != nil {
		if i := t.next - t.ref.Start; i < t.ref.Terms {
			t.next++
			return t.chunk.At(int(i)), nil
		}
	}
	if t.next >= t.s.counts.Size(t.sec) {
		return nil, io.EOF
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := t.advance(ctx); err != nil {
		return nil, err
	}
	t.next++
	return t.chunk.At(int(t.next - 1 - t.ref.Start)), nil
}

// advance loads the chunk of the next term and starts to load the one after.
func (t *TermScan) advance(ctx context.Context) (err error) {
	if t.chunks == nil {
		if t.chunks, err = t.s.chunksOf(ctx, t.sec); err != nil {
			return err
		}
	}
	if t.ahead == nil {
		if t.after, err = t.chunks.Holds(ctx, t.next); err != nil {
			return err
		}
		t.ahead = t.start(t.after)
	}
	chunk, err := t.ahead.wait(ctx)
	if err != nil {
		if ctx.Err() == nil {
			t.ahead = nil
		}
		return err
	}
	t.chunk, t.ref, t.ahead = chunk, t.after, nil
	if end := t.ref.Start + t.ref.Terms; end < t.s.counts.Size(t.sec) {
		if t.after, err = t.chunks.Holds(ctx, end); err == nil {
			t.ahead = t.start(t.after)
		}
	}
	return nil
}

func (t *TermScan) start(r *format.ChunkRef) *future[*dict.Chunk] {
	return later(t.s, func(ctx context.Context) (*dict.Chunk, error) { return t.chunks.load(ctx, r, nil) })
}
