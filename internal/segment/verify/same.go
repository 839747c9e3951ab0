package verify

import (
	"bytes"
	"context"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/tile"
)

// sameChunks compares what the map says of the chunks of a section with the
// directory in the section: s reads by the one, p by the other. use gets each chunk.
func sameChunks(ctx context.Context, s, p read.Inspector, sec format.Section, use func(x *read.Chunks, i int, r *format.ChunkRef) error) error {
	x, err := s.ChunksIn(ctx, sec)
	if err != nil {
		return err
	}
	y, err := p.ChunksIn(ctx, sec)
	if err != nil {
		return err
	}
	if n := s.Counts().Size(sec); n > 0 && x.R != y.R {
		return damage.New("map", "runs of %d in the %v section, found %d", x.R, sec, y.R)
	}
	for i := range y.Refs {
		want := &y.Refs[i]
		got, err := x.Holds(ctx, want.Start)
		if err != nil {
			return err
		}
		if got.Start != want.Start || got.Off != want.Off || got.Length != want.Length || got.Terms != want.Terms ||
			!bytes.HasPrefix(want.Key, got.Key) {
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
func sameTiles(ctx context.Context, s, p read.Inspector, g int, o tile.Order, use func(x *read.Table, i int, r *format.TileRef) error) (*read.Table, error) {
	x, err := s.TableOf(ctx, g, o)
	if err != nil {
		return nil, err
	}
	y, err := p.TableOf(ctx, g, o)
	if err != nil {
		return nil, err
	}
	if x.Tiles != y.Tiles || x.Base != y.Base {
		return nil, damage.New("map", "%d tiles in order %v of graph %d, found %d", x.Tiles, o, g, y.Tiles)
	}
	for i := range y.Tiles {
		want, err := y.Ref(ctx, i)
		if err != nil {
			return nil, err
		}
		got, err := x.Ref(ctx, i)
		if err != nil {
			return nil, err
		}
		if got.Off != want.Off || got.Len != want.Len || got.Lower() != want.Lower() || got.Upper() != want.Upper() {
			return nil, damage.New("map", "%v tile %d of graph %d is not where or what the map says", o, i, g)
		}
		if err := use(x, i, got); err != nil {
			return nil, err
		}
	}
	return x, nil
}
