package segment

import (
	"context"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/tile"
)

// Probe reads what every use of the segment begins with, as readers do: all pages of
// the map, the layout and the directories that they must agree with, and of each kind
// of unit the largest: a dictionary chunk of each section, a tile of each order, a
// graph of one unit and one of several, a page of the value index. It says whether a file that was just written can be used;
// whether all of it is right, [Segment.Verify] tells.
//
// A file without a pinned map is hashed whole first, as any use of it does; one that
// is remote is left at what Open read. Errors match [damage.Err] where the bytes are
// not right.
func (s *Segment) Probe(ctx context.Context) error {
	if s.root == nil && s.remote {
		return nil
	}
	if err := s.probe(ctx); err != nil {
		return s.named(err)
	}
	return nil
}

func (s *Segment) probe(ctx context.Context) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	p := s
	if s.root != nil {
		var end func()
		p, end = s.unmapped(ctx)
		defer end()
		if err := (&verifier{s: s}).layout(ctx); err != nil {
			return err
		}
		if err := p.openDirs(ctx); err != nil {
			return err
		}
		if x, y := s.counts, p.counts; x.Shared != y.Shared || x.Subjects != y.Subjects || x.Objects != y.Objects ||
			x.Predicates != y.Predicates || x.Graphs != y.Graphs {
			return damage.New("map", "counts %+v, found %+v", x, y)
		}
		if err := s.probePages(ctx); err != nil {
			return err
		}
	}
	for sec := range Section(Sections) {
		var most *chunkRef
		var in *chunks
		err := sameChunks(ctx, s, p, sec, func(x *chunks, _ int, r *chunkRef) error {
			if in = x; most == nil || r.raw > most.raw || r.raw == most.raw && r.length > most.length {
				most = r
			}
			return nil
		})
		if err == nil && most != nil {
			err = s.probeChunk(ctx, in, most)
		}
		if err != nil {
			return err
		}
	}
	for o := range tile.Order(tile.NumOrders) {
		if !s.HasOrder(o) {
			continue
		}
		var most *tileRef
		t, err := sameTiles(ctx, s, p, 0, o, func(_ *table, _ int, r *tileRef) error {
			if most == nil || r.Len > most.Len {
				most = r
			}
			return nil
		})
		if err == nil && most != nil {
			err = s.probeTile(ctx, t, most)
		}
		if err != nil {
			return err
		}
	}
	if err := s.probeGraphs(ctx); err != nil {
		return err
	}
	if s.root != nil {
		if _, err := s.small(ctx, KindCanonical); err != nil {
			return err
		}
	}
	_, err := s.Info(ctx)
	return err
}

// probeChunk decodes a chunk from the bytes of the file, even where the map has a
// copy of it.
func (s *Segment) probeChunk(ctx context.Context, c *chunks, r *chunkRef) error {
	stored, err := s.bytesAt(ctx, int64(r.off), int64(r.length))
	if err == nil {
		_, err = s.decodeChunk(stored, c.sec, c.r, r)
	}
	return err
}

func (s *Segment) probeTile(ctx context.Context, t *table, r *tileRef) error {
	stored, err := s.bytesAt(ctx, r.Off, int64(r.Len))
	if err != nil {
		return err
	}
	d, err := s.decodeTile(stored, r)
	if err == nil {
		err = t.checkIDs(d, r)
	}
	return err
}

// probePages reads the pages of the map, and a page of the value index.
func (s *Segment) probePages(ctx context.Context) error {
	for i := range s.root.pages {
		p := &s.root.pages[i]
		var err error
		switch p.kind {
		case chunkTable:
			_, err = s.chunkPage(ctx, p)
		case tileTable:
			_, err = s.tilePage(ctx, p)
		case graphTable:
			_, err = s.graphPage(ctx, p)
		}
		if err != nil {
			return err
		}
	}
	if _, err := s.PredicateNodes(ctx); err != nil {
		return err
	}
	v, err := s.Values(ctx)
	if v == nil {
		return err
	}
	for c := range valuekey.Class(valuekey.Classes) {
		if v.Len(c) > 0 {
			_, err = v.page(ctx, c, 0)
			return err
		}
	}
	return nil
}

// probeGraphs reads a tile of each order of the largest graph that is one unit, and
// of the largest that is not.
func (s *Segment) probeGraphs(ctx context.Context) error {
	var most [2]graphRef
	var number [2]int
	n := 0
	err := s.eachGraph(ctx, func(g *graphRef) error {
		kind := 0
		if g.inline {
			kind = 1
		}
		if n++; g.length > most[kind].length {
			most[kind], number[kind] = *g, n
		}
		return nil
	})
	for _, g := range number {
		for o := range tile.Order(tile.NumOrders) {
			if g == 0 || err != nil || !s.HasOrder(o) {
				continue
			}
			var t *table
			var r *tileRef
			if t, err = s.table(ctx, g, o); err == nil {
				if r, err = t.ref(ctx, 0); err == nil {
					err = s.probeTile(ctx, t, r)
				}
			}
		}
	}
	return err
}
