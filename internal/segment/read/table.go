package read

import (
	"context"
	"fmt"
	"sort"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// Table is the sequence of tiles of one graph in one order.
type Table struct {
	s     *Segment
	graph int
	order tile.Order
	Base  uint32 // SPO only: tiles of the graphs before
	Tiles int
	Rows  uint64 // 0 if not known and not empty

	pages []format.MapPage // by the map; else
	refs  []format.TileRef // the whole directory
	held  span             // the stored bytes of all tiles, where the container is one unit
}

// inlineGraph is the container of a small graph, in memory as a whole.
type inlineGraph struct {
	at     span
	orders [tile.NumOrders][]format.TileRef
}

// table opens one order of one graph: nothing is read but directories that are
// not in the cache.
func (s *Segment) table(ctx context.Context, graph int, o tile.Order) (*Table, error) {
	if graph < 0 || graph > s.counts.Graphs {
		return nil, fmt.Errorf("%s: no graph %d, there are %d", s.name, graph, s.counts.Graphs)
	}
	if o >= tile.NumOrders || !s.HasOrder(o) {
		return nil, fmt.Errorf("%s: order %v is not stored", s.name, o)
	}
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	t := &Table{s: s, graph: graph, order: o}
	if graph == 0 {
		if s.root != nil {
			t.pages = s.root.Table(format.TileTable, format.TileArg(0, o))
			t.measure()
			return t, nil
		}
		return t, s.dirs.tiles(ctx, t, nil)
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
		if t.Base = uint32(uint64(n) + g.Start); uint64(t.Base) != uint64(n)+g.Start {
			return nil, s.named(damage.New("named graphs", "more tiles than 32 bits count"))
		}
	}
	switch {
	case g.Inline:
		in, err := s.inlineGraph(ctx, g)
		if err != nil {
			return nil, err
		}
		t.refs, t.held = in.orders[o], in.at
		t.Tiles, t.Rows = len(t.refs), g.Rows
	case s.root != nil:
		t.pages = s.root.Table(format.TileTable, format.TileArg(graph, o))
		t.measure()
	default:
		return t, s.dirs.tiles(ctx, t, g)
	}
	return t, nil
}

// measure counts tiles and rows from the pages of the map.
func (t *Table) measure() {
	for i := range t.pages {
		t.Tiles += int(t.pages[i].Entries)
		t.Rows += t.pages[i].Rows
	}
}

// tiles finds the order in the container of a graph and reads its directory.
func (d *dirs) tiles(ctx context.Context, t *Table, g *format.GraphRef) error {
	s, part := t.s, "index"
	sec := s.head.Section(format.KindIndex)
	at := piece{int64(sec.Offset), int64(sec.Length)}
	if g != nil {
		at, part = piece{int64(g.Off), int64(g.Length)}, "named graph"
	}
	slots, err := s.slots(ctx, at, part)
	if err != nil {
		return err
	}
	p := slots[t.order]
	t.refs, err = cached(ctx, s, unitDirectory|uint64(p.off), func(ctx context.Context) ([]format.TileRef, int64, error) {
		refs, err := s.tileDirectory(ctx, p)
		return refs, int64(len(refs))*112 + 64, err
	})
	t.Tiles = len(t.refs)
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
	s.defTiles.Store(int64(t.Tiles) + 1)
	return t.Tiles, nil
}

// inlineGraph fetches and checks the container of a small graph and reads its
// directories.
func (s *Segment) inlineGraph(ctx context.Context, g *format.GraphRef) (*inlineGraph, error) {
	return cached(ctx, s, unitGraph|g.Off, func(ctx context.Context) (*inlineGraph, int64, error) {
		b, err := s.bytesAt(ctx, int64(g.Off), int64(g.Length))
		if err != nil {
			return nil, 0, err
		}
		if err := s.checkGraph(g, b); err != nil {
			return nil, 0, err
		}
		// A copy: the unit must not hold on to the tail of the file.
		in := &inlineGraph{at: span{off: int64(g.Off), b: append([]byte(nil), b...)}}
		c := &format.Cursor{Part: "named graph", B: in.at.b}
		s.orderCount(c)
		size := int64(len(in.at.b)) + 256
		for o := range in.orders {
			if !s.head.Has(o) {
				continue
			}
			payload := c.Str()
			if c.Err != nil {
				return nil, 0, c.Err
			}
			entries, err := tile.ReadDirectory(payload, s.head.Flags&format.FlagSynopses != 0)
			if err != nil {
				return nil, 0, err
			}
			at := int64(g.Off) + int64(c.P-len(payload))
			for _, e := range entries {
				e.Off += at
				in.orders[o] = append(in.orders[o], format.TileRef{Entry: e})
			}
			size += 112 * int64(len(entries))
		}
		return in, size, c.End()
	})
}

// Ref returns what is known of tile i, 0 <= i < tiles.
func (t *Table) Ref(ctx context.Context, i int) (*format.TileRef, error) {
	refs, at, err := t.near(ctx, i)
	if err != nil {
		return nil, err
	}
	return &refs[at], nil
}

// near returns the part of the directory that has tile i, and its place there.
func (t *Table) near(ctx context.Context, i int) (refs []format.TileRef, at int, err error) {
	if t.pages == nil {
		return t.refs, i, nil
	}
	p := tablePage(t.pages, uint64(i))
	refs, err = t.s.tilePage(ctx, p, nil)
	return refs, i - int(p.First), err
}

// before reports that all rows of a tile are less than key, by its bounds or because the next
// one begins at key or before it. What is on another page is not asked for.
func before(refs []format.TileRef, at int, key [3]uint32) bool {
	if Less(refs[at].Upper(), key) {
		return true
	}
	return at+1 < len(refs) && !Less(key, refs[at+1].FirstAtMost())
}

// after reports that all rows of a tile are greater than key, by its bounds or because the
// one before it ends at key or after it.
func after(refs []format.TileRef, at int, key [3]uint32) bool {
	if Less(key, refs[at].Lower()) {
		return true
	}
	return at > 0 && !Less(refs[at-1].LastAtLeast(), key)
}

// Less compares keys column by column.
func Less(x, y [3]uint32) bool {
	if x[0] != y[0] {
		return x[0] < y[0]
	}
	if x[1] != y[1] {
		return x[1] < y[1]
	}
	return x[2] < y[2]
}

// search returns a tile from `from` on before which no row is as large as key.
// Only a tile in which other groups reach further than that of key, at the end of a page,
// makes it return too early a tile, never too late a one.
func (t *Table) search(ctx context.Context, from int, key [3]uint32) (int, error) {
	lo, hi := from, t.Tiles
	if t.pages != nil { // narrow by the root page, without loading others
		first := sort.Search(len(t.pages), func(i int) bool { return t.pages[i].MaxA >= key[0] })
		last := sort.Search(len(t.pages), func(i int) bool { return t.pages[i].MinA > key[0] })
		if first < len(t.pages) {
			lo = max(lo, int(t.pages[first].First))
		} else {
			lo = hi
		}
		if last < len(t.pages) {
			hi = max(lo, min(hi, int(t.pages[last].First)))
		}
	}
	refs, begin := t.refs, 0
	var page *format.MapPage
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if t.pages != nil {
			if p := tablePage(t.pages, uint64(mid)); p != page {
				var err error
				if refs, err = t.s.tilePage(ctx, p, nil); err != nil {
					return 0, err
				}
				page, begin = p, int(p.First)
			}
		}
		if before(refs, mid-begin, key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// unit returns the name of a tile in the cache.
func (t *Table) unit(r *format.TileRef) uint64 {
	if r.Shared != nil {
		return unitPart | uint64(t.order)<<40 | r.Shared.Place
	}
	return unitTile | uint64(r.Off)
}

// decode checks and decodes the stored bytes of a tile.
func (t *Table) decode(stored []byte, r *format.TileRef) (*tile.Tile, error) {
	if r.Shared == nil {
		return t.s.decodeTile(stored, r)
	}
	shared, err := t.s.decodeShared(stored, r)
	if err != nil {
		return nil, err
	}
	return t.part(shared, r)
}

// load returns the tile of r; its bytes come from batch if that is not nil.
func (t *Table) load(ctx context.Context, r *format.TileRef, batch *batch) (*tile.Tile, error) {
	s := t.s
	reads.Of(ctx).Tile(int64(r.Len))
	if r.Shared != nil {
		return t.loadPart(ctx, r, batch)
	}
	return cached(ctx, s, t.unit(r), func(ctx context.Context) (*tile.Tile, int64, error) {
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
			err = t.CheckIDs(d, r)
		}
		if err != nil {
			return nil, 0, err
		}
		return d, d.Bytes() + 128, nil
	})
}
