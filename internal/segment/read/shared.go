package read

import (
	"bytes"
	"context"
	"slices"
	"sort"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/gen06"
	"github.com/rete-go/rete/tile"
)

// sharedDirs are the directories of a file of generation 0x06, whose named graphs share tiles.
type sharedDirs struct {
	*six
	turn  ctxsync.Mutex // held while the list of graphs is read
	named *named        // guarded by turn
}

// named is the list of graphs. It is kept with the segment: some 40 bytes a graph.
type named struct {
	list   []gen06.Graph // by name's id
	places []uint32      // in the list, of graph i+1: graphs are numbered by their names
	tiles  []uint64      // SPO tiles of the named graphs before graph i+1
}

func (d *sharedDirs) runs(sec format.Section) int { return d.root.Dict[sec].R }

func (d *sharedDirs) same(other directories) bool {
	o, ok := other.(*sharedDirs)
	return ok && d.head.RootDigest == o.head.RootDigest
}

func (d *sharedDirs) chunks(ctx context.Context, sec format.Section) ([]format.ChunkRef, error) {
	return cached(ctx, d.s, sixChunks+uint64(sec), func(ctx context.Context) ([]format.ChunkRef, int64, error) {
		unpack, err := d.leaves(ctx, gen06.DictLeaves)
		if err != nil {
			return nil, 0, err
		}
		refs, err := d.root.Dict[sec].Chunks(d.root.Section(gen06.Dictionary), unpack)
		size := 96 * int64(len(refs))
		for i := range refs {
			size += int64(len(refs[i].Key))
		}
		return refs, size, err
	})
}

// tiles finds those of the default graph in their directory; those of a named graph are the
// parts of shared tiles that are its rows.
func (d *sharedDirs) tiles(ctx context.Context, t *Table, g *format.GraphRef) (err error) {
	if g != nil {
		return d.partsOf(ctx, t)
	}
	t.refs, err = cached(ctx, d.s, sixTiles+uint64(t.order), func(ctx context.Context) ([]format.TileRef, int64, error) {
		unpack, err := d.leaves(ctx, gen06.IndexLeaves)
		if err != nil {
			return nil, 0, err
		}
		refs, err := d.root.Orders[t.order].Tiles(d.root.Section(gen06.Index), unpack)
		return refs, 112 * int64(len(refs)), err
	})
	t.Tiles = len(t.refs)
	return err
}

// shared returns the tiles of an order that graphs share.
func (d *sharedDirs) shared(ctx context.Context, o tile.Order) ([]gen06.QuadTile, error) {
	return cached(ctx, d.s, sixShared+uint64(o), func(ctx context.Context) ([]gen06.QuadTile, int64, error) {
		unpack, err := d.leaves(ctx, gen06.QuadLeaves)
		if err != nil {
			return nil, 0, err
		}
		tiles, err := d.root.Quads.Orders[o].QuadTiles(d.root.Section(gen06.Quads), unpack)
		return tiles, 72 * int64(len(tiles)), err
	})
}

// around returns the shared tiles from lo to hi that a graph has rows in.
func around(tiles []gen06.QuadTile, graph uint32) (lo, hi int) {
	lo = sort.Search(len(tiles), func(i int) bool { return tiles[i].Last >= graph })
	hi = lo + sort.Search(len(tiles)-lo, func(i int) bool { return tiles[lo+i].First > graph })
	return lo, hi
}

// partList is the parts of tiles that are the rows of one graph, and their number where all were read.
type partList struct {
	refs []format.TileRef
	rows uint64
}

// partsOf lists the parts of a graph. Tiles at its two ends may have rows of others: they are
// read, so that the bounds of all parts are exact.
func (d *sharedDirs) partsOf(ctx context.Context, t *Table) error {
	n, err := d.names(ctx)
	if err != nil {
		return err
	}
	place := n.places[t.graph-1]
	graph := n.list[place].Name
	tiles, err := d.shared(ctx, t.order)
	if err != nil {
		return err
	}
	list, err := cached(ctx, d.s, unitList|uint64(t.graph)<<3|uint64(t.order), func(ctx context.Context) (*partList, int64, error) {
		l := &partList{}
		lo, hi := around(tiles, graph)
		if lo == hi {
			return nil, 0, damage.New("shared tiles", "order %v has no rows of graph %d", t.order, graph)
		}
		whole := true
		for i := lo; i < hi; i++ {
			q := &tiles[i]
			r := format.TileRef{Entry: q.Entry, Shared: &format.Share{Graph: graph, First: q.First, Place: uint64(place) + uint64(i), Raw: q.Raw}}
			if q.First == graph && q.Last == graph {
				r.MinA, r.MaxA = q.FirstA, q.LastA
				whole = false
			} else if err := d.bound(ctx, t, q, &r); err != nil {
				return nil, 0, err
			} else {
				l.rows += uint64(r.Rows)
			}
			if n := len(l.refs); n > 0 && (r.MinA < l.refs[n-1].MaxA) {
				return nil, 0, damage.New("shared tiles", "rows of graph %d do not ascend from one tile to the next", graph)
			}
			l.refs = append(l.refs, r)
		}
		if !whole {
			l.rows = 0
		}
		return l, 144*int64(len(l.refs)) + 64, nil
	})
	if err != nil {
		return err
	}
	t.refs, t.Tiles, t.Rows = list.refs, len(list.refs), list.rows
	return nil
}

// bound reads the rows of a graph in a tile that has others too, and sets the bounds of the part.
func (d *sharedDirs) bound(ctx context.Context, t *Table, q *gen06.QuadTile, r *format.TileRef) error {
	r.HasSynopsis = false
	r.MinA, r.MaxA = 0, 0
	rows, err := t.loadPart(ctx, r, nil)
	if err != nil {
		return err
	}
	got := entryOf(rows)
	if q.First == r.Shared.Graph && q.FirstA != got.MinA || q.Last == r.Shared.Graph && q.LastA != got.MaxA ||
		got.MinB < q.Entry.MinB || got.MaxB > q.Entry.MaxB || got.MinC < q.Entry.MinC || got.MaxC > q.Entry.MaxC {
		return d.s.unitErr(damage.New("", "the bounds %v of graph %d are not within what the directory says", got, r.Shared.Graph), r.Off, "tile")
	}
	got.Off, got.Len, got.HasSynopsis = r.Off, r.Len, true
	r.Entry = got
	return nil
}

// loadPart returns the rows of one graph in a tile that it may share.
func (t *Table) loadPart(ctx context.Context, r *format.TileRef, b *batch) (*tile.Tile, error) {
	s := t.s
	return cached(ctx, s, t.unit(r), func(ctx context.Context) (*tile.Tile, int64, error) {
		shared, err := cached(ctx, s, unitShared|uint64(r.Off), func(ctx context.Context) (*gen06.Shared, int64, error) {
			var stored []byte
			var err error
			if b != nil {
				stored, err = b.get(ctx, r.Off, int64(r.Len))
			} else {
				stored, err = s.bytesAt(ctx, r.Off, int64(r.Len))
			}
			if err != nil {
				return nil, 0, err
			}
			shared, err := s.decodeShared(stored, r)
			if err != nil {
				return nil, 0, err
			}
			return shared, shared.Bytes(), nil
		})
		if err != nil {
			return nil, 0, err
		}
		d, err := t.part(shared, r)
		if err != nil {
			return nil, 0, err
		}
		return d, d.Bytes() + 128, nil
	})
}

// decodeShared decodes the stored bytes of a tile that graphs share.
func (s *Segment) decodeShared(stored []byte, r *format.TileRef) (*gen06.Shared, error) {
	c := codec.Codec(s.head.BlockCodec)
	if r.Shared.Raw {
		c = codec.Raw
	}
	var shared *gen06.Shared
	err := s.unpack(uint8(c), stored, 0, func(raw []byte) (err error) {
		shared, err = gen06.ParseShared(bytes.Clone(raw), r.Shared.First)
		return err
	})
	if err != nil {
		return nil, s.unitErr(err, r.Off, "tile")
	}
	return shared, nil
}

// part returns the rows of a graph, and checks them as those of a tile of its own.
func (t *Table) part(shared *gen06.Shared, r *format.TileRef) (*tile.Tile, error) {
	d, err := shared.Rows(r.Shared.Graph, t.order)
	if err != nil {
		return nil, t.s.unitErr(err, r.Off, "tile")
	}
	exact := *r
	if r.MaxA == 0 { // its bounds are being found
		exact.Entry = entryOf(d)
	}
	if err := exact.Check(d); err != nil {
		return nil, t.s.unitErr(err, r.Off, "tile")
	}
	return d, t.CheckIDs(d, &exact)
}

// entryOf returns the bounds of a decoded tile and the number of its rows.
func entryOf(d *tile.Tile) tile.Entry {
	return tile.Entry{
		MinA: d.A[0], MaxA: d.A[len(d.A)-1], MinB: slices.Min(d.B), MaxB: slices.Max(d.B),
		MinC: slices.Min(d.C), MaxC: slices.Max(d.C), HasSynopsis: true, Rows: uint32(len(d.C)),
	}
}

// names returns the list of graphs.
func (d *sharedDirs) names(ctx context.Context) (*named, error) {
	if err := d.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer d.turn.Unlock()
	if d.named != nil {
		return d.named, nil
	}
	n := &named{}
	var err error
	if n.list, err = d.listed(ctx); err != nil {
		return nil, d.s.named(err)
	}
	if err := d.number(ctx, n); err != nil {
		return nil, d.s.named(err)
	}
	tiles, err := d.shared(ctx, tile.SPO)
	if err != nil {
		return nil, err
	}
	n.tiles = make([]uint64, len(n.list)+1)
	for i, place := range n.places {
		lo, hi := around(tiles, n.list[place].Name)
		n.tiles[i+1] = n.tiles[i] + uint64(hi-lo)
	}
	d.named = n
	return n, nil
}

// listed reads the list of graphs.
func (d *sharedDirs) listed(ctx context.Context) ([]gen06.Graph, error) {
	q := d.root.Quads
	b, err := d.front(ctx, gen06.QuadLeaves)
	if err != nil {
		return nil, err
	}
	sec := d.root.Section(gen06.QuadLeaves)
	list, err := q.Listed(b[:q.List], func(stored []byte, raw bool) ([]byte, error) {
		if raw {
			return stored, nil
		}
		return d.unpack(&sec, codec.Codec(d.head.BlockCodec), stored)
	})
	c := &d.s.counts
	if n := len(list); err == nil && n > 0 && uint64(list[n-1].Name) > uint64(c.Shared)+uint64(c.Subjects) {
		err = damage.New("list of graphs", "name %d, there are %d terms for it", list[n-1].Name, c.Shared+c.Subjects)
	}
	return list, err
}

// number numbers the graphs by their names. Those that are objects somewhere come first in the
// list, and the others after them, each in the sequence of the names.
func (d *sharedDirs) number(ctx context.Context, n *named) error {
	shared := sort.Search(len(n.list), func(i int) bool { return n.list[i].Name > d.s.counts.Shared })
	sides := [2]*nameScan{{d: d, list: n.list[:shared], sec: format.Shared}, {d: d, list: n.list[shared:], sec: format.SubjectOnly}}
	var last []byte
	for range n.list {
		least := -1
		var name []byte
		for i, side := range sides {
			next, more, err := side.peek(ctx)
			if err != nil {
				return err
			}
			if more && (least < 0 || bytes.Compare(next, name) < 0) {
				least, name = i, next
			}
		}
		if bytes.Compare(last, name) >= 0 { // an empty name too
			return damage.New("named graphs", "name %q after %q", name, last)
		}
		last = append(last[:0], name...)
		n.places = append(n.places, uint32(sides[least].at+least*shared))
		sides[least].at++
	}
	return nil
}

// nameScan reads the names of graphs, some at a time.
type nameScan struct {
	d     *sharedDirs
	list  []gen06.Graph
	sec   format.Section
	at    int
	from  int // the place of the first name in terms
	terms ids.Terms
}

// nameStep is how many names are read together.
const nameStep = 4096

// peek returns the name at the place of the scan, which is false at its end.
func (n *nameScan) peek(ctx context.Context) (name []byte, more bool, err error) {
	if n.at == len(n.list) {
		return nil, false, nil
	}
	if n.at >= n.from+n.terms.Len() {
		n.from, n.terms = n.at, ids.Terms{}
		local := make([]uint32, 0, nameStep)
		for _, g := range n.list[n.at:min(n.at+nameStep, len(n.list))] {
			local = append(local, g.Name-uint32(n.d.s.counts.First(n.sec)))
		}
		if err := n.d.s.Decode(ctx, n.sec, local, &n.terms); err != nil {
			return nil, false, err
		}
	}
	return n.terms.At(n.at - n.from), true, nil
}

// graphs returns the records of some graphs.
func (d *sharedDirs) graphs(ctx context.Context, k int) ([]format.GraphRef, error) {
	n, err := d.names(ctx)
	if err != nil {
		return nil, err
	}
	return cached(ctx, d.s, unitPage|uint64(k), func(ctx context.Context) ([]format.GraphRef, int64, error) {
		from, to := k*graphStep, min((k+1)*graphStep, len(n.places))
		var local [2][]uint32
		for _, place := range n.places[from:to] {
			sec, id, _ := d.s.counts.Split(uint64(n.list[place].Name))
			local[sec] = append(local[sec], id)
		}
		var terms [2]ids.Terms
		if err := d.s.DecodeAll(ctx, local[:], terms[:]); err != nil {
			return nil, 0, err
		}
		refs := make([]format.GraphRef, to-from)
		var at [2]int
		for i, place := range n.places[from:to] {
			g := n.list[place]
			sec, _, _ := d.s.counts.Split(uint64(g.Name))
			name := bytes.Clone(terms[sec].At(at[sec]))
			at[sec]++
			refs[i] = format.GraphRef{Name: name, Node: uint64(g.Name), Rows: g.Rows, Start: n.tiles[from+i], Tiles: uint32(n.tiles[from+i+1] - n.tiles[from+i])}
		}
		return refs, graphBytes(refs), nil
	})
}

// nodes returns the nodes of the graphs: their names are subjects.
func (d *sharedDirs) nodes(ctx context.Context) ([]uint64, error) {
	n, err := d.names(ctx)
	if err != nil {
		return nil, err
	}
	nodes := make([]uint64, len(n.places))
	for i, place := range n.places {
		nodes[i] = uint64(n.list[place].Name)
	}
	return nodes, nil
}
