package segment

import (
	"context"
	"fmt"
	"sort"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/tile"
)

// table is the sequence of tiles of one graph in one order.
type table struct {
	s     *Segment
	graph int
	order tile.Order
	base  uint32 // SPO only: tiles of the graphs before
	tiles int
	rows  uint64 // 0 if not known and not empty

	pages []mapPage // by the map; else
	refs  []tileRef // the whole directory
	held  span      // the stored bytes of all tiles, where the container is one unit
}

// inlineGraph is the container of a small graph, in memory as a whole.
type inlineGraph struct {
	at     span
	orders [tile.NumOrders][]tileRef
}

// table opens one order of one graph: nothing is read but directories that are
// not in the cache.
func (s *Segment) table(ctx context.Context, graph int, o tile.Order) (*table, error) {
	if graph < 0 || graph > s.counts.Graphs {
		return nil, fmt.Errorf("%s: no graph %d, there are %d", s.name, graph, s.counts.Graphs)
	}
	if o >= tile.NumOrders || !s.HasOrder(o) {
		return nil, fmt.Errorf("%s: order %v is not stored", s.name, o)
	}
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	t := &table{s: s, graph: graph, order: o}
	if graph == 0 {
		if s.root != nil {
			t.pages = s.root.table(tileTable, tileArg(0, o))
			t.measure()
			return t, nil
		}
		sec := s.head.Section(KindIndex)
		return t, t.byDirectory(ctx, piece{int64(sec.Offset), int64(sec.Length)}, "index")
	}
	g, err := s.graph(ctx, graph)
	if err != nil {
		return nil, err
	}
	if o == tile.SPO {
		n, err := s.defaultTiles(ctx)
		if err != nil {
			return nil, err
		}
		if t.base = uint32(uint64(n) + g.start); uint64(t.base) != uint64(n)+g.start {
			return nil, s.named(damage.New("named graphs", "more tiles than 32 bits count"))
		}
	}
	switch {
	case g.inline:
		in, err := s.inlineGraph(ctx, g)
		if err != nil {
			return nil, err
		}
		t.refs, t.held = in.orders[o], in.at
		t.tiles, t.rows = len(t.refs), g.rows
	case s.root != nil:
		t.pages = s.root.table(tileTable, tileArg(graph, o))
		t.measure()
	default:
		return t, t.byDirectory(ctx, piece{int64(g.off), int64(g.length)}, "named graph")
	}
	return t, nil
}

// measure counts tiles and rows from the pages of the map.
func (t *table) measure() {
	for i := range t.pages {
		t.tiles += int(t.pages[i].entries)
		t.rows += t.pages[i].rows
	}
}

// byDirectory finds the order in a container and reads its directory.
func (t *table) byDirectory(ctx context.Context, at piece, part string) error {
	s := t.s
	slots, err := cached(ctx, s, unitDirectory|uint64(at.off), func(ctx context.Context) ([tile.NumOrders]piece, int64, error) {
		slots, err := s.orderPieces(ctx, at, part)
		return slots, 128, err
	})
	if err != nil {
		return err
	}
	p := slots[t.order]
	t.refs, err = cached(ctx, s, unitDirectory|uint64(p.off), func(ctx context.Context) ([]tileRef, int64, error) {
		refs, err := s.tileDirectory(ctx, p)
		return refs, int64(len(refs))*104 + 64, err
	})
	t.tiles = len(t.refs)
	return err
}

// defaultTiles returns the number of SPO tiles of the default graph.
func (s *Segment) defaultTiles(ctx context.Context) (int, error) {
	if n := s.defTiles.Load(); n > 0 {
		return int(n - 1), nil
	}
	t, err := s.table(ctx, 0, tile.SPO)
	if err != nil {
		return 0, err
	}
	s.defTiles.Store(int64(t.tiles) + 1)
	return t.tiles, nil
}

// inlineGraph fetches and checks the container of a small graph and reads its
// directories.
func (s *Segment) inlineGraph(ctx context.Context, g *graphRef) (*inlineGraph, error) {
	return cached(ctx, s, unitGraph|g.off, func(ctx context.Context) (*inlineGraph, int64, error) {
		b, err := s.bytesAt(ctx, int64(g.off), int64(g.length))
		if err != nil {
			return nil, 0, err
		}
		if g.checked {
			if err := s.check(b, g.sums); err != nil {
				return nil, 0, s.unitErr(err, int64(g.off), "named graph %q", g.name)
			}
		}
		// A copy: the unit must not hold on to the tail of the file.
		in := &inlineGraph{at: span{off: int64(g.off), b: append([]byte(nil), b...)}}
		c := &cursor{part: "named graph", b: in.at.b}
		n := 0
		for o := range in.orders {
			if s.head.Has(o) {
				n++
			}
		}
		if got := c.uv(); c.err == nil && got != uint64(n) {
			c.fail("%d orders, expected %d", got, n)
		}
		size := int64(len(in.at.b)) + 256
		for o := range in.orders {
			if !s.head.Has(o) {
				continue
			}
			payload := c.str()
			if c.err != nil {
				return nil, 0, c.err
			}
			entries, err := tile.ReadDirectory(payload, s.head.Flags&FlagSynopses != 0)
			if err != nil {
				return nil, 0, err
			}
			at := int64(g.off) + int64(c.p-len(payload))
			for _, e := range entries {
				e.Off += at
				in.orders[o] = append(in.orders[o], tileRef{Entry: e})
			}
			size += 104 * int64(len(entries))
		}
		return in, size, c.end()
	})
}

// ref returns what is known of tile i, 0 <= i < tiles.
func (t *table) ref(ctx context.Context, i int) (*tileRef, error) {
	if t.pages == nil {
		return &t.refs[i], nil
	}
	p := tablePage(t.pages, uint64(i))
	refs, err := t.s.tilePage(ctx, p)
	if err != nil {
		return nil, err
	}
	return &refs[uint64(i)-p.first], nil
}

// bounds of a tile, by its directory entry: no row is less or greater. Where the
// bounds of b and c are not known, they are those of all ids.
func (r *tileRef) upper() [3]uint32 {
	if !r.HasSynopsis {
		return [3]uint32{r.MaxA, ^uint32(0), ^uint32(0)}
	}
	return [3]uint32{r.MaxA, r.MaxB, r.MaxC}
}

func (r *tileRef) lower() [3]uint32 {
	if !r.HasSynopsis {
		return [3]uint32{r.MinA, 0, 0}
	}
	return [3]uint32{r.MinA, r.MinB, r.MinC}
}

// less compares keys column by column.
func less(x, y [3]uint32) bool {
	if x[0] != y[0] {
		return x[0] < y[0]
	}
	if x[1] != y[1] {
		return x[1] < y[1]
	}
	return x[2] < y[2]
}

// search returns a tile from `from` on before which no row is as large as key.
// Only a tile in which other groups reach further than that of key makes it
// return too early a tile, never too late a one.
func (t *table) search(ctx context.Context, from int, key [3]uint32) (int, error) {
	lo, hi := from, t.tiles
	if t.pages != nil { // narrow by the root page, without loading others
		first := sort.Search(len(t.pages), func(i int) bool { return t.pages[i].maxA >= key[0] })
		last := sort.Search(len(t.pages), func(i int) bool { return t.pages[i].minA > key[0] })
		if first < len(t.pages) {
			lo = max(lo, int(t.pages[first].first))
		} else {
			lo = hi
		}
		if last < len(t.pages) {
			hi = max(lo, min(hi, int(t.pages[last].first)))
		}
	}
	refs, begin := t.refs, 0
	var page *mapPage
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if t.pages != nil {
			if p := tablePage(t.pages, uint64(mid)); p != page {
				var err error
				if refs, err = t.s.tilePage(ctx, p); err != nil {
					return 0, err
				}
				page, begin = p, int(p.first)
			}
		}
		r := &refs[mid-begin]
		if less(r.upper(), key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// load returns the tile of r; its bytes come from batch if that is not nil.
func (t *table) load(ctx context.Context, r *tileRef, batch *batch) (*tile.Tile, error) {
	s := t.s
	reads.Of(ctx).Tile(int64(r.Len))
	return cached(ctx, s, unitTile|uint64(r.Off), func(ctx context.Context) (*tile.Tile, int64, error) {
		stored := t.held.cut(r.Off, int64(r.Len))
		var err error
		switch {
		case stored != nil:
		case batch != nil:
			stored, err = batch.get(ctx, r.Off, int64(r.Len))
		default:
			stored, err = s.bytesAt(ctx, r.Off, int64(r.Len))
		}
		if err != nil {
			return nil, 0, err
		}
		d, err := s.decodeTile(stored, r)
		if err == nil {
			err = t.checkIDs(d, r)
		}
		if err != nil {
			return nil, 0, err
		}
		return d, d.Bytes() + 128, nil
	})
}
