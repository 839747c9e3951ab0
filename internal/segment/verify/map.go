package verify

import (
	"bytes"
	"context"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/tile"
)

// mapped compares the map with the directories and the contents.
func (v *verifier) mapped(ctx context.Context) error {
	s, p := v.s, v.p
	bad := func(format string, args ...any) error { return damage.New("map", format, args...) }
	got, want := s.Counts(), p.Counts()
	want.Quads, want.QuadsKnown = v.quads, true
	if got != want {
		return bad("counts %+v, found %+v", got, want)
	}
	for sec := range format.Section(format.Sections) {
		if err := v.mappedChunks(ctx, sec); err != nil {
			return err
		}
	}
	for g := 0; g <= got.Graphs; g++ {
		if g > 0 {
			x, err := s.GraphRef(ctx, g)
			if err != nil {
				return err
			}
			y, err := p.GraphRef(ctx, g)
			if err != nil {
				return err
			}
			if !bytes.Equal(x.Name, y.Name) || x.Off != y.Off || x.Length != y.Length || x.Tiles != y.Tiles || x.Start != y.Start {
				return bad("graph %d is %q at %d, found %q at %d", g, x.Name, x.Off, y.Name, y.Off)
			}
		}
		for o := range tile.Order(tile.NumOrders) {
			if s.HasOrder(o) {
				if err := v.mappedTiles(ctx, g, o); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range []func(read.Inspector) ([]uint64, error){
		func(s read.Inspector) ([]uint64, error) { return s.PredicateNodes(ctx) },
		func(s read.Inspector) ([]uint64, error) { return s.GraphNodes(ctx) },
	} {
		x, err := f(s)
		if err != nil {
			return err
		}
		y, err := f(p)
		if err != nil {
			return err
		}
		for i := range y {
			if len(x) != len(y) || x[i] != y[i] {
				return bad("the node of name %d is not %d", i+1, y[i])
			}
		}
	}
	return nil
}

// largestChunk returns the raw length of the largest dictionary chunk that the map
// lists: a chunk holds at least one term, however long that is.
func largestChunk(ctx context.Context, s read.Inspector) (largest int64, err error) {
	for sec := range format.Section(format.Sections) {
		x, err := s.ChunksIn(ctx, sec)
		if err != nil {
			return 0, err
		}
		for at := uint64(0); at < uint64(s.Counts().Size(sec)); {
			ref, err := x.Holds(ctx, uint32(at))
			if err != nil {
				return 0, err
			}
			largest = max(largest, int64(ref.Raw))
			at = uint64(ref.Start) + uint64(ref.Terms)
		}
	}
	return largest, nil
}

func (v *verifier) mappedChunks(ctx context.Context, sec format.Section) error {
	var last []byte
	return sameChunks(ctx, v.s, v.p, sec, func(x *read.Chunks, i int, got *format.ChunkRef) error {
		if last != nil && bytes.Compare(last, got.Key) >= 0 {
			return damage.New("map", "the key of chunk %d of the %v section is not above the previous chunk", i, sec)
		}
		stored := make([]byte, got.Length)
		if err := v.s.BytesTo(ctx, stored, int64(got.Off)); err != nil {
			return err
		}
		if format.SumsOf(stored) != got.Sums {
			return damage.New("map", "chunk %d of the %v section has other checksums", i, sec)
		}
		d, err := v.s.Chunk(stored, sec, x.R, got)
		if err != nil {
			return err
		}
		last = d.At(d.Len() - 1)
		return nil
	})
}

func (v *verifier) mappedTiles(ctx context.Context, g int, o tile.Order) error {
	rows := uint64(0)
	x, err := sameTiles(ctx, v.s, v.p, g, o, func(in *read.Table, i int, got *format.TileRef) error {
		stored := make([]byte, got.Len)
		if err := v.s.BytesTo(ctx, stored, got.Off); err != nil {
			return err
		}
		if got.Checked && format.SumsOf(stored) != got.Sums {
			return damage.New("map", "%v tile %d of graph %d has other checksums", o, i, g)
		}
		d, err := v.s.Tile(in, stored, got)
		if err != nil {
			return err
		}
		rows += uint64(d.Len())
		return nil
	})
	if err != nil {
		return err
	}
	if rows != x.Rows {
		return damage.New("map", "%d rows in order %v of graph %d, found %d", x.Rows, o, g, rows)
	}
	return nil
}
