package read

import (
	"context"
	"sort"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment/format"
)

// wholeRest is how much of a remote file's map is read at once, all that [Open] has not
// read: one request in place of one for each page.
const wholeRest = 256 << 10

// pageBytes returns the bytes of a page of the map: from a batch, from what Open read, from
// the rest of the map if that is small, or for itself.
func (s *Segment) pageBytes(ctx context.Context, off, n int64, from *batch) ([]byte, error) {
	if from != nil {
		return from.get(ctx, off, n)
	}
	rest, length := s.mapRest()
	if !s.remote || off >= rest+length || length > wholeRest {
		return s.bytesAt(ctx, off, n)
	}
	v, err := cached(ctx, s, wholeMap, func(ctx context.Context) (span, int64, error) {
		b := make([]byte, length)
		return span{off: rest, b: b}, length, s.readAt(ctx, b, rest)
	})
	if err != nil {
		return nil, err
	}
	if b := v.cut(off, n); b != nil {
		return b, nil
	}
	return s.bytesAt(ctx, off, n)
}

// mapRest returns the stretch of the map's pages that are not wholly in what Open read.
func (s *Segment) mapRest() (off, length int64) {
	r := s.head.Section(format.KindMapPages)
	off = int64(r.Offset)
	tail := s.obj.Size() - tailOf(s.obj)
	pages := s.root.Pages
	n := sort.Search(len(pages), func(i int) bool { return off+int64(pages[i].Off) >= tail })
	if n > 0 {
		length = int64(pages[n-1].Off) + int64(pages[n-1].Length)
	}
	return off, length
}

// loadPages loads pages of one table of a remote file that are not in the cache, by one call.
func (s *Segment) loadPages(ctx context.Context, pages []*format.MapPage, load func(ctx context.Context, p *format.MapPage, from *batch) error) error {
	if _, length := s.mapRest(); length <= wholeRest {
		return nil // they come with the first one
	}
	b := &batch{s: s}
	var list []*format.MapPage
	for _, p := range pages {
		if _, ok := cache.Peek(s.cache, s.key(pageKey(p))); !ok {
			b.add(int64(s.head.Section(format.KindMapPages).Offset+p.Off), int64(p.Length))
			list = append(list, p)
		}
	}
	for _, p := range list {
		if err := load(ctx, p, b); err != nil {
			return err
		}
	}
	return nil
}

// pagesFor loads the pages of the tiles that may hold rows of some stretches.
func (t *Table) pagesFor(ctx context.Context, lo, hi [][3]uint32) error {
	var list []*format.MapPage
	last := -1
	for i := range lo {
		k := sort.Search(len(t.pages), func(k int) bool { return t.pages[k].MaxA >= lo[i][0] })
		for k = max(k, last+1); k < len(t.pages) && t.pages[k].MinA <= hi[i][0]; k++ {
			list = append(list, &t.pages[k])
			last = k
		}
	}
	return t.s.loadPages(ctx, list, func(ctx context.Context, p *format.MapPage, from *batch) error {
		_, err := t.s.tilePage(ctx, p, from)
		return err
	})
}

// pagesFor loads the pages that n places of the list of terms need; page returns the place
// among the pages of the one for a term, which may be -1.
func (c *Chunks) pagesFor(ctx context.Context, n int, page func(i int) int) error {
	if !c.s.remote || len(c.pages) < 2 {
		return nil
	}
	var list []*format.MapPage
	last := -1
	for i := range n {
		if p := page(i); p > last {
			list = append(list, &c.pages[p])
			last = p
		}
	}
	return c.s.loadPages(ctx, list, func(ctx context.Context, p *format.MapPage, from *batch) error {
		_, err := c.s.chunkPage(ctx, p, from)
		return err
	})
}
