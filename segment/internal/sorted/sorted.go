// Package sorted reads back the terms and triples of a file while it is written: what the
// optional parts of the file, such as the schema pyramid, are made from. Both are sorted, are
// read a unit at a time, and may be read again and by several goroutines.
package sorted

import (
	"context"
	"io"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/segment/internal/format"
	"github.com/rete-go/rete/segment/internal/spool"
	"github.com/rete-go/rete/tile"
)

// File is what is packed of a file: its dictionary, and the triples of its default graph.
type File struct {
	Counts format.Counts
	Codec  codec.Codec // of chunks and tiles
	Level  tile.Level  // of the zstd encoder
	Memory int64       // bytes that all parts together may take, about
	Chunks [format.Sections]Chunks
	// Literals is how many terms of a section are literals: they come first in it.
	Literals [format.Sections]uint32
	Tiles    [tile.NumOrders]Tiles // of the orders that the file stores
	Temp     func() *spool.Spool   // a new one, discarded with the file
}

// Chunks are the chunks of one dictionary section.
type Chunks struct {
	Refs   []format.ChunkRef
	Stored *spool.Spool // of the chunks, back to back
}

// Tiles are the tiles of one order; without Stored the file does not have it.
type Tiles struct {
	Refs   []format.TileRef
	Stored *spool.Spool
}

// Terms returns the terms of a section from the first on.
func (f *File) Terms(sec format.Section) *Terms {
	return &Terms{units: units{codec: f.Codec}, from: f.Chunks[sec]}
}

// Terms goes through the terms of one section, in order. It belongs to one goroutine.
type Terms struct {
	units
	from  Chunks
	next  int // chunk
	chunk dict.Chunk
	at    int // in chunk
}

// Next returns the next term, valid until the call after it; [io.EOF] after the last.
func (t *Terms) Next(ctx context.Context) ([]byte, error) {
	if t.at == t.chunk.Len() {
		if t.next == len(t.from.Refs) {
			return nil, io.EOF
		}
		r := &t.from.Refs[t.next]
		raw, err := t.unit(ctx, t.from.Stored, r.Length, r.Raw)
		if err == nil {
			err = dict.DecodeChunk(raw, nil, int(r.Terms), dict.R, dict.MaxChunk, &t.chunk)
		}
		if err != nil {
			return nil, err
		}
		t.next, t.at = t.next+1, 0
	}
	t.at++
	return t.chunk.At(t.at - 1), nil
}

// Rows returns the triples of the default graph in an order that the file stores.
func (f *File) Rows(o tile.Order) *Rows { return &Rows{units: units{codec: f.Codec}, from: f.Tiles[o]} }

// Rows goes through the tiles of one order. It belongs to one goroutine.
type Rows struct {
	units
	from Tiles
	next int
	tile tile.Tile
}

// Next returns the next tile, valid until the call after it; [io.EOF] after the last.
func (r *Rows) Next(ctx context.Context) (*tile.Tile, error) {
	if r.next == len(r.from.Refs) {
		return nil, io.EOF
	}
	ref := &r.from.Refs[r.next]
	raw, err := r.unit(ctx, r.from.Stored, ref.Len, ref.RawLen)
	if err == nil {
		err = tile.Decode(raw, &r.tile)
	}
	if err != nil {
		return nil, err
	}
	r.next++
	return &r.tile, nil
}

// units reads what is stored back to back.
type units struct {
	codec       codec.Codec
	in          io.Reader
	stored, raw []byte
}

// unit returns the content of the next unit, valid until the next call.
func (u *units) unit(ctx context.Context, from *spool.Spool, size, rawLen uint32) (_ []byte, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if u.in == nil {
		if u.in, err = from.Reader(); err != nil {
			return nil, err
		}
	}
	if cap(u.stored) < int(size) {
		u.stored = make([]byte, size)
	}
	u.stored = u.stored[:size]
	if _, err := io.ReadFull(u.in, u.stored); err != nil {
		return nil, err
	}
	if u.codec == codec.Raw {
		return u.stored, nil
	}
	u.raw, err = codec.Decompress(u.codec, u.raw[:0], u.stored, int(rawLen))
	return u.raw, err
}
