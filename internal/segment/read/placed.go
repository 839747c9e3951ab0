package read

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/hashtree"
	"github.com/rete-go/rete/tile"
)

// The content hash covers the bytes of the sections, one after another, but not the header, which
// says where each one ends. A header that nothing else pins could so call the named graphs a text
// index, or have metadata reach up to another dictionary. Dictionary, index and graphs say
// themselves how long they are; the other sections are searched for what they must not hold.

// headerPinned reports whether the header is known to be the right one.
func (s *Segment) headerPinned() bool {
	return s.root != nil || s.pin != nil && s.pin.Extra != nil
}

// HasOrder reports whether the segment stores the order, as far as that is known: where there are
// four or five, only a header that is pinned says which ones they are apart from SPO, POS and OSP.
func (s *Segment) HasOrder(o tile.Order) bool {
	sure := o <= tile.OSP || orders(s.head) == tile.NumOrders || s.pin == nil || s.headerPinned()
	return sure && s.head.Has(int(o))
}

// orders returns how many orders are stored.
func orders(h *format.Header) (n int) {
	for o := range tile.NumOrders {
		if h.Has(o) {
			n++
		}
	}
	return n
}

// placed checks that the sections of a file whose content is proven lie where its header says.
func (s *Segment) placed(ctx context.Context) error {
	if s.headerPinned() {
		return nil
	}
	index := s.head.Section(format.KindIndex)
	if _, err := s.slots(ctx, piece{int64(index.Offset), int64(index.Length)}, "index"); err != nil {
		return err
	}
	c, err := hashtree.ContentOf(s.head, s.obj.Size())
	if err != nil {
		return err
	}
	at := int64(0)
	for _, k := range format.Hashed {
		f := &finder{s: s, content: c, from: at, to: at + int64(s.head.Section(k).Length)}
		at = f.to
		found, what := int64(-1), "named graphs"
		switch k {
		case format.KindMetadata:
			what = "a dictionary"
			found, err = f.find(ctx, waitDictionary, f.dictionary)
		case format.KindPyramid, format.KindTextIndex:
			found, err = f.find(ctx, f.waitGraphs, f.graphs)
		}
		if err == nil && found >= 0 {
			err = format.HeaderErr(64, "what it calls %v has %s in it, from byte %d on", k, what, found-f.from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finder searches the content between two of its bytes for the beginning of something, which may
// end after them.
type finder struct {
	s        *Segment
	content  *hashtree.Content
	from, to int64
	have     span  // of the content
	spare    int64 // work that may be left
	err      error // of a read: what was not read is not found, and that is no answer
}

// Bounds of a search, so that no content makes it long: how many bytes are read for each byte, and
// what a record costs.
const (
	findFactor = 16
	findLeast  = 64 << 20
	recordCost = 32
)

// longestName is more than the name of a graph takes, farStep what is read elsewhere in the content.
const (
	longestName = 1 << 20
	farStep     = 1 << 10
)

// find returns the first place at which something begins; -1 if there is none. wait is asked
// first, with the next bytes, and returns how many of them it surely comes after.
func (f *finder) find(ctx context.Context, wait func(b []byte) int, begins func(ctx context.Context, at int64) bool) (int64, error) {
	f.spare = findFactor*(f.to-f.from) + findLeast
	for at := f.from; at < f.to; {
		block, err := f.read(ctx, at, min(hashBlock, f.content.Size()-at))
		if err != nil {
			return -1, err
		}
		f.have = span{at, block}
		n := min(int64(len(block)), f.to-at)
		if at+int64(len(block)) < f.content.Size() {
			n = min(n, int64(len(block))-longestName) // the next block begins with these
		}
		for i := int64(0); i < n; i++ {
			if more := wait(block[i:]); more > 0 {
				i += int64(more) - 1
				continue
			}
			if begins(ctx, at+i) {
				return at + i, nil
			}
			if f.err != nil {
				return -1, f.err
			}
			if f.spare < 0 {
				return -1, damage.New("content", "what no query reads cannot be told from what queries read")
			}
		}
		at += n
	}
	return -1, nil
}

// read returns n bytes of the content, at most to its end.
func (f *finder) read(ctx context.Context, off, n int64) ([]byte, error) {
	if b := f.have.cut(off, n); b != nil {
		return b, nil
	}
	f.spare -= n
	b := make([]byte, n)
	places := f.content.Place(off, off+n)
	bufs, rest := make([][]byte, len(places)), b
	for i, p := range places {
		bufs[i], rest = rest[:p.Len], rest[p.Len:]
	}
	err := f.s.obj.ReadRanges(ctx, places, bufs)
	if f.err == nil {
		f.err = err
	}
	return b, err
}

// walk returns a walker from a place of the content on.
func (f *finder) walk(ctx context.Context, at int64) *walker {
	return &walker{read: f.read, step: farStep, ctx: ctx, pos: at, end: f.content.Size()}
}

// waitDictionary returns 0 where a dictionary may begin with b.
func waitDictionary(b []byte) int {
	if n, used := binary.Uvarint(b); used > 0 && n == uint64(format.Sections) {
		return 0
	}
	return 1
}

// dictionary reports whether a dictionary begins at a place, and an index after it.
func (f *finder) dictionary(ctx context.Context, at int64) bool {
	f.spare -= recordCost
	w := f.walk(ctx, at)
	if w.uv(); w.err != nil {
		return false
	}
	for range format.Sections {
		size := w.uv()
		if w.err != nil || size > uint64(w.end-w.pos) {
			return false
		}
		for need := min(64, int64(size)); need > 0; {
			var err error
			if _, need, err = dict.ParseHead(w.peek(need), int64(size)); err != nil || w.err != nil {
				return false
			}
		}
		w.pos += int64(size)
	}
	return f.payloads(w)
}

// waitGraphs returns how many bytes of b a list of graphs surely begins after: its first name begins
// after two numbers.
func (f *finder) waitGraphs(b []byte) int {
	const numbers, ahead = 2 * binary.MaxVarintLen64, 128
	near := b[min(len(b), 2):min(len(b), ahead)]
	name := len(near)
	for _, c := range []byte("<_") {
		if i := bytes.IndexByte(near[:name], c); i >= 0 {
			name = i
		}
	}
	switch {
	case name > numbers:
		return name - numbers
	case f.maybeGraphs(b):
		return 0
	}
	return 1
}

// maybeGraphs reports whether a list of graphs may begin with b: a number of graphs, the first one's
// name, which is an IRI or that of a blank node, and its container.
func (f *finder) maybeGraphs(b []byte) bool {
	var numbers [2]uint64 // the graphs, the bytes of the name
	for i := range numbers {
		n, used := binary.Uvarint(b)
		if used <= 0 || n == 0 {
			return false
		}
		numbers[i], b = n, b[used:]
	}
	size := numbers[1]
	if size < 2 || size > uint64(len(b)) || b[0] == '<' && b[size-1] != '>' || b[0] != '<' && string(b[:2]) != "_:" {
		return false
	}
	_, used := binary.Uvarint(b[size:])
	if used <= 0 {
		return false
	}
	n, used := binary.Uvarint(b[size+uint64(used):])
	return used > 0 && n == uint64(orders(f.s.head))
}

// graphs reports whether a list of graphs begins at a place and ends with the content.
func (f *finder) graphs(ctx context.Context, at int64) bool {
	w := f.walk(ctx, at)
	n := w.uv()
	if n > uint64(w.end-w.pos)/2 {
		return false
	}
	for range n {
		if f.spare -= recordCost; f.spare < 0 || !skip(w) { // the name
			return false
		}
		size := w.uv()
		if end := w.pos + int64(size); size > uint64(w.end-w.pos) || !f.payloads(w) || w.pos != end {
			return false
		}
	}
	return w.pos == w.end
}

// payloads walks through the container of a graph, and reports whether there is one.
func (f *finder) payloads(w *walker) bool {
	n := orders(f.s.head)
	if w.uv() != uint64(n) {
		return false
	}
	for range n {
		if !skip(w) {
			return false
		}
	}
	return true
}

// skip walks past what has its length before it, and reports whether there is that much.
func skip(w *walker) bool {
	n := w.uv()
	if w.err != nil || n > uint64(w.end-w.pos) {
		return false
	}
	w.pos += int64(n)
	return true
}
