package segment

import (
	"bytes"
	"context"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/tile"
)

// unmapped returns the same file as readers without the map have it. Its content is
// taken as good. end gives it back.
func (s *Segment) unmapped(ctx context.Context) (p *Segment, end func()) {
	p = &Segment{
		obj: s.obj, name: s.name, remote: s.remote, cache: cache.New(32 << 20), id: cache.NewObject(),
		maxUnit: s.maxUnit, head: s.head, rawHead: s.rawHead,
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.hash.good.Store(true)
	return p, func() {
		p.cancel()
		p.ahead.Wait()
		p.cache.Close()
	}
}

// sameChunks compares what the map says of the chunks of a section with the
// directory in the section: s reads by the one, p by the other. use gets each chunk.
func sameChunks(ctx context.Context, s, p *Segment, sec Section, use func(x *chunks, i int, r *chunkRef) error) error {
	x, err := s.chunksOf(ctx, sec)
	if err != nil {
		return err
	}
	y, err := p.chunksOf(ctx, sec)
	if err != nil {
		return err
	}
	if n := s.counts.Size(sec); n > 0 && x.r != y.r {
		return damage.New("map", "runs of %d in the %v section, found %d", x.r, sec, y.r)
	}
	for i := range y.refs {
		want := &y.refs[i]
		got, err := x.holds(ctx, want.start)
		if err != nil {
			return err
		}
		if got.start != want.start || got.off != want.off || got.length != want.length || got.terms != want.terms ||
			!bytes.HasPrefix(want.key, got.key) {
			return damage.New("map", "chunk %d of the %v section is not where the map says", i, sec)
		}
		if err := use(x, i, got); err != nil {
			return err
		}
	}
	return nil
}

// sameTiles is sameChunks for the tiles of an order of a graph. It returns the table
// of s.
func sameTiles(ctx context.Context, s, p *Segment, g int, o tile.Order, use func(x *table, i int, r *tileRef) error) (*table, error) {
	x, err := s.table(ctx, g, o)
	if err != nil {
		return nil, err
	}
	y, err := p.table(ctx, g, o)
	if err != nil {
		return nil, err
	}
	if x.tiles != y.tiles || x.base != y.base {
		return nil, damage.New("map", "%d tiles in order %v of graph %d, found %d", x.tiles, o, g, y.tiles)
	}
	for i := range y.tiles {
		want, err := y.ref(ctx, i)
		if err != nil {
			return nil, err
		}
		got, err := x.ref(ctx, i)
		if err != nil {
			return nil, err
		}
		if got.Off != want.Off || got.Len != want.Len || got.lower() != want.lower() || got.upper() != want.upper() {
			return nil, damage.New("map", "%v tile %d of graph %d is not where or what the map says", o, i, g)
		}
		if err := use(x, i, got); err != nil {
			return nil, err
		}
	}
	return x, nil
}
