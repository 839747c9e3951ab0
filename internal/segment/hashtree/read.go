package hashtree

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
)

// request is what one call of ReadRanges wants.
type request struct {
	wanted  []wanted
	other   []blob.Range // what is not content
	into    [][]byte     // for other
	missing []stretch    // groups that are not in memory, neighbours together
	groups  map[int64][]byte
}

// wanted is a stretch of the content that somebody wants.
type wanted struct {
	at  int64
	buf []byte
}

// request finds out what is in memory.
func (o *Object) request(rs []blob.Range, bufs [][]byte) *request {
	q := &request{groups: map[int64][]byte{}}
	for i, r := range rs {
		o.content.split(r, bufs[i],
			func(at int64, buf []byte) { q.wanted = append(q.wanted, wanted{at, buf}) },
			func(r blob.Range, buf []byte) { q.other, q.into = append(q.other, r), append(q.into, buf) })
	}
	var numbers []int64
	for _, w := range q.wanted {
		for g := w.at / Group; g*Group < w.at+int64(len(w.buf)); g++ {
			if _, ok := q.groups[g]; ok {
				continue
			}
			v, ok := cache.Peek(o.cache, o.groupKey(g))
			if !ok {
				numbers = append(numbers, g)
			}
			q.groups[g], _ = v.([]byte)
		}
	}
	slices.Sort(numbers)
	for _, g := range numbers {
		from, to := g*Group, min((g+1)*Group, o.content.size)
		if n := len(q.missing) - 1; n >= 0 && q.missing[n].to == from {
			q.missing[n].to = to
			continue
		}
		q.missing = append(q.missing, stretch{from, to})
	}
	return q
}

// Keys of the cache: groups by their numbers, pages by theirs.
const pageUnit = 1 << 62

func (o *Object) groupKey(g int64) cache.Key { return cache.Key{Object: o.id, Unit: uint64(g)} }
func (o *Object) pageKey(p int64) cache.Key {
	return cache.Key{Object: o.id, Unit: pageUnit | uint64(p)}
}

// pageBytes is how much of a tree is read at once: the pairs of 4 MiB of content.
const pageBytes = 256 * pairBytes

// read fills what is wanted. The file and the tree are read side by side, and nothing is used,
// or kept, that was not proven.
func (t *tree) read(ctx context.Context, o *Object, q *request) error {
	pages := t.pages(o, q.missing)
	bufs := make([][]byte, len(q.missing))
	for i, s := range q.missing {
		bufs[i] = make([]byte, s.to-s.from)
	}
	g, both := errgroup.WithContext(ctx)
	g.Go(func() error { return o.readFile(both, q.missing, bufs, q.other, q.into) })
	g.Go(func() error { return t.readPages(both, pages) })
	if err := g.Wait(); err != nil {
		return err
	}
	for i, s := range q.missing {
		if !s.holds(bufs[i], o.content.size, t.root, func(off int64) []byte { return pages.pair(off) }) {
			place := o.content.Place(s.from, s.to)[0]
			return &damage.Error{Object: o.Name(), Part: "content", Offset: place.Off,
				Detail: fmt.Sprintf("%d bytes are not those of the hash tree %s", s.to-s.from, t.obj.Name())}
		}
	}
	for p, b := range pages {
		if err := o.keep(ctx, o.pageKey(p), b); err != nil {
			return err
		}
	}
	for i, s := range q.missing {
		if err := o.proven(ctx, q, s, bufs[i]); err != nil {
			return err
		}
	}
	for _, w := range q.wanted {
		for n := 0; n < len(w.buf); {
			g, at := (w.at+int64(n))/Group, (w.at+int64(n))%Group
			n += copy(w.buf[n:], q.groups[g][at:])
		}
	}
	return nil
}

// proven takes the groups of a stretch. The first and the last are kept: what is wanted of a
// file seldom ends with a group, and its neighbours share them.
func (o *Object) proven(ctx context.Context, q *request, s stretch, b []byte) error {
	for from := s.from; from < s.to; from += Group {
		end := min(from+Group, s.to)
		group := b[from-s.from : end-s.from : end-s.from]
		if q.groups != nil {
			q.groups[from/Group] = group
		}
		if from != s.from && end != s.to {
			continue
		}
		if s.to-s.from > Group {
			group = slices.Clone(group) // and not the whole stretch
		}
		if err := o.keep(ctx, o.groupKey(from/Group), group); err != nil {
			return err
		}
	}
	return nil
}

// keep keeps bytes that were proven.
func (o *Object) keep(ctx context.Context, k cache.Key, b []byte) error {
	_, err := cache.Get(ctx, o.cache, k, func(context.Context) (any, int64, error) { return b, int64(len(b)), nil })
	return err
}

// readFile fills bufs with stretches of the content, group by group, and into with other
// ranges, by one call.
func (o *Object) readFile(ctx context.Context, list []stretch, bufs [][]byte, other []blob.Range, into [][]byte) error {
	rs, to := slices.Clip(other), slices.Clip(into)
	for i, s := range list {
		b := bufs[i]
		for from := s.from; from < s.to; from += Group {
			for _, r := range o.content.Place(from, min(from+Group, s.to)) {
				rs, to, b = append(rs, r), append(to, b[:r.Len:r.Len]), b[r.Len:]
			}
		}
	}
	if len(rs) == 0 {
		return nil
	}
	return o.Object.ReadRanges(ctx, rs, to)
}

// treePages are pages of a tree by number; nil is one that is still to be read.
type treePages map[int64][]byte

// pair returns the pair at an offset of the tree.
func (p treePages) pair(off int64) []byte {
	off -= lengthBytes
	return p[off/pageBytes][off%pageBytes:][:pairBytes]
}

// pages returns the pages with the nodes above some stretches.
func (t *tree) pages(o *Object, list []stretch) treePages {
	pages := treePages{}
	for _, s := range list {
		s.path(o.content.size, func(off int64) {
			p := (off - lengthBytes) / pageBytes
			if _, ok := pages[p]; !ok {
				v, _ := cache.Peek(o.cache, o.pageKey(p))
				pages[p], _ = v.([]byte)
			}
		}, func(int64, int64) {})
	}
	return pages
}

// readPages reads those that are not in memory.
func (t *tree) readPages(ctx context.Context, pages treePages) error {
	var rs []blob.Range
	var bufs [][]byte
	for p, b := range pages {
		if b != nil {
			continue
		}
		off := lengthBytes + p*pageBytes
		b = make([]byte, min(pageBytes, t.obj.Size()-off))
		pages[p] = b
		rs, bufs = append(rs, blob.Range{Off: off, Len: int64(len(b))}), append(bufs, b)
	}
	if len(rs) == 0 {
		return nil
	}
	return t.obj.ReadRanges(ctx, rs, bufs)
}
