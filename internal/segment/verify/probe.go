package verify

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/tile"
)

// Probe reads what every use of the segment begins with, as readers do: all pages of
// the map, the layout and the directories that they must agree with, and of each kind
// of unit the largest: a dictionary chunk of each section, a tile of each order, a
// graph of one unit and one of several, a page of the value index, the first page of each optional part. It says whether a file that was just written can be used;
// whether all of it is right, [File] tells.
//
// A file without a pinned map is hashed whole first, as any use of it does; one that
// is remote is left at what Open read. Errors match [damage.Err] where the bytes are
// not right.
func Probe(ctx context.Context, of *read.Segment) error {
	s := read.Inspect(of)
	if !s.Mapped() && s.Remote() {
		return nil
	}
	if err := (&prober{s}).run(ctx); err != nil {
		return s.NameIn(err)
	}
	return nil
}

// prober reads what readers begin with.
type prober struct{ s read.Inspector }

func (v *prober) run(ctx context.Context) error {
	s := v.s
	if err := s.CheckReady(ctx); err != nil {
		return err
	}
	p := s // the segment without its map
	if s.Mapped() {
		var end func()
		p, end = s.Without(ctx, 0)
		defer end()
		if err := v.mapped(ctx, p); err != nil {
			return err
		}
	}
	if err := v.largestChunks(ctx, p); err != nil {
		return err
	}
	if err := v.largestTiles(ctx, p); err != nil {
		return err
	}
	if err := v.graphs(ctx); err != nil {
		return err
	}
	if s.Mapped() {
		if _, err := s.SmallSection(ctx, format.KindCanonical); err != nil {
			return err
		}
	}
	if _, err := s.Prefixes(ctx); err != nil {
		return err
	}
	for _, k := range format.Parts {
		if n := int64(s.Header().Section(k).Length); n > 0 {
			if _, err := s.ReadPart(ctx, k, blob.Range{Len: min(n, format.PartPage)}); err != nil {
				return err
			}
		}
	}
	_, err := s.Info(ctx)
	return err
}

// mapped checks the layout, the pages of the map, and its counts against the directories,
// which p reads.
func (v *prober) mapped(ctx context.Context, p read.Inspector) error {
	if err := (&verifier{s: v.s}).layout(ctx); err != nil {
		return err
	}
	if err := p.Directories(ctx); err != nil {
		return err
	}
	if x, y := v.s.Counts(), p.Counts(); x.Shared != y.Shared || x.Subjects != y.Subjects || x.Objects != y.Objects ||
		x.Predicates != y.Predicates || x.Graphs != y.Graphs {
		return damage.New("map", "counts %+v, found %+v", x, y)
	}
	return v.pages(ctx)
}

// largestChunks checks the directories of terms, and decodes the largest chunk of each.
func (v *prober) largestChunks(ctx context.Context, p read.Inspector) error {
	for sec := range format.Section(format.Sections) {
		var most *format.ChunkRef
		var in *read.Chunks
		err := sameChunks(ctx, v.s, p, sec, func(x *read.Chunks, _ int, r *format.ChunkRef) error {
			if in = x; most == nil || r.Raw > most.Raw || r.Raw == most.Raw && r.Length > most.Length {
				most = r
			}
			return nil
		})
		if err == nil && most != nil {
			err = v.chunk(ctx, in, most)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// largestTiles checks the directories of the default graph's tiles, and decodes the largest
// tile of each.
func (v *prober) largestTiles(ctx context.Context, p read.Inspector) error {
	for o := range tile.Order(tile.NumOrders) {
		if !v.s.HasOrder(o) {
			continue
		}
		var most *format.TileRef
		t, err := sameTiles(ctx, v.s, p, 0, o, func(_ *read.Table, _ int, r *format.TileRef) error {
			if most == nil || r.Len > most.Len {
				most = r
			}
			return nil
		})
		if err == nil && most != nil {
			err = v.tile(ctx, t, most)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// chunk decodes a chunk from the bytes of the file, even where the map has a
// copy of it.
func (v *prober) chunk(ctx context.Context, c *read.Chunks, r *format.ChunkRef) error {
	stored, err := v.s.BytesOf(ctx, int64(r.Off), int64(r.Length))
	if err == nil {
		_, err = v.s.Chunk(stored, c.Sec, c.R, r)
	}
	return err
}

func (v *prober) tile(ctx context.Context, t *read.Table, r *format.TileRef) error {
	stored, err := v.s.BytesOf(ctx, r.Off, int64(r.Len))
	if err != nil {
		return err
	}
	d, err := v.s.Tile(t, stored, r)
	if err == nil {
		err = t.CheckIDs(d, r)
	}
	return err
}

// pages reads the pages of the map, and a page of the value index.
func (v *prober) pages(ctx context.Context) error {
	s := v.s
	if err := s.MapPages(ctx); err != nil {
		return err
	}
	if _, err := s.PredicateNodes(ctx); err != nil {
		return err
	}
	if _, err := s.Text(ctx); err != nil {
		return err
	}
	values, err := s.Values(ctx)
	if values == nil {
		return err
	}
	for c := range valuekey.Class(valuekey.Classes) {
		if values.Len(c) > 0 {
			_, err = s.ValuePage(ctx, values, c, 0)
			return err
		}
	}
	return nil
}

// graphs reads a tile of each order of the largest graph that is one unit, and
// of the largest that is not.
func (v *prober) graphs(ctx context.Context) error {
	var most [2]format.GraphRef
	var number [2]int
	n := 0
	s := v.s
	err := s.GraphRefs(ctx, func(g *format.GraphRef) error {
		kind := 0
		if g.Inline {
			kind = 1
		}
		if n++; max(g.Length, g.Rows) > max(most[kind].Length, most[kind].Rows) {
			most[kind], number[kind] = *g, n
		}
		return nil
	})
	for _, g := range number {
		for o := range tile.Order(tile.NumOrders) {
			if g == 0 || err != nil || !s.HasOrder(o) {
				continue
			}
			var t *read.Table
			var r *format.TileRef
			if t, err = s.TableOf(ctx, g, o); err == nil {
				if r, err = t.Ref(ctx, 0); err == nil {
					err = v.tile(ctx, t, r)
				}
			}
		}
	}
	return err
}
