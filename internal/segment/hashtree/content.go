package hashtree

import (
	"cmp"
	"slices"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
)

// part is a stretch of a file, and where it begins in the content.
type part struct {
	blob.Range
	at int64
}

// Content is the stretches of a file whose bytes, one after another, have the pinned hash.
type Content struct {
	parts  []part // in the order of the content
	placed []part // in the order of the file
	size   int64
}

// ContentOf returns the content of a file of size bytes as its header places it. Sections that
// overlap are refused: the tree knows a byte by one place.
func ContentOf(h *format.Header, size int64) (*Content, error) {
	c := &Content{}
	for _, k := range format.Hashed {
		r := h.Section(k)
		if r.Length == 0 {
			continue
		}
		if r.Length > uint64(size) || r.Offset > uint64(size)-r.Length {
			return nil, format.HeaderErr(64, "%v of %d bytes at %d in a file of %d", k, r.Length, r.Offset, size)
		}
		c.parts = append(c.parts, part{blob.Range{Off: int64(r.Offset), Len: int64(r.Length)}, c.size})
		c.size += int64(r.Length)
	}
	c.placed = slices.SortedFunc(slices.Values(c.parts), func(a, b part) int { return cmp.Compare(a.Off, b.Off) })
	for i, p := range c.placed[min(1, len(c.placed)):] {
		if last := c.placed[i]; p.Off < last.Off+last.Len {
			return nil, damage.New("header", "sections overlap, at byte %d", p.Off)
		}
	}
	return c, nil
}

// Size returns the length of the content.
func (c *Content) Size() int64 { return c.size }

// Ranges returns the stretches of the file, in the order of the content.
func (c *Content) Ranges() []blob.Range {
	out := make([]blob.Range, len(c.parts))
	for i, p := range c.parts {
		out[i] = p.Range
	}
	return out
}

// split cuts a range of the file into what is content, whose place there inside gets, and what
// is not; buf is cut the same way.
func (c *Content) split(r blob.Range, buf []byte, inside func(at int64, buf []byte), outside func(r blob.Range, buf []byte)) {
	take := func(n int64, use func(b []byte)) {
		if n > 0 {
			use(buf[:n:n])
			r.Off, r.Len, buf = r.Off+n, r.Len-n, buf[n:]
		}
	}
	other := func(n int64) {
		take(n, func(b []byte) { outside(blob.Range{Off: r.Off, Len: int64(len(b))}, b) })
	}
	for _, p := range c.placed {
		other(min(r.Len, p.Off-r.Off))
		take(min(r.Len, p.Off+p.Len-r.Off), func(b []byte) { inside(p.at+r.Off-p.Off, b) })
	}
	other(r.Len)
}

// Place returns the ranges of the file that hold the bytes [first, end) of the content.
func (c *Content) Place(first, end int64) (out []blob.Range) {
	for _, p := range c.parts {
		from, to := max(first, p.at), min(end, p.at+p.Len)
		if from < to {
			out = append(out, blob.Range{Off: p.Off + from - p.at, Len: to - from})
		}
	}
	return out
}

// Stretch returns the content that is one stretch of a file.
func Stretch(r blob.Range) *Content {
	p := part{Range: r}
	return &Content{parts: []part{p}, placed: []part{p}, size: r.Len}
}
